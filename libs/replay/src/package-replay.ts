import {
  Decoder,
  eventOf,
  FOLD_VERSION,
  heardOf,
  HOUSE_TABLE,
  houseFrom,
  newTable,
  RangeJudge,
  RangeListing,
  tableFrom,
  type AnyEvent,
  type Finding,
  LanesDiffer,
  type LaneSetting,
  type RangeShoe,
  type JudgedTaker,
  type Listed,
  type RuleBook,
  type TableState,
} from '#audit';
import {
  ReplayFault,
  type CoveringSeal,
  type LineFault,
  type StoppedTable,
  type ReplayedShoe,
  type ShoeOpening,
  type Judgement,
  type Judging,
  type PackageStatement,
  type Replay,
  type Sha256,
  type TableJudging,
} from '#evidence';
import { bookOf } from './documents.js';
import { RecordLines, type RecordLine } from './record-lines.js';
import { Remarks } from './remarks.js';

/** What judging a package again needs from outside. */
export interface ReplayParts {
  /** Hashes of the published documents by id, such as `punto-banco@1` and `policies/review@1`. */
  readonly published: Readonly<Record<string, string>>;
  readonly sha256: Sha256;
  /** Returns a function that maps the time of an event to its gaming day. */
  readonly gamingDays: (rules: PackageStatement['gamingDays']) => (time: string) => string;
  /**
   * Whether package.json must have the warnings that show what the records before a range lack, as
   * it must for a verifier. The exporter puts them there.
   */
  readonly warnings: 'checked' | 'made';
  /** How lines are folded; default `on`. */
  readonly lanes?: LaneSetting;
  /** Also takes what was judged, as the exporter does to compare it with the rows. */
  readonly taker?: JudgedTaker;
}

/** Events that the records before a range may have. */
const CONTEXT_MAX = 500_000;

type TableEntry = PackageStatement['tables'][number];

/**
 * Returns what judges the records of a package, for the verifier. The exporter makes the same lines
 * with it. Lines of findings, shoes and money are those of `RangeListing`.
 */
export const packageReplay = (parts: ReplayParts): Replay => ({
  fold: FOLD_VERSION,
  published: parts.published,
  open: (statement, documents) =>
    new PackageJudging(statement, bookOf(documents, parts.sha256), parts),
});

class PackageJudging implements Judging {
  private readonly listing = new RangeListing();
  private readonly decoder: Decoder;
  private readonly shoes: ReplayedShoe[] = [];
  private readonly openings = new Map<string, readonly ShoeOpening[]>();
  private readonly warnings: string[] = [];
  private readonly parked: StoppedTable[] = [];
  private findings = 0;
  private sessions = 0;
  private sessionsWithHole = 0;
  private readonly dayOf: (time: string) => string;

  constructor(
    private readonly statement: PackageStatement,
    private readonly book: RuleBook,
    private readonly parts: ReplayParts,
  ) {
    this.decoder = new Decoder(houseFrom(book));
    this.dayOf = daysBy(statement, parts);
  }

  begin(entry: TableEntry): TableJudging {
    const { book, dayOf, decoder, statement } = this;
    const remarks = new Remarks(entry.table, dayOf);
    const holes = new Set<string>();
    const unlisted = new Map<string, number>();
    const count = (finding: Finding): void => {
      this.findings += 1;
      if (finding.gap) holes.add(JSON.stringify([finding.gap.source, finding.gap.session]));
    };
    const taker: JudgedTaker = {
      shoe: (judged) => {
        this.parts.taker?.shoe(judged);
        this.listing.shoe(judged);
        this.shoes.push(shoeOf(judged));
        judged.findings.forEach(count);
      },
      outside: (finding) => {
        this.parts.taker?.outside(finding);
        this.listing.outside(finding);
        count(finding);
      },
      unlisted: (finding) => {
        this.parts.taker?.unlisted(finding);
        unlisted.set(finding.code, (unlisted.get(finding.code) ?? 0) + 1);
      },
    };
    const ended = ({ shown, parked, openings }: RangeEnd): void => {
      if (entry.table !== HOUSE_TABLE) this.openings.set(entry.table, openings);
      this.listing.endTable();
      const due = [...shown.due, ...unlistedWarnings(entry.table, unlisted)];
      this.warnings.push(...due, ...shown.seen, ...remarks.warnings);
      if (parked) this.parked.push(parked);
      this.sessions += remarks.sessions;
      this.sessionsWithHole += holes.size;
      this.refuseUnsaid(due);
    };
    const judging = { book, dayOf, listed: listedOf(statement, entry) };
    const { lanes } = this.parts;
    return new RangeOfTable(entry, { judging, decoder, statement, taker, remarks, lanes, ended });
  }

