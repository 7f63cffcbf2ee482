import { createHash } from 'node:crypto';
import type { Decoder } from '#audit';
import { BrokenLog, type StoredRecord } from '#event-log';
import type { ParkedRow, SnapshotRow } from '#read-model';
import { drawRows, type DayOf, type Gathered } from './draw.js';
import { linesOf, UnknownEvent, type Lines, type StampedEvent } from './record-lines.js';
import { TableRun, type Judging, type LineAt } from './table-run.js';

/** An event that a table could not take: the table is to be loaded again, and parked there if it is no better. */
export interface Refused extends LineAt {
  readonly table: string;
  readonly why: Error;
}

/** A table's fold goes at most this many events between two savings of its state. */
const SAVE_AFTER_EVENTS = 20_000;
/** Who takes over a partition folds at most about this many events again, or as many for each of its tables as below. */
const TAIL_EVENTS = 100_000;
const TAIL_EVENTS_OF_TABLE = 2_000;
/** And at most about this many bytes, for events may be long. */
const TAIL_BYTES = 128 * 1024 * 1024;

/** SHA-256 of a record's value. */
export const digestOf = (value: Uint8Array): Buffer => createHash('sha256').update(value).digest();

/**
 * A partition that this process owns: the tables in it, folded up to `next`; drawn into a transaction up to `drawn`; and
 * in the database up to `written`.
 */
export class PartitionFold {
  readonly tables = new Map<string, TableRun>();
  /** Tables that are folded no further, and the event that each stopped at. */
  readonly parked = new Map<string, ParkedRow>();
  /** Events that somebody decided to go on without. */
  readonly released = new Set<string>();
  drawn: number;
  written: number;
  /** Events folded since the rows were last drawn, and since the partition was taken over. */
  undrawn = 0;
  undrawnBytes = 0;
  folded = 0;
  foldedBytes = 0;
  /** While a table is loaded again nothing of the partition is drawn. */
  isFrozen = false;
  /** Stamps of a few of the events that were folded since the rows were last drawn, and of the last. */
  readonly received: string[] = [];
  lastReceived: string | null = null;
  /** A table that is parked no longer, once what is folded now is written. */
  unparks: string | null = null;
  private readonly changed = new Set<TableRun>();
  private readonly newlyParked: ParkedRow[] = [];
  private readonly stateToSave: SnapshotRow[] = [];
  private lastValue: Uint8Array | null = null;

  constructor(
    readonly partition: number,
    readonly generation: number,
    /** The offset of the record that is due. */
    public next: number,
    private readonly judging: Judging,
  ) {
    this.drawn = next;
    this.written = next;
  }

  /**
   * Folds the next record; records before `next` were folded already and are passed over. Throws `BrokenLog` at a hole and
   * at bytes that are no event. Gives what a table refused, in which case the record is not passed yet: `resume` goes on.
   */
  take(record: StoredRecord, decoder: Decoder): Refused | undefined {
    if (record.offset < this.next) return undefined;
    if (record.offset > this.next)
      throw new BrokenLog(
        `record ${this.next} is missing: ${record.offset} came`,
        this.partition,
        this.next,
      );
    return this.resume(record, decoder, 0);
  }

  /** Folds a record from a line on, and passes it. */
  resume(record: StoredRecord, decoder: Decoder, from: number): Refused | undefined {
    const { key, offset } = record;
    const parked = this.parked.get(key);
    if (parked) this.count(linesIn(record.value) - from);
    else {
      const { events, unknown } = readAll(record, decoder, { from, released: this.released });
      const run = this.tableOf(key);
      for (const each of events) {
        try {
          this.foldLine(run, each, offset);
        } catch (error) {
          return { table: key, offset, line: each.line, why: error as Error };
        }
      }
      if (unknown) return { table: key, offset, line: unknown.line, why: unknown };
    }
    this.next = offset + 1;
    this.undrawnBytes += record.value.length;
    this.foldedBytes += record.value.length;
    this.lastValue = record.value;
    return undefined;
  }

  private foldLine(run: TableRun, { event, received, line }: StampedEvent, offset: number): void {
    run.take(event, received, { offset, line });
    this.count(1);
    this.changed.add(run);
    if (received === null) return;
    this.lastReceived = received;
    if (this.received.length < SAMPLES_MAX) this.received.push(received);
  }

  private count(events: number): void {
    this.undrawn += events;
    this.folded += events;
  }

  private tableOf(table: string): TableRun {
    let run = this.tables.get(table);
    if (!run) {
      run = TableRun.fresh(table, this.judging);
      run.savedNext = this.next;
      run.savedAt = this.folded;
      run.savedAtBytes = this.foldedBytes;
      this.tables.set(table, run);
    }
    return run;
  }

  /** Puts a table, loaded again, in the place of the one that refused an event. */
  replace(run: TableRun): void {
    const former = this.tables.get(run.table);
    if (former) this.changed.delete(former);
    run.savedAt = former?.savedAt ?? this.folded;
    run.savedAtBytes = former?.savedAtBytes ?? this.foldedBytes;
    if (!run.isSaved) run.savedNext = former?.savedNext ?? run.savedNext;
    this.tables.set(run.table, run);
    if (run.touched.table > 0) this.changed.add(run);
  }

  /** Takes a table out of the fold: `run` is as it was before the event, `state` as it was before the event's record. */
  park(run: TableRun, row: ParkedRow, state: Uint8Array | undefined): void {
    this.replace(run);
    this.tables.delete(run.table);
    this.parked.set(row.table, row);
    this.newlyParked.push(row);
    if (state)
      this.stateToSave.push({
        table: row.table,
        partition: this.partition,
        next: row.offset,
        state,
      });
  }

