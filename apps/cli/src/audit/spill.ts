import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Opens a temporary file without a name and returns its descriptor. The file is unlinked as soon as
 * it is open, so it disappears with the process, however that ends.
 */
export function openNameless(): number {
  const folder = mkdtempSync(join(tmpdir(), 'shoeprint-'));
  const file = openSync(join(folder, 'spill'), 'wx+', 0o600);
  rmSync(folder, { recursive: true });
  return file;
}

/** Where the items of a spill are in its file. One thread passes this to another. */
export interface Places {
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
}

/**
 * A list of plain JSON values that does not stay in memory. When the weight of those in memory
 * exceeds `most`, they are written to a temporary file and read back on each access.
 */
export class Spill<T> {
  /**
   * The JSON of the items in memory. An item itself may have texts that keep the whole block of the
   * log alive that they were cut from.
   */
  private readonly held = new Map<number, string>();
  private weight = 0;
  private end = 0;
  private readonly offsets: number[] = [];
  private readonly lengths: number[] = [];

  constructor(
    private readonly most: number,
    private file?: number,
  ) {}

  /** Returns the list that another thread wrote to `file`. */
  static at<T>(file: number, { offsets, lengths }: Places): Spill<T> {
    const spill = new Spill<T>(0, file);
    for (const offset of offsets) spill.offsets.push(offset);
    for (const length of lengths) spill.lengths.push(length);
    return spill;
  }

  get size(): number {
    return this.offsets.length;
  }

  /** Adds an item and returns its index in the list. */
  add(item: T, weight: number): number {
    const place = this.offsets.push(-1) - 1;
    this.lengths.push(0);
    this.held.set(place, JSON.stringify(item));
    this.weight += weight;
    if (this.weight > this.most) this.writeOut();
    return place;
  }

  get(place: number): T {
    const held = this.held.get(place);
    if (held !== undefined) return JSON.parse(held) as T;
    const bytes = Buffer.allocUnsafe(this.lengths[place] as number);
    let read = 0;
    while (read < bytes.length) {
      const more = readSync(
        this.file as number,
        bytes,
        read,
        bytes.length - read,
        (this.offsets[place] as number) + read,
      );
      if (more === 0) throw new Error('a temporary file of findings was cut short');
      read += more;
    }
    return JSON.parse(bytes.toString('utf8')) as T;
  }

  /** Writes everything to the file and returns where each item is. */
  writeOut(): Places {
    this.file ??= openNameless();
    for (const [place, item] of this.held) {
      const bytes = Buffer.from(item);
      for (let written = 0; written < bytes.length;)
        written += writeSync(this.file, bytes, written, bytes.length - written, this.end + written);
      this.offsets[place] = this.end;
      this.lengths[place] = bytes.length;
      this.end += bytes.length;
    }
    this.held.clear();
    this.weight = 0;
    return { offsets: this.offsets, lengths: this.lengths };
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
  }
}
