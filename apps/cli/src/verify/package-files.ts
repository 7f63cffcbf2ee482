import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createInflateRaw, crc32 as zlibCrc32 } from 'node:zlib';
import {
  checkName,
  FileList,
  openZip,
  Unreadable,
  type Bytes,
  type PackageSource,
} from '#evidence';
import { fileRefusal } from '../refusal.js';

/** Inflating allocates each chunk: with chunks of 1 MB the peak of a whole run was 200 MB. */
const CHUNK = 64 * 1024;
/** The memory of a chunk of a folder is used again: larger ones save a fifth of the proof's time. */
const FOLDER_CHUNK = 256 * 1024;

/** A package that is open for reading. */
export interface OpenPackage {
  readonly source: PackageSource;
  close(): Promise<void>;
}

/**
 * Opens a package: a zip file, or a folder that one was unpacked into. Throws `Refusal` if the path
 * cannot be read, and `Unreadable` if it is not a package.
 */
export async function openPackage(path: string): Promise<OpenPackage> {
  try {
    const stat = await lstat(path);
    return stat.isDirectory() ? await openFolder(path) : await openArchive(path);
  } catch (error) {
    throw error instanceof Unreadable ? error : fileRefusal(path, error);
  }
}

async function openArchive(path: string): Promise<OpenPackage> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes: Bytes = {
      size,
      async *read(from, length) {
        for (let at = from; at < from + length;) {
          const buffer = Buffer.allocUnsafe(Math.min(CHUNK, from + length - at));
          const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
          if (bytesRead === 0) return;
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      },
    };
    return { source: await openZip(bytes, { inflate, crc32 }), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* inflate(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(packed, { objectMode: false });
  const inflater = createInflateRaw({ chunkSize: CHUNK });
  source.on('error', (error) => inflater.destroy(error));
  source.pipe(inflater);
  try {
    yield* inflater as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
    inflater.destroy();
  }
}

/** Continues a CRC-32. Node has one from 20.15 on. */
const crc32: (bytes: Uint8Array, before: number) => number =
  typeof zlibCrc32 === 'function' ? zlibCrc32 : ownCrc32;

function ownCrc32(bytes: Uint8Array, before: number): number {
  let crc = ~before;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320;
  return crc;
});

async function openFolder(path: string): Promise<OpenPackage> {
  const list = new FileList();
  await addFolder(list, path, FOLDER);
  if (list.files.size === 0) throw new Unreadable('the folder contains no file');
  return { source: list, close: () => Promise.resolve() };
}
/** Stands for the folder that the caller named, which may have any name. */
const FOLDER = 'package';

async function addFolder(list: FileList, path: string, name: string): Promise<void> {
  checkName(name); // before what is in it is read, so that it is not too deep
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const file = join(path, entry.name);
    const within = `${name}/${entry.name}`;
    if (entry.isDirectory()) await addFolder(list, file, within);
    else if (entry.isFile()) {
      const { size } = await lstat(file);
      list.add(within, size, () => readFile(file));
    } else throw new Unreadable(`${JSON.stringify(within)} is a link or another kind of file`);
  }
}

/** Reads a file from its start. The same memory is used again for each chunk. */
async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(FOLDER_CHUNK);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, FOLDER_CHUNK, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
