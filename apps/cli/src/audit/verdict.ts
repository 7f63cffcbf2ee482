import {
  endOfLog,
  fold,
  newTable,
  type AnyEvent,
  type Consequence,
  type Counts,
  type RuleBook,
  type TableState,
} from '#audit';
import { byOrder, ShoeInReach, type Order, type ShoeRecord } from './shoe-record.js';
import { Spill, type Places } from './spill.js';

/**
 * Shoes, findings, coups and ledger lines held in memory after their shoe is out of reach. More go
 * to a file.
 */
const HELD_MAX = 2_000;
/** Findings outside any shoe that a table may still change. The fold keeps fewer. */
const OUTSIDE_MAX = 2_048;

/** The result of an audit. */
export interface Verdict {
  readonly events: Counts;
  /** The number of findings that were not withdrawn. */
  readonly findings: number;
  /** Returns the records in the order of the report. It can be called more than once. */
  records(): Iterable<ShoeRecord>;
}

/** A verdict that one thread passes to another. Its records are in a file that both can read. */
export interface HandedVerdict {
  readonly events: Counts;
  readonly findings: number;
  readonly orders: readonly Order[];
  readonly places: Places;
}

interface Table {
  readonly state: TableState;
  readonly first: number;
  serial: number;
  /** The previous shoe, then the open one. */
  readonly shoes: ShoeInReach[];
  outside: ShoeInReach | null;
}

/**
 * Folds events and keeps the findings that were not withdrawn. Memory holds the shoes that can
 * still change, two per table, and a bounded number of those that cannot, so a log of any length
 * takes no more.
 */
export class Auditor {
  private readonly tables = new Map<string, Table>();
  private readonly orders: Order[] = [];
  private readonly records: Spill<ShoeRecord>;
  private findings = 0;
  private last: Table | undefined;

  /**
   * `file` receives the records that do not fit into memory. Without it, a new temporary file does.
   */
  constructor(
    private readonly book: RuleBook,
    file?: number,
  ) {
    this.records = new Spill(HELD_MAX, file);
  }

  /** Folds the event on a line of the log. Line numbers increase through all files. */
  take(event: AnyEvent, line: number): void {
    const table =
      this.last?.state.table === event.table ? this.last : this.tableOf(event.table, line);
    const news = fold(table.state, event, this.book);
    if (news.length > 0) this.hear(table, news, line);
  }

  private tableOf(name: string, line: number): Table {
    let table = this.tables.get(name);
    if (!table)
      this.tables.set(
        name,
        (table = { state: newTable(name), first: line, serial: 0, shoes: [], outside: null }),
      );
    this.last = table;
    return table;
  }

  private hear(table: Table, news: readonly Consequence[], line: number): void {
    for (const consequence of news)
      this.concerned(table, consequence, line).take(consequence, table.state);
  }

  private concerned(table: Table, consequence: Consequence, line: number): ShoeInReach {
    const name = shoeOf(consequence);
    const held = holder(table, consequence) ?? table.shoes.findLast((shoe) => shoe.name === name);
    if (held) return held;
    if (consequence.is === 'shoe') return this.open(table, consequence.row.shoe, line);
    if (table.outside && table.outside.size >= OUTSIDE_MAX) this.putAway(table, 'outside');
    return (table.outside ??= new ShoeInReach([1, table.first, table.first, table.serial++], null));
  }

  private open(table: Table, name: string, line: number): ShoeInReach {
    const shoe = new ShoeInReach([0, line, table.first, table.serial++], name);
    table.shoes.push(shoe);
    if (table.shoes.length > 2) this.putAway(table, 'oldest');
    return shoe;
  }

  private putAway(table: Table, which: 'oldest' | 'outside'): void {
    const shoe = which === 'oldest' ? table.shoes.shift() : table.outside;
    if (which === 'outside') table.outside = null;
    if (!shoe) return;
    const record = shoe.record();
    this.findings += record.findings.length;
    this.orders.push(record.order);
    this.records.add(
      record,
      1 +
        record.findings.length +
        record.coups.length +
        record.unjudgeable.length +
        record.ledger.length,
    );
  }

  private end(): Pick<HandedVerdict, 'events' | 'findings'> {
    const events: Counts = { read: 0, admitted: 0, duplicates: 0, equivocal: 0, late: 0, stray: 0 };
    for (const table of this.tables.values()) {
      this.hear(table, endOfLog(table.state, this.book), Number.MAX_SAFE_INTEGER);
      while (table.shoes.length > 0) this.putAway(table, 'oldest');
      this.putAway(table, 'outside');
      for (const name of Object.keys(events) as (keyof Counts)[])
        events[name] += table.state.admission.counts[name];
    }
    // The report does not need the fold's state, and needs memory itself.
    this.tables.clear();
    this.last = undefined;
    return { events, findings: this.findings };
  }

  /** Ends the log and returns the verdict. */
  verdict(): Verdict {
    const ended = this.end();
    return { ...ended, records: () => inOrder([{ orders: this.orders, records: this.records }]) };
  }

  /** Ends the log and returns the verdict for another thread. */
  handOver(): HandedVerdict {
    const ended = this.end();
    return { ...ended, orders: this.orders, places: this.records.writeOut() };
  }
}

/** Returns the shoe that holds what a consequence changes or withdraws. */
const holder = ({ shoes, outside }: Table, consequence: Consequence): ShoeInReach | undefined => {
  switch (consequence.is) {
    case 'amended':
    case 'withdrawn':
    case 'judgeable':
      return (
        shoes.find((shoe) => shoe.has(consequence)) ??
        (outside?.has(consequence) ? outside : undefined)
      );
    case 'raised':
    case 'unjudgeable':
    case 'coup':
    case 'ledger':
    case 'shoe':
      return undefined;
  }
};

const shoeOf = (consequence: Consequence): string | undefined => {
  switch (consequence.is) {
    case 'raised':
    case 'amended':
    case 'withdrawn':
      return consequence.finding.shoe;
    case 'unjudgeable':
      return consequence.entry.shoe;
    case 'coup':
      return consequence.shoe;
    case 'ledger':
    case 'shoe':
      return consequence.row.shoe;
    case 'judgeable':
      return undefined;
  }
};

/**
 * Joins the verdicts on shares of the tables. The records of each are in its own file of `files`.
 */
export function joined(parts: readonly HandedVerdict[], files: readonly number[]): Verdict {
  const events: Counts = { read: 0, admitted: 0, duplicates: 0, equivocal: 0, late: 0, stray: 0 };
  for (const part of parts)
    for (const name of Object.keys(events) as (keyof Counts)[]) events[name] += part.events[name];
  const shares = parts.map(({ orders, places }, i) => ({
    orders,
    records: Spill.at<ShoeRecord>(files[i] as number, places),
  }));
  return {
    events,
    findings: parts.reduce((sum, { findings }) => sum + findings, 0),
    records: () => inOrder(shares),
  };
}

interface Share {
  readonly orders: readonly Order[];
  readonly records: Spill<ShoeRecord>;
}

function* inOrder(shares: readonly Share[]): Iterable<ShoeRecord> {
  const all = shares.flatMap(({ orders, records }) =>
    orders.map((order, place) => ({ order, records, place })),
  );
  all.sort((a, b) => byOrder(a.order, b.order));
  for (const { records, place } of all) yield records.get(place);
}
