import { setTimeout as pause } from 'node:timers/promises';
import { Decoder, FOLD_VERSION, houseFrom } from '#audit';
import { BrokenLog, type EventLog, type Follower, type StoredRecord } from '#event-log';
import type { Claimed, ParkedTable, RowStore } from '#read-model';
import type { DayOf } from '../fold/draw.js';
import { PartitionFold } from '../fold/partition-fold.js';
import type { Judging } from '../fold/table-run.js';
import type { AuditorMetrics } from './auditor-metrics.js';
import { GapWatch } from './gap-watch.js';
import { OwnedPartition } from './owned-partition.js';
import { inWords, type Journal } from './journal.js';
import { goOnward, beginOnward, parkedAt, reload, settle, type Loading } from './parking.js';
import { loadPartition } from './load-partition.js';
import { Writer } from './writer.js';

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

/** Records are folded this many at a time before others have their turn. */
const CHUNK_EVENTS = 2_000;
const GAP_LOOK_MS = 200;
const TAKEOVERS_AT_ONCE = 4;

/** Follows the partitions that it owns, folds them and writes what they come to. */
export class Auditor {
  private readonly held = new Map<number, OwnedPartition>();
  private readonly decoder: Decoder;
  private readonly writer: Writer;
  private readonly gaps: GapWatch;
  private readonly loading: Loading;
  private follower: Follower | undefined;
  private readonly timers: NodeJS.Timeout[] = [];
  private ticking: Promise<void> | undefined;
  private readonly tasks = new Set<Promise<void>>();
  private readonly decided = new Set<string>();
  private takingOver = 0;
  private isClosing = false;

  constructor(private readonly parts: AuditorParts) {
    const { log, rows, judging, metrics, journal } = parts;
    this.decoder = new Decoder(houseFrom(judging.book));
    this.loading = { log, rows, judging, decoder: this.decoder };
    const failed = (error: Error): void => {
      metrics.failures.inc();
      journal.error('a write failed and is tried again', { error: inWords(error) });
    };
    this.gaps = new GapWatch(log, failed, parts.gapAfterMs);
    this.writer = new Writer(rows, parts.dayOf, {
      lost: ({ partition }) => this.lose(partition),
      unwritable: (fold, why) =>
        void this.stop(this.held.get(fold.partition), fold, fold.written, why),
      committed: (events, ms, received) => this.committed(events, ms, received),
      failed,
    });
  }

  /** Takes its share of the partitions and follows them. Throws `OtherLog` or `OtherFold` where the rows are not of this log or of this fold. */
  async start(): Promise<void> {
    const { log, rows, leaseMs } = this.parts;
    await rows.prepare(log.id, log.partitions, FOLD_VERSION);
    this.follower = log.follow({
      take: (partition, records) => this.take(partition, records),
      stopped: (partition, why) => this.stoppedByFollower(partition, why),
    });
    await this.tick();
    this.every(leaseMs / 3, () => this.tick());
    this.every(GAP_LOOK_MS, () => this.lookForGaps());
  }

  /** The partitions that are owned and followed. */
  get following(): number[] {
    return [...this.held.values()]
      .filter(({ fold, isLeaving }) => fold !== null && !isLeaving)
      .map(({ partition }) => partition);
  }

  /** The offset up to which a partition owned is written; undefined where it is not owned. */
  written(partition: number): number | undefined {
    return this.held.get(partition)?.fold?.written;
  }

  /** Whether everything handed over so far is written. */
  get isIdle(): boolean {
    return (
      this.takingOver === 0 &&
      [...this.held.values()].every(
        ({ fold }) => fold !== null && !fold.isDirty && fold.written === fold.next,
      )
    );
  }

  /** Stops following, writes what is folded, saves states, and gives the partitions to the others: at most `graceMs`. */
  async close(graceMs = 5_000): Promise<void> {
    this.halt();
    const { rows, owner, journal } = this.parts;
    try {
      await within(graceMs, this.follower?.close()); // while the database is out of reach, what was handed over waits for it
      await this.writer.close(graceMs);
      await within(graceMs, Promise.all([this.ticking, ...this.tasks]));
      await rows.release(
        owner,
        [...this.held.values()].map(({ claimed }) => claimed),
      );
      await rows.leave(owner);
    } catch (error) {
      journal.error(
        'the partitions could not be given back: others take them when their lease ends',
        { error: inWords(error) },
      );
    }
    this.held.clear();
  }

