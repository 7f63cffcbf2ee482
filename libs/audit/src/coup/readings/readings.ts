import { dueAt, type Rules } from '#baccarat';
import type { Hand } from '../../events/events.js';
import { CATALOGUE, codesWhere, hides, type FindingCode } from '../../findings/catalogue.js';
import { delist, leftOpen, raise, type Wrong } from '../../findings/findings.js';
import type { Finding } from '../../findings/finding.js';
import type { Coup, Laid, Shoe } from '../../state.js';
import { isOut } from '../coup.js';
import { DRAW_CODES, drawCodesOf, MISSING_DRAWS, type DrawCode, type Stage } from '../draws.js';
import { PossibleFacts } from './possible-facts.js';
import { Filling, WORLDS_MAX, type JudgedBy } from './filling.js';
import { Worlds, type HandRead, type Look, type Seen } from './worlds.js';

/** What one finding of a code can differ in between worlds. */
type Name = Pick<Finding, 'hand' | 'by'>;

/** What a world can be marked with: a code and, where it has one, the name in its finding. */
interface Mark {
  readonly code: FindingCode;
  readonly name: Name;
}

const NAMELESS: Name = {};
/** The marks, in the order of their bits. Those of drawing codes have the bits of `draws.ts`. */
const MARKS: readonly Mark[] = [
  ...DRAW_CODES.map((code) => ({ code, name: NAMELESS })),
  { code: 'TC-11', name: { hand: 'player' } },
  { code: 'TC-11', name: { hand: 'banker' } },
  { code: 'RS-01', name: { hand: 'player' } },
  { code: 'RS-01', name: { hand: 'banker' } },
  { code: 'RS-08', name: { by: 'dealer' } },
  { code: 'RS-08', name: { by: 'device' } },
  { code: 'DL-02', name: NAMELESS },
  { code: 'DL-04', name: NAMELESS },
  { code: 'DL-05', name: NAMELESS },
  { code: 'DL-06', name: NAMELESS },
  { code: 'DL-07', name: NAMELESS },
  // These are judged at the coup's end, when no worlds are merged any more.
  { code: 'SH-13', name: NAMELESS },
  { code: 'RS-02', name: NAMELESS },
  { code: 'RS-03', name: NAMELESS },
  { code: 'RS-05', name: NAMELESS },
  { code: 'RS-07', name: NAMELESS },
];

/** Returns the bit of a mark. */
export const markOf = (code: FindingCode, { hand, by }: Name = NAMELESS): number =>
  1 <<
  MARKS.findIndex((mark) => mark.code === code && mark.name.hand === hand && mark.name.by === by);

const marksWhere = (has: (mark: Mark) => boolean): number =>
  MARKS.reduce((bits, mark, i) => (has(mark) ? bits | (1 << i) : bits), 0);

/** Returns the bits of all marks with a code. */
const marksOf = (code: FindingCode): number => marksWhere((mark) => mark.code === code);

/**
 * Returns the bits of the marks that a finding raised settles: of its code, and of the hand or the
 * declarer by which its code tells findings of a coup apart.
 */
const settledBy = ({ code, hand, by }: Finding): number => {
  const { tail } = CATALOGUE[code];
  return marksWhere(
    (mark) =>
      mark.code === code &&
      (mark.name.hand === hand || !tail.includes('hand')) &&
      (mark.name.by === by || !tail.includes('by')),
  );
};

/** The two marks of a code, by the hand that its finding names. */
export const marksByHand = (code: 'TC-11' | 'RS-01'): Readonly<Record<Hand, number>> => ({
  player: markOf(code, { hand: 'player' }),
  banker: markOf(code, { hand: 'banker' }),
});
/** The codes that depend on which cards lie on the hands. */
const BY_CARDS: readonly FindingCode[] = [
  ...new Set(MARKS.map(({ code }) => code)),
  ...codesWhere(({ rule }) =>
    ['/bets/pays', '/commission/rate', '/commission/rounding'].includes(rule ?? ''),
  ),
];
const TC04 = markOf('TC-04');
const DL04 = markOf('DL-04');
const TC11 = marksByHand('TC-11');

