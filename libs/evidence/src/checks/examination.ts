import type { Cryptography } from '../cryptography.js';
import { FileFault, FileMissing } from '../package/reading.js';
import type { PackageReader, RunningSha256 } from '../package/reading.js';
import type { Findings, Position } from '../package/report.js';
import { FormatFault } from '../text-lines.js';

/** What a platform does for the verifier. */
export interface Platform extends Cryptography {
  readonly startSha256: () => RunningSha256;
  /** Returns memory for so many bytes. */
  readonly allocate: (bytes: number) => Uint8Array;
}

/** Thrown to end the work on one part of a package. Its fault is already noted. */
class Abandoned extends Error {}

/** One run of the verifier over one package: its files, and what is wrong with them. */
export class Examination {
  private readonly missing = new Set<string>();
  private readonly damaged = new Set<string>();

  constructor(
    readonly reader: PackageReader,
    readonly platform: Platform,
    readonly found: Findings,
  ) {}

  /** Notes what contradicts a hash, a signature or a seal. */
  altered(step: number, message: string, at?: Position): void {
    this.found.add(step, 'altered', message, at);
  }

  /** Notes what contradicts a hash, a signature or a seal, and ends the work on this part. */
  abandon(step: number, message: string, at?: Position): never {
    this.altered(step, message, at);
    throw new Abandoned();
  }

  /** Ends the work on this part. What ends it is noted. */
  stop(): never {
    throw new Abandoned();
  }

  /** Notes, once, that a file is not in the package. */
  fileMissing(step: number, file: string): void {
    if (this.missing.has(file)) return;
    this.missing.add(file);
    this.found.add(step, 'incomplete', 'the file is missing', { file });
  }

  /**
   * Runs one part of the work, which reads a file there. A fault of the file ends that part only:
   * returns undefined then.
   */
  async attempt<T>(
    step: number,
    at: string | (Position & { readonly file: string }),
    work: () => Promise<T> | T,
  ): Promise<T | undefined> {
    try {
      return await this.reader.closing(work);
    } catch (error) {
      if (error instanceof Abandoned) return undefined;
      if (error instanceof FileMissing) this.fileMissing(step, error.message);
      else this.fileFault(step, typeof at === 'string' ? { file: at } : at, error);
      return undefined;
    }
  }

  /** Runs work that reads a file at a place that `at` knows. A fault of the file ends this part. */
  async reading<T>(step: number, at: () => Position, work: () => Promise<T> | T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      this.fileFault(step, at(), error);
      throw new Abandoned();
    }
  }

  /** Notes a fault of a file, once. Throws what is not one. */
  private fileFault(step: number, at: Position, error: unknown): void {
    if (!(error instanceof FileFault || error instanceof FormatFault)) throw error;
    const { line = at.line } = error;
    const message = error instanceof FileFault ? error.message : error.problem;
    const key = JSON.stringify([at.file, line, message]);
    if (this.damaged.has(key)) return;
    this.damaged.add(key);
    this.found.add(step, 'altered', message, { ...at, line });
  }
}
