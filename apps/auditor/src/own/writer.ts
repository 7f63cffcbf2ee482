import { setTimeout as pause } from 'node:timers/promises';
import type { LaneCounts } from '#audit';
import { asError } from '#process';
import { RowsNotWritten, type RowStore } from '#read-model';
import { nothingGathered, type DayOf, type Gathered } from '../fold/projected-rows.js';
import type { PartitionFold, Projection } from '../fold/partition-fold.js';

/** What a partition writes in one transaction. */
interface Piece extends Projection {
  readonly fold: PartitionFold;
}

/** A committed transaction. */
export interface Commit extends LaneCounts {
  /** How many events it wrote. */
  readonly events: number;
  readonly ms: number;
  /** When some of the events were received. */
  readonly received: readonly string[];
  /** How many findings lapsed. */
  readonly lapsed: number;
}

/** Receives a writer's reports. */
export interface WriterListener {
  /** Another process owns the partition, so its state here is worthless. */
  lost(fold: PartitionFold): void;
  /** The rows of this partition cannot be projected, or the database refuses them: a bug. */
  unwritable(fold: PartitionFold, why: Error): void;
  committed(commit: Commit): void;
  failed(why: Error): void;
}

/**
 * From this many pending events on, a bulk load is coming in and a transaction waits briefly for
 * more.
 */
const BULK_EVENTS = 5_000;
const GATHER_EVENTS = 50_000;
const GATHER_MS = 50;
/** Folding pauses while this much waits to be written. */
const PENDING_EVENTS_MAX = 50_000;
const PENDING_BYTES_MAX = 24 * 1024 * 1024;
const RETRY_MS = 50;
const RETRY_MS_MAX = 1_000;
/**
 * Bytes of snapshots saved with one transaction. The last snapshot may exceed them: one is saved in
 * live play, a few in a bulk load.
 */
const SAVINGS_LIVE = 1;
const SAVINGS_BULK = 3 * 1024 * 1024;
/**
 * Bytes of snapshots saved at once when there is nothing else to write, and how many such pieces
 * follow each other. What comes meanwhile waits for one piece at most.
 */
const REST_BYTES = 512 * 1024;
const REST_PIECES = 4;

/**
 * Writes what the partitions of this process folded, one transaction at a time. While one runs,
 * work gathers for the next. An idle writer starts at once.
 */
export class Writer {
  private readonly folds = new Set<PartitionFold>();
  private running: Promise<void> | undefined;
  private since = 0;
  private wakes: (() => void)[] = [];
  private isClosed = false;

  constructor(
    private readonly rows: RowStore,
    private readonly dayOf: DayOf,
    private readonly listener: WriterListener,
  ) {}

  add(fold: PartitionFold): void {
    this.folds.add(fold);
  }

  /**
   * Stops writing a partition. The database fences a write in flight if another process owns the
   * partition by now.
   */
  drop(fold: PartitionFold): void {
    this.folds.delete(fold);
    this.wake();
  }

  owns(fold: PartitionFold): boolean {
    return this.folds.has(fold);
  }

  /** Schedules a write. */
  kick(): void {
    if (this.since === 0) this.since = performance.now();
    this.wake();
    this.running ??= this.runOnly(this.run());
  }

  /** Saves some snapshots, as long as there is nothing to write. */
  async saveAtRest(): Promise<void> {
    for (let pieces = 0; pieces < REST_PIECES; pieces += 1) {
      if (this.isClosed || this.running || this.hasWork()) return;
      const piece = this.restingPiece();
      if (!piece) return;
      this.running = this.runOnly(this.write([piece]));
      await this.running;
    }
  }

  /** Returns snapshots of the first partition that needs it, which is the last one next time. */
  private restingPiece(): Piece | undefined {
    for (const fold of [...this.folds]) {
      const piece = this.pieceOf(fold, () => fold.projectAtRest(REST_BYTES));
      if (!piece) continue;
      this.folds.delete(fold);
      this.folds.add(fold);
      return piece;
    }
    return undefined;
  }

  private runOnly(work: Promise<void>): Promise<void> {
    return work.finally(() => {
      this.running = undefined;
      if (!this.isClosed && this.hasWork()) this.kick();
    });
  }

  /** Resolves once there is room to fold more. */
  async room(): Promise<void> {
    while (!this.isClosed && this.isFull()) await this.waked();
  }

  /** Resolves once nothing is being written. */
  async idle(): Promise<void> {
    while (this.running) await this.running;
  }