/** A finding as one judgment would raise it, and the card that its disposition is about. */
export interface Exhibit {
  readonly wrong: Wrong;
  readonly card?: Laid | null;
}

/** Returns what a judgment would raise for a code. */
export type Show = (code: FindingCode, name: Name) => Exhibit;

/** Called for a finding that was raised. */
export type Raised = (finding: Finding, card: Laid | null) => void;

/**
 * All readings of the unread cards of a coup together. A judgment marks the worlds in which it
 * would raise a code. The code is raised once every world is marked, by whatever judgment, and
 * listed as unjudgeable while only some are.
 */
export class Readings {
  fillings: readonly Filling[];
  /** Codes that were raised in the coup: they are never listed. */
  private readonly raised = new Set<FindingCode>();
  private readonly shown = new Map<number, Exhibit[]>();
  private readonly asked: JudgedBy;
  private possible: PossibleFacts | null = null;
  /** There would be too many worlds: what depends on the cards is listed, and not judged from then on. */
  private isBeyond = false;

  constructor(
    private readonly shoe: Shoe,
    private readonly coup: Coup,
  ) {
    this.asked = { tableau: shoe.rules.tableau, singleCards: asksForCards(shoe.rules) };
    let marks = 0;
    for (const [, { finding, coup: ref }] of shoe.found.of(coup.ref)) {
      if (ref !== coup.ref) continue;
      this.raised.add(finding.code);
      marks |= settledBy(finding);
    }
    this.fillings = [Filling.of(coup, Worlds.one(marks), this.asked)];
  }

  /** Returns whether both hands are complete in every world. */
  get areComplete(): boolean {
    return (
      !this.isBeyond && this.fillings.every(({ isComplete, isShort }) => isComplete && !isShort)
    );
  }

  /** What the readings can make for bets. Call it when no card will follow. */
  get facts(): PossibleFacts {
    return (this.possible ??= new PossibleFacts(
      this.fillings.filter(({ isComplete, isShort }) => isComplete && !isShort),
    ));
  }

  /**
   * Marks every world with what `lookAt` sees in its filling. Where a hand was short, there is
   * nothing to see.
   */
  mark(lookAt: (filling: Filling) => Look): Seen {
    return this.markAll((filling) => (filling.isShort ? 0 : lookAt(filling)));
  }

  /** Marks every world with what `lookAt` sees in its filling, short hands or not. */
  markAll(lookAt: (filling: Filling) => Look): Seen {
    const seen: Seen = { some: 0, every: -1 };
    for (const filling of this.fillings) filling.mark(lookAt(filling), seen);
    return seen;
  }

  /** Marks the worlds in which a hand is short (DL-04). Nothing else is judged there from now on. */
  markShort(): Seen {
    for (const filling of this.fillings) filling.isShort ||= !filling.isComplete;
    return this.markAll(({ isShort }) => (isShort ? DL04 : 0));
  }

  /** Returns in how many of the worlds a hand was short. */
  get short(): 'none' | 'some' | 'all' {
    if (this.isBeyond) return 'some';
    const short = this.fillings.filter(({ isShort }) => isShort).length;
    return short === 0 ? 'none' : short === this.fillings.length ? 'all' : 'some';
  }

