import { createHash, type Hash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Refusal } from '../refusal.js';

interface Saved {
  readonly url: string;
  readonly lines: number;
  readonly sha256: string;
}

/**
 * How far a file has been delivered, kept beside it in `FILE.sent`: the lines that the api has durably, counted from the
 * front, and the digest of their bytes, so that another file under the same name is noticed before anything of it is sent.
 */
export class DeliveryState {
  /** Lines delivered when this run began. */
  readonly begun: number;
  private readonly saved: Saved | undefined;
  private readonly digest: Hash = createHash('sha256');
  private lines = 0;
  private readonly path: string;

  /** Refuses (`Refusal`) a state that cannot be read, or that belongs to a delivery to another address. */
  constructor(
    private readonly file: string,
    private readonly url: string,
  ) {
    this.path = `${file}.sent`;
    this.saved = existsSync(this.path) ? this.read() : undefined;
    this.begun = this.saved?.lines ?? 0;
  }

  /** Takes the next line of the file, in order, delivered before or not, and says whether it is still to be sent. */
  isNew(line: Uint8Array): boolean {
    this.digest.update(line).update('\n');
    this.lines += 1;
    if (this.lines === this.begun && this.saved?.sha256 !== this.soFar())
      throw new Refusal(this.otherFile());
    return this.lines > this.begun;
  }

  /** The whole file has been seen. Refuses (`Refusal`) one that is shorter than what was delivered of it. */
  end(): void {
    if (this.lines < this.begun) throw new Refusal(this.otherFile());
  }

  /** The digest of all lines taken so far: to be handed to `delivered` once they are. */
  soFar(): string {
    return this.digest.copy().digest('hex');
  }

  /** Everything up to the line of this number is durable. */
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
        `${this.path}: how far ${this.file} was sent cannot be read (${(error as Error).message}); remove it to send the file from its first line`,
      );
    }
    if (!Number.isSafeInteger(saved.lines) || saved.lines < 1 || typeof saved.sha256 !== 'string')
      throw new Refusal(
        `${this.path}: this does not say how far ${this.file} was sent; remove it to send the file from its first line`,
      );
    if (saved.url !== this.url)
      throw new Refusal(
        `${this.file} was being sent to ${saved.url}; remove ${this.path} to send it to ${this.url} from its first line`,
      );
    return saved;
  }

  private otherFile(): string {
    return `${this.file} is not the file of which ${this.begun} lines were sent; remove ${this.path} to send it from its first line`;
  }
}