  /** Throws `ReplayFault` if package.json lacks a warning that it must have. */
  private refuseUnsaid(due: readonly string[]): void {
    const unsaid = due.find((warning) => !this.statement.warnings.includes(warning));
    if (unsaid !== undefined && this.parts.warnings === 'checked')
      throw new ReplayFault(`package.json does not warn: ${unsaid}`);
  }

  take() {
    return this.listing.take();
  }

  end(): Judgement {
    const { findings, sessions, sessionsWithHole, shoes, openings, parked, warnings } = this;
    return { findings, sessions, sessionsWithHole, shoes, openings, parked, warnings };
  }
}

/** Returns what maps times to gaming days by the rules of a package. Throws `ReplayFault`. */
function daysBy({ gamingDays }: PackageStatement, parts: ReplayParts): (time: string) => string {
  try {
    return parts.gamingDays(gamingDays);
  } catch (error) {
    throw new ReplayFault((error as Error).message);
  }
}

/** Warnings of a table. */
interface Shown {
  /** Those that must stand in package.json: they change if a record before the range is left out. */
  readonly due: readonly string[];
  readonly seen: readonly string[];
}

/** How the judging of a table ended. */
interface RangeEnd {
  readonly shown: Shown;
  readonly parked: StoppedTable | undefined;
  readonly openings: readonly ShoeOpening[];
}

/**
 * Returns what the records before a range show of who was signed on when it begins. The house chose
 * these records: an older sign-on is as true as the last one, so the names are shown and not
 * compared. A role without a record must stand in package.json.
 */
function dutyWarnings(before: readonly AnyEvent[], { table, duty }: TableState): Shown {
  const roles = new Set(
    before.flatMap((event) =>
      event.type === 'dealer-signed-on' || event.type === 'dealer-relieved' ? event.data.role : [],
    ),
  );
  const names = DUTIES.map((role) => `${role} ${duty[role] ?? 'nobody'}`).join(', ');
  return {
    due: DUTIES.filter((role) => !roles.has(role)).map(
      (role) => `table ${table}: no record before the range shows a ${role} who signed on`,
    ),
    seen: [
      `table ${table}: signed on when the range begins, by records that the house chose: ${names}`,
    ],
  };
}
const DUTIES = ['dealer', 'caller'] as const;

/**
 * Returns a warning of the findings that are judged and not listed. A record that is left out
 * before the range changes them, even if it changes nothing that is listed.
 */
function unlistedWarnings(table: string, unlisted: ReadonlyMap<string, number>): string[] {
  if (unlisted.size === 0) return [];
  const codes = [...unlisted].sort(([a], [b]) => (a < b ? -1 : 1));
  const counts = codes.map(([code, count]) => `${code} ${count}`).join(', ');
  return [
    `table ${table}: the range begins and ends with shoes that it does not list. Judging what it has of them finds ${counts}`,
  ];
}

const shoeOf = ({ shoe, leftReach }: RangeShoe): ReplayedShoe => ({
  table: shoe.table,
  shoe: shoe.shoe,
  isClosed: shoe.closed,
  hasLeftReach: leftReach,
});

/**
 * Returns what a package lists of a table: the shoe that its scope names, or everything from the
 * opening of its first shoe on.
 */
function listedOf({ scope }: PackageStatement, { first, shoes }: TableEntry): Listed {
  const shoe = shoes[0] ?? null;
  if (scope.kind === 'day' || scope.kind === 'table' || shoe === null)
    return { since: first === 0 ? null : shoe };
  return { shoe: scope.shoe ?? shoe, finding: scope.finding ?? null };
}

interface TableParts {
  readonly judging: ConstructorParameters<typeof RangeJudge>[1];
  readonly decoder: Decoder;
  readonly statement: PackageStatement;
  readonly taker: JudgedTaker;
  readonly remarks: Remarks;
  readonly lanes: LaneSetting | undefined;
  readonly ended: (end: RangeEnd) => void;
}