  /**
   * Raises and lists what a judgment saw. A finding is as the judgment shows it if it saw it in
   * every world. Otherwise the finding has what all judgments together show, and names only what is
   * the same in every world.
   */
  settle({ some, every }: Seen, show: Show, whenRaised: Raised = () => undefined): void {
    if (this.isBeyond) return;
    for (let bit = 0; bit < MARKS.length; bit += 1) {
      if (((some | every) & (1 << bit)) === 0) continue;
      const { code, name } = MARKS[bit] as Mark;
      const { tail } = CATALOGUE[code];
      if (hides(this.coup.lost, code)) continue;
      if (tail.length === 0 && this.raised.has(code)) continue;
      const now = show(code, name);
      if (some & (1 << bit)) this.note(bit, now);
      if (every & (1 << bit)) this.raise(code, now, whenRaised);
      else if (this.everyWorldHas(1 << bit)) this.raise(code, this.together([bit]), whenRaised);
      else if (this.raised.has(code)) continue;
      else if (this.everyWorldHas(marksOf(code)))
        this.raise(
          code,
          this.together(MARKS.flatMap((each, i) => (each.code === code ? [i] : []))),
          whenRaised,
        );
      else leftOpen(this.shoe, this.coup, [code]);
    }
  }

  private note(bit: number, shown: Exhibit): void {
    const known = this.shown.get(bit);
    if (known) known.push(shown);
    else this.shown.set(bit, [shown]);
  }

  private everyWorldHas(mask: number): boolean {
    return this.fillings.every(({ worlds }) => worlds.haveAll(mask));
  }

  private raise(code: FindingCode, { wrong, card }: Exhibit, whenRaised: Raised): void {
    const { shoe, coup } = this;
    this.raised.add(code);
    delist(shoe, coup, (_, each) => each === code);
    const finding = raise(shoe, coup, code, wrong);
    if (finding) whenRaised(finding, card ?? null);
  }

  /** Returns what judgments that marked these bits show together. */
  private together(bits: readonly number[]): Exhibit {
    const all = bits.flatMap((bit) => this.shown.get(bit) ?? []);
    const name = bits.length === 1 ? (MARKS[bits[0] as number] as Mark).name : NAMELESS;
    return { wrong: { ...name, ...oneOf(all.map(({ wrong }) => wrong)) }, card: null };
  }

  /** Lays a card on a hand in every world. */
  lay(laid: Laid, hand: Hand): void {
    for (const filling of this.fillings) {
      filling.lay(laid, hand, this.asked);
      filling.current = this.coup.declarations.length;
    }
    this.bound();
  }

  /** Lays a card, in each world, on the hand that is due there, or on `otherwise` if none is. */
  layDue(laid: Laid, otherwise: Hand | null): void {
    this.fillings = this.fillings.flatMap((filling) => {
      if (filling.isDone && otherwise === null) return filling;
      const kinds = filling.worlds.split(filling.counts, (player, banker) =>
        HANDS.indexOf(this.dueIn(player, banker) ?? otherwise),
      );
      return [...kinds].map(([kind, worlds]) => {
        const mine = kinds.size === 1 ? filling : filling.with(worlds);
        const hand = HANDS[kind] as Hand | null;
        if (hand) {
          mine.lay(laid, hand, this.asked);
          mine.current = this.coup.declarations.length;
        }
        return mine;
      });
    });
    this.joinLike();
    this.bound();
  }

  /** Merges worlds that no later judgment can tell apart, once a card laid was judged. */
  compact(): void {
    for (const filling of this.fillings) filling.compact(this.asked);
  }

  /** Returns a look at the hand that is due in each world. */
  dueLook(see: (due: Hand | null) => number): (filling: Filling) => Look {
    return (filling) => {
      if (filling.isDone) return see(null);
      let isDone = true;
      filling.isDone = true;
      return (player, banker) => {
        const due = this.dueIn(player, banker);
        if (due !== null && isDone) filling.isDone = isDone = false;
        return see(due);
      };
    };
  }

  /** Gives up if there are too many worlds. What was raised until then holds in each of them. */
  private bound(): void {
    const count = this.fillings.reduce((sum, { worlds }) => sum + worlds.count, 0);
    if (count <= WORLDS_MAX && !this.fillings.some(({ isBeyond }) => isBeyond)) return;
    this.isBeyond = true;
    this.fillings = [];
    leftOpen(
      this.shoe,
      this.coup,
      BY_CARDS.filter((code) => !this.raised.has(code)),
    );
  }

