import type { EventLog } from '#event-log';
import type { RowStore } from '#read-model';
import type { DayOf } from '../fold/draw.js';
import type { Judging } from '../fold/table-run.js';
import type { AuditorMetrics } from './auditor-metrics.js';
import type { Journal } from './journal.js';

/** What an auditor is made of. */
export interface AuditorParts {
  readonly log: EventLog;
  readonly rows: RowStore;
  readonly judging: Judging;
  readonly dayOf: DayOf;
  readonly journal: Journal;
  readonly metrics: AuditorMetrics;
  /** This process among those that share the partitions. */
  readonly owner: string;
  /** How long a partition stays with an owner that is not heard of. */
  readonly leaseMs: number;
  /** How long a table waits for a hole before it is declared. */
  readonly gapAfterMs?: number;
}
