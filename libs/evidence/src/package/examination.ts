import type { Cryptography } from '../cryptography.js';
import { FormatFault } from '../text-lines.js';
import { FileFault, FileMissing, type PackageReader, type RunningSha256 } from './reading.js';
import type { FaultKind, Findings, Position } from './report.js';

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
  abandon(step: number, message: string, at?: Position, kind: FaultKind = 'altered'): never {
    this.found.add(step, kind, message, at);
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
   * Runs one part of the work, which reads this file. A fault of the file ends that part only:
   * returns undefined then.
   */
  async attempt<T>(step: number, file: string, work: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Abandoned) return undefined;
      if (error instanceof FileMissing) this.fileMissing(step, error.message);
      else if (error instanceof FileFault) this.fileFault(step, file, error);
      else if (error instanceof FormatFault)
        this.fileFault(step, file, { message: error.problem, line: error.line });
      else throw error;
      return undefined;
    }
  }

  private fileFault(
    step: number,
    file: string,
    { message, line }: Pick<FileFault, 'message' | 'line'>,
  ): void {
    const key = `${file}:${line ?? 0}:${message}`;
    if (this.damaged.has(key)) return;
    this.damaged.add(key);
    this.found.add(step, 'altered', message, { file, line });
  }
}
