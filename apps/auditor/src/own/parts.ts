import type { EventLog } from '#event-log';
import type { RowStore } from '#read-model';
import type { DayOf } from '../fold/projected-rows.js';
import type { Judging } from '../fold/table-run.js';
import type { AuditorMetrics } from './monitoring/auditor-metrics.js';
import type { Journal } from '#server';

/** What an auditor is made of. */
export interface AuditorParts {
  readonly log: EventLog;
  readonly rows: RowStore;
  readonly judging: Judging;
  readonly dayOf: DayOf;
  readonly journal: Journal;
  readonly metrics: AuditorMetrics;
  /** The name of this process among those that share the partitions. */
  readonly owner: string;
  /** How long an owner keeps a partition without renewing its lease. */
  readonly leaseMs: number;
  /** How long a table waits for a hole before the hole is declared a gap. */
  readonly gapAfterMs?: number;
  /** How often the findings that wait are counted. Default: 15 s. */
  readonly waitingEveryMs?: number;
  /** Whether to compile what folds before the first record, if no record was folded yet. */
  readonly warmsUp?: boolean;
}
