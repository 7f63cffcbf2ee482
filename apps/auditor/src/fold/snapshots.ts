import type { SnapshotRow } from '#read-model';
import { TableRun, type Judging } from './table-run.js';

/**
 * How far a partition is folded: the next offset, and the events and bytes folded by the takeover
 * and since.
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
}

/** A table is saved after at most this many events of its own. */
const SAVE_AFTER_EVENTS = 20_000;
/**
 * A takeover folds about this many events of a partition again, or this many per table if that is
 * more.
 */
const TAIL_EVENTS = 100_000;
const TAIL_EVENTS_OF_TABLE = 2_000;
/** A takeover folds at most about this many bytes again, because events may be long. */
const TAIL_BYTES = 128 * 1024 * 1024;
/** The limits while nothing else waits to be written: saving then delays nothing. */
const TAIL_EVENTS_AT_REST = 10_000;
const TAIL_EVENTS_OF_TABLE_AT_REST = 200;
const TAIL_CHECK_EVENTS = 1_000;
const TAIL_CHECK_BYTES = 1024 * 1024;
/** Saving starts at this share of the longest tail, so that tables are saved one by one. */
const TAIL_SAVE_FROM = 0.8;

/**
 * Decides which tables of a partition are saved with a transaction, so that a takeover folds only a
 * bounded tail again.
 */
export class Snapshots {
  private readonly saved = new Map<string, Saved>();
  private tailChecked = { events: 0, bytes: 0 };

  constructor(
    private readonly partition: number,
    private readonly judging: Judging,
  ) {}

  /** Adds a table whose first event is in the next record. */
  begin({ table }: TableRun, { next, events, bytes }: FoldProgress): void {
    this.saved.set(table, { begins: next, folded: 0, events, bytes });
  }

  /** Adds a table that a takeover loaded and folded. */
  resume(run: TableRun, { events, bytes }: FoldProgress): void {
    const since = run.folded > 0 ? { events: 0, bytes: 0 } : { events, bytes };
    this.saved.set(run.table, { begins: run.isLoaded ? null : 0, folded: 0, ...since });
  }

  /** Records that a table was reloaded. Its tail is as long as before. */
  replace(run: TableRun, { events, bytes }: FoldProgress): void {
    const former = this.saved.get(run.table) ?? { begins: 0, events, bytes };
    this.saved.set(run.table, {
      begins: run.isLoaded ? null : (former.begins ?? 0),
      folded: 0,
      events: former.events,
      bytes: former.bytes,
    });
  }

  /** Forgets a table that is parked. */
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
    for (const run of changed) {
      if (!tables.has(run.table)) continue;
      if (this.unsavedOf(run) >= SAVE_AFTER_EVENTS && left > 0) left -= this.add(rows, run, at);
      else this.addBeginning(rows, run);
    }
    if (left > 0 && this.isTailDue(at))
      this.addOldest(
        rows,
        tables,
        at,
        left,
        Math.max(TAIL_EVENTS, TAIL_EVENTS_OF_TABLE * tables.size),
      );
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
    this.addOldest(rows, tables, at, bytes, 0);
    return rows;
  }

  /**
   * Saves the tables unsaved for longest while nothing else is to be written, until `bytes` are
   * exceeded. Requires that everything is projected.
   */
  saveAtRest(
    tables: ReadonlyMap<string, TableRun>,
    at: FoldProgress,
    bytes: number,
  ): SnapshotRow[] {
    const rows: SnapshotRow[] = [];
    const tail = Math.max(TAIL_EVENTS_AT_REST, TAIL_EVENTS_OF_TABLE_AT_REST * tables.size);
    this.addOldest(rows, tables, at, bytes, tail);
    return rows;
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

  /**
   * Saves the tables unsaved for longest, while their tail is near `tail` events or `TAIL_BYTES`.
   * Saves every unsaved table if `tail` is 0.
   */
  private addOldest(
    rows: SnapshotRow[],
    tables: ReadonlyMap<string, TableRun>,
    at: FoldProgress,
    savings: number,
    tail: number,
  ): void {
    let left = savings;
    const unsaved = [...tables.values()]
      .filter((run) => this.unsavedOf(run) > 0)
      .map((run) => ({ run, ...this.savedOf(run) }))
      .sort((a, b) => a.events - b.events);
    for (const { run, events, bytes } of unsaved) {
      const isLong =
        at.events - events >= tail * TAIL_SAVE_FROM ||
        at.bytes - bytes >= TAIL_BYTES * TAIL_SAVE_FROM;
      if (left <= 0 || !isLong) return;
      left -= this.add(rows, run, at);
    }
  }

  private add(rows: SnapshotRow[], run: TableRun, { next, events, bytes }: FoldProgress): number {
    const state = run.save();
    rows.push({ table: run.table, partition: this.partition, next, state });
    this.saved.set(run.table, { begins: null, folded: run.folded, events, bytes });
    return state.length;
  }

  /**
   * Saves an empty snapshot at a new table's first offset, so that a takeover does not scan the log
   * before it.
   */
  private addBeginning(rows: SnapshotRow[], run: TableRun): void {
    const { table } = run;
    const { begins, ...saved } = this.savedOf(run);
    if (begins === null) return;
    const state = TableRun.fresh(table, this.judging).save();
    rows.push({ table, partition: this.partition, next: begins, state });
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