  /** Drops everything at once and gives nothing back, as a process that is killed does. */
  async abandon(): Promise<void> {
    this.halt();
    this.writer.abandon();
    await this.follower?.close();
    await this.ticking;
    await Promise.all(this.tasks);
    await this.writer.idle();
    this.held.clear();
  }

  private halt(): void {
    this.isClosing = true;
    for (const timer of this.timers) clearInterval(timer);
  }

  private every(ms: number, work: () => Promise<void>): void {
    let running = false;
    this.timers.push(
      setInterval(() => {
        if (running) return;
        running = true;
        this.track(work().finally(() => (running = false)));
      }, ms),
    );
  }

  /** A task of its own, whose failure is told and ends nothing else. */
  private track(task: Promise<void>): void {
    const told = task
      .catch((error: unknown) => this.parts.journal.error('failed', { error: inWords(error) }))
      .finally(() => this.tasks.delete(told));
    this.tasks.add(told);
  }

  private async lookForGaps(): Promise<void> {
    const folds = [...this.held.values()].flatMap(({ fold, isLeaving }) =>
      fold && !isLeaving ? [fold] : [],
    );
    const declared = await this.gaps.look(folds, performance.now());
    this.parts.metrics.gaps.inc(declared);
  }

  /** Says that it is alive, keeps its leases, and takes or gives partitions until all have their share. */
  private async tick(): Promise<void> {
    if (this.isClosing) return;
    // Kept as a promise that never rejects: whoever closes waits for it, and the failure is told here.
    this.ticking = this.beat().catch((error: unknown) => {
      this.parts.metrics.failures.inc();
      this.parts.journal.error('the database could not be told that this auditor is alive', {
        error: inWords(error),
      });
    });
    await this.ticking;
  }

  private async beat(): Promise<void> {
    const { rows, owner, leaseMs, log } = this.parts;
    const members = await rows.heartbeat(owner, leaseMs);
    for (const partition of await rows.renew(
      owner,
      leaseMs,
      [...this.held.values()].map(({ claimed }) => claimed),
    ))
      this.lose(partition);
    const share = Math.ceil(log.partitions / members);
    const staying = [...this.held.values()].filter(({ isLeaving }) => !isLeaving);
    for (const holding of staying.slice(share)) this.track(this.giveBack(holding));
    if (!this.isClosing && staying.length < share) {
      for (const claimed of await rows.claim(owner, leaseMs, share - staying.length))
        this.begin(claimed);
    }
    await this.decide();
    await this.measure();
  }

  private begin(claimed: Claimed): void {
    const holding = new OwnedPartition(claimed);
    this.held.set(claimed.partition, holding);
    this.takingOver += 1;
    this.track(this.takeOver(holding).finally(() => (this.takingOver -= 1)));
  }

  private isHeld(holding: OwnedPartition): boolean {
    return !this.isClosing && this.held.get(holding.partition) === holding;
  }

  private async takeOver(holding: OwnedPartition): Promise<void> {
    const { journal, metrics } = this.parts;
    const began = performance.now();
    const { claimed, partition } = holding;
    while (
      this.isHeld(holding) &&
      [...this.held.values()].filter(({ isTakingOver }) => isTakingOver).length >= TAKEOVERS_AT_ONCE
    )
      await pause(5);
    if (!this.isHeld(holding)) return;
    holding.isTakingOver = true;
    const fold = new PartitionFold(partition, claimed.generation, claimed.next, this.parts.judging);
    try {
      const refolded = await loadPartition(this.loading, claimed, fold, () => this.isHeld(holding));
      if (!this.isHeld(holding)) return;
      holding.fold = fold;
      this.writer.add(fold);
      this.writer.kick();
      this.follower?.add(partition, fold.next);
      metrics.takeovers.inc();
      metrics.takeoverSeconds.observe((performance.now() - began) / 1000);
      journal.info('took over a partition', {
        partition,
        next: fold.next,
        refolded,
        tables: fold.tables.size,
        parked: fold.parked.size,
        ms: Math.round(performance.now() - began),
      });
    } catch (error) {
      if (!this.isHeld(holding)) return;
      if (error instanceof BrokenLog)
        await this.stop(holding, fold, error.offset ?? claimed.next, error);
      else await this.giveUp(holding, error as Error);
    } finally {
      holding.isTakingOver = false;
    }
  }

