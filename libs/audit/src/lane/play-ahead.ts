import { CARDS } from '#baccarat';
import type { Scanner } from '../decode/scan.js';
import { flat } from '../events/names.js';
import { referenceOf, type EventOf } from '../events/events.js';
import {
  coupRow,
  type AuditedCoup,
  type BetRow,
  type CardRow,
  type CoupPlay,
  type DeclaredRow,
  type Timed,
} from '../rows/audited-coup.js';
import type { PlaySums } from '../rows/play-sums.js';
import { UNCHANGED, type Coup, type Duty, type Shoe, type Taking } from '../state.js';
import { changeDuty } from '../step.js';
import {
  BET,
  CARD,
  COLLECTED,
  DECLARED,
  OPENED,
  RETURNED,
  SETTLED,
  TO,
  valuesOf,
} from './fields.js';
import type { Tail } from './tail.js';

const OUTCOMES = valuesOf('outcome-declared', DECLARED.outcome) as readonly string[];
const BY = valuesOf('outcome-declared', DECLARED.by) as readonly string[];

/** The lines of a lane, and the shoe that they are ahead of. */
interface LinesAhead {
  readonly shoe: Shoe;
  readonly tail: Tail;
  readonly dues: readonly DueAhead[];
}

/** Commission due on a bet of the coup with this number in its shoe, from 1. */
export interface DueAhead {
  readonly coup: number;
  readonly seat: number;
  readonly due: number;
}

/**
 * What the lines of a lane did, for the rows of its shoe: read again from its tail, and then as the
 * lane takes them. The lane has found each of them lawful, so nothing is judged here.
 */
export class PlayAhead {
  /** In the order in which they opened; only an open one if those that are over are added up. */
  readonly coups: CoupAhead[] = [];
  /** Commission that entered the ledger without a coup. */
  readonly takings: Taking[] = [];
  private line = 0;
  private readonly duty: Duty;
  /** How many coups of the shoe came before. */
  private readonly coupsBefore: number;
  private coup: CoupAhead | null = null;
  /** Bets for the next coup. */
  private early: BetAhead[] = [];
  /** How many of the lane's dues were entered. */
  private dues = 0;
  private opened = 0;

  /**
   * Begins where the lane did: between two coups, with nothing outstanding. `over` adds up the
   * coups that are over. Then they are not kept, and no rows of them can be drawn.
   */
  constructor(
    private readonly lane: LinesAhead,
    readonly over: PlaySums | null = null,
  ) {
    this.duty = { ...lane.shoe.duty };
    this.coupsBefore = lane.shoe.coups.length;
  }

  /** Reads the lines up to one with this index. */
  read(end: number): void {
    if (this.line >= end) return;
    this.lane.tail.readAgain(this.line, end, (scanner, line, mark) =>
      this.take(scanner, line, mark),
    );
    this.line = end;
  }

  /**
   * Takes the last of so many lines, as the scanner has just read it, if it has read all before. So
   * the lines of a shoe whose rows are drawn as it goes are not read again.
   */
  follow(scanner: Scanner, lines: number, mark: number): void {
    if (this.line !== lines - 1) return;
    this.take(scanner, this.line, mark);
    this.line = lines;
  }

  /** Returns the coups that lines from one with this index up to another changed. */
  changedIn(from: number, to: number): CoupAhead[] {
    if (this.over !== null) throw new Error('the coups were added up, and are not kept');
    this.read(to);
    let first = this.coups.length;
    while (first > 0 && (this.coups[first - 1] as CoupAhead).lastLine >= from) first -= 1;
    return this.coups.slice(first).filter(({ firstLine }) => firstLine < to);
  }

  private take(scanner: Scanner, line: number, mark: number): void {
    if (scanner.type === 'coup-opened') this.open(scanner, line);
    const { coup } = this;
    if (coup) this.inCoup(scanner, coup);
    else this.betweenCoups(scanner);
    if (!coup) return;
    coup.lastLine = line;
    coup.mark = mark;
  }

  private open(scanner: Scanner, line: number): void {
    const { source } = scanner.origin;
    this.coup = new CoupAhead(
      flat(referenceOf({ source, id: scanner.id() })),
      scanner.data.numberAt(OPENED.coup),
      flat(scanner.time()),
      { opened: scanner.instant(), duty: this.duty, bets: this.early, firstLine: line },
    );
    this.early = [];
    this.coups.push(this.coup);
    this.opened += 1;
  }

  private inCoup(scanner: Scanner, coup: CoupAhead): void {
    switch (scanner.type) {
      case 'card-drawn':
        return coup.draw(scanner);
      case 'betting-closed':
        return coup.closeBetting(scanner);
      case 'outcome-declared':
        return coup.declare(scanner);
      case 'bet-settled':
        return coup.settle(scanner);
      case 'coup-closed':
        return this.close(scanner, coup);
      default:
        return this.moneyOrDuty(scanner, coup.bets);
    }
  }

  private betweenCoups(scanner: Scanner): void {
    this.moneyOrDuty(scanner, this.early);
  }

  private moneyOrDuty(scanner: Scanner, bets: BetAhead[]): void {
    const { type, data } = scanner;
    switch (type) {
      case 'bet-placed':
        return move(bets, scanner, data.numberAt(BET.amount));
      case 'bet-withdrawn':
        return move(bets, scanner, -data.numberAt(BET.amount));
      case 'commission-collected':
        return this.collect(scanner);
      case 'dealer-signed-on':
      case 'dealer-relieved':
        return changeDuty(
          this.duty,
          scanner.event() as EventOf<'dealer-signed-on'> | EventOf<'dealer-relieved'>,
        );
      default:
        return; // on no row but for its mark
    }
  }