  /** Moves a card in every world. */
  move(laid: Laid, to: Hand | null): void {
    for (const filling of this.fillings) {
      // an excess card that is taken away changes no hand
      if (to === null && !filling.has(laid)) continue;
      filling.move(laid, to, this.asked);
      filling.current = this.coup.declarations.length;
    }
    this.joinLike();
    this.bound();
  }

  private joinLike(): void {
    const kept: Filling[] = [];
    for (const filling of this.fillings) {
      const like = kept.find((each) => each.isLike(filling));
      if (like) like.join(filling);
      else kept.push(filling);
    }
    this.fillings = kept;
  }

  /** Returns the hand to which the next card is due in a world. */
  dueIn(player: HandRead, banker: HandRead): Hand | null {
    const next = dueAt(player, banker, this.asked.tableau);
    return next.step === 'card' ? next.to : null;
  }

  /** Returns whether a hand must take a card in a world. */
  mustDrawIn(player: HandRead, banker: HandRead): boolean {
    const { tableau } = this.asked;
    const next = dueAt(player, banker, tableau);
    if (next.step !== 'card' || !next.optional) return next.step === 'card';
    if (next.to === 'banker') return false;
    const then = dueAt(player, banker, tableau, true);
    return then.step === 'card' && !then.optional;
  }

  /** Whether a hand must take a card in some world. */
  get mustDrawInSome(): boolean {
    let must = false;
    this.markAll(() => (player, banker) => {
      must ||= this.mustDrawIn(player, banker);
      return 0;
    });
    return must;
  }

  /**
   * Returns a look at the codes of the drawing rules that each world breaks. `laid` is the card
   * that was just laid, if one was: an excess card breaks none, and a fourth card is TC-11 only.
   */
  drawLook(stage: Stage, laid: Laid | null): (filling: Filling) => Look {
    const outOfCards = stage === 'ended' && isOut(this.shoe);
    const { tableau } = this.asked;
    return (filling) => {
      for (const hand of ['player', 'banker'] as const) {
        const cards = filling.hands[hand];
        if (laid && cards.length === 4 && cards[3] === laid) return TC11[hand];
      }
      const isExcess = laid && !filling.has(laid);
      if (isExcess || !filling.isComplete || filling.isClosed('banker')) return 0;
      const dealt = filling.dealt();
      const judged = filling.isClosed('player') ? ~TC04 : -1;
      return (player, banker) => {
        const codes = drawCodesOf(tableau, dealt(player, banker), stage) & judged;
        return (codes & MISSING_DRAWS) !== 0 && outOfCards && this.mustDrawIn(player, banker)
          ? codes & ~MISSING_DRAWS
          : codes;
      };
    };
  }
}

const HANDS: readonly (Hand | null)[] = ['player', 'banker', null];

/** Returns whether a code is one of the drawing rules'. */
export const isDrawCode = (code: FindingCode): code is DrawCode =>
  (DRAW_CODES as readonly FindingCode[]).includes(code);

/** Returns one finding's words for what several say. */
function oneOf(wrongs: readonly Wrong[]): Wrong {
  const each = (of: (wrong: Wrong) => string): string[] => [...new Set(wrongs.map(of))];
  const messages = each(({ message }) => message);
  return {
    events: [...new Set(wrongs.flatMap(({ events }) => events))],
    expected: each(({ expected }) => expected).join(' or '),
    observed: each(({ observed }) => observed).join(' or '),
    message:
      messages.length === 1
        ? (messages[0] as string)
        : `However the unread cards are read, one of these is so: ${messages.join(' ')}`,
  };
}

const asksForCards = ({ bets }: Rules): boolean =>
  [...bets.values()].some(({ pushes, pays }) =>
    [...pushes, ...pays].some(({ when }) => when.player !== undefined || when.banker !== undefined),
  );
