import {
  auditedTable,
  endOfLog,
  fold,
  newTable,
  rowsOf,
  takeFinalChanges,
  takeChanges,
  type AnyEvent,
  type Changes,
  type Counts,
  type Finding,
  type LaneSetting,
  type Line,
  type RuleBook,
  type TableState,
} from '#audit';
import { byOrder, recordOf, recordOutside, type Order, type ShoeRecord } from './shoe-record.js';
import { ReviewRecords, Reviews, type ReviewPlace, type ReviewRecord } from './reviews.js';
import { Spill, type Places } from './spill.js';

/**
 * Shoes, findings, coups and ledger lines held in memory after their shoe is out of reach. More go
 * to a file.
 */
const HELD_MAX = 2_000;
/** Findings outside any shoe in one record. */
const OUTSIDE_MAX = 2_048;

/** The result of an audit. */
export interface Verdict {
  readonly events: Counts;
  /** The number of findings that were not withdrawn. */
  readonly findings: number;
  /** Returns the records in the order of the report. It can be called more than once. */
  records(): Iterable<ShoeRecord>;
  readonly reviews: Reviews;
}

/** A verdict that one thread passes to another. Its records are in a file that both can read. */
export interface HandedVerdict {
  readonly events: Counts;
  readonly findings: number;
  readonly orders: readonly Placed[];
  readonly reviews: ReadonlyMap<string, ReviewPlace>;
  readonly places: Places;
}

/** The sort key of a record, and where it is among what is kept. */
interface Placed {
  readonly order: Order;
  readonly place: number;
}
/** What one thread keeps for the report. */
type Kept = ShoeRecord | ReviewRecord;

interface Table {
  readonly state: TableState;
  readonly first: number;
  serial: number;
  /** The JSON of findings outside any shoe, which keeps nothing of the log alive. */
  readonly outside: string[];
}

/**
 * Folds events and keeps the findings that were not withdrawn. Memory holds the shoes that can
 * still change, two per table, and a bounded number of those that cannot, so a log of any length
 * takes no more.
 */
export class LogAuditor {
  private readonly tables = new Map<string, Table>();
  private readonly orders: Placed[] = [];
  private readonly kept: Spill<Kept>;
  private readonly reviews: ReviewRecords;
  private findings = 0;
  private last: Table | undefined;

  /**
   * `file` receives the records that do not fit into memory. Without it, a new temporary file does.
   */
  constructor(
    private readonly book: RuleBook,
    private readonly lanes: LaneSetting,
    file?: number,
  ) {
    this.kept = new Spill(HELD_MAX, file);
    this.reviews = new ReviewRecords(this.kept as Spill<ReviewRecord>);
  }

  /**
   * Folds the event of a table on a line of the log, as an object or as the bytes of the line. Line
   * numbers increase through all files.
   */
  take(event: AnyEvent | Line, name: string, line: number): void {
    const table = this.last?.state.table === name ? this.last : this.tableOf(name, line);
    fold(table.state, event, this.book, { mark: line, received: null });
    const final = takeFinalChanges(table.state);
    if (final) this.keep(table, final, line);
  }

  private tableOf(name: string, line: number): Table {
    let table = this.tables.get(name);
    if (!table)
      this.tables.set(
        name,
        (table = { state: newTable(name, this.lanes), first: line, serial: 0, outside: [] }),
      );
    this.last = table;
    return table;
  }

  private keep(table: Table, changes: Changes, line: number): void {
    const { shoes, outside } = rowsOf(changes);
    for (const change of changes.reviews) this.reviews.add(change, line);
    for (const shoe of shoes)
      this.add(recordOf(shoe, [0, shoe.opened ?? 0, table.first, table.serial++]));
    table.outside.push(...outside.map(({ finding }) => JSON.stringify(finding)));
    if (table.outside.length >= OUTSIDE_MAX) this.addOutside(table);
  }

  private addOutside(table: Table): void {
    const { outside, first } = table;
    const findings = outside.splice(0).map((json) => JSON.parse(json) as Finding);
    if (findings.length > 0) this.add(recordOutside(findings, [1, first, first, table.serial++]));
  }

  private add(record: ShoeRecord): void {
    const { order, findings, coups, unjudgeable, ledger } = record;
    this.findings += findings.length;
    const weight = 1 + findings.length + coups.length + unjudgeable.length + ledger.length;
    this.orders.push({ order, place: this.kept.add(record, weight) });
  }

  private end(): Pick<HandedVerdict, 'events' | 'findings'> {
    const events: Counts = { read: 0, admitted: 0, duplicates: 0, equivocal: 0, late: 0, stray: 0 };
    for (const table of this.tables.values()) {
      endOfLog(table.state, this.book, { mark: Number.MAX_SAFE_INTEGER, received: null });
      this.keep(table, takeChanges(table.state), Number.MAX_SAFE_INTEGER);
      this.addOutside(table);
      addCounts(events, auditedTable(table.state));
    }
    // The report does not need the fold's state, and needs memory itself.
    this.tables.clear();
    this.last = undefined;
    return { events, findings: this.findings };
  }

  /** Ends the log and returns the verdict. */
  verdict(): Verdict {
    const ended = this.end();
    return verdictOf(ended, [
      { orders: this.orders, reviews: this.reviews.places, kept: this.kept },
    ]);
  }

  /** Ends the log and returns the verdict for another thread. */
  handOver(): HandedVerdict {
    const ended = this.end();
    return {
      ...ended,
      orders: this.orders,
      reviews: this.reviews.places,
      places: this.kept.writeOut(),
    };
  }
}

function addCounts(sum: Counts, counts: Counts): void {
  for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name];
}

/**
 * Joins the verdicts on shares of the tables. The records of each are in its own file of `files`.
 */
export function joined(parts: readonly HandedVerdict[], files: readonly number[]): Verdict {
  const events: Counts = { read: 0, admitted: 0, duplicates: 0, equivocal: 0, late: 0, stray: 0 };
  for (const part of parts) addCounts(events, part.events);
  const findings = parts.reduce((sum, part) => sum + part.findings, 0);
  const shares = parts.map(({ orders, reviews, places }, i) => ({
    orders,
    reviews,
    kept: Spill.at<Kept>(files[i] as number, places),
  }));
  return verdictOf({ events, findings }, shares);
}

/** What one thread kept. */
interface Share {
  readonly orders: readonly Placed[];
  readonly reviews: ReadonlyMap<string, ReviewPlace>;
  readonly kept: Spill<Kept>;
}

const verdictOf = (
  ended: Pick<Verdict, 'events' | 'findings'>,
  shares: readonly Share[],
): Verdict => ({
  ...ended,
  records: () => inOrder(shares),
  reviews: new Reviews(
    shares.map(({ reviews, kept }) => ({ places: reviews, records: kept as Spill<ReviewRecord> })),
  ),
});

function* inOrder(shares: readonly Share[]): Iterable<ShoeRecord> {
  const all = shares.flatMap(({ orders, kept }) => orders.map((placed) => ({ ...placed, kept })));
  all.sort((a, b) => byOrder(a.order, b.order));
  for (const { kept, place } of all) yield kept.get(place) as ShoeRecord;
}