  private collect(scanner: Scanner): void {
    const { data } = scanner;
    this.takings.push({
      seat: data.numberAt(COLLECTED.seat),
      dealer: this.duty.dealer,
      time: flat(scanner.time()),
      amounts: { collected: data.numberAt(COLLECTED.amount) },
    });
  }

  private close(scanner: Scanner, coup: CoupAhead): void {
    const { dues } = this.lane;
    const index = this.coupsBefore + this.opened;
    for (; dues[this.dues]?.coup === index; this.dues += 1) {
      const { seat, due } = dues[this.dues] as DueAhead;
      coup.entries.push({ seat, due, taken: 0, marked: 0 });
    }
    coup.state = 'over';
    coup.endedAt = flat(scanner.time());
    this.coup = null;
    if (this.over === null) return;
    this.over.addCoup(coup);
    this.coups.pop();
  }
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };

/** A bet whose amounts change while its coup is open. */
interface BetAhead extends Writable<BetRow> {
  settled: Writable<NonNullable<BetRow['settled']>> | null;
}

function betOf(bets: readonly BetAhead[], seat: number, bet: string): BetAhead | undefined {
  return bets.find((known) => known.bet === bet && known.seat === seat);
}

/** Adds an amount to the stake of a bet. The first bet of a seat adds it to the coup. */
function move(bets: BetAhead[], { data }: Scanner, amount: number): void {
  const [seat, bet] = [data.numberAt(BET.seat), data.betAt(BET.bet)];
  const known = betOf(bets, seat, bet);
  if (known) known.stands += amount;
  else bets.push({ seat, bet, stands: amount, late: 0, settled: null });
}

/** When a coup was opened, in milliseconds since 1970, and what there was then. */
interface Opened {
  readonly opened: number;
  readonly duty: Duty;
  readonly bets: BetAhead[];
  readonly firstLine: number;
}

/** A coup of lawful play, which changes until its end. */
class CoupAhead implements CoupPlay {
  readonly kind = 'normal';
  state: Coup['state'] = 'open';
  endedAt: string | null = null;
  readonly dealer: string | null;
  readonly callers: readonly string[];
  readonly cards: CardRow[] = [];
  readonly player: CardRow[] = [];
  readonly banker: CardRow[] = [];
  bettingClosed: Timed | null = null;
  readonly declared: DeclaredRow[] = [];
  readonly bets: BetAhead[];
  readonly entries: Coup['entries'] = [];
  /** The index of its opening in the tail of its lane, and that of its last line so far. */
  readonly firstLine: number;
  lastLine: number;
  /** Of that line. */
  mark = UNCHANGED;
  private readonly opened: number;

  constructor(
    readonly ref: string,
    readonly number: number,
    readonly openedAt: string,
    { opened, duty, bets, firstLine }: Opened,
  ) {
    // nobody signs on in a coup that the lane takes
    this.dealer = duty.dealer;
    this.callers = duty.caller === null ? [] : [duty.caller];
    this.bets = bets;
    this.firstLine = this.lastLine = firstLine;
    this.opened = Math.floor(opened);
  }

  /** Returns the row of the coup as it is now. */
  row(): AuditedCoup {
    const row = coupRow(this);
    if (this.state === 'over') return row;
    const { cards, declared, bets } = this;
    const detail = {
      ...row.detail,
      cards: [...cards],
      declared: [...declared],
      bets: bets.map((bet) => ({ ...bet, settled: bet.settled && { ...bet.settled } })),
    };
    return { ...row, detail };
  }

  /** Returns the whole milliseconds from its opening to the line that was read. */
  private since(scanner: Scanner): number {
    return Math.floor(scanner.instant()) - this.opened;
  }

  draw(scanner: Scanner): void {
    const { data, origin } = scanner;
    const to = data.numberAt(CARD.to);
    if (to !== TO.player && to !== TO.banker) return; // burned
    const row: CardRow = {
      ref: flat(referenceOf({ source: origin.source, id: scanner.id() })),
      card: CARDS[data.numberAt(CARD.card)] ?? null,
      to: to === TO.player ? 'player' : 'banker',
      moved: false,
      exposed: false,
      carried: false,
      ms: this.since(scanner),
    };
    this.cards.push(row);
    (to === TO.player ? this.player : this.banker).push(row);
  }

  closeBetting(scanner: Scanner): void {
    this.bettingClosed ??= { ms: this.since(scanner) };
  }

  declare(scanner: Scanner): void {
    const { data } = scanner;
    this.declared.push({
      outcome: OUTCOMES[data.numberAt(DECLARED.outcome)] as string,
      by: BY[data.numberAt(DECLARED.by)] as string,
      ms: this.since(scanner),
    });
  }

  settle(scanner: Scanner): void {
    const { data } = scanner;
    const [seat, bet] = [data.numberAt(SETTLED.seat), data.betAt(SETTLED.bet)];
    const stake = data.numberAt(SETTLED.stake) === RETURNED ? 'returned' : 'taken';
    const [taken, marked] = [data.amountAt(SETTLED.taken), data.amountAt(SETTLED.marked)];
    const known = betOf(this.bets, seat, bet);
    if (!known) throw new Error(`the lane took a settlement of ${bet} at seat ${seat} without it`);
    const ms = this.since(scanner);
    const settled = (known.settled ??= {
      ...{ stake, paid: 0, commissionTaken: 0, commissionMarked: 0, ms },
    });
    settled.stake = stake;
    settled.paid += data.numberAt(SETTLED.paid);
    settled.commissionTaken += taken;
    settled.commissionMarked += marked;
    settled.ms = ms;
    if (taken !== 0 || marked !== 0) this.entries.push({ seat, due: 0, taken, marked });
  }
}
