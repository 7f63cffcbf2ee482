import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Decoder, FOLD_VERSION, houseFrom, type LaneSetting, type RuleBook } from '#audit';
import type { EventLog } from '#event-log';
import { errorCode } from '#process';
import {
  gamingDays,
  Rebuild,
  RowStore,
  type Claimed,
  type GamingDayRule,
  type LivePosition,
  type TableComparison,
} from '#read-model';
import type { PartitionFold } from './fold/partition-fold.js';
import { judgingBy } from './fold/table-run.js';
import { PartitionOpening } from './own/loading/load-partition.js';
import type { Loading } from './own/loading/load-table.js';
import { recordsBetween } from './own/loading/refold.js';
import { TimeSlices } from './own/loading/time-slices.js';
import { Refusals } from './own/parking/refusals.js';
import { Writer } from './own/writer.js';

/** The progress of a rebuild. */
export interface RebuildProgress {
  readonly phase: 'folding' | 'comparing' | 'swapping';
  /** Records of the log, or tables compared. */
  readonly done: number;
  readonly total: number;
}

/** What to rebuild, and from which log and rules. */
export interface RebuildRows {
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly book: RuleBook;
  readonly gamingDays: readonly GamingDayRule[];
  /** The live schema; default `rows`. */
  readonly schema?: string;
  /**
   * Swaps even if the rebuilt rows differ from the live ones, as after an upgrade of the judges.
   */
  readonly acceptDifferences?: boolean;
  /** How lines are folded; default `on`. */
  readonly lanes?: LaneSetting;
  readonly progress?: (progress: RebuildProgress) => void;
  /** Interrupts the rebuild; the next one resumes it. */
  readonly signal?: AbortSignal;
}

/** The result of a rebuild. */
export interface RebuildReport {
  readonly swapped: boolean;
  /** Whether it resumed an interrupted rebuild. */
  readonly resumed: boolean;
  readonly events: number;
  readonly tables: readonly TableComparison[];
}

const LEASE_MS = 5_000;
/**
 * The rows are compared once every partition is at most `NEAR_RECORDS` behind the live rows, or
 * after `ROUNDS_MAX` rounds.
 */
const NEAR_RECORDS = 2_000;
const ROUNDS_MAX = 20;
const SWAPS_MAX = 5;
const CLAIM_AGAIN_MS = 100;

/**
 * Rebuilds the rows beside the live ones, with an auditor's code, up to the position of the live
 * rows. Then compares counts and digests, and swaps the rows if they are equal. If there are no
 * live rows, rebuilds up to the log's head. A rebuild that was aborted or killed resumes where it
 * stopped. Throws `RebuildRunning` while another rebuild runs, `BrokenLog` if the log is broken,
 * and the signal's reason if the signal aborts it.
 */
export async function rebuildRows(asked: RebuildRows): Promise<RebuildReport> {
  const rebuild = await Rebuild.open(asked.databaseUrl, asked.schema);
  try {
    const { resumed } = await rebuild.prepare(asked.log.id, asked.log.partitions, FOLD_VERSION);
    const shadow = await ShadowRows.begin(asked, rebuild);
    try {
      const tables = await shadow.compare();
      const swapped = asked.acceptDifferences === true || tables.every(({ equal }) => equal);
      if (swapped) await shadow.swap();
      return { swapped, resumed, events: shadow.events, tables };
    } finally {
      await shadow.close();
    }
  } finally {
    await rebuild.close();
  }
}

/** The rows that a rebuild fills beside the live ones. */
class ShadowRows {
  events = 0;
  private readonly folds = new Map<number, PartitionFold>();
  private readonly writer: Writer;
  private readonly refusals: Refusals;
  private readonly loading: Loading;
  private readonly live: RowStore;
  private readonly slices = new TimeSlices();
  private readonly owner = `${hostname()}/${process.pid}/rebuild-${randomUUID().slice(0, 8)}`;
  private claimed: readonly Claimed[] = [];
  private renewing: NodeJS.Timeout | undefined;
  private failure: Error | undefined;

  private constructor(
    private readonly asked: RebuildRows,
    private readonly rebuild: Rebuild,
    private readonly rows: RowStore,
  ) {
    const { log, book, lanes } = asked;
    this.loading = {
      ...{ log, rows, judging: judgingBy(book, lanes), decoder: new Decoder(houseFrom(book)) },
      slices: this.slices,
      unusable: (_table, why) => void (this.failure ??= why),
    };
    this.live = RowStore.open(asked.databaseUrl, {
      schema: rebuild.live,
      poolSize: 1,
      applicationName: 'shoeprint rebuild',
    });
    const failed = (why: Error): void => void (this.failure ??= why);
    this.writer = new Writer(rows, gamingDays(asked.gamingDays), {
      lost: ({ partition }) =>
        failed(
          new Error(`partition ${partition} of the rebuilt rows was claimed by another process`),
        ),
      unwritable: (_fold, why) => failed(why),
      committed: ({ events }) => void (this.events += events),
      failed: () => undefined, // the writer retries
    });
    this.refusals = new Refusals(this.loading, this.writer, {
      tableParked: () => undefined, // the rows record it
      tableNotLoaded: (_table, why) => {
        throw why; // the next rebuild resumes here
      },
    });
  }

