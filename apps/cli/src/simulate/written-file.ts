import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { asError, errorCode } from '#process';
import { Refusal } from '../refusal.js';

const PIECE = 64 * 1024;

/** Joins lines into pieces of about 64 KiB, so that there is not one write a line. */
export function* pieces(lines: Iterable<string>): Generator<string> {
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/**
 * Writes lines to a file as fast as the disk takes them, compressed if the name ends in `.gz`.
 * Removes a file that it could not finish. Throws `Refusal` if the file cannot be written.
 */
export async function writeLines(file: string, lines: Iterable<string>): Promise<void> {
  const target = createWriteStream(file);
  try {
    const source = Readable.from(pieces(lines));
    await (file.endsWith('.gz')
      ? pipeline(source, createGzip(), target)
      : pipeline(source, target));
  } catch (error) {
    if (isOfFile(error)) throw unwritable(file, error);
    await rm(file, { force: true });
    throw error;
  }
}

/** Writes a value as indented JSON. Throws `Refusal` if the file cannot be written. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    throw unwritable(file, error);
  }
}

const isOfFile = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'syscall' in error;

function unwritable(file: string, error: unknown): Refusal {
  switch (errorCode(error)) {
    case 'ENOENT':
      return new Refusal(`${file}: its folder does not exist`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new Refusal(`${file}: permission denied`);
    case 'EISDIR':
      return new Refusal(`${file}: is a folder, not a file`);
    case 'ENOSPC':
      return new Refusal(`${file}: the disk is full`);
    default:
      return new Refusal(`${file}: could not be written (${asError(error).message})`);
  }
}
