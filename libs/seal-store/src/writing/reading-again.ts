import type { SealPool } from '../database/seal-pool.js';
import type { LogPosition } from './positions.js';

/** How far a partition was read again. */
export interface ReadingState {
  readonly partition: number;
  /** The offset that the pass under way reads next. */
  readonly next: number;
  /** How long ago the last whole pass ended, in milliseconds; null before the first. */
  readonly ageMs: number | null;
}

/** A record that is not the one that was hashed. */
export interface Mismatch extends LogPosition {
  /** Name of the table, as `nameOfTable` writes it. */
  readonly name: string;
  /** Index of the record in its table; null if the table has no record from there. */
  readonly record: number | null;
  /** Leaf hash that the table's tree has; null if it has none. */
  readonly sealed: Buffer | null;
  /** Leaf hash of what was read; null if nothing could be read. */
  readonly found: Buffer | null;
}

/** Keeps how far the log was read again, and what was found. */
export class ReadingMarks {
  constructor(private readonly pool: SealPool) {}

  /** Returns how far each partition was read again, those first that were never read whole. */
  states(): Promise<ReadingState[]> {
    return this.pool.query<ReadingState>(
      'reading-states',
      `select p.partition, coalesce(r.next, 0) as next,
         (extract(epoch from clock_timestamp() - r.completed_at) * 1000)::float8 as "ageMs"
       from seal.position p left join seal.reading r on r.partition = p.partition
       order by r.completed_at nulls first, p.partition`,
    );
  }

  /** Keeps how far a pass is. One that `isWhole` has ended, and the next begins at 0. */
  async advance(partition: number, next: number, isWhole: boolean): Promise<void> {
    await this.pool.query(
      'reading-advance',
      `insert into seal.reading (partition, next, completed_at)
       values ($1, case when $3 then 0 else $2::bigint end, case when $3 then clock_timestamp() end)
       on conflict (partition) do update
       set next = excluded.next, completed_at = coalesce(excluded.completed_at, reading.completed_at)`,
      [partition, next, isWhole],
    );
  }

  /** Makes the next passes begin with the first record. */
  async restart(): Promise<void> {
    await this.pool.query(
      'reading-restart',
      'update seal.reading set next = 0, completed_at = null',
    );
  }

  /**
   * Keeps a mismatch, and with one that is new a line for the record of the house. Returns whether
   * it is new.
   */
  async keep(
    { partition, offset, name, record, sealed, found }: Mismatch,
    line: string | null,
  ): Promise<boolean> {
    const kept = await this.pool.query(
      'keep-mismatch',
      `with kept as (
         insert into seal.mismatch (partition, "offset", name, record, sealed, found)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1),
       told as (
         insert into seal.outbox (line) select $7 from kept where $7::text is not null)
       select from kept`,
      [partition, offset, name, record, sealed, found, line],
    );
    return kept.length > 0;
  }

  /** Returns how many mismatches are kept. */
  async count(): Promise<number> {
    const [row] = await this.pool.query<{ count: number }>(
      'count-mismatches',
      'select count(*) as count from seal.mismatch',
    );
    return row?.count ?? 0;
  }
}
