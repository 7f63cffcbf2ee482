import type { Fault } from '#audit';
import { visible } from '#process';
import { counted } from '../terminal/page.js';
import { Spill } from '../audit/spill.js';

/** A malformed line: its number and all of its faults. */
export interface Malformed {
  readonly file: string;
  readonly line: number;
  readonly faults: readonly Fault[];
}

/** How many malformed lines the text shows, and how many faults of each. */
const LINES_SHOWN = 20;
const FAULTS_SHOWN = 5;

const HELD_MAX = 20_000;
const BATCH = 256;

/**
 * Every malformed line of an input, in order. Memory stays bounded even if every line of a file is
 * malformed.
 */
export class MalformedLines {
  /** The number of malformed lines. */
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

/**
 * Prints the first malformed lines and their number on standard error. `after` says what happened
 * to the input.
 */
export function printMalformed(
  malformed: Iterable<Malformed> & { readonly count: number },
  after: string,
): void {
  const lines: string[] = [];
  let shown = 0;
  for (const { file, line, faults } of malformed) {
    if (shown === LINES_SHOWN) break;
    shown += 1;
    for (const { pointer, reason } of faults.slice(0, FAULTS_SHOWN))
      lines.push(`${file}:${line}: ${pointer === '' ? '' : `${pointer} `}${reason}`);
    if (faults.length > FAULTS_SHOWN)
      lines.push(`${file}:${line}: and ${faults.length - FAULTS_SHOWN} more faults`);
  }
  if (malformed.count > shown)
    lines.push(`and ${malformed.count - shown} more lines; --json lists all of them`);
  lines.push(`refused: ${counted(malformed.count, 'malformed line')}; ${after}`);
  process.stderr.write(`${lines.map(visible).join('\n')}\n`);
}
