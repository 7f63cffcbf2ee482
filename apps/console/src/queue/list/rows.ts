import type { Answers } from '../../api/client.js';

type Finding = Answers['FindingAnswer'];
type Severity = Finding['severity'];

/** A row of the queue: what is shown of a finding. The rest is not kept, for there may be many. */
export type Row = Pick<
  Finding,
  | 'id'
  | 'code'
  | 'severity'
  | 'table'
  | 'shoe'
  | 'coup'
  | 'coupRef'
  | 'dealer'
  | 'impact'
  | 'gamingDay'
  | 'at'
  | 'raisedAt'
  | 'videoHeldUntil'
  | 'status'
  | 'review'
>;

/**
 * A page of the list. `at` is the time of the server when it answered, in ms since 1970, and
 * `positions` are those of the log that the page is true of.
 */
export interface Page {
  readonly lines: readonly Finding[];
  readonly next: string | null;
  readonly at: number;
  readonly positions: string;
}
/** Reads a page after a cursor. */
export type ReadPage = (cursor: string | null, limit: number) => Promise<Page>;

/** The orders of the list, as the api has them. */
export type RowOrder = 'queue' | 'newest' | 'worst';
/** What the orders sort by. */
type Sorted = Pick<Row, 'severity' | 'gamingDay' | 'at' | 'raisedAt' | 'id'>;

/** Where a person was: the row that had the focus, and how far the list was scrolled. */
interface Place {
  readonly id: string | undefined;
  readonly top: number;
  /** The row that had the focus, which says where it would be now. */
  readonly row?: Sorted | undefined;
}

/** Keeps where a person was in a list for longer than its rows are kept. */
export interface PlaceKept {
  place: Place;
}
/** Returns a place at the top, where nobody has been yet. */
export const placeAtTop = (): PlaceKept => ({ place: { id: undefined, top: 0 } });

/** The rows that are kept at most. A row takes about 600 bytes. */
const ROWS_MAX = 120_000;
/** The rows of a page. */
export const PAGE_ROWS = 100;
/** The rows of the first page: those in sight, so that they are there soon. */
const FIRST_ROWS = 50;
/** The rows that are read again at once, to find the row that has the focus. */
const AGAIN_ROWS = 1_000;
const AGAIN_PAGES_MAX = 5;
/** The rows that are read by themselves at once, because they have left the list. */
const LEFT_MAX = 100;
const ARRIVALS_MAX = 10_000;

/**
 * The rows of a queue as they were read. A row that is here stays where it is until `show`, and
 * changes in place. What came since is counted.
 */
export class QueueRows {
  private rows: Row[] = [];
  private places = new Map<string, number>();
  private next: string | null = null;
  private reading: Promise<void> | undefined;
  private readonly changedMeanwhile = new Map<string, Finding>();
  private readonly arrived = new Map<string, Severity>();
  private readonly listeners = new Set<() => void>();
  private changes = 0;
  private problem: unknown;
  private failed: (() => Promise<void>) | undefined;
  private readAt = 0;
  private positions = '';

  private constructor(
    private readonly read: ReadPage,
    private readonly order: RowOrder,
    private readonly kept: PlaceKept,
  ) {}

  /**
   * Reads the first page. Where the person was in this list before, it reads on to that finding, as
   * `show` does.
   */
  static async open(
    read: ReadPage,
    order: RowOrder,
    kept: PlaceKept = placeAtTop(),
  ): Promise<QueueRows> {
    const rows = new QueueRows(read, order, kept);
    rows.replaceAll(await rows.pagesTo(kept.place.row, FIRST_ROWS));
    return rows;
  }

  /** How many rows have been read. */
  get length(): number {
    return this.rows.length;
  }

  /** Whether all rows have been read. */
  get isWhole(): boolean {
    return this.next === null;
  }

  /** Whether there are more rows than are kept. */
  get isFull(): boolean {
    return !this.isWhole && this.rows.length >= ROWS_MAX;
  }

  /** Whether more rows are read when the list comes to its end. */
  get isReadingOn(): boolean {
    return !this.isWhole && !this.isFull && this.problem === undefined;
  }

  /** Changes with every change. */
  readonly version = (): number => this.changes;

  /** Why the last page could not be read. */
  get error(): unknown {
    return this.problem;
  }

  /** The severities of what has come since the rows were read. */
  get arrivals(): readonly Severity[] {
    return [...this.arrived.values()];
  }

  /** Where the person was when the list was last shown. */
  get place(): Place {
    return this.kept.place;
  }

