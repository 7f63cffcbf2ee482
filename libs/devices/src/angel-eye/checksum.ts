import type { BccReading } from './frames.js';

/** Reports in a row that must fit one reading of the check before the other is never taken. */
const SETTLED_AFTER = 3;

/** What is known of how the shoe computes its check. */
export interface Checksum {
  readonly settled: BccReading | null;
  /** The reading that the last report fitted, and how many in a row fitted it. */
  readonly fitted: BccReading | null;
  readonly run: number;
}

/** Takes the reading that a report fitted, or undefined if it fitted neither. */
export function learn(known: Checksum, reading: BccReading | undefined): Checksum {
  if (known.settled !== null) return known;
  if (reading === undefined) return { settled: null, fitted: null, run: 0 };
  const run = reading === known.fitted ? known.run + 1 : 1;
  return { settled: run >= SETTLED_AFTER ? reading : null, fitted: reading, run };
}