  /** Resolves once no write of this partition is in flight. */
  async idleOf(fold: PartitionFold): Promise<void> {
    while (this.folds.has(fold) && !this.isClosed && fold.isWriting) await this.waked();
  }

  /** Resolves once everything folded of a partition is written, or the partition is lost. */
  async flushed(fold: PartitionFold): Promise<void> {
    while (this.folds.has(fold) && !this.isClosed && (fold.isDirty || fold.isWriting)) {
      this.kick();
      await this.running;
    }
  }

  /**
   * Writes everything folded of a partition that is no longer folded, and the states of its
   * tables, so that its next owner folds nothing again. Ends early if the partition is lost.
   */
  async handOver(fold: PartitionFold): Promise<void> {
    await this.flushed(fold);
    await this.saveStates(fold, Number.POSITIVE_INFINITY);
  }

  /**
   * Writes everything folded, and snapshots for the next owner, for at most `ms`. Then writes
   * nothing more.
   */
  async close(ms: number): Promise<void> {
    const until = performance.now() + ms;
    const done = (async () => {
      for (const fold of [...this.folds]) await this.flushed(fold);
      for (const fold of [...this.folds]) await this.saveStates(fold, until);
    })();
    await Promise.race([done, pause(ms, undefined, { ref: false })]);
    this.isClosed = true;
    this.wake();
  }

  /** Stops writing at once. */
  abandon(): void {
    this.isClosed = true;
    this.folds.clear();
    this.wake();
  }

  /** Saves the states of a partition's tables, a few in a transaction, until about `until`. */
  private async saveStates(fold: PartitionFold, until: number): Promise<void> {
    while (this.owns(fold) && !this.isClosed && performance.now() < until - HANDOVER_MS_LEFT) {
      const projection = fold.projectForHandover(HANDOVER_BYTES);
      if (!projection) return;
      await this.write([{ fold, ...projection }]);
    }
  }

  private hasWork(): boolean {
    for (const fold of this.folds) if (fold.isDirty) return true;
    return false;
  }

  private pending(): { readonly events: number; readonly bytes: number } {
    let events = 0;
    let bytes = 0;
    for (const { waiting } of this.folds) {
      events += waiting.events;
      bytes += waiting.bytes;
    }
    return { events, bytes };
  }

  private isFull(): boolean {
    const { events, bytes } = this.pending();
    return events >= PENDING_EVENTS_MAX || bytes >= PENDING_BYTES_MAX;
  }

  private async waked(): Promise<void> {
    await new Promise<void>((resolve) => this.wakes.push(resolve));
  }

  private wake(): void {
    for (const wake of this.wakes.splice(0)) wake();
  }

  private async run(): Promise<void> {
    // include what other partitions receive in the same turn
    await new Promise((resolve) => setImmediate(resolve));
    while (!this.isClosed && this.hasWork()) {
      await this.gather();
      const pieces = this.project();
      await this.write(pieces.filter(({ unparks }) => unparks === null));
      for (const piece of pieces) if (piece.unparks !== null) await this.write([piece]);
    }
  }

  /**
   * Waits up to the batching delay for more records during a bulk load. Live play does not wait.
   */
  private async gather(): Promise<void> {
    for (;;) {
      const { events, bytes } = this.pending();
      const left = this.since + GATHER_MS - performance.now();
      if (
        this.isClosed ||
        events < BULK_EVENTS ||
        events >= GATHER_EVENTS ||
        bytes >= PENDING_BYTES_MAX ||
        left <= 0
      )
        return;
      const ended = new AbortController();
      await Promise.race([
        this.waked(),
        pause(left, undefined, { signal: ended.signal }).catch(() => undefined),
      ]);
      ended.abort();
    }
  }

  private project(): Piece[] {
    this.since = 0;
    const savings = this.pending().events >= BULK_EVENTS ? SAVINGS_BULK : SAVINGS_LIVE;
    const pieces: Piece[] = [];
    let left = savings;
    for (const fold of this.folds) {
      if (!fold.isDirty) continue;
      const piece = this.pieceOf(fold, () => fold.project(this.dayOf, left));
      if (!piece) continue;
      for (const { state } of piece.rows.snapshots) left -= state.length;
      pieces.push(piece);
    }
    this.wake();
    return pieces;
  }