/** The judging of the range of one table. */
class RangeOfTable implements TableJudging {
  private readonly before: AnyEvent[] = [];
  private begun: { readonly judge: RangeJudge; readonly state: TableState } | undefined;
  /** Whether the judges leave out each line that they cannot take, by `record line`. */
  private readonly unjudged: ReadonlyMap<string, boolean>;
  private stoppedAt: number | undefined;
  private shown: Shown = { due: [], seen: [] };
  private readonly lines: RecordLines;
  private readonly openings: ShoeOpening[] = [];

  constructor(
    private readonly entry: TableEntry,
    private readonly parts: TableParts,
  ) {
    this.lines = new RecordLines(parts.decoder);
    this.unjudged = new Map(
      parts.statement.unjudged
        .filter(({ table }) => table === entry.table)
        .map(({ record, line, released }) => [`${record} ${line}`, released]),
    );
  }

  context(n: number, value: Uint8Array): void {
    if (this.entry.first === 0)
      throw new ReplayFault(`record ${n} comes before a range that begins with record 0`);
    let line = 0;
    this.lines.open(value);
    for (let read = this.lines.next(); read; read = this.lines.next()) {
      const { event, why } = read;
      line += 1;
      if (this.unjudged.has(`${n} ${line}`)) continue;
      if (!event) throw new ReplayFault(`line ${line} of record ${n}: ${why}`);
      this.before.push(eventOf(event));
    }
    if (this.before.length > CONTEXT_MAX)
      throw new ReplayFault(`the records before the range have over ${CONTEXT_MAX} events`);
  }

  record(n: number, value: Uint8Array, seal?: CoveringSeal): LineFault[] {
    if (this.stoppedAt !== undefined) return [];
    const { remarks } = this.parts;
    const faults: LineFault[] = [];
    let line = 0;
    remarks.begin(n, seal);
    this.lines.open(value);
    for (let read = this.lines.next(); read; read = this.lines.next()) {
      line += 1;
      const released = this.unjudged.size > 0 ? this.unjudged.get(`${n} ${line}`) : undefined;
      if (released === false) {
        this.stoppedAt = n;
        break;
      }
      if (released) remarks.note('released');
      else if (!read.event) faults.push({ line: line - 1, why: read.why });
      else this.fold(read, n);
    }
    return faults;
  }

  later(): void {
    // reviews change no finding
  }

  end(): void {
    const { entry, parts, stoppedAt } = this;
    const { table } = entry;
    const waiting = this.start().judge.end();
    const { due, seen } = this.shown;
    const waits = `table ${table} waits for missing numbers with ${waiting} events`;
    const last = entry.first + entry.records - 1;
    const parked = stoppedAt === undefined ? undefined : { table, record: stoppedAt, last };
    const stop = `table ${table} is parked: judged to record ${stoppedAt} of ${last}`;
    const shown = {
      due: waiting > 0 ? [...due, waits] : due,
      seen: parked ? [...seen, stop] : seen,
    };
    parts.ended({ shown, parked, openings: this.openings });
  }

  private start() {
    if (this.begun) return this.begun;
    const { table, first } = this.entry;
    const { lanes } = this.parts;
    const state =
      first === 0 ? newTable(table, lanes) : tableFrom(table, this.before, undefined, lanes);
    if (first > 0 && table !== HOUSE_TABLE) this.shown = dutyWarnings(this.before, state);
    const judge = new RangeJudge(state, this.parts.judging, this.parts.taker);
    return (this.begun = { judge, state });
  }

  private fold(read: Extract<RecordLine, { readonly why?: undefined }>, n: number): void {
    const { event } = read;
    const heard = heardOf(event); // the fold may read other lines
    if (heard.table !== this.entry.table) return;
    const { judge, state } = this.start();
    const { remarks } = this.parts;
    remarks.event(heard, read);
    const { late } = state.admission.counts;
    const shoe = state.shoes.at(-1);
    try {
      judge.take(event);
    } catch (error) {
      if (error instanceof LanesDiffer) throw error;
      // else the fold throws only for a shoe whose rules the package does not have
      throw new ReplayFault(`record ${n}: ${(error as Error).message}`);
    }
    if (state.shoes.at(-1) !== shoe) this.opened(state.shoes, shoe, n);
    if (state.admission.counts.late > late) remarks.note('late');
  }

  /** Keeps the shoes opened after `before`. An event can end a wait for several openings. */
  private opened(shoes: readonly string[], before: string | undefined, record: number): void {
    const fresh = before === undefined ? shoes : shoes.slice(shoes.lastIndexOf(before) + 1);
    for (const shoe of fresh) this.openings.push({ shoe, record });
  }
}
