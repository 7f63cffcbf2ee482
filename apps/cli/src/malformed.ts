import type { Fault } from '#audit';
import { Spill } from './spill.js';

/** A line that is no event: where it stands, and all that is wrong with it. */
export interface Malformed {
  readonly file: string;
  readonly line: number;
  readonly faults: readonly Fault[];
}

const HELD_MAX = 20_000;
const BATCH = 256;

/** Every malformed line of an input, in order; a file that holds nothing else does not fill the memory. */
export class MalformedLines {
  /** Lines that are malformed. */
  count = 0;
  private batch: Malformed[] = [];
  private readonly batches = new Spill<Malformed[]>(HELD_MAX);

  add(file: string, line: number, faults: readonly Fault[]): void {
    this.count += 1;
    this.batch.push({ file, line, faults });
    if (this.batch.length < BATCH) return;
    this.batches.add(this.batch, BATCH);
    this.batch = [];
  }

  *[Symbol.iterator](): Iterator<Malformed> {
    for (let place = 0; place < this.batches.size; place += 1) yield* this.batches.get(place);
    yield* this.batch;
  }
}
