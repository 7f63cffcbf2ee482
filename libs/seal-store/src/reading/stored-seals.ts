import type { SealPool } from '../database/seal-pool.js';
import type { KeptCheckpoint, SiteEntry } from './seal-reader.js';

/** Where a table's tree stood at a seal. */
export interface HeadSize {
  readonly seal: number;
  readonly size: number;
  readonly root: Uint8Array;
}

/** Returns where a table's tree stood at each of these seals that holds it. */
export const readHeadSizes = (
  pool: SealPool,
  number: number,
  [from, to]: readonly [from: number, to: number],
): Promise<HeadSize[]> =>
  pool.query<HeadSize>(
    'head-sizes',
    `select e."index" as seal, h.size, h.root from seal.entry e
     cross join lateral (
       select g.size, g.root from seal.grown g where g.number = $1 and g.seal <= e."index"
       order by g.seal desc limit 1) h
     where e.kind = 'seal' and e."index" between $2 and $3 order by e."index"`,
    [number, from, to],
  );

/** Returns the seal of the last gaming day of each month before the latest one, in order. */
export const readMonthEnds = (pool: SealPool, below: number): Promise<SiteEntry[]> =>
  pool.query<SiteEntry>(
    'month-ends',
    `select "index", kind, text from (
       select distinct on (date_trunc('month', day)) "index", kind, text, day from seal.entry
       where day is not null and "index" < $1
       order by date_trunc('month', day), day desc) ends
     where date_trunc('month', day) < (
       select date_trunc('month', max(day)) from seal.entry where "index" < $1)
     order by "index"`,
    [below],
  );

/** Where a table's tree stood at a seal that found it larger than the one before. */
export interface GrownRow {
  readonly seal: number;
  readonly number: number;
  readonly size: number;
  readonly root: Buffer;
}

/** Most rows that one call returns where it says so. */
const ROWS_MAX = 1_000;

/** Reads what was stored with the seals, for those who check it against the signed seals. */
export class StoredSeals {
  constructor(private readonly pool: SealPool) {}

  /** Returns the signed checkpoints of sizes `from` to `to`, both included, as the log signed them. */
  checkpoints(from: number, to: number): Promise<KeptCheckpoint[]> {
    return this.pool.query<KeptCheckpoint>(
      'checkpoints-between',
      'select size, note from seal.checkpoint where size between $1 and $2 order by size',
      [from, to],
    );
  }

  /** Returns the tables that the seals `from` to `to`, both included, found larger. */
  grown(from: number, to: number): Promise<GrownRow[]> {
    return this.pool.query<GrownRow>(
      'grown-between',
      `select seal, number, size, root from seal.grown where seal between $1 and $2
       order by seal, number`,
      [from, to],
    );
  }

  /** Returns the next seals after `seal` that found a table larger: at most a thousand. */
  growth(number: number, seal: number): Promise<GrownRow[]> {
    return this.pool.query<GrownRow>(
      'growth-of',
      `select seal, number, size, root from seal.grown where number = $1 and seal > $2
       order by seal limit ${ROWS_MAX}`,
      [number, seal],
    );
  }
}
