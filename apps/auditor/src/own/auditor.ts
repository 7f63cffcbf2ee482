import { Decoder, FOLD_VERSION, houseFrom } from '#audit';
import type { Follower } from '#event-log';
import { TimedOut, within } from '#process';
import { BackgroundTasks } from './background-tasks.js';
import { GapWatch } from './gap-watch.js';
import { Intake } from './intake.js';
import { TimeSlices } from './loading/time-slices.js';
import { FailingWork } from './monitoring/failing-work.js';
import { Lag } from './monitoring/lag.js';
import { FindingsWaiting } from './monitoring/waiting.js';
import { Reports } from './monitoring/reports.js';
import { Decisions } from './parking/decisions.js';
import { Refusals } from './parking/refusals.js';
import { Membership } from './partitions/membership.js';
import { OwnedPartitions, type OwnedPartition } from './partitions/owned-partition.js';
import { PartitionFaults } from './partitions/partition-faults.js';
import { Takeovers } from './partitions/takeovers.js';
import type { PartitionFold } from '../fold/partition-fold.js';
import { warmUp } from '../fold/warm-up.js';
import type { AuditorParts } from './parts.js';
import { Writer } from './writer.js';

const GAP_LOOK_MS = 200;
/** How often leases are renewed while one lasts. Decisions and the lag are looked at as often. */
const BEATS_A_LEASE = 3;
/** How often partitions without an owner, and new auditors, are looked for, if a lease is long. */
const SHARE_MS = 250;
const WAITING_LOOK_MS = 15_000;
/** How often snapshots are saved while there is nothing else to write. */
const REST_MS = 200;

/** What the parts of an auditor share. */
interface Shared extends AuditorParts {
  readonly reports: Reports;
  readonly partitions: OwnedPartitions;
  readonly writer: Writer;
  readonly follower: Follower;
  readonly tasks: BackgroundTasks;
}

/** Follows the partitions that it owns, folds them and writes the rows. */
export class Auditor {
  private readonly shared: Shared;
  private readonly takeovers: Takeovers;
  private readonly membership: Membership;
  private readonly decisions: Decisions;
  private readonly lag: Lag;
  private readonly gaps: GapWatch;
  private readonly waiting: FindingsWaiting;
  /** What fails again and again. */
  readonly failing = new FailingWork();
  /** Until then, nothing is shared: the last try failed. */
  private restsUntil = 0;
  /** Renews the leases until the last partition is released. */
  private readonly renewing: BackgroundTasks;

  private constructor(parts: AuditorParts) {
    const { log, rows, judging, dayOf, metrics } = parts;
    const reports = new Reports(parts);
    const slices = new TimeSlices();
    const loading = {
      ...{ log, rows, judging, decoder: new Decoder(houseFrom(judging.book)), slices },
      unusable: (table: string, why: Error) => reports.snapshotUnusable(table, why),
    };
    const tasks = new BackgroundTasks((error) => reports.taskFailed(error));
    const partitions = new OwnedPartitions((owned) => this.dropped(owned));
    const writer = new Writer(rows, dayOf, {
      lost: (fold) => this.lost(fold),
      unwritable: (fold, why) => {
        this.failing.over('rows'); // the partition is stopped
        tasks.track(faults.stop(fold, { offset: fold.written, why }));
      },
      committed: (commit) => {
        this.failing.over('rows');
        metrics.committed(commit);
      },
      failed: (why) => {
        this.failing.failed('rows', why);
        reports.writeFailed(why);
      },
    });
    const faults = new PartitionFaults(parts, partitions, writer);
    const refusals = new Refusals(loading, writer, reports);
    const own = { ...parts, reports, loading, partitions, refusals, writer, faults, tasks };
    const shared = { ...own, follower: log.follow(new Intake({ ...own, slices })) };
    this.shared = shared;
    this.renewing = new BackgroundTasks((error) => reports.heartbeatFailed(error));
    this.takeovers = new Takeovers(shared);
    this.membership = new Membership({ ...shared, takeovers: this.takeovers });
    this.decisions = new Decisions(shared);
    this.lag = new Lag(parts, partitions);
    this.waiting = new FindingsWaiting(parts, partitions);
    this.gaps = new GapWatch(log, (why) => reports.writeFailed(why), parts.gapAfterMs);
  }