  static async begin(asked: RebuildRows, rebuild: Rebuild): Promise<ShadowRows> {
    const rows = RowStore.open(asked.databaseUrl, {
      schema: rebuild.schema,
      poolSize: 3,
      applicationName: 'shoeprint rebuild',
    });
    const shadow = new ShadowRows(asked, rebuild, rows);
    try {
      await shadow.takeAll();
    } catch (error) {
      await shadow.close();
      throw error;
    }
    return shadow;
  }

  /** Claims and loads every partition. Waits for leases that a killed rebuild left. */
  private async takeAll(): Promise<void> {
    const { partitions } = this.asked.log;
    for (;;) {
      this.claimed = [
        ...this.claimed,
        ...(await this.rows.claim(this.owner, LEASE_MS, partitions)),
      ];
      if (this.claimed.length === partitions) break;
      this.check();
      for (const { partition, stopped } of await this.rows.positions())
        if (stopped) await this.rows.resumePartition(partition);
      await pause(CLAIM_AGAIN_MS);
      await this.rows.renew(this.owner, LEASE_MS, this.claimed);
    }
    this.renewing = setInterval(() => {
      // the next write notices an expired lease
      this.rows.renew(this.owner, LEASE_MS, this.claimed).catch(() => undefined);
    }, LEASE_MS / 3);
    for (const claimed of this.claimed) {
      this.check();
      const opening = new PartitionOpening(this.loading, claimed);
      const fold = await opening.run(claimed, () => !this.isAborted);
      this.check();
      if (!fold) continue;
      this.folds.set(claimed.partition, fold);
      this.writer.add(fold);
    }
  }

  private get isAborted(): boolean {
    return this.asked.signal?.aborted === true;
  }

  private check(): void {
    this.asked.signal?.throwIfAborted();
    if (this.failure) throw this.failure;
  }

  async compare(): Promise<readonly TableComparison[]> {
    await this.chase();
    let done = 0;
    return this.rebuild.compare(
      (live) => this.reach(live),
      (_, total) => {
        this.check();
        this.asked.progress?.({ phase: 'comparing', done: (done += 1), total });
      },
    );
  }

  async swap(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await this.chase();
      this.asked.progress?.({ phase: 'swapping', done: 0, total: 1 });
      try {
        await this.rebuild.swap((live) => this.reach(live));
        this.asked.progress?.({ phase: 'swapping', done: 1, total: 1 });
        return;
      } catch (error) {
        if (attempt === SWAPS_MAX || errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
      }
    }
  }

  /** Folds until the rebuilt rows are near the live ones, which may advance meanwhile. */
  private async chase(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const targets = await this.targets();
      if (
        targets.every(
          ({ partition, next }) =>
            next - (this.folds.get(partition) as PartitionFold).next <=
            (round === 0 ? 0 : NEAR_RECORDS),
        )
      )
        return;
      await this.reach(targets);
    }
  }

  private async targets(): Promise<readonly LivePosition[]> {
    const live = await this.live.positions();
    if (live.length > 0) return live;
    return Promise.all(
      [...this.folds.keys()].map(async (partition) => ({
        partition,
        next: await this.asked.log.head(partition),
      })),
    );
  }

  /** Folds up to exactly these positions and waits until the rows are written. */
  private async reach(targets: readonly LivePosition[]): Promise<void> {
    const total = targets.reduce((sum, { next }) => sum + next, 0);
    for (const { partition, next } of targets) {
      const fold = this.folds.get(partition) as PartitionFold;
      // the live rows may be behind a record that was passed since this rebuild began
      fold.pass(await this.live.passed(partition));
      for await (const records of recordsBetween(this.asked.log, partition, fold.next, next)) {
        for (const record of records) {
          this.check();
          await this.refusals.take(fold, record, () => !this.isAborted);
          await this.slices.giveWay();
        }
        this.writer.kick();
        await this.writer.room();
        this.asked.progress?.({
          phase: 'folding',
          done: [...this.folds.values()].reduce((sum, { written }) => sum + written, 0),
          total,
        });
      }
    }
    for (const fold of this.folds.values()) await this.writer.flushed(fold);
    this.check();
    this.asked.progress?.({ phase: 'folding', done: total, total });
  }

  /**
   * Writes what is folded, unless the rebuild failed, and releases the partitions, so that another
   * rebuild can resume.
   */
  async close(): Promise<void> {
    clearInterval(this.renewing);
    if (this.failure) this.writer.abandon();
    else await this.writer.close(CLOSE_MS);
    await this.writer.idle();
    // the schema was swapped away or the database is out of reach: the leases expire
    await this.rows.release(this.owner, this.claimed).catch(() => undefined);
    await this.rows.close();
    await this.live.close();
  }
}

const CLOSE_MS = 5_000;
const LOCK_NOT_AVAILABLE = '55P03';
