import {
  auditedTable,
  endOfLog,
  fold,
  newTable,
  rowsOf,
  takeChanges,
  takeFinalChanges,
  type AnyEvent,
  type Changes,
  type Counts,
  type Finding,
  type RuleBook,
  type TableState,
  type Unjudgeable,
} from '#audit';

/** What `shoeprint audit` says of events, and how many there were of each kind. */
export interface Checked {
  readonly events: Counts;
  readonly findings: readonly Finding[];
  readonly unjudgeable: readonly Unjudgeable[];
}

/** Folds events by themselves: each table begins empty, and its log ends with the last event. */
export class TablesApart {
  /** About how many characters of JSON the findings have so far. */
  length = 0;
  private readonly tables = new Map<string, TableState>();
  private readonly findings: Finding[] = [];
  private readonly unjudgeable: Unjudgeable[] = [];

  constructor(private readonly book: RuleBook) {}

  take(event: AnyEvent): void {
    let table = this.tables.get(event.table);
    if (!table) this.tables.set(event.table, (table = newTable(event.table)));
    fold(table, event, this.book);
    const final = takeFinalChanges(table);
    if (final) this.keep(final);
  }

  /** Ends the log of each table in turn, and yields after each. */
  *ended(): Generator<void> {
    for (const table of this.tables.values()) {
      endOfLog(table, this.book);
      this.keep(takeChanges(table));
      yield;
    }
  }

  /** Returns the verdict, once every table has ended. */
  verdict(): Checked {
    const events: Counts = { read: 0, admitted: 0, duplicates: 0, equivocal: 0, late: 0, stray: 0 };
    for (const table of this.tables.values()) {
      const counts = auditedTable(table);
      for (const name of Object.keys(events) as (keyof Counts)[]) events[name] += counts[name];
    }
    return { events, findings: this.findings, unjudgeable: this.unjudgeable };
  }

  private keep(changes: Changes): void {
    const { shoes, outside } = rowsOf(changes);
    for (const shoe of shoes) {
      for (const found of shoe.findings()) this.keepFinding(found);
      for (const { entry } of shoe.unjudgeable()) if (entry) this.add(this.unjudgeable, entry);
    }
    for (const found of outside) this.keepFinding(found);
  }

  private keepFinding({
    finding,
    withdrawnBecause,
  }: {
    readonly finding: Finding;
    readonly withdrawnBecause: string | null;
  }): void {
    if (withdrawnBecause === null) this.add(this.findings, finding);
  }

  private add<T>(list: T[], item: T): void {
    list.push(item);
    this.length += JSON.stringify(item).length;
  }
}
