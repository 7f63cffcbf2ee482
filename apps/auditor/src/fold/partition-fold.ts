import type { Decoder, LaneCounts } from '#audit';
import { BrokenLog, type StoredRecord } from '#event-log';
import { asError } from '#process';
import type { Claimed, ParkedEvent, PassedDigest, PositionMove, SnapshotRow } from '#read-model';
import { addRows, nothingGathered, type DayOf, type Gathered } from './projected-rows.js';
import {
  NOTHING_LEFT_OUT,
  recordDigest,
  RecordReader,
  UnreadableRecord,
  type LeftOut,
  type StampedEvent,
} from './record-lines.js';
import { Snapshots } from './snapshots.js';
import { TableRun, type Judging, type LineAt, type SavedRun } from './table-run.js';

/**
 * An event that a table could not fold. The table is reloaded, and parked there if it fails again.
 */
export interface Refused extends LineAt {
  readonly table: string;
  readonly why: Error;
}

/**
 * The records that must be folded onto the saved state of a table that is not loaded. The rows
 * already hold their changes.
 */
export type Tail = readonly StoredRecord[];

/** What a takeover loaded of a partition. */
export interface Resumed {
  /** Its tables, none of which is loaded, but for those that are parked. */
  readonly unloaded: Iterable<readonly [table: string, tail: Tail]>;
  readonly parked: Iterable<ParkedEvent>;
  readonly leftOut: LeftOut;
  /** Returns the partition of a table. */
  readonly partitionOf: (table: string) => number;
}

/** What a partition writes in one transaction. */
export interface Projection {
  readonly move: PositionMove;
  readonly rows: Gathered;
  /** Receipt times of some of the events. */
  readonly received: readonly string[];
  /** How many of the events the lane took, and how many were stepped through again. */
  readonly lanes: LaneCounts;
  /** The parked table that these rows unpark, or null. */
  readonly unparks: string | null;
}

/**
 * A partition that this process owns. Its tables are folded up to `next`, projected up to some
 * offset before, and written to the database up to `written`.
 */
export class PartitionFold {
  readonly partition: number;
  readonly generation: number;
  private readonly runs = new Map<string, TableRun>();
  private readonly unloadedTables: Map<string, Tail>;
  private readonly parkedTables = new Map<string, ParkedEvent>();
  private readonly decided: { released: Set<string>; passed: Map<number, string> };
  private readonly snapshots: Snapshots;
  private readonly progress: { next: number; events: number; bytes: number };
  private readonly pending = { events: 0, bytes: 0 };
  private projected: number;
  private readonly partitionOf: Resumed['partitionOf'];
  private writtenNext: number;
  private frozen = false;
  private readonly changed = new Set<TableRun>();
  private readonly newlyParked: ParkedEvent[] = [];
  private readonly statesBeforeParking: SnapshotRow[] = [];
  private unparks: string | null = null;
  private readonly received: string[] = [];
  private receivedLast: string | null = null;
  private lastValue: Uint8Array | null = null;
  /** Of record `projected - 1`; empty at offset 0. */
  private digest: Uint8Array;

  constructor(
    {
      partition,
      generation,
      next,
      lastDigest,
    }: Pick<Claimed, 'partition' | 'generation' | 'next' | 'lastDigest'>,
    private readonly judging: Judging,
    { unloaded, parked, leftOut, partitionOf }: Resumed = {
      unloaded: [],
      parked: [],
      leftOut: NOTHING_LEFT_OUT,
      partitionOf: () => partition,
    },
    now: () => number = () => performance.now(),
  ) {
    this.partition = partition;
    this.partitionOf = partitionOf;
    this.generation = generation;
    this.projected = this.writtenNext = next;
    this.digest = lastDigest ?? Buffer.alloc(0);
    this.decided = { released: new Set(leftOut.released), passed: new Map(leftOut.passed) };
    this.unloadedTables = new Map(unloaded);
    for (const row of parked) this.parkedTables.set(row.table, row);
    this.progress = { next, events: 0, bytes: 0 };
    this.snapshots = new Snapshots(partition, judging, now);
  }

  /** The tables that are loaded. */
  get tables(): ReadonlyMap<string, TableRun> {
    return this.runs;
  }

  /** The tables that are not loaded. */
  get unloaded(): ReadonlyMap<string, Tail> {
    return this.unloadedTables;
  }

  /** The parked tables, and the event that each stopped at. */
  get parked(): ReadonlyMap<string, ParkedEvent> {
    return this.parkedTables;
  }

  /** What is left out by decision. */
  get leftOut(): LeftOut {
    return this.decided;
  }

  /** The offset of the next record to fold. */
  get next(): number {
    return this.progress.next;
  }

  /** The offset up to which the rows are in the database. */
  get written(): number {
    return this.writtenNext;
  }

