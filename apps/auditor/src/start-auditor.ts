import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { LaneSetting, RuleBook } from '#audit';
import type { EventLog } from '#event-log';
import {
  gamingDays,
  migrate,
  onceReachable,
  RowStore,
  type GamingDayRule,
  type PositionState,
  type Reaching,
} from '#read-model';
import { jsonJournal, type Journal } from '#server';
import type { Registry } from 'prom-client';
import { judgingBy } from './fold/table-run.js';
import { Auditor } from './own/auditor.js';
import { AuditorMetrics } from './own/monitoring/auditor-metrics.js';
import type { Failing } from './own/monitoring/failing-work.js';

/** The inputs of an auditor. */
export interface StartAuditor {
  /** The caller closes it. */
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly book: RuleBook;
  readonly gamingDays: readonly GamingDayRule[];
  /** The schema of the rows, which the auditor migrates; default `rows`. */
  readonly schema?: string;
  /** How long an owner keeps a partition without renewing its lease; default 3,000 ms. */
  readonly leaseMs?: number;
  /** How lines are folded; default `on`. */
  readonly lanes?: LaneSetting;
  /**
   * Whether to fold two simulated shoes before the first record, if the rows are empty; default no.
   * Behind rows that are not, the takeover of their tables does the same.
   */
  readonly warmsUp?: boolean;
  readonly journal?: Journal;
}

/** The state of a running auditor. */
export interface AuditorStats {
  /** Partitions owned and followed. */
  readonly following: readonly number[];
  /** Whether all records received so far are written. */
  readonly isIdle: boolean;
  /** What has failed for five seconds, and is tried again. */
  readonly failing: readonly Failing[];
}

/** A running auditor. */
export interface RunningAuditor {
  readonly owner: string;
  /** This auditor's metrics, for Prometheus. */
  readonly registry: Registry;
  stats(): AuditorStats;
  /** Returns the position of the rows of every partition, also of those that others own. */
  positions(): Promise<PositionState[]>;
  /**
   * Writes what is folded, saves snapshots, releases the partitions and stops. Waits at most
   * `graceMs` for each step.
   */
  close(graceMs?: number): Promise<void>;
}

/** How long an owner keeps a partition without renewing its lease, by default. */
export const LEASE_MS = 3_000;

/**
 * Starts an auditor: migrates the rows' schema, claims a share of the partitions, folds them and
 * writes the rows. Any number of auditors may share one log and database. Tries again while
 * PostgreSQL cannot be reached, for two minutes by default, then throws `DatabaseAway`. Throws
 * `OtherLog` if the rows were made from another log, and `OtherFold` if another version of the fold
 * made them.
 */
export function startAuditor(asked: StartAuditor, reaching?: Reaching): Promise<RunningAuditor> {
  const { journal = jsonJournal('auditor') } = asked;
  const onRetry = (why: Error): void =>
    journal.error('retrying start: PostgreSQL cannot be reached', { error: why.message });
  return onceReachable(() => startOnce({ ...asked, journal }), reaching ?? { onRetry });
}

async function startOnce(
  asked: StartAuditor & { readonly journal: Journal },
): Promise<RunningAuditor> {
  const { log, databaseUrl, schema, leaseMs = LEASE_MS, warmsUp = false, journal } = asked;
  await migrate(databaseUrl, schema);
  const rows = RowStore.open(databaseUrl, {
    ...(schema !== undefined && { schema }),
    applicationName: 'shoeprint auditor',
  });
  const metrics = new AuditorMetrics();
  const owner = `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`;
  const auditor = await Auditor.start({
    log,
    rows,
    judging: judgingBy(asked.book, asked.lanes),
    dayOf: gamingDays(asked.gamingDays),
    journal,
    metrics,
    owner,
    leaseMs,
    warmsUp,
  }).catch(async (error: unknown) => {
    await rows.close();
    throw error;
  });
  return {
    owner,
    registry: metrics.registry,
    stats: () => ({
      following: auditor.following,
      isIdle: auditor.isIdle,
      failing: auditor.failing.lasting,
    }),
    positions: () => rows.positions(),
    close: async (graceMs) => {
      await auditor.close(graceMs);
      await rows.close();
    },
  };
}
