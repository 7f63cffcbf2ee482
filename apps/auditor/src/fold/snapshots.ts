import { holeOf } from '#audit';
import type { SnapshotRow } from '#read-model';
import { TableRun, type Judging } from './table-run.js';

/**
 * How far a partition is folded: the next offset, and the events and bytes folded since the
 * takeover.
 */
export interface FoldProgress {
  readonly next: number;
  readonly events: number;
  readonly bytes: number;
}

/** A table's last snapshot. */
interface Saved {
  /** While the table has no snapshot: an offset before which it has no records. Otherwise null. */
  readonly begins: number | null;
  /** Events of the table's run that the snapshot covers. */
  readonly folded: number;
  /** The partition's events and bytes when it was saved. */
  readonly events: number;
  readonly bytes: number;
  /** When it last changed, by a monotonic clock, in milliseconds. */
  changedAt: number;
}

/** A table is saved after at most this many events of its own. */
const SAVE_AFTER_EVENTS = 20_000;
/**
 * A takeover folds about this many events of a partition again, or this many per table if that is
 * more.
 */
const TAIL_EVENTS = 100_000;
const TAIL_EVENTS_OF_TABLE = 2_000;
/**
 * A takeover folds at most about this many bytes again, because events may be long, and keeps them
 * in memory until then.
 */
const TAIL_BYTES = 64 * 1024 * 1024;
/** The limits while nothing else waits to be written: saving then delays nothing. */
const TAIL_EVENTS_AT_REST = 10_000;
const TAIL_EVENTS_OF_TABLE_AT_REST = 200;
/** A table that did not change for so long is saved while nothing else waits to be written. */
const QUIET_MS = 30_000;
/** A saved table that did not change for so long is unloaded. */
const UNLOAD_AFTER_MS = 600_000;
const TAIL_CHECK_EVENTS = 1_000;
const TAIL_CHECK_BYTES = 1024 * 1024;
/** The events of a partition when a table was saved whose tail is to be long. */
const LONG_AGO = -Number.MAX_SAFE_INTEGER;
/** Saving starts at this share of the longest tail, so that tables are saved one by one. */
const TAIL_SAVE_FROM = 0.8;

/**
 * Decides which tables of a partition are saved with a transaction, so that a takeover folds only a
 * bounded tail again, and which need not be kept in memory.
 */
export class Snapshots {
  private readonly saved = new Map<string, Saved>();
  private tailChecked = { events: 0, bytes: 0 };

  constructor(
    private readonly partition: number,
    private readonly judging: Judging,
    private readonly now: () => number,
  ) {}

  /** Adds a table whose first event is in the next record. */
  begin({ table }: TableRun, { next, events, bytes }: FoldProgress): void {
    this.saved.set(table, { begins: next, folded: 0, events, bytes, changedAt: this.now() });
  }

  /**
   * Adds a table that was loaded, and the log folded onto it. If anything was folded again, it is
   * saved as soon as possible, so that no other takeover folds it again.
   */
  resume(run: TableRun, { events, bytes }: FoldProgress): void {
    this.saved.set(run.table, {
      begins: run.isLoaded ? null : 0,
      folded: 0,
      events: run.folded > 0 ? LONG_AGO : events,
      bytes,
      changedAt: this.now(),
    });
  }

  /** Records that a table was reloaded. Its tail is as long as before. */
  replace(run: TableRun, { events, bytes }: FoldProgress): void {
    const former = this.saved.get(run.table) ?? { begins: 0, events, bytes };
    this.saved.set(run.table, {
      begins: run.isLoaded ? null : (former.begins ?? 0),
      folded: 0,
      events: former.events,
      bytes: former.bytes,
      changedAt: this.now(),
    });
  }

  /** Forgets a table that is parked or unloaded. */
  remove(table: string): void {
    this.saved.delete(table);
  }

  /**
   * Saves tables with many unsaved events, those unsaved for longest first, until `savings` bytes
   * are exceeded. Also saves where new tables begin.
   */
  save(
    tables: ReadonlyMap<string, TableRun>,
    changed: Iterable<TableRun>,
    at: FoldProgress,
    savings: number,
  ): SnapshotRow[] {
    const rows: SnapshotRow[] = [];
    let left = savings;
    const now = this.now();
    for (const run of changed) {
      if (!tables.has(run.table)) continue;
      this.savedOf(run).changedAt = now;
      if (this.unsavedOf(run) >= SAVE_AFTER_EVENTS && left > 0) left -= this.add(rows, run, at);
      else this.addBeginning(rows, run);
    }
    if (left > 0 && this.isTailDue(at)) {
      const tail = Math.max(TAIL_EVENTS, TAIL_EVENTS_OF_TABLE * tables.size);
      this.addOldest(rows, tables, at, left, isLongerThan(tail, at));
    }
    return rows;
  }