  /** Events folded since the takeover. */
  get folded(): number {
    return this.progress.events;
  }

  /** Events folded and not yet projected, and the bytes of their records; 0 while frozen. */
  get waiting(): { readonly events: number; readonly bytes: number } {
    return this.frozen ? { events: 0, bytes: 0 } : this.pending;
  }

  /** When the api received the last event. */
  get lastReceived(): string | null {
    return this.receivedLast;
  }

  get isFrozen(): boolean {
    return this.frozen;
  }

  /** Whether there is something to project. */
  get isDirty(): boolean {
    return (
      !this.frozen &&
      (this.unparks !== null ||
        this.next > this.projected ||
        this.changed.size > 0 ||
        this.newlyParked.length > 0)
    );
  }

  /** Whether everything that is folded is in the database. */
  get isWritten(): boolean {
    return !this.isDirty && this.writtenNext === this.next;
  }

  /** Whether offsets are projected and not yet known to be written. */
  get isWriting(): boolean {
    return this.writtenNext < this.projected;
  }

  /** Returns whether the table of a record must be loaded before `take`. */
  needsTableOf({ key, offset }: StoredRecord): boolean {
    return offset === this.next && this.unloadedTables.has(key);
  }

  /** Adds a table that was loaded, with its tail folded onto it. */
  load(run: TableRun): void {
    this.unloadedTables.delete(run.table);
    this.snapshots.resume(run, this.progress);
    this.runs.set(run.table, run);
  }

  /**
   * Folds the next record; skips records before `next`. Returns the event that a table refused, if
   * any: `next` does not advance then, and `resume` continues the record. Throws `BrokenLog` if
   * offsets are missing, and `UnreadableRecord` at bytes that are not an event, and at a table that
   * belongs in another partition.
   */
  take(record: StoredRecord, decoder: Decoder): Refused | undefined {
    if (record.offset < this.next) return undefined;
    if (record.offset > this.next)
      throw new BrokenLog(
        `record ${this.next} is missing: the log delivered ${record.offset}`,
        this.partition,
        this.next,
      );
    return this.resume(record, decoder, 0);
  }

  /**
   * Folds a record from a line on and advances `next`. Returns the event that a table refused, if
   * any.
   */
  resume(record: StoredRecord, decoder: Decoder, from: number): Refused | undefined {
    const { key, offset, value } = record;
    if (this.unloadedTables.has(key)) throw new Error(`table ${key} is not loaded`);
    if (this.parkedTables.has(key)) this.count(linesIn(value) - from);
    else {
      const lines = { from, leftOut: this.decided };
      // before any is folded, so that an unreadable record is not folded in part
      const reader = new RecordReader(record, decoder);
      const unknown = reader.firstUnknown(lines);
      if (!this.runs.has(key) && !reader.isPassed(this.decided)) this.checkPartition(record);
      const events = reader.events({ ...lines, ...(unknown && { to: unknown.line }) });
      const refused = this.foldAll(key, offset, events);
      if (refused) return refused;
      if (unknown) return { table: key, offset, line: unknown.line, why: unknown };
    }
    this.progress.next = offset + 1;
    this.progress.bytes += value.length;
    this.pending.bytes += value.length;
    this.lastValue = value;
    return undefined;
  }

  /** Replaces a table that refused an event by `run`, which was reloaded. */
  replace(run: TableRun): void {
    const former = this.runs.get(run.table);
    if (former) this.changed.delete(former);
    this.snapshots.replace(run, this.progress);
    this.runs.set(run.table, run);
    if (run.isChanged) this.changed.add(run);
  }

  /**
   * Takes a table out of the fold. `run` is the table before the event, `saved` the one before the
   * event's record.
   */
  park(run: TableRun, row: ParkedEvent, saved: SavedRun | undefined): void {
    const { table, offset } = row;
    this.replace(run);
    this.runs.delete(table);
    this.unloadedTables.delete(table);
    this.snapshots.remove(table);
    this.parkedTables.set(table, row);
    this.newlyParked.push(row);
    if (saved)
      this.statesBeforeParking.push({ table, partition: this.partition, next: offset, ...saved });
  }

  /**
   * Continues a parked table, which is folded up to `next` or up to where it is parked again.
   * Leaves out the events `released` from now on.
   */
  unpark(run: TableRun, released: Iterable<string>): void {
    for (const event of released) this.decided.released.add(event);
    this.parkedTables.delete(run.table);
    this.unparks = run.table;
    this.replace(run);
  }

  /** Leaves out these records from now on. */
  pass(records: Iterable<PassedDigest>): void {
    for (const { offset, sha256 } of records) this.decided.passed.set(offset, sha256);
  }

