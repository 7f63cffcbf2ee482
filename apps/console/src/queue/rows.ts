import type { Answers } from '../api/client.js';

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
  | 'at'
  | 'raisedAt'
  | 'videoHeldUntil'
  | 'status'
  | 'review'
>;

/** A page of the list. `at` is the time of the server when it answered, in ms since 1970. */
export interface Page {
  readonly lines: readonly Finding[];
  readonly next: string | null;
  readonly at: number;
}
/** Reads a page after a cursor. */
export type ReadPage = (cursor: string | null, limit: number) => Promise<Page>;

/** Where a person was: the row that had the focus, and how far the list was scrolled. */
interface Place {
  readonly id: string | undefined;
  readonly top: number;
}

/** The rows that are kept at most. A row takes about 600 bytes. */
const ROWS_MAX = 120_000;
/** The rows of a page. */
export const PAGE_ROWS = 200;
/** The rows of the first page: those in sight, so that they are there soon. */
const FIRST_ROWS = 50;
/** The rows that are read again at once, to find the row that has the focus. */
const AGAIN_ROWS = 1_000;
const AGAIN_PAGES_MAX = 5;
const ARRIVALS_MAX = 10_000;

/**
 * The rows of a queue as they were read. A row that is here stays where it is until `show`, and
 * changes in place. What came since is counted.
 */
export class QueueRows {
  private rows: Row[] = [];
  private places = new Map<string, number>();
  private next: string | null = null;
  private readAt = 0;
  private reading: Promise<void> | undefined;
  private readonly changedMeanwhile = new Map<string, Finding>();
  private readonly arrived = new Map<string, Severity>();
  private readonly listeners = new Set<() => void>();
  private changes = 0;
  private problem: unknown;
  private kept: Place = { id: undefined, top: 0 };

  private constructor(
    private readonly read: ReadPage,
    private readonly isByWorth: boolean,
  ) {}

  /** Reads the first page. `isByWorth` is whether the gravest come first, then the oldest. */
  static async open(read: ReadPage, isByWorth: boolean): Promise<QueueRows> {
    const rows = new QueueRows(read, isByWorth);
    rows.replace(await read(null, FIRST_ROWS));
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
    return this.kept;
  }

  /** Keeps where the person is. */
  remember(place: Partial<Place>): void {
    this.kept = { ...this.kept, ...place };
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
   * finding `focus`, up to 5,000 rows.
   */
  async show(focus?: string): Promise<void> {
    await this.reading;
    await this.once(async () => {
      const before = [...this.arrived.keys()];
      const limit = this.placeOf(focus) < PAGE_ROWS ? PAGE_ROWS : AGAIN_ROWS;
      const pages = [await this.read(null, limit)];
      while (pages.length < AGAIN_PAGES_MAX && lacks(pages, focus))
        pages.push(await this.read(pages.at(-1)?.next ?? null, AGAIN_ROWS));
      for (const id of before) this.arrived.delete(id);
      const [first, ...others] = pages;
      if (first) this.replace(first);
      for (const page of others) this.add(page);
    });
  }

  /** Takes a change of a finding. `belongs` is whether the list would have it now. */
  change(finding: Finding, belongs: boolean): void {
    if (this.reading) this.changedMeanwhile.set(finding.id, finding);
    const place = this.places.get(finding.id);
    if (place !== undefined) this.rows[place] = rowOf(finding);
    else if (!belongs) this.arrived.delete(finding.id);
    else if (this.isNew(finding) && this.arrived.size < ARRIVALS_MAX)
      this.arrived.set(finding.id, finding.severity);
    else return;
    this.notify();
  }

  /** What is not here may only not have been read yet. */
  private isNew({ severity, raisedAt, id }: Finding): boolean {
    if (this.isWhole || (raisedAt !== null && Date.parse(raisedAt) >= this.readAt)) return true;
    const last = this.rows.at(-1);
    return this.isByWorth && last !== undefined && isBefore({ severity, raisedAt, id }, last);
  }

  private async once(work: () => Promise<void>): Promise<void> {
    this.reading ??= work()
      .then(() => (this.problem = undefined))
      .catch((error: unknown) => (this.problem = error))
      .then(() => {
        this.reading = undefined;
        this.changedMeanwhile.clear();
        this.notify();
      });
    await this.reading;
  }

  private replace(page: Page): void {
    this.rows = [];
    this.places = new Map();
    this.readAt = page.at;
    this.add(page);
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

const lacks = (pages: readonly Page[], focus: string | undefined): boolean =>
  focus !== undefined &&
  pages.at(-1)?.next !== null &&
  !pages.some(({ lines }) => lines.some(({ id }) => id === focus));

type Sorted = Pick<Row, 'severity' | 'raisedAt' | 'id'>;

/** The order of the queue: the gravest first, then what was raised first. */
function isBefore(one: Sorted, other: Sorted): boolean {
  if (one.severity !== other.severity) return one.severity < other.severity;
  if (one.raisedAt !== other.raisedAt)
    return one.raisedAt !== null && (other.raisedAt === null || one.raisedAt < other.raisedAt);
  return one.id < other.id;
}

function rowOf(finding: Finding): Row {
  const { id, code, severity, table, shoe, coupRef, dealer, at, raisedAt, status } = finding;
  const { videoHeldUntil } = finding;
  return {
    ...{ id, code, severity, table, shoe, coupRef, dealer, at, raisedAt, status, videoHeldUntil },
    ...(finding.coup !== undefined && { coup: finding.coup }),
    ...(finding.impact && { impact: finding.impact }),
    review: { ...finding.review, evidence: null },
  };
}