  /**
   * Saves tables with unsaved events for the next owner, until `bytes` are exceeded. Requires that
   * everything is projected.
   */
  saveForHandover(
    tables: ReadonlyMap<string, TableRun>,
    at: FoldProgress,
    bytes: number,
  ): SnapshotRow[] {
    const rows: SnapshotRow[] = [];
    this.addOldest(rows, tables, at, bytes, () => true);
    return rows;
  }

  /**
   * Saves quiet tables and those unsaved for longest while nothing else is to be written, until
   * `bytes` are exceeded. Requires that everything is projected.
   */
  saveAtRest(
    tables: ReadonlyMap<string, TableRun>,
    at: FoldProgress,
    bytes: number,
  ): SnapshotRow[] {
    const rows: SnapshotRow[] = [];
    const tail = Math.max(TAIL_EVENTS_AT_REST, TAIL_EVENTS_OF_TABLE_AT_REST * tables.size);
    const isLong = isLongerThan(tail, at);
    const quietSince = this.now() - QUIET_MS;
    this.addOldest(
      rows,
      tables,
      at,
      bytes,
      (saved) => isLong(saved) || saved.changedAt <= quietSince,
    );
    return rows;
  }

  /** Returns the tables that are saved, wait for nothing and were quiet for long. */
  unloadable(tables: ReadonlyMap<string, TableRun>): TableRun[] {
    const quietSince = this.now() - UNLOAD_AFTER_MS;
    return [...tables.values()].filter((run) => {
      const { begins, changedAt } = this.savedOf(run);
      if (changedAt > quietSince || begins !== null || this.unsavedOf(run) > 0) return false;
      return holeOf(run.state) === null;
    });
  }

  private isTailDue({ events, bytes }: FoldProgress): boolean {
    if (
      events - this.tailChecked.events < TAIL_CHECK_EVENTS &&
      bytes - this.tailChecked.bytes < TAIL_CHECK_BYTES
    )
      return false;
    this.tailChecked = { events, bytes };
    return true;
  }

  /** Saves tables with unsaved events that are due, those unsaved for longest first. */
  private addOldest(
    rows: SnapshotRow[],
    tables: ReadonlyMap<string, TableRun>,
    at: FoldProgress,
    savings: number,
    isDue: (saved: Saved) => boolean,
  ): void {
    let left = savings;
    const due = [...tables.values()]
      .filter((run) => this.unsavedOf(run) > 0 && isDue(this.savedOf(run)))
      .sort((a, b) => this.savedOf(a).events - this.savedOf(b).events);
    for (const run of due) {
      if (left <= 0) return;
      left -= this.add(rows, run, at);
    }
  }

  private add(rows: SnapshotRow[], run: TableRun, { next, events, bytes }: FoldProgress): number {
    const { table, folded } = run;
    const saved = run.save();
    rows.push({ table, partition: this.partition, next, ...saved });
    this.saved.set(table, { ...this.savedOf(run), begins: null, folded, events, bytes });
    return saved.state.length;
  }

  /**
   * Saves an empty snapshot at a new table's first offset, so that a takeover does not scan the log
   * before it.
   */
  private addBeginning(rows: SnapshotRow[], run: TableRun): void {
    const { table } = run;
    const { begins, ...saved } = this.savedOf(run);
    if (begins === null) return;
    const fresh = TableRun.fresh(table, this.judging).save();
    rows.push({ table, partition: this.partition, next: begins, ...fresh });
    this.saved.set(table, { ...saved, begins: null });
  }

  private unsavedOf(run: TableRun): number {
    return run.folded - this.savedOf(run).folded;
  }

  private savedOf({ table }: TableRun): Saved {
    const saved = this.saved.get(table);
    if (!saved) throw new Error(`table ${table} is not among the tables of its partition`);
    return saved;
  }
}

/** Returns whether a table's tail is near so many events, or as many bytes as it may have. */
const isLongerThan =
  (tail: number, at: FoldProgress) =>
  ({ events, bytes }: Saved): boolean =>
    at.events - events >= tail * TAIL_SAVE_FROM || at.bytes - bytes >= TAIL_BYTES * TAIL_SAVE_FROM;
