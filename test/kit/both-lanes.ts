import {
  blockOf,
  Decoder,
  endOfLog,
  fold,
  houseFrom,
  loadTable,
  newTable,
  RangeJudge,
  rowsOf,
  saveTable,
  takeChanges,
  takeFinalChanges,
  type AnyEvent,
  type Block,
  type Changes,
  type JudgedTaker,
  type LaneCounts,
  type Line,
  type Receipt,
  type RuleBook,
  type TableState,
} from '#audit';
import { SeatLedger } from '../../libs/audit/src/ledger/seat-ledger.js';
import { expectSame } from './rounds.js';

/** How a log is folded. Each share is one of so many blocks. */
export interface Course {
  readonly seed: number;
  /** The most lines of a block. */
  readonly block: number;
  /**
   * Whether rows are taken as the command line takes them: those of shoes that can no longer
   * change, without coups. Otherwise all rows are taken after some blocks.
   */
  readonly isFinal: boolean;
  /** After one block in so many, tables are saved; and after one in so many loaded from that. */
  readonly saved: number;
  readonly loaded: number;
}

/** Returns whole numbers below a limit, always the same of one seed. */
function choices(seed: number): (below: number) => number {
  let state = (seed | 0) ^ 0x9e3779b9;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const dayOf = (time: string): string => time.slice(0, 10);

/** Returns everything that can be drawn from changes, in the order in which `audit` draws it. */
function drawn(changes: Changes | undefined): unknown {
  if (!changes) return undefined;
  const { shoes, outside } = rowsOf(changes);
  const findings = (of: typeof outside): unknown[] =>
    of.map(({ raised, ...finding }) => ({ ...finding, raised: raised() }));
  const { reviews, items } = changes;
  return {
    shoes: shoes.map((rows) => {
      const found = rows.findings();
      const refs = new Set(found.flatMap(({ coupRef }) => coupRef ?? []));
      const { shoe, opened, mark } = rows;
      const first = {
        ...{ shoe, opened, mark, findings: findings(found) },
        found: refs.size > 0 ? rows.coups(refs) : [],
        unjudgeable: rows.unjudgeable(),
        ledger: rows.ledger(),
      };
      return { ...first, coups: rows.coups(), sums: rows.sums(dayOf) };
    }),
    outside: findings(outside),
    reviews,
    items,
  };
}

/** The state of a table in two ways. */
interface Both {
  readonly name: string;
  /** Folded from events, which the explaining path alone takes. */
  events: TableState;
  /** Folded from lines, which the lane takes if it can. */
  lines: TableState;
}

/** A log judged as the range of a package, from events and from lines. */
class BothRanges {
  private readonly shown = { events: [] as unknown[], lines: [] as unknown[] };
  private readonly events: RangeJudge;
  private readonly lines: RangeJudge;

  constructor(name: string, book: RuleBook) {
    const judge = (way: 'events' | 'lines'): RangeJudge => {
      const show = (judged: unknown): void => void this.shown[way].push(judged);
      const taker: JudgedTaker = { shoe: show, outside: show, unlisted: show };
      return new RangeJudge(newTable(name), { book, listed: { since: null }, dayOf }, taker);
    };
    this.events = judge('events');
    this.lines = judge('lines');
  }

  take(line: Line, event: AnyEvent): void {
    this.lines.take(line);
    this.events.take(event);
  }

  /** Ends the range, and fails if another one is listed from lines than from events. */
  end(): void {
    expectSame(this.lines.end(), this.events.end());
    expectSame(JSON.stringify(this.shown.lines), JSON.stringify(this.shown.events));
  }
}

/** Folds one log in both ways, and fails where they differ. */
class BothLanes {
  private readonly tables = new Map<string, Both>();
  /** Some of the tables are judged as packages too. */
  private readonly ranges = new Map<string, BothRanges>();
  private readonly apart: Decoder;
  private readonly decoder: Decoder;
  private readonly choose: (below: number) => number;
  private mark = 0;

  constructor(
    private readonly book: RuleBook,
    private readonly course: Course,
  ) {
    this.apart = new Decoder(houseFrom(book));
    this.decoder = new Decoder(houseFrom(book));
    this.choose = choices(course.seed);
  }

  /** Folds a block of lines. Leaves out malformed ones. */
  take(lines: readonly string[]): void {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    const block = blockOf(bytes, bytes.toString('latin1'));
    let from = 0;
    for (const line of lines) {
      const to = from + Buffer.byteLength(line);
      const event = this.eventOf(line);
      if (event) this.fold(event, block, from, to);
      from = to + 1;
    }
    bytes.fill(0); // a line that is read later must have been kept
    const some = [...this.tables.values()].filter(() => this.choose(2) === 0);
    for (const table of some) this.look(table);
  }

  private eventOf(line: string): AnyEvent | undefined {
    const bytes = Buffer.from(line);
    return this.apart.decode(blockOf(bytes, bytes.toString('latin1')), 0, bytes.length).event;
  }

  private fold(event: AnyEvent, block: Block, from: number, to: number): void {
    const { book, decoder } = this;
    this.mark += 1 + this.choose(3);
    const receipt: Receipt = {
      mark: this.mark,
      received: this.choose(2) === 0 ? null : event.time,
      ...(this.choose(4) > 0 && { position: this.mark * 7 }),
    };
    const table = this.tableOf(event.table);
    const line = { decoder, block, from, to };
    fold(table.lines, line, book, receipt);
    fold(table.events, event, book, receipt);
    this.ranges.get(event.table)?.take(line, event);
    if (this.course.isFinal) this.expectSame(table, takeFinalChanges);
  }

  private tableOf(name: string): Both {
    let table = this.tables.get(name);
    if (!table) {
      table = { name, events: newTable(name), lines: newTable(name) };
      this.followSome(table);
      this.tables.set(name, table);
      if (this.choose(2) === 0) this.ranges.set(name, new BothRanges(name, this.book));
    }
    return table;
  }

  /** Lets the lane of some tables follow its rows, so that they are not read again. */
  private followSome({ lines }: Both): void {
    if (this.choose(2) === 0) lines.lane.drawRows();
  }

  private look(table: Both): void {
    const { isFinal, saved, loaded } = this.course;
    if (this.choose(saved) === 0) this.expectSameState(table);
    if (!isFinal && this.choose(4) === 0) this.expectSame(table, takeChanges);
    if (this.choose(loaded) > 0) return;
    for (const way of ['events', 'lines'] as const) {
      takeChanges(table[way]); // they are not saved
      table[way] = loadTable(saveTable(table[way]), this.book);
    }
    this.followSome(table);
  }

  private expectSame(
    { events, lines }: Both,
    take: (state: TableState) => Changes | undefined,
  ): void {
    // both are taken before either is drawn: what a table holds then is what rows are drawn from
    const [of, wanted] = [take(lines), take(events)].map(drawn);
    if (of ?? wanted) expectSame(of, wanted);
    // rows are stored as JSON, whose fields have an order
    if (of) expectSame(JSON.stringify(of), JSON.stringify(wanted));
  }

  private expectSameState({ events, lines }: Both): void {
    const wanted = saveTable(events);
    const loaded = loadTable(saveTable(lines), this.book);
    loaded.lane.catchUp(loaded);
    expectSame(saveTable(loaded), wanted);
    if (this.choose(2) === 0) return; // else the shoes themselves catch up
    lines.lane.catchUp(lines);
    expectSame(saveTable(lines), wanted);
    expectSame(imageOf(lines), imageOf(events));
  }

  /** Ends the log. Returns how many events the lane took before. */
  end(): LaneCounts {
    const { saved } = this.course;
    const sum = { lane: 0, again: 0 };
    for (const { lines } of this.tables.values()) {
      sum.lane += lines.lane.counts.lane;
      sum.again += lines.lane.counts.again;
    }
    for (const table of this.tables.values()) {
      if (this.choose(saved) === 0) this.expectSameState(table);
      for (const state of [table.lines, table.events])
        endOfLog(state, this.book, { mark: this.mark + 1, received: null });
      this.expectSame(table, takeChanges);
      this.expectSame(table, takeChanges);
      this.expectSameState(table);
    }
    for (const range of this.ranges.values()) range.end();
    return sum;
  }
}

/**
 * Parts of a state that lead back to what holds it, or that are compared as what they lead to. The
 * readings of unread cards lead back to their shoe; they are compared by what is found.
 */
const APART: ReadonlySet<string> = new Set([
  ...['rules', 'changes', 'table', 'cause', 'lane', 'readings'],
]);

/** Returns the shoes of a table as they are in memory. */
const imageOf = ({ open, before, duty, sources }: TableState): string =>
  JSON.stringify([open, before, duty, sources], (name, value: unknown) => {
    if (APART.has(name)) return undefined;
    if (value instanceof SeatLedger) return [...value];
    return value instanceof Map ? [...(value as Map<unknown, unknown>)] : value;
  });

/**
 * Folds lines in both ways, in blocks, and fails where the two differ. Returns how many the lane
 * took.
 */
export function expectSameInBothLanes(
  lines: readonly string[],
  book: RuleBook,
  course: Course,
): LaneCounts {
  const lanes = new BothLanes(book, course);
  const choose = choices(course.seed + 1);
  for (let at = 0; at < lines.length;) {
    const length = choose(4) === 0 ? 1 : 1 + choose(course.block);
    lanes.take(lines.slice(at, at + length));
    at += length;
  }
  return lanes.end();
}
