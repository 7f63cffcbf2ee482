import {
  CARDS,
  dueAt,
  factsOf,
  resultOf,
  scale,
  specialsOf,
  valueOf,
  type Bet,
  type Hands,
  type Result,
  type Rules,
} from '#baccarat';
import { flat } from '../events/names.js';

/** Which hand the next card is due to. */
export const DUE = { none: 0, player: 1, banker: 2, chosen: 3 } as const;
/** The column of a player hand without a third card. */
export const NO_THIRD = 10;

/** The point value of each card, by its place in `CARDS`. */
export const VALUES = Uint8Array.from(CARDS, valueOf);

/** How two hands that were dealt lawfully lie, as far as bets ask, and their cards. */
export interface HandsDealt {
  /** A whole number below `FACTS`: totals, numbers of cards, pairs. */
  readonly key: number;
  /** Returns their cards. */
  hands(): Hands;
}

/**
 * Totals, numbers of cards and pairs of two hands: none, of rank, or of rank and suit. If hands
 * were dealt lawfully, bets ask for nothing else: a natural is 8 or 9 on two cards.
 */
const FACTS = 10 * 10 * 2 * 2 * 3 * 3;

/** A bet, and its results by the key of the hands: indexes in `results`; 0 if not asked yet. */
interface KnownBet {
  readonly bet: Bet;
  readonly asksForCards: boolean;
  readonly by: Uint16Array;
  readonly results: Result[];
}

const LOSE: Result = { result: 'lose' };
/** Texts of announced specials that are remembered. */
const SPECIALS_MAX = 64;

/**
 * A rule document as tables of small integers. Every entry is what the library of the game answers
 * when it is first asked, so a table cannot disagree with it.
 */
export class RuleTables {
  private static readonly known = new WeakMap<Rules, RuleTables>();

  /** Returns the tables of a document. They are made once for the process. */
  static of(rules: Rules): RuleTables {
    let tables = RuleTables.known.get(rules);
    if (!tables) RuleTables.known.set(rules, (tables = new RuleTables(rules)));
    return tables;
  }

  private readonly dues = new Uint8Array(10 * 10 * 11);
  private readonly numbers = new Map<string, number>();
  private readonly bets: KnownBet[] = [];
  private readonly specials = new Map<string, Uint8Array>();
  private readonly specialsAskForCards: boolean;
  /** Whether a hand may choose to draw. Its coups are never for the lane. */
  readonly hasChoice: boolean;

  private constructor(readonly rules: Rules) {
    for (let player = 0; player < 10; player += 1)
      for (let banker = 0; banker < 10; banker += 1)
        for (let third = 0; third <= NO_THIRD; third += 1)
          this.dues[(player * 10 + banker) * 11 + third] = dueIn(rules, player, banker, third);
    const { player, banker } = rules.tableau;
    this.hasChoice = [player, ...banker].some((row) => row.includes('optional'));
    for (const bet of rules.bets.values()) {
      this.numbers.set(bet.id, this.bets.length);
      const known = { bet, asksForCards: asksForCards(bet), by: new Uint16Array(FACTS) };
      this.bets.push({ ...known, results: [LOSE] });
    }
    this.specialsAskForCards = rules.document.specials.some((name) => {
      const bet = rules.bets.get(name);
      return bet !== undefined && asksForCards(bet);
    });
  }

  /**
   * Returns the hand to which a card is due once both have two: by their totals then, and by the
   * value of the player's third card or `NO_THIRD`. The banker has no third card.
   */
  due(player: number, banker: number, third: number): number {
    return this.dues[(player * 10 + banker) * 11 + third] as number;
  }

  /** Returns the number of a bet that the document offers; -1 for another. */
  numberOf(bet: string): number {
    return this.numbers.get(bet) ?? -1;
  }

  /** Returns the result of the bet with a number. */
  resultOf(number: number, dealt: HandsDealt): Result {
    const known = this.bets[number] as KnownBet;
    const { by, results } = known;
    const at = by[dealt.key] as number;
    if (at > 0) return results[at] as Result;
    const hands = dealt.hands();
    const result = resultOf(known.bet, factsOf(hands), hands);
    if (known.asksForCards) return result;
    const same = results.findIndex((other, i) => i > 0 && isSame(other, result));
    by[dealt.key] = same > 0 ? same : results.push(result) - 1;
    return result;
  }

  /** Returns what a stake wins. */
  winnings(stake: number, { odds }: Extract<Result, { result: 'win' }>): number {
    return scale(stake, odds.profit, this.rules.payoutRounding);
  }

  /** Returns the commission on what the bet with a number won. */
  commissionOn(number: number, won: number): number {
    const { commission } = this.rules;
    if (!commission || won === 0 || !this.bets[number]?.bet.commission) return 0;
    return Math.max(commission.minimum, scale(won, commission.rate, commission.rounding));
  }

  /** Returns whether these names, as a line has them, are the specials of a coup. */
  areSpecials(text: string, names: () => readonly string[], dealt: HandsDealt): boolean {
    const known = this.knownSpecials(text);
    const before = known?.[dealt.key] ?? NOT_ASKED;
    if (before !== NOT_ASKED) return before === RIGHT;
    const hands = dealt.hands();
    const made = new Set(specialsOf(this.rules, factsOf(hands), hands));
    const announced = new Set(names());
    const are = made.size === announced.size && [...made].every((name) => announced.has(name));
    if (known) known[dealt.key] = are ? RIGHT : WRONG;
    return are;
  }

  /** Returns what is known of announced names, by the key of the hands, if it can be kept. */
  private knownSpecials(text: string): Uint8Array | undefined {
    if (this.specialsAskForCards) return undefined;
    let known = this.specials.get(text);
    if (!known && this.specials.size < SPECIALS_MAX) {
      known = new Uint8Array(FACTS);
      this.specials.set(flat(text), known);
    }
    return known;
  }
}

/** What is known of specials that were announced on hands. */
const [NOT_ASKED, RIGHT, WRONG] = [0, 1, 2] as const;

function dueIn({ tableau }: Rules, player: number, banker: number, third: number): number {
  const hasThird = third < NO_THIRD;
  const due = dueAt(
    { cards: hasThird ? 3 : 2, two: player, third: hasThird ? third : null, total: player },
    { cards: 2, two: banker, third: null, total: banker },
    tableau,
  );
  if (due.step === 'outcome') return DUE.none;
  return due.optional ? DUE.chosen : DUE[due.to];
}

const asksForCards = ({ pushes, pays }: Bet): boolean =>
  [...pushes, ...pays].some(({ when }) => 'player' in when || 'banker' in when);

const isSame = (one: Result, other: Result): boolean =>
  one.result === other.result &&
  (one.result === 'lose' ||
    (other.result !== 'lose' &&
      one.special === other.special &&
      (one.result === 'push' || (other.result === 'win' && one.tier === other.tier))));
