import {
  Decoder,
  FOLD_VERSION,
  houseFrom,
  newTable,
  RangeJudge,
  RangeListing,
  tableFrom,
  type AnyEvent,
  type Finding,
  type RangeShoe,
  type JudgedTaker,
  type Listed,
  type RuleBook,
  type TableState,
} from '#audit';
import {
  ReplayFault,
  type ReplayedShoe,
  type Judgement,
  type Judging,
  type PackageStatement,
  type Replay,
  type Sha256,
  type TableJudging,
} from '#evidence';
import { bookOf } from './documents.js';
import { linesOf } from './record-lines.js';

/** What judging a package again needs from outside. */
export interface ReplayParts {
  /** Hashes of the published documents by id, such as `punto-banco@1` and `policies/review@1`. */
  readonly published: Readonly<Record<string, string>>;
  readonly sha256: Sha256;
  /** Returns a function that maps the time of an event to its gaming day. */
  readonly gamingDays: (rules: PackageStatement['gamingDays']) => (time: string) => string;
  /**
   * Whether the warnings of judging must stand in package.json, as they must for a verifier. The
   * exporter puts them there.
   */
  readonly warnings: 'checked' | 'made';
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
  private readonly warnings: string[] = [];
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
    this.dayOf = parts.gamingDays(statement.gamingDays);
  }

  begin(entry: TableEntry): TableJudging {
    const { book, dayOf, decoder, statement } = this;
    const sessions = new Set<string>();
    const holes = new Set<string>();
    const unlisted = new Map<string, number>();
    const count = (finding: Finding): void => {
      this.findings += 1;
      if (finding.gap) holes.add(JSON.stringify([finding.gap.source, finding.gap.session]));
    };
    const taker: JudgedTaker = {
      shoe: (judged) => {
        this.listing.shoe(judged);
        this.shoes.push(shoeOf(judged));
        judged.findings.forEach(count);
      },
      outside: (finding) => {
        this.listing.outside(finding);
        count(finding);
      },
      unlisted: ({ code }) => void unlisted.set(code, (unlisted.get(code) ?? 0) + 1),
    };
    const ended = (ofRange: readonly string[]): void => {
      this.listing.endTable();
      const warnings = [...ofRange, ...unlistedWarnings(entry.table, unlisted)];
      this.warnings.push(...warnings);
      const unsaid = warnings.find((warning) => !statement.warnings.includes(warning));
      if (unsaid !== undefined && this.parts.warnings === 'checked')
        throw new ReplayFault(`package.json does not warn: ${unsaid}`);
      this.sessions += sessions.size;
      this.sessionsWithHole += holes.size;
    };
    const judging = { book, dayOf, listed: listedOf(statement, entry) };
    return new RangeOfTable(entry, { judging, decoder, statement, taker, sessions, ended });
  }

  take() {
    return this.listing.take();
  }

  end(): Judgement {
    const { findings, sessions, sessionsWithHole, shoes, warnings } = this;
    return { findings, sessions, sessionsWithHole, shoes, warnings };
  }
}

/** Returns the warning that the house chose which records before a range say who was on duty. */
function dutyWarning({ table, duty: { dealer, caller } }: TableState): string {
  const names = `dealer ${dealer ?? 'nobody'}, caller ${caller ?? 'nobody'}`;
  return `table ${table}: the records before the range, which the house chose, say who was signed on: ${names}`;
}

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
  /** The sessions heard in the range. */
  readonly sessions: Set<string>;
  readonly ended: (warnings: readonly string[]) => void;
}

/** The judging of the range of one table. */
class RangeOfTable implements TableJudging {
  private readonly before: AnyEvent[] = [];
  private judge: RangeJudge | undefined;
  /** Whether the judges take each line that they cannot take otherwise, by `record line`. */
  private readonly unjudged: ReadonlyMap<string, boolean>;
  private stoppedAt: number | undefined;
  private readonly warnings: string[] = [];

  constructor(
    private readonly entry: TableEntry,
    private readonly parts: TableParts,
  ) {
    this.unjudged = new Map(
      parts.statement.unjudged
        .filter(({ table }) => table === entry.table)
        .map(({ record, line, released }) => [`${record} ${line}`, released]),
    );
  }

  context(n: number, value: Uint8Array): void {
    if (this.entry.first === 0)
      throw new ReplayFault(`record ${n} stands before a range that begins with record 0`);
    let line = 0;
    for (const { event, why } of linesOf(value, this.parts.decoder)) {
      line += 1;
      if (this.unjudged.has(`${n} ${line}`)) continue;
      if (!event) throw new ReplayFault(`line ${line} of record ${n}: ${why}`);
      this.before.push(event);
    }
    if (this.before.length > CONTEXT_MAX)
      throw new ReplayFault(`the records before the range have over ${CONTEXT_MAX} events`);
  }

  record(n: number, value: Uint8Array): { line: number; why: string }[] {
    if (this.stoppedAt !== undefined) return [];
    const judge = (this.judge ??= this.start());
    const faults: { line: number; why: string }[] = [];
    let line = 0;
    for (const { event, why } of linesOf(value, this.parts.decoder)) {
      line += 1;
      const released = this.unjudged.get(`${n} ${line}`);
      if (released) continue;
      if (released === false) {
        this.stoppedAt = n;
        break;
      }
      if (!event) faults.push({ line: line - 1, why });
      else if (event.table === this.entry.table) this.fold(judge, event, n);
    }
    return faults;
  }

  later(): void {
    // reviews change no finding
  }

  end(): void {
    const { entry, parts, stoppedAt, warnings } = this;
    const waiting = (this.judge ?? this.start()).end();
    const last = entry.first + entry.records - 1;
    if (stoppedAt !== undefined)
      warnings.push(`table ${entry.table} was judged to record ${stoppedAt} of ${last}`);
    if (waiting > 0)
      warnings.push(`table ${entry.table} waits for missing numbers with ${waiting} events`);
    parts.ended(warnings);
  }

  private start(): RangeJudge {
    const { table, first } = this.entry;
    const state = first === 0 ? newTable(table) : tableFrom(table, this.before);
    if (first > 0) this.warnings.push(dutyWarning(state));
    return new RangeJudge(state, this.parts.judging, this.parts.taker);
  }

  private fold(judge: RangeJudge, event: AnyEvent, n: number): void {
    const { source, session } = event;
    if (session !== undefined) this.parts.sessions.add(JSON.stringify([source, session]));
    try {
      judge.take(event);
    } catch (error) {
      // the fold throws only for a shoe whose rules the package does not have
      throw new ReplayFault(`record ${n}: ${(error as Error).message}`);
    }
  }
}