  /**
   * Claims a share of the partitions and follows them. Throws `OtherLog` if the rows were made from
   * another log, and `OtherFold` if another version of the fold made them.
   */
  static async start(parts: AuditorParts): Promise<Auditor> {
    const { rows, log, leaseMs, warmsUp, waitingEveryMs = WAITING_LOOK_MS } = parts;
    await rows.prepare(log.id, log.partitions, FOLD_VERSION);
    if (warmsUp && (await rows.positions()).every(({ next }) => next === 0)) warm(parts);
    const auditor = new Auditor(parts);
    await auditor.share();
    const beatMs = leaseMs / BEATS_A_LEASE;
    auditor.renewing.every(beatMs, () => auditor.membership.renew());
    // each has a timer of its own: none waits for another
    const { tasks } = auditor.shared;
    tasks.every(Math.min(beatMs, SHARE_MS), () => auditor.share());
    tasks.every(beatMs, () => auditor.decisions.look());
    tasks.every(beatMs, () => auditor.lag.measure());
    tasks.every(REST_MS, () => auditor.shared.writer.saveAtRest());
    tasks.every(waitingEveryMs, () => auditor.waiting.measure());
    tasks.every(GAP_LOOK_MS, () => auditor.lookForGaps());
    return auditor;
  }

  /** The partitions that are owned and followed. */
  get following(): number[] {
    return this.shared.partitions.followed().map(({ fold }) => fold.partition);
  }

  /** Whether all records received so far are written. */
  get isIdle(): boolean {
    return (
      this.takeovers.isIdle &&
      this.shared.partitions.all().every(({ fold }) => fold?.isWritten === true)
    );
  }

  /**
   * Stops following, writes what is folded, saves snapshots and releases the partitions, whose
   * leases it renews until then. Waits at most `graceMs` for each of the follower, the writer and
   * the tasks.
   */
  async close(graceMs = 5_000): Promise<void> {
    this.halt();
    try {
      // while the database is out of reach, records in hand wait for it
      await waitFor(graceMs, this.shared.follower.close());
      await this.shared.writer.close(graceMs);
      await waitFor(graceMs, this.shared.tasks.ended());
      this.renewing.stopTimers();
      await waitFor(graceMs, this.renewing.ended());
      await this.membership.leave();
    } catch (error) {
      this.shared.reports.notGivenBack(error);
    }
    this.renewing.stopTimers();
    this.shared.partitions.clear();
  }

  /** Drops everything at once and releases nothing, like a process that is killed. */
  async abandon(): Promise<void> {
    this.halt();
    this.renewing.stopTimers();
    this.shared.writer.abandon();
    await this.shared.follower.close();
    await this.renewing.ended();
    await this.shared.tasks.ended();
    await this.shared.writer.idle();
    this.shared.partitions.clear();
  }

  private halt(): void {
    this.shared.partitions.close();
    this.shared.tasks.stopTimers();
  }

  private async share(): Promise<void> {
    if (this.shared.partitions.isClosing || performance.now() < this.restsUntil) return;
    try {
      await this.membership.share();
      this.failing.over('leases');
    } catch (error) {
      this.failing.failed('leases', error);
      this.shared.reports.heartbeatFailed(error);
      this.restsUntil = performance.now() + this.shared.leaseMs / BEATS_A_LEASE;
    }
  }

  private lost(fold: PartitionFold): void {
    this.failing.over('rows'); // its next owner writes them
    const owned = this.shared.partitions.get(fold.partition);
    if (owned?.fold === fold) this.membership.lose(owned);
  }

  private async lookForGaps(): Promise<void> {
    const folds = this.shared.partitions.followed().map(({ fold }) => fold);
    this.shared.metrics.gaps.inc(await this.gaps.look(folds, performance.now()));
  }

  private dropped({ fold, partition }: OwnedPartition): void {
    if (fold) this.shared.writer.drop(fold);
    void this.shared.follower.remove(partition);
    this.shared.metrics.forget(partition);
  }
}

/** Compiles what folds. Nothing else runs meanwhile, so do it before the first claim. */
function warm({ judging, journal }: AuditorParts): void {
  const began = performance.now();
  const { events } = warmUp(judging.book, judging.lanes);
  journal.info('warmed up', { events, ms: Math.round(performance.now() - began) });
}

/** Waits for `work`, but for at most `ms`. Rejects if `work` rejects in that time. */
async function waitFor(ms: number, work: Promise<unknown>): Promise<void> {
  try {
    await within(ms, work);
  } catch (error) {
    if (!(error instanceof TimedOut)) throw error;
  }
}
