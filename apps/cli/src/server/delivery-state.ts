import { createHash, type Hash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { asError } from '#process';
import { Refusal } from '../refusal.js';

interface Saved {
  readonly url: string;
  readonly lines: number;
  readonly sha256: string;
}

/**
 * How far a file was delivered, kept beside it in `FILE.sent`: the number of lines, from the first,
 * that the api has durably, and the digest of their bytes. The digest reveals another file under
 * the same name before any of it is sent.
 */
export class DeliveryState {
  /** Lines delivered before this run. */
  readonly begun: number;
  private readonly saved: Saved | undefined;
  private readonly digest: Hash = createHash('sha256');
  private lines = 0;
  private readonly path: string;

  /**
   * Throws `Refusal` for a state that cannot be read or that belongs to a delivery to another
   * address.
   */
  constructor(
    private readonly file: string,
    private readonly url: string,
  ) {
    this.path = `${file}.sent`;
    this.saved = existsSync(this.path) ? this.read() : undefined;
    this.begun = this.saved?.lines ?? 0;
  }

  /**
   * Takes the next line of the file, in order. Returns whether it is still to be sent. Throws
   * `Refusal` if the lines delivered before were others.
   */
  isNew(line: Uint8Array): boolean {
    this.digest.update(line).update('\n');
    this.lines += 1;
    if (this.lines === this.begun && this.saved?.sha256 !== this.soFar())
      throw new Refusal(this.otherFile());
    return this.lines > this.begun;
  }

  /** Ends the file. Throws `Refusal` if it is shorter than what was delivered of it. */
  end(): void {
    if (this.lines < this.begun) throw new Refusal(this.otherFile());
  }

  /** Returns the digest of all lines taken so far, for `delivered`. */
  soFar(): string {
    return this.digest.copy().digest('hex');
  }

  /** Records that everything up to and including this line is durable. */
  delivered(lines: number, sha256: string): void {
    const saved: Saved = { url: this.url, lines, sha256 };
    writeFileSync(`${this.path}.new`, `${JSON.stringify(saved)}\n`);
    renameSync(`${this.path}.new`, this.path);
  }

  private read(): Saved {
    let saved: Saved;
    try {
      saved = JSON.parse(readFileSync(this.path, 'utf8')) as Saved;
    } catch (error) {
      throw new Refusal(
        `${this.path}: cannot read how far ${this.file} was sent (${asError(error).message}); remove it to send the file from its first line`,
      );
    }
    if (!Number.isSafeInteger(saved.lines) || saved.lines < 1 || typeof saved.sha256 !== 'string')
      throw new Refusal(
        `${this.path}: does not record how far ${this.file} was sent; remove it to send the file from its first line`,
      );
    if (saved.url !== this.url)
      throw new Refusal(
        `${this.file} was being sent to ${saved.url}; remove ${this.path} to send it to ${this.url} from its first line`,
      );
    return saved;
  }

  private otherFile(): string {
    return `${this.file} is not the file whose first ${this.begun} lines were sent; remove ${this.path} to send it from its first line`;
  }
}
