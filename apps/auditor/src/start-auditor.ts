import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { RuleBook } from '#audit';
import type { EventLog } from '#event-log';
import { gamingDays, migrate, RowStore, type GamingDayRule, type PositionState } from '#read-model';
import type { Registry } from 'prom-client';
import { judgingBy } from './fold/table-run.js';
import { AuditorMetrics } from './own/auditor-metrics.js';
import { Auditor } from './own/auditor.js';
import { jsonJournal, type Journal } from './own/journal.js';

/** What an auditor works on. */
export interface StartAuditor {
  /** Not closed by the auditor. */
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly book: RuleBook;
  readonly gamingDays: readonly GamingDayRule[];
  /** The schema of rows; `rows` when absent. It is migrated. */
  readonly schema?: string;
  /** How long a partition stays with an owner that is not heard of; 3 s when absent. */
  readonly leaseMs?: number;
  readonly journal?: Journal;
}

/** How an auditor does. */
export interface AuditorStats {
  /** Partitions owned and followed. */
  readonly following: readonly number[];
  /** Whether everything handed over so far is written. */
  readonly isIdle: boolean;
}

/** An auditor that runs. */
export interface RunningAuditor {
  readonly owner: string;
  /** Counters of this auditor, for prom-client. */
  readonly registry: Registry;
  stats(): AuditorStats;
  /** Where every partition's rows stand, whoever owns it. */
  positions(): Promise<PositionState[]>;
  /** Writes what is folded, saves states, gives the partitions to the others, and lets go; at most `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

export const LEASE_MS = 3_000;

/**
 * Starts an auditor: migrates the rows' schema, takes a share of the partitions, folds them and keeps the rows. Any number
 * may run over one log and database. Throws `OtherLog` or `OtherFold` where the rows were made from another log, or by
 * another version of the fold.
 */
export async function startAuditor({
  log,
  databaseUrl,
  book,
  gamingDays: days,
  schema,
  leaseMs = LEASE_MS,
  journal = jsonJournal(),
}: StartAuditor): Promise<RunningAuditor> {
  await migrate(databaseUrl, schema);
  const rows = RowStore.open(databaseUrl, { schema, applicationName: 'shoeprint auditor' });
  const metrics = new AuditorMetrics();
  const owner = `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`;
  const auditor = await Auditor.start({
    log,
    rows,
    judging: judgingBy(book),
    dayOf: gamingDays(days),
    journal,
    metrics,
    owner,
    leaseMs,
  }).catch(async (error: unknown) => {
    await rows.close();
    throw error;
  });
  return {
    owner,
    registry: metrics.registry,
    stats: () => ({ following: auditor.following, isIdle: auditor.isIdle }),
    positions: () => rows.positions(),
    close: async (graceMs) => {
      await auditor.close(graceMs);
      await rows.close();
    },
  };
}