  /** Keeps where the person is. */
  remember(place: Partial<Pick<Place, 'id' | 'top'>>): void {
    const row = 'id' in place ? this.at(this.placeOf(place.id)) : this.place.row;
    this.kept.place = { ...this.place, ...place, row };
  }

  /** Returns the place of what came after the row that had the focus, where that row is gone. */
  placeAfterFocus(): number {
    const { row } = this.place;
    if (!row) return 0;
    const next = this.rows.findIndex((each) => BEFORE[this.order](row, each));
    return next < 0 ? this.rows.length - 1 : next;
  }

  /** Returns whether the rows were read when the log had come to some positions, or later. */
  includes(positions: string): boolean {
    const ends = endsIn(this.positions);
    return [...endsIn(positions)].every(([partition, end]) => (ends.get(partition) ?? 0) >= end);
  }

  /** Returns a row by its place. */
  at(place: number): Row | undefined {
    return this.rows[place];
  }

  /** Returns the place of a finding, or -1. */
  placeOf(id: string | undefined): number {
    return (id === undefined ? undefined : this.places.get(id)) ?? -1;
  }

  /** Calls back after every change. Returns how to end that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Reads the next page, unless one is being read. If that fails, `error` says why. */
  more(): Promise<void> {
    if (this.isWhole || this.isFull) return Promise.resolve();
    return this.once(async () => {
      const page = await this.read(this.next, PAGE_ROWS);
      this.add(page);
    });
  }

  /**
   * Reads the rows again and puts them in place of the old ones at once. Reads on until it has the
   * finding that has the focus or is past where it would be, up to 5,000 rows. If that fails,
   * `error` says why.
   */
  async show(): Promise<void> {
    await this.inTurn(async () => {
      const before = [...this.arrived.keys()];
      const place = this.placeOf(this.place.id);
      const limit = place < PAGE_ROWS ? PAGE_ROWS : AGAIN_ROWS;
      const pages = await this.pagesTo(this.at(place) ?? this.place.row, limit);
      for (const each of before) this.arrived.delete(each);
      this.replaceAll(pages);
    });
  }

  /**
   * Reads again what is here, because changes may have been missed. Rows change in place, and what
   * is new is counted: none moves, appears or goes before `show`. A row that has left the list is
   * read by itself with `readOne`, which returns undefined where the person may not see it. Covers
   * the first 5,000 rows, and 100 that have left. If it fails, `error` says why.
   */
  async compare(readOne: (id: string) => Promise<Finding | undefined>): Promise<void> {
    await this.inTurn(async () => {
      const pages = await this.pagesOver(this.rows.length);
      const lines = pages.flatMap((page) => page.lines);
      const ids = new Set(lines.map(({ id }) => id));
      const isWhole = pages.at(-1)?.next === null;
      for (const id of this.arrived.keys()) if (isWhole && !ids.has(id)) this.arrived.delete(id);
      const end = lines.at(-1);
      const left = this.rows.filter(
        (row) =>
          !ids.has(row.id) && (isWhole || (end !== undefined && BEFORE[this.order](row, end))),
      );
      for (const line of lines) this.take(this.changedMeanwhile.get(line.id) ?? line, true);
      for (const { id } of left.slice(0, LEFT_MAX)) {
        const finding = this.changedMeanwhile.get(id) ?? (await readOne(id));
        if (finding) this.take(finding, false);
      }
      this.positions = pages[0]?.positions ?? this.positions;
    });
  }

  /** Repeats what failed. */
  async tryAgain(): Promise<void> {
    const { failed } = this;
    if (failed) await this.inTurn(failed);
  }

  /** Reads pages from the first one until a row is in them or cannot follow any more. */
  private async pagesTo(row: Sorted | undefined, limit: number): Promise<Page[]> {
    const pages = [await this.read(null, limit)];
    while (pages.length < AGAIN_PAGES_MAX && this.mayFollow(pages, row))
      pages.push(await this.read(pages.at(-1)?.next ?? null, AGAIN_ROWS));
    return pages;
  }

  /** Reads pages from the first one until they have as many rows as there are here. */
  private async pagesOver(count: number): Promise<Page[]> {
    const limit = Math.min(Math.max(count, FIRST_ROWS), AGAIN_ROWS);
    const pages = [await this.read(null, limit)];
    while (pages.length < AGAIN_PAGES_MAX && pages.length * limit < count) {
      const next = pages.at(-1)?.next ?? null;
      if (next === null) break;
      pages.push(await this.read(next, limit));
    }
    return pages;
  }