  /** Returns what a projection writes, or undefined if it is nothing or fails. */
  private pieceOf(fold: PartitionFold, project: () => Projection | undefined): Piece | undefined {
    try {
      const projection = project();
      return projection && { fold, ...projection };
    } catch (error) {
      this.drop(fold);
      this.listener.unwritable(fold, asError(error));
      return undefined;
    }
  }

  /** Writes the pieces. Retries until each is known to be written or its partition is lost. */
  private async write(given: readonly Piece[]): Promise<void> {
    let pieces = given;
    for (let attempt = 0; pieces.length > 0; attempt += 1) {
      const began = performance.now();
      try {
        const { fenced } = await this.send(pieces);
        if (fenced.length === 0) return void this.wrote(pieces, performance.now() - began);
        pieces = this.without(pieces, fenced);
      } catch (error) {
        pieces = await this.afterFailure(pieces, asError(error), attempt);
      }
    }
  }

  private send(pieces: readonly Piece[]): ReturnType<RowStore['write']> {
    const [first] = pieces as readonly [Piece];
    return first.unparks === null
      ? this.rows.write(merged(pieces))
      : this.rows.unpark(first.unparks, first.rows);
  }

  private without(pieces: readonly Piece[], fenced: readonly number[]): readonly Piece[] {
    for (const { fold } of pieces) if (fenced.includes(fold.partition)) this.lose(fold);
    return pieces.filter(({ fold }) => !fenced.includes(fold.partition));
  }

  private wrote(pieces: readonly Piece[], ms: number): void {
    let [events, lane, again] = [0, 0, 0];
    for (const { fold, move, lanes } of pieces) {
      fold.wrote(move);
      events += move.events;
      lane += lanes.lane;
      again += lanes.again;
    }
    const received = pieces.flatMap((piece) => piece.received);
    const reviews = pieces.flatMap(({ rows }) => rows.reviews);
    const lapsed = reviews.filter((review) => review.lapsed).length;
    this.listener.committed({ events, ms, received, lapsed, lane, again });
    this.wake();
  }

  /** Returns the pieces that are still to be written. */
  private async afterFailure(
    pieces: readonly Piece[],
    error: Error,
    attempt: number,
  ): Promise<readonly Piece[]> {
    this.listener.failed(error);
    if (!(error instanceof RowsNotWritten) || error.retryable)
      return this.lookAgain(pieces, attempt);
    if (pieces.length > 1) {
      // one partition's rows must not stop the others
      for (const piece of pieces) await this.write([piece]);
    } else
      for (const { fold } of pieces) {
        this.drop(fold);
        this.listener.unwritable(fold, error);
      }
    return [];
  }

  private lose(fold: PartitionFold): void {
    if (!this.folds.has(fold)) return;
    this.drop(fold);
    this.listener.lost(fold);
  }

  /**
   * Reads the positions, because the write may have succeeded. Returns the pieces not yet written.
   */
  private async lookAgain(pieces: readonly Piece[], attempt: number): Promise<readonly Piece[]> {
    for (let tries = attempt; !this.isClosed; tries += 1) {
      await pause(Math.min(RETRY_MS * 2 ** tries, RETRY_MS_MAX));
      try {
        const positions = await this.rows.positions();
        return pieces.filter((piece) =>
          this.isStillToWrite(
            piece,
            positions.find(({ partition }) => partition === piece.fold.partition),
          ),
        );
      } catch (error) {
        this.listener.failed(asError(error));
      }
    }
    return [];
  }

  private isStillToWrite(
    piece: Piece,
    position: { readonly next: number; readonly generation: number } | undefined,
  ): boolean {
    const { from, next, generation } = piece.move;
    if (position?.generation !== generation) this.lose(piece.fold);
    else if (position.next === next && next > from) this.wrote([piece], 0);
    else return true; // a piece that moves no offset is written again: its rows are the same
    return false;
  }
}

/**
 * Limits for snapshots at a handover: the bytes of a transaction, few enough that leases are
 * renewed between two, and the remaining time at which saving stops. The next owner folds the rest
 * again.
 */
const HANDOVER_BYTES = 1024 * 1024;
const HANDOVER_MS_LEFT = 500;

function merged(pieces: readonly Piece[]): Gathered {
  const [only] = pieces;
  if (only && pieces.length === 1) return only.rows;
  const all = nothingGathered();
  for (const { rows } of pieces) {
    for (const list of Object.keys(all) as (keyof Gathered)[])
      for (const row of rows[list]) (all[list] as unknown[]).push(row);
  }
  return all;
}
