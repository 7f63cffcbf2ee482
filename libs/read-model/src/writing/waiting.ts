import type { Severity } from '#audit';
import type { FindingRow } from '../entities/index.js';
import type { WriterPool } from './pool.js';

/** Findings of one severity that wait for a ruling, in one state of review. */
export interface WaitingFindings {
  readonly severity: Severity;
  readonly review: FindingRow['review'];
  readonly count: number;
  /** When the first of them was raised; null if none of them has a time of receipt. */
  readonly oldest: string | null;
}

const WAITS = "withdrawn_because is null and review <> 'ruled' and not lapsed";

/** Returns how many findings wait at the table of some partitions where most do. */
export async function mostWaiting(
  pool: WriterPool,
  partitions: readonly number[],
): Promise<number> {
  const [row] = await pool.query<{ most: number }>(
    'most-waiting',
    `select coalesce(max(waiting), 0)::int as most
     from (select count(*) as waiting from ${pool.sql}.finding
       where ${WAITS} and partition = any($1::int[]) group by "table") each`,
    [partitions],
  );
  return row?.most ?? 0;
}

/** Returns the findings of some partitions that wait for a ruling, counted. */
export const waiting = (
  pool: WriterPool,
  partitions: readonly number[],
): Promise<WaitingFindings[]> =>
  pool.query<WaitingFindings>(
    'waiting',
    `select severity, review, count(*)::int as count, min(raised_at) as oldest
     from ${pool.sql}.finding
     where ${WAITS} and partition = any($1::int[]) group by severity, review`,
    [partitions],
  );