  private mayFollow(pages: readonly Page[], row: Sorted | undefined): boolean {
    const last = pages.at(-1);
    const end = last?.lines.at(-1);
    return (
      row !== undefined &&
      last?.next !== null &&
      end !== undefined &&
      !BEFORE[this.order](row, end) &&
      !pages.some(({ lines }) => lines.some(({ id }) => id === row.id))
    );
  }

  /** Takes a change of a finding. `belongs` is whether the list would have it now. */
  change(finding: Finding, belongs: boolean): void {
    if (this.reading) this.changedMeanwhile.set(finding.id, finding);
    if (this.take(finding, belongs)) this.notify();
  }

  /** Puts a finding in its row, or counts it if it is new. Returns whether that changed anything. */
  private take(finding: Finding, belongs: boolean): boolean {
    const place = this.places.get(finding.id);
    if (place !== undefined) this.rows[place] = rowOf(finding);
    else if (!belongs) this.arrived.delete(finding.id);
    else if (this.isNew(finding) && this.arrived.size < ARRIVALS_MAX)
      this.arrived.set(finding.id, finding.severity);
    else return false;
    return true;
  }

  /** What is not here may only not have been read yet. It is new if reading on does not reach it. */
  private isNew(finding: Finding): boolean {
    const { raisedAt } = finding;
    if (this.isWhole || (raisedAt !== null && Date.parse(raisedAt) >= this.readAt)) return true;
    const last = this.rows.at(-1);
    return last !== undefined && BEFORE[this.order](finding, last);
  }

  /** Works on the rows when all who asked before are done. */
  private async inTurn(work: () => Promise<void>): Promise<void> {
    while (this.reading) await this.reading;
    await this.once(work);
  }

  /** Works on the rows, or joins what is under way. */
  private async once(work: () => Promise<void>): Promise<void> {
    this.reading ??= work()
      .then(() => {
        this.problem = undefined;
        this.failed = undefined;
      })
      .catch((error: unknown) => {
        this.problem = error;
        this.failed = work;
      })
      .then(() => {
        this.reading = undefined;
        this.changedMeanwhile.clear();
        this.notify();
      });
    await this.reading;
  }

  private replaceAll([first, ...others]: readonly Page[]): void {
    if (!first) return;
    this.rows = [];
    this.places = new Map();
    this.readAt = first.at;
    this.positions = first.positions;
    for (const page of [first, ...others]) this.add(page);
  }

  private add({ lines, next }: Page): void {
    for (const line of lines) {
      if (this.places.has(line.id)) continue; // it moved down since its page was read
      this.places.set(line.id, this.rows.length);
      this.rows.push(rowOf(this.changedMeanwhile.get(line.id) ?? line));
      this.arrived.delete(line.id);
    }
    this.next = next;
  }

  private notify(): void {
    this.changes += 1;
    for (const listener of this.listeners) listener();
  }
}

type Before = (one: Sorted, other: Sorted) => boolean;

const isLater: Before = (one, other) => {
  if (one.gamingDay !== other.gamingDay) return one.gamingDay > other.gamingDay;
  return one.at === other.at ? one.id > other.id : one.at > other.at;
};

/** Whether one finding comes before another, in each order of the api. */
const BEFORE: Readonly<Record<RowOrder, Before>> = {
  newest: isLater,
  worst: (one, other) =>
    one.severity === other.severity ? isLater(one, other) : one.severity < other.severity,
  queue: (one, other) => {
    if (one.severity !== other.severity) return one.severity < other.severity;
    if (one.raisedAt !== other.raisedAt)
      return one.raisedAt !== null && (other.raisedAt === null || one.raisedAt < other.raisedAt);
    return one.id < other.id;
  },
};

/** Returns the end of each partition in positions: `0:120,1:7`. */
const endsIn = (positions: string): ReadonlyMap<string, number> =>
  new Map(
    positions.split(',').map((each) => {
      const [partition = '', end] = each.split(':');
      return [partition, Number(end ?? 0)];
    }),
  );

function rowOf(finding: Finding): Row {
  const { id, code, severity, table, shoe, coupRef, dealer, at, raisedAt, status } = finding;
  const { gamingDay, videoHeldUntil } = finding;
  return {
    ...{ id, code, severity, table, shoe, coupRef, dealer, at, raisedAt, status },
    ...{ gamingDay, videoHeldUntil },
    ...(finding.coup !== undefined && { coup: finding.coup }),
    ...(finding.impact && { impact: finding.impact }),
    review: { ...finding.review, evidence: null },
  };
}
