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

/** Returns the findings of some partitions that wait for a ruling, counted. */
export const waiting = (
  pool: WriterPool,
  partitions: readonly number[],
): Promise<WaitingFindings[]> =>
  pool.query<WaitingFindings>(
    'waiting',
    `select severity, review, count(*)::int as count, min(raised_at) as oldest
     from ${pool.sql}.finding
     where withdrawn_because is null and review <> 'ruled' and not lapsed
       and partition = any($1::int[]) group by severity, review`,
    [partitions],
  );
