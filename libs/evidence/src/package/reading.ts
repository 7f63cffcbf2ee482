import { joinBytes } from '../bytes.js';
import { FormatFault, strictText } from '../text-lines.js';
import { FormFault, readJson, type FileForm } from './forms.js';
import { JSON_BYTES_MAX, PACKAGE_LINE_MAX } from './files.js';
import { DamagedFile, type PackageSource } from './source.js';

/** A SHA-256 of bytes that come in pieces. */
export interface RunningSha256 {
  update(bytes: Uint8Array): void;
  /** Returns the digest of all bytes so far. More can follow. */
  digest(): Uint8Array;
}

/** Thrown for a file whose content cannot be taken. Names the line if it is known. */
export class FileFault extends Error {
  override readonly name = 'FileFault';

  constructor(
    message: string,
    readonly line?: number,
  ) {
    super(message);
  }
}

/** Thrown for a file that is not in the package. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing';
}

/**
 * Reads the files of a package. Keeps the SHA-256 of every file that was read to its end, so that
 * one pass both takes and hashes it.
 */
export class PackageReader {
  private readonly digests = new Map<string, Uint8Array>();
  private readonly opened = new Set<AsyncGenerator<Uint8Array>>();

  constructor(
    readonly source: PackageSource,
    private readonly startSha256: () => RunningSha256,
  ) {}

  /** Returns whether the package has this file. */
  has(path: string): boolean {
    return this.source.files.has(path);
  }

  /** Returns the bytes of a file. Throws `FileMissing`, and `FileFault` for one that is damaged. */
  open(path: string): AsyncGenerator<Uint8Array> {
    const bytes = this.bytesOf(path, () => this.opened.delete(bytes));
    this.opened.add(bytes);
    return bytes;
  }

  /** Runs work, and closes the files that it opened and did not read to their end. */
  async closing<T>(work: () => Promise<T> | T): Promise<T> {
    const before = new Set(this.opened);
    try {
      return await work();
    } finally {
      const left = [...this.opened].filter((bytes) => !before.has(bytes));
      for (const bytes of left) {
        this.opened.delete(bytes);
        await bytes.return(undefined);
      }
    }
  }

  private async *bytesOf(path: string, ended: () => void): AsyncGenerator<Uint8Array> {
    const file = this.source.files.get(path);
    if (!file) throw new FileMissing(path);
    const hash = this.startSha256();
    try {
      for await (const chunk of file.open()) {
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      if (error instanceof DamagedFile) throw new FileFault(error.message);
      throw error;
    } finally {
      ended();
    }
    this.digests.set(path, hash.digest());
  }

  /** Returns the SHA-256 of a file. */
  async digest(path: string): Promise<Uint8Array> {
    let digest = this.digests.get(path);
    if (digest) return digest;
    for await (const _chunk of this.open(path));
    digest = this.digests.get(path);
    if (!digest) throw new FileMissing(path);
    return digest;
  }

  /** Returns a file of at most `max` bytes. */
  async bytes(path: string, max = JSON_BYTES_MAX): Promise<Uint8Array> {
    const declared = this.source.files.get(path)?.bytes ?? 0;
    if (declared > max) throw new FileFault(`the file is over ${max} bytes`);
    const whole = new Uint8Array(declared);
    let at = 0;
    for await (const chunk of this.open(path)) {
      if (at + chunk.length > declared) throw new FileFault('the file grows while it is read');
      whole.set(chunk, at);
      at += chunk.length;
    }
    if (at < declared) throw new FileFault('the file shrinks while it is read');
    return whole;
  }

  /** Returns a text file of at most `max` bytes. */
  async text(path: string, max = JSON_BYTES_MAX): Promise<string> {
    return strictText(await this.bytes(path, max));
  }

  /** Returns a JSON file of this form: one line, which ends with a line feed. */
  async json<T>(path: string, form: FileForm<T>): Promise<T> {
    const text = await this.text(path);
    if (!text.endsWith('\n')) throw new FileFault('does not end with a line feed', 1);
    return readLine(form, text.slice(0, -1), 1);
  }

  /** Returns the lines of a text file, to be taken in order. */
  lines(path: string): Lines {
    return new Lines(this.open(path));
  }

  /** Calls `take` with each line of a file of JSON lines. */
  async eachLine<T>(
    path: string,
    form: FileForm<T>,
    take: (value: T, line: number) => void,
  ): Promise<void> {
    const lines = this.lines(path);
    for (let value = await lines.json(form); value !== undefined; value = await lines.json(form))
      take(value, lines.number);
  }
}

function readLine<T>(form: FileForm<T>, line: string, number: number): T {
  try {
    return readJson(form, line);
  } catch (error) {
    if (error instanceof FormFault) throw new FileFault(error.message, number);
    throw error;
  }
}

const LINE_FEED = 0x0a;

/** The lines of a text file. Each ends with a line feed. */
export class Lines {
  /** The number of the line that was taken last, from 1. */
  number = 0;
  private ready: string[] = [];
  private at = 0;
  private rest = new Uint8Array(0);

  constructor(private readonly chunks: AsyncGenerator<Uint8Array>) {}

  /** Returns the next line if it is already read: `next` without its cost. */
  nextRead(): string | undefined {
    const line = this.ready[this.at];
    if (line !== undefined) {
      this.at += 1;
      this.number += 1;
    }
    return line;
  }

  /** Returns the next line, or undefined at the end. Throws `FileFault` for a bad line. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const line = this.nextRead();
      if (line !== undefined) return line;
      const next = await this.chunks.next();
      if (next.done === true) break;
      this.fill(next.value);
    }
    if (this.rest.length > 0)
      throw new FileFault('the last line does not end with a line feed', this.number + 1);
    return undefined;
  }

  /** Returns the value of the next line of a file of JSON lines, or undefined at the end. */
  async json<T>(form: FileForm<T>): Promise<T | undefined> {
    const line = await this.next();
    return line === undefined ? undefined : readLine(form, line, this.number);
  }

  private fill(chunk: Uint8Array): void {
    const bytes = this.rest.length === 0 ? chunk : joinBytes(this.rest, chunk);
    const end = bytes.lastIndexOf(LINE_FEED);
    // a copy: the memory of a chunk can be used again, and `slice` of a buffer copies nothing
    this.rest = new Uint8Array(bytes.subarray(end + 1));
    if (this.rest.length > PACKAGE_LINE_MAX)
      throw new FileFault(`a line is over ${PACKAGE_LINE_MAX} bytes`, this.number + 1);
    this.at = 0;
    this.ready = end < 0 ? [] : this.decoded(bytes.subarray(0, end)).split('\n');
    const long = this.ready.findIndex((line) => line.length > PACKAGE_LINE_MAX);
    if (long >= 0)
      throw new FileFault(`a line is over ${PACKAGE_LINE_MAX} bytes`, this.number + long + 1);
  }

  private decoded(bytes: Uint8Array): string {
    try {
      return UTF8.decode(bytes);
    } catch {
      const { line, problem } = faultOf(() => strictText(bytes));
      throw new FileFault(problem, this.number + line);
    }
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the fault that `work` throws. */
function faultOf(work: () => unknown): { readonly line: number; readonly problem: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof FormatFault) return error;
    throw error;
  }
  return { line: 1, problem: 'is not UTF-8' };
}
