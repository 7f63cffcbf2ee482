import { createReadStream, statSync, type ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { asError, errorCode } from '#process';
import { fileRefusal, Refusal } from '../refusal.js';

const CHUNK = 256 * 1024;

/** A file of events, or standard input. */
export interface LogFile {
  /** The name as given on the command line; `-` for standard input. */
  readonly name: string;
  /** Bytes on disk. `undefined` if they are unknown, and then the file can be read only once. */
  readonly size: number | undefined;
}

/** Bytes to be read once, from the start. */
export interface Bytes {
  /**
   * Reads up to `most` bytes into `into` at `at`. Returns 0 at the end. Throws `Refusal` if the
   * file cannot be read.
   */
  read(into: Buffer, at: number, most: number): Promise<number>;
  /** Returns how many bytes of the file on disk were used so far. */
  used(): number;
  close(): Promise<void>;
}

/**
 * Checks the files before any is read. Throws `Refusal` if one is missing or is a folder, or if
 * standard input is named twice.
 */
export function logFiles(names: readonly string[]): LogFile[] {
  if (names.filter((name) => name === '-').length > 1)
    throw new Refusal('standard input can be read only once');
  return names.map((name) => {
    if (name === '') throw new Refusal('the name of a file is empty');
    if (name === '-') return { name, size: undefined };
    try {
      const stat = statSync(name);
      if (stat.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
      return { name, size: stat.isFile() ? stat.size : undefined };
    } catch (error) {
      throw fileRefusal(name, error);
    }
  });
}

/** Opens a file for reading. Decompresses a file whose name ends in `.gz`. */
export async function openLogFile({ name, size }: LogFile): Promise<Bytes> {
  if (name === '-') return notPacked(name, ofStream(name, process.stdin));
  try {
    if (!name.endsWith('.gz') && size !== undefined) return notPacked(name, await ofFile(name));
    const raw = createReadStream(name, { highWaterMark: CHUNK });
    if (!name.endsWith('.gz')) return notPacked(name, ofStream(name, raw));
    const plain = createGunzip({ chunkSize: CHUNK });
    raw.on('error', (error) => plain.destroy(error));
    return ofStream(name, raw.pipe(plain), raw);
  } catch (error) {
    throw fileRefusal(name, error);
  }
}

/**
 * Returns the same bytes, but throws `Refusal` if they are gzip. One message is better than a
 * malformed line for each of them.
 */
function notPacked(name: string, bytes: Bytes): Bytes {
  let begun = false;
  return {
    ...bytes,
    async read(into, at, most) {
      const count = await bytes.read(into, at, most);
      if (!begun && count > 1 && into.readUInt16BE(at) === GZIP)
        throw new Refusal(
          name === '-'
            ? 'standard input is gzip; unpack it first, with gunzip -c'
            : `${name}: this file is gzip, but its name does not end in .gz`,
        );
      begun = true;
      return count;
    },
  };
}
/** The first two bytes of every gzip file. */
const GZIP = 0x1f8b;

async function ofFile(name: string): Promise<Bytes> {
  const file = await open(name);
  let used = 0;
  return {
    async read(into, at, most) {
      try {
        const { bytesRead } = await file.read(into, at, most, null);
        used += bytesRead;
        return bytesRead;
      } catch (error) {
        throw fileRefusal(name, error);
      }
    },
    used: () => used,
    close: () => file.close(),
  };
}

/** Returns the bytes of a stream. `raw` is the compressed file, if there is one. */
function ofStream(name: string, stream: Readable, raw?: ReadStream): Bytes {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let left: Buffer = Buffer.alloc(0);
  return {
    async read(into, at, most) {
      try {
        while (left.length === 0) {
          const next = await chunks.next();
          if (next.done) return 0;
          left = next.value;
        }
      } catch (error) {
        throw gzipRefusal(name, error) ?? fileRefusal(name, error);
      }
      const copied = left.copy(into, at, 0, most);
      left = left.subarray(copied);
      return copied;
    },
    used: () => raw?.bytesRead ?? 0,
    close: async () => {
      stream.destroy();
      raw?.destroy();
    },
  };
}

/**
 * Returns the refusal of a file that cannot be decompressed, or undefined for another error. zlib's
 * codes begin with `Z_`.
 */
function gzipRefusal(name: string, error: unknown): Refusal | undefined {
  return errorCode(error)?.startsWith('Z_')
    ? new Refusal(`${name}: not a complete gzip file (${asError(error).message})`)
    : undefined;
}