  /** What cannot be gone on with for now is given back, to be claimed again by whoever can. */
  private async giveUp(holding: OwnedPartition, why: Error): Promise<void> {
    const { journal, rows, owner } = this.parts;
    journal.error('a partition is given up for now', {
      partition: holding.partition,
      error: inWords(why),
    });
    this.drop(holding);
    await rows.release(owner, [holding.claimed]);
  }

  private drop(holding: OwnedPartition): void {
    if (this.held.get(holding.partition) !== holding) return;
    this.held.delete(holding.partition);
    if (holding.fold) this.writer.drop(holding.fold);
    void this.follower?.remove(holding.partition);
    for (const gauge of [this.parts.metrics.lagEvents, this.parts.metrics.lagSeconds])
      gauge.remove({ partition: String(holding.partition) });
  }

  private lose(partition: number): void {
    const holding = this.held.get(partition);
    if (!holding) return;
    this.parts.metrics.fenced.inc();
    this.parts.journal.info('a partition is owned by another auditor', { partition });
    this.drop(holding);
  }

  private async giveBack(holding: OwnedPartition): Promise<void> {
    const { rows, owner, journal } = this.parts;
    holding.isLeaving = true;
    await this.follower?.remove(holding.partition);
    await holding.inTurn(async () => {
      if (holding.fold) await this.writer.flushed(holding.fold);
    });
    this.drop(holding);
    await rows.release(owner, [holding.claimed]);
    journal.info('gave a partition to the others', { partition: holding.partition });
  }

  /** Folds what the log hands over. Rejects where the partition goes no further. */
  private async take(partition: number, records: readonly StoredRecord[]): Promise<void> {
    const holding = this.held.get(partition);
    const fold = holding?.fold;
    if (!holding || !fold) return;
    await holding.inTurn(async () => {
      let chunk = fold.folded + CHUNK_EVENTS;
      for (const record of records) {
        if (!this.isHeld(holding)) return;
        await this.takeRecord(holding, fold, record);
        if (fold.folded < chunk) continue;
        chunk = fold.folded + CHUNK_EVENTS;
        this.writer.kick();
        await this.writer.room();
      }
      if (!this.writer.owns(fold)) return;
      this.writer.kick();
      await this.writer.room();
    });
  }

  private takeRecord(
    holding: OwnedPartition,
    fold: PartitionFold,
    record: StoredRecord,
  ): Promise<void> | undefined {
    const refused = fold.take(record, this.decoder);
    return refused && this.settleRefused(holding, fold, record, refused);
  }

  private async settleRefused(
    holding: OwnedPartition,
    fold: PartitionFold,
    record: StoredRecord,
    refused: NonNullable<ReturnType<PartitionFold['take']>>,
  ): Promise<void> {
    fold.isFrozen = true;
    await this.writer.idleOf(fold); // what is on its way is in the database, so that the rest is gathered from there
    while (this.isHeld(holding)) {
      try {
        const parked = await settle(this.loading, fold, record, refused);
        if (parked) this.tellParked(parked.table, { ...parked });
        fold.isFrozen = false;
        return;
      } catch (error) {
        if (error instanceof BrokenLog) throw error;
        this.parts.metrics.failures.inc();
        this.parts.journal.error('a table could not be loaded and is tried again', {
          table: refused.table,
          error: inWords(error),
        });
        await pause(RELOAD_AGAIN_MS);
      }
    }
  }

  private tellParked(table: string, fields: Readonly<Record<string, unknown>>): void {
    this.parts.journal.error(
      'a table is parked: it is judged no further until it is retried or released',
      { ...fields, table },
    );
  }

  private stoppedByFollower(partition: number, why: Error): void {
    const holding = this.held.get(partition);
    if (!holding?.fold) return;
    const { fold } = holding;
    if (why instanceof BrokenLog) this.track(this.stopAfterWriting(holding, fold, why));
    else this.track(this.giveUp(holding, why));
  }

  /** Everything before the broken place is good, and is written first. */
  private async stopAfterWriting(
    holding: OwnedPartition,
    fold: PartitionFold,
    why: BrokenLog,
  ): Promise<void> {
    if (!fold.isFrozen) await this.writer.flushed(fold);
    await this.stop(holding, fold, fold.isFrozen ? fold.written : fold.next, why);
  }