  /**
   * Stops projecting, because a table's state must not be written. Earlier projections are still
   * written.
   */
  freeze(): void {
    this.frozen = true;
  }

  thaw(): void {
    this.frozen = false;
  }

  /** Projects everything that is folded, with about `savings` bytes of snapshots at most. */
  project(dayOf: DayOf, savings: number): Projection {
    const move = this.move();
    const rows = { ...nothingGathered(), moves: [move] };
    const lanes = { lane: 0, again: 0 };
    for (const run of this.changed) {
      addRows(run, this.partition, dayOf, rows);
      const { lane, again } = run.takeLaneCounts();
      lanes.lane += lane;
      lanes.again += again;
    }
    rows.parked.push(...this.newlyParked.splice(0));
    rows.snapshots.push(
      ...this.statesBeforeParking.splice(0),
      ...this.snapshots.save(this.runs, this.changed, this.progress, savings),
    );
    const { unparks } = this;
    this.changed.clear();
    this.unparks = null;
    this.pending.events = this.pending.bytes = 0;
    this.projected = this.next;
    return { move, rows, received: this.received.splice(0), lanes, unparks };
  }

  /**
   * Saves snapshots for the next owner, about `bytes` at most. Returns undefined if nothing needs
   * saving, or if the fold is frozen or not fully projected.
   */
  projectForHandover(bytes: number): Projection | undefined {
    return this.projectStates(() =>
      this.snapshots.saveForHandover(this.runs, this.progress, bytes),
    );
  }

  /**
   * Saves snapshots of quiet tables and of those unsaved for longest, about `bytes` at most, so
   * that a takeover folds little again. Returns undefined as `projectForHandover` does. Unloads
   * tables that have been quiet for long. Call it only while nothing is being written.
   */
  projectAtRest(bytes: number): Projection | undefined {
    if (this.isWritten) this.unloadQuiet();
    return this.projectStates(() => this.snapshots.saveAtRest(this.runs, this.progress, bytes));
  }

  /** Records that a projection is in the database. */
  wrote({ next }: PositionMove): void {
    this.writtenNext = next;
  }

  private unloadQuiet(): void {
    for (const { table } of this.snapshots.unloadable(this.runs)) {
      this.runs.delete(table);
      this.snapshots.remove(table);
      this.unloadedTables.set(table, []);
    }
  }

  private projectStates(save: () => SnapshotRow[]): Projection | undefined {
    if (this.frozen || this.isDirty) return undefined;
    const snapshots = save();
    if (snapshots.length === 0) return undefined;
    const move = this.move();
    const rows = { ...nothingGathered(), moves: [move], snapshots };
    return { move, rows, received: [], lanes: { lane: 0, again: 0 }, unparks: null };
  }

  private move(): PositionMove {
    if (this.lastValue) {
      this.digest = recordDigest(this.lastValue);
      this.lastValue = null;
    }
    return {
      partition: this.partition,
      generation: this.generation,
      from: this.projected,
      next: this.next,
      lastDigest: this.digest,
      events: this.pending.events,
    };
  }

  /** Folds the events of a record. Returns the one that the table refused, if any. */
  private foldAll(
    table: string,
    offset: number,
    events: Iterable<StampedEvent>,
  ): Refused | undefined {
    let run: TableRun | undefined;
    for (const each of events) {
      run ??= this.tableOf(table);
      try {
        this.foldLine(run, each, offset);
      } catch (error) {
        return { table, offset, line: each.line, why: asError(error) };
      }
    }
    return undefined;
  }

  private foldLine(
    run: TableRun,
    { event, received, line, sender }: StampedEvent,
    offset: number,
  ): void {
    run.take(event, received, { offset, line }, sender);
    this.count(1);
    this.changed.add(run);
    if (received === null) return;
    this.receivedLast = received;
    if (this.received.length < SAMPLES_MAX) this.received.push(received);
  }

  private count(events: number): void {
    this.pending.events += events;
    this.progress.events += events;
  }

  /** Throws if a record is of a table whose other records are in another partition. */
  private checkPartition(record: StoredRecord): void {
    const partition = this.partitionOf(record.key);
    if (partition === this.partition) return;
    const why = `is of table ${JSON.stringify(record.key)}, whose partition is ${partition}`;
    throw new UnreadableRecord(why, record, 0);
  }

  private tableOf(table: string): TableRun {
    let run = this.runs.get(table);
    if (!run) {
      run = TableRun.fresh(table, this.judging);
      this.snapshots.begin(run, this.progress);
      this.runs.set(table, run);
    }
    return run;
  }
}

/** Receipt times kept per transaction, to measure the time from the api to the rows. */
const SAMPLES_MAX = 200;

const linesIn = (value: Uint8Array): number => {
  let lines = 1;
  for (let at = value.indexOf(0x0a); at >= 0; at = value.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
};