  /** Goes on with a table that was parked: `run` is folded up to `next`, or up to where it is parked again. */
  unpark(run: TableRun): void {
    this.parked.delete(run.table);
    this.unparks = run.table;
    this.replace(run);
  }

  /** Whether there is something to write. */
  get isDirty(): boolean {
    return (
      !this.isFrozen &&
      (this.unparks !== null ||
        this.next > this.drawn ||
        this.changed.size > 0 ||
        this.newlyParked.length > 0)
    );
  }

  /** Draws all that is not drawn yet; gives the events that it covers. The states of at most `savings` bytes or so go with it. */
  draw(rows: Gathered, dayOf: DayOf, savings: number): number {
    const events = this.undrawn;
    rows.moves.push({
      partition: this.partition,
      generation: this.generation,
      from: this.drawn,
      next: this.next,
      lastDigest: this.lastDigest(),
      events,
    });
    for (const run of this.changed) drawRows(run, this.partition, dayOf, rows);
    rows.parked.push(...this.newlyParked.splice(0));
    rows.snapshots.push(...this.stateToSave.splice(0));
    this.save(rows, savings);
    this.changed.clear();
    this.unparks = null;
    this.undrawn = 0;
    this.undrawnBytes = 0;
    this.received.length = 0;
    this.drawn = this.next;
    return events;
  }

  private lastDigest(): Uint8Array {
    if (this.lastValue) {
      this.digest = digestOf(this.lastValue);
      this.lastValue = null;
    }
    return this.digest;
  }
  /** Of record `next - 1`; empty at offset 0. */
  digest: Uint8Array = Buffer.alloc(0);

  /** Saves tables that were folded far since they were last saved, the longest unsaved first; and where new ones begin. */
  private save(rows: Gathered, savings: number): void {
    let left = savings;
    for (const run of this.changed) {
      if (!this.tables.has(run.table)) continue;
      if (run.unsaved >= SAVE_AFTER_EVENTS && left > 0) left -= this.saveTable(run, rows);
      else if (!run.isSaved) this.saveBeginning(run, rows);
    }
    const { events, bytes } = this.tailChecked;
    if (
      left <= 0 ||
      (this.folded - events < TAIL_CHECK_EVENTS && this.foldedBytes - bytes < TAIL_CHECK_BYTES)
    )
      return;
    this.tailChecked = { events: this.folded, bytes: this.foldedBytes };
    const tail = Math.max(TAIL_EVENTS, TAIL_EVENTS_OF_TABLE * this.tables.size);
    for (const run of this.unsavedTables()) {
      const isLong =
        this.folded - run.savedAt >= tail * TAIL_SAVE_FROM ||
        this.foldedBytes - run.savedAtBytes >= TAIL_BYTES * TAIL_SAVE_FROM;
      if (left <= 0 || !isLong) return;
      left -= this.saveTable(run, rows);
    }
  }
  private tailChecked = { events: 0, bytes: 0 };

  /** Tables with events that are in no saved state, the longest unsaved first. */
  private unsavedTables(): TableRun[] {
    return [...this.tables.values()]
      .filter(({ unsaved }) => unsaved > 0)
      .sort((a, b) => a.savedAt - b.savedAt);
  }

  /** Saves tables for whoever takes over next, up to so many bytes. Everything must have been drawn. */
  saveForHandover(rows: Gathered, bytes: number): void {
    let left = bytes;
    for (const run of this.unsavedTables()) {
      if (left <= 0) return;
      left -= this.saveTable(run, rows);
    }
  }

  /** Saves of a new table that nothing of it lies before its first event: so that a takeover need not look there. */
  private saveBeginning(run: TableRun, rows: Gathered): void {
    rows.snapshots.push({
      table: run.table,
      partition: this.partition,
      next: run.savedNext,
      state: TableRun.fresh(run.table, this.judging).save(),
    });
    run.isSaved = true;
  }

  private saveTable(run: TableRun, rows: Gathered): number {
    const state = run.save();
    rows.snapshots.push({ table: run.table, partition: this.partition, next: this.next, state });
    run.unsaved = 0;
    run.isSaved = true;
    run.savedNext = this.next;
    run.savedAt = this.folded;
    run.savedAtBytes = this.foldedBytes;
    return state.length;
  }
}

/** The events of a record up to the first that is unknown here. They are read before any is folded: a record that cannot be read is not folded in part. */
function readAll(
  record: StoredRecord,
  decoder: Decoder,
  lines: Lines,
): { readonly events: readonly StampedEvent[]; readonly unknown: UnknownEvent | undefined } {
  const events: StampedEvent[] = [];
  try {
    for (const each of linesOf(record, decoder, lines)) events.push(each);
  } catch (error) {
    if (error instanceof UnknownEvent) return { events, unknown: error };
    throw error;
  }
  return { events, unknown: undefined };
}

/** Stamps looked at of one transaction, to tell how long it took from the door to the rows. */
const SAMPLES_MAX = 200;
const TAIL_CHECK_EVENTS = 1_000;
const TAIL_CHECK_BYTES = 1024 * 1024;
/** From this share of the longest tail on tables are saved one after the other, so that none is saved in haste. */
const TAIL_SAVE_FROM = 0.8;

const linesIn = (value: Uint8Array): number => {
  let lines = 1;
  for (let at = value.indexOf(0x0a); at >= 0; at = value.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
};
