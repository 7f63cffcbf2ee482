import { setTimeout as later } from 'node:timers/promises';
import type { Finding, RangeShoe } from '#audit';
import { ExportRefusal } from './refusal.js';

/** Where a record is in the log. */
export interface RecordPosition {
  readonly partition: number;
  readonly offset: number;
}

/** An opening of a shoe. */
export interface OpeningRow {
  readonly ref: string;
  readonly shoe: string;
  readonly position: RecordPosition;
}

/** A finding. */
export interface LookedUpFinding {
  readonly finding: Finding;
  /** Null if it is about no shoe. */
  readonly shoeRef: string | null;
  /** A record at which it had been raised. */
  readonly position: RecordPosition;
  readonly isWithdrawn: boolean;
}

/** What packages need of the rows. `PackageRows` of the read model is one. */
export interface ExportRows {
  /** Returns up to which offset the rows include a partition. */
  reached(partition: number): Promise<number>;
  /** Returns the opening of a shoe by its reference, or else the last one by the shoe's id. */
  opening(table: string, shoe: string): Promise<OpeningRow | undefined>;
  /** Returns the last opening before an offset of each of these shoes that has one. */
  openingsOf(table: string, shoes: readonly string[], before: number): Promise<OpeningRow[]>;
  /** Returns the last openings of a table up to an offset, the last first. */
  openingsBefore(table: string, offset: number, count: number): Promise<OpeningRow[]>;
  finding(id: string): Promise<LookedUpFinding | undefined>;
  /** Returns the records with acts on a finding, in the order of the log. */
  acts(finding: string): Promise<RecordPosition[]>;
  /** Returns the lines of a table that the fold does not judge, but for those of passed records. */
  unjudged(table: string): Promise<
    {
      readonly position: RecordPosition;
      /** Counted from 1. */
      readonly line: number;
      readonly released: boolean;
    }[]
  >;
  /** Returns the records that nobody judges by decision of an administrator, of all tables. */
  passed(): Promise<readonly RecordPosition[]>;
  /** Returns how the rows differ from what was judged of shoes that left reach. */
  difference(shoes: readonly RangeShoe[]): Promise<string | undefined>;
}

/** How long a package waits for the rows to include what it shows, in milliseconds. */
const ROWS_WAIT_MS = 15_000;
const LOOK_MS = 100;

/** Waits until the rows include a record. Throws `ExportRefusal` if they do not in time. */
export async function rowsUpTo(
  rows: ExportRows,
  { partition, offset }: RecordPosition,
): Promise<void> {
  const until = performance.now() + ROWS_WAIT_MS;
  for (;;) {
    const reached = await rows.reached(partition);
    if (reached > offset) return;
    if (performance.now() >= until)
      throw new ExportRefusal(
        'rows-behind',
        `the rows of partition ${partition} end before offset ${reached}, and the package needs them up to ${offset}`,
      );
    await later(LOOK_MS);
  }
}