  private async stop(
    holding: OwnedPartition | undefined,
    fold: PartitionFold,
    offset: number,
    why: Error,
  ): Promise<void> {
    const { journal, rows } = this.parts;
    const { partition } = fold;
    journal.error(
      'a partition is stopped: its log is not what it was, or its rows cannot be written; nothing of it is skipped',
      { partition, offset, error: inWords(why) },
    );
    if (holding) this.drop(holding);
    await rows
      .stopPartition({ partition, generation: fold.generation }, offset, inWords(why))
      .catch((error: unknown) => {
        journal.error(
          'it could not be noted that a partition is stopped: its next owner will see for itself',
          { partition, error: inWords(error) },
        );
      });
  }

  /** Does what was asked about parked tables. */
  private async decide(): Promise<void> {
    const { rows } = this.parts;
    const withParked = [...this.held.values()].filter(
      ({ fold, isLeaving }) => fold && !isLeaving && fold.parked.size > 0,
    );
    if (withParked.length === 0) return;
    for (const row of await rows.asked(withParked.map(({ partition }) => partition))) {
      const holding = this.held.get(row.partition);
      if (!holding?.fold?.parked.has(row.table) || this.decided.has(row.table)) continue;
      this.decided.add(row.table);
      this.track(
        this.unpark(holding, holding.fold, row).finally(() => this.decided.delete(row.table)),
      );
    }
  }

  /** Folds a parked table on to where its partition stands: beside it as far as it gets, and the rest in its turn. */
  private async unpark(
    holding: OwnedPartition,
    fold: PartitionFold,
    row: ParkedTable,
  ): Promise<void> {
    const isReleased = row.asked === 'release';
    const { journal } = this.parts;
    const { partition } = fold;
    const onward = await beginOnward(this.loading, fold, row, isReleased);
    let refused =
      onward.refused ?? (await goOnward(this.loading, partition, onward, fold.next, row.line));
    await holding.inTurn(async () => {
      if (!this.isHeld(holding) || !this.writer.owns(fold)) return;
      await this.writer.flushed(fold);
      refused ??= await goOnward(
        this.loading,
        partition,
        onward,
        fold.next,
        onward.next === row.offset ? row.line : 0,
      );
      const again =
        refused &&
        (await reload(
          this.loading,
          {
            partition,
            table: row.table,
            released: onward.released,
            first: row.offset,
            gatherFrom: row.offset,
          },
          refused,
        ));
      if (isReleased) for (const key of onward.released) fold.released.add(key);
      fold.unpark(again?.run ?? onward.run);
      if (again && refused)
        fold.park(again.run, parkedAt(partition, again.refused ?? refused), again.state);
      await this.writer.flushed(fold);
    });
    journal.error(
      isReleased ? 'a table was released: one event of it is left out' : 'a table was retried',
      { ...row, parkedAgain: refused !== undefined },
    );
    if (refused) this.tellParked(row.table, { ...refused, why: inWords(refused.why) });
  }

  private committed(events: number, ms: number, received: readonly string[]): void {
    const { metrics } = this.parts;
    metrics.commits.inc();
    metrics.events.inc(events);
    metrics.commitSeconds.observe(ms / 1000);
    const now = Date.now();
    for (const each of received)
      metrics.visible.observe(Math.max(0, now - Date.parse(each)) / 1000);
  }

  private async measure(): Promise<void> {
    const { metrics, log, rows } = this.parts;
    let parked = 0;
    for (const { fold, partition } of [...this.held.values()]) {
      if (!fold) continue;
      parked += fold.parked.size;
      const lag = Math.max(0, (await log.head(partition)) - fold.written);
      metrics.lagEvents.set({ partition: String(partition) }, lag);
      const last = fold.lastReceived === null ? NaN : Date.parse(fold.lastReceived);
      metrics.lagSeconds.set(
        { partition: String(partition) },
        lag > 0 && !Number.isNaN(last) ? Math.max(0, Date.now() - last) / 1000 : 0,
      );
    }
    metrics.owned.set(this.held.size);
    metrics.parked.set(parked);
    metrics.stopped.set((await rows.positions()).filter(({ stopped }) => stopped !== null).length);
  }
}

const RELOAD_AGAIN_MS = 500;

/** Waits for something, but no longer than this. */
async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  const ended = new AbortController();
  await Promise.race([
    work,
    pause(ms, undefined, { signal: ended.signal }).catch(() => undefined),
  ]).finally(() => ended.abort());
}
