import type { RoundingMode } from '../bets/money.js';

/**
 * A house's rules as published JSON. docs/rules/README.md describes every field, and
 * rules/rule-document.schema.json checks it.
 */
export interface RuleDocument {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly sources: Readonly<Record<string, RuleSource>>;
  /** The source of each value: a JSON pointer into this document → a key of `sources`. */
  readonly provenance: Readonly<Record<string, Provenance>>;
  readonly game: 'punto-banco' | 'chemin-de-fer';
  /** Numbers of decks that the house may use. */
  readonly decks: readonly number[];
  readonly tableau: TableauText;
  readonly bets: readonly BetText[];
  /** Names announced with a result: `natural` and bet ids. */
  readonly specials: readonly string[];
  /** Absent if no bet bears commission. */
  readonly commission?: CommissionText;
  /**
   * How to round a payout that is not a whole number of minor units. Absent: to the nearest, halves
   * up.
   */
  readonly payouts?: { readonly rounding: { readonly unit: number; readonly mode: RoundingMode } };
  /** Permitted numbers of cards to burn. Any of them is correct. */
  readonly burn: readonly BurnText[];
  readonly cutCard: CutCard;
  /** Seconds by which two sources' clocks may differ. */
  readonly clockTolerance: number;
  readonly irregularities: readonly Irregularity[];
  readonly procedure: { readonly demonstrationHands?: number };
}

/** A text that a rule document quotes: what it is and where it was found. */
export interface RuleSource {
  readonly title: string;
  readonly section: string;
  readonly edition: string;
}

/** Where a value of a rule document comes from. */
export interface Provenance {
  readonly source: string;
  /** Set if the source is not a regulator's text. */
  readonly provisional?: true;
}

/**
 * The drawing rules as a rule book prints them, a letter a cell: `D` draw, `S` stand, `O` optional.
 * `player` has totals 0 to 7. `banker` has a row for each banker total 0 to 7: ten columns for the
 * value 0 to 9 of the player's third card, a space, and the column for a player who stood. Totals 8
 * and 9 are naturals and end the drawing.
 */
export interface TableauText {
  readonly player: string;
  readonly banker: readonly string[];
}

/** A bet as a rule document writes it. */
export interface BetText {
  readonly id: string;
  readonly title?: string;
  /** Evaluated in order before `pays`. The first that is true returns the stake. */
  readonly pushes?: readonly { readonly when: Predicate; readonly special?: true }[];
  /**
   * Evaluated in order. The first that is true pays, and if none is true the bet loses. `special`
   * marks a payout that exists instead of commission.
   */
  readonly pays: readonly {
    readonly when: Predicate;
    readonly odds: string;
    readonly special?: true;
  }[];
  /** Whether winnings bear the document's commission. */
  readonly commission?: true;
}

/** What a bet's condition may ask about a coup that is over. */
export interface Facts {
  readonly winner: 'player' | 'banker' | 'tie';
  readonly playerTotal: number;
  readonly bankerTotal: number;
  readonly playerCards: number;
  readonly bankerCards: number;
  /** The number of cards in both hands. */
  readonly cards: number;
  /** The difference between the two totals. */
  readonly margin: number;
  /** Whether two cards total 8 or 9. */
  readonly playerNatural: boolean;
  readonly bankerNatural: boolean;
  /** Whether the first two cards have one rank. */
  readonly playerPair: boolean;
  readonly bankerPair: boolean;
  /** The number of hands (0 to 2) whose first two cards have one rank, and one rank and suit. */
  readonly pairs: number;
  readonly perfectPairs: number;
}

type OneOf<T> = T | readonly T[];

/**
 * True if every fact named has the value, or one of the values, listed. `player` and `banker` are
 * patterns of a hand's cards in order (`7?` any seven, `?H` any heart, `??` any card). The hand
 * must have at least as many cards.
 */
export type Predicate = { readonly [fact in keyof Facts]?: OneOf<Facts[fact]> } & {
  readonly player?: readonly string[];
  readonly banker?: readonly string[];
};

/** The commission as a rule document writes it. */
export interface CommissionText {
  /** A share of the winnings, as a decimal: `0.05`. */
  readonly rate: string;
  readonly when: 'taken' | 'marked';
  /** `unit` in minor units. */
  readonly rounding: { readonly unit: number; readonly mode: RoundingMode };
  /** The least commission on a winning bet that bears it, in minor units. */
  readonly minimum?: number;
}

/** One permitted burn, as a rule document writes it. */
export type BurnText =
  | { readonly count: 'none' }
  | {
      readonly count: 'first-card';
      readonly ace?: number;
      readonly ten?: number;
      readonly face?: number;
    }
  | { readonly count: 'decks' }
  | { readonly count: 'fixed'; readonly from: number; readonly to: number };

/**
 * How many coups may still be opened after the cut card shows: inside a coup (after its first
 * card), or between coups.
 */
export interface CutCard {
  readonly insideCoup: number;
  readonly betweenCoups: number;
}

/** What events show was done about an irregularity. */
export const ACTIONS = [
  'move-to-player',
  'move-to-banker',
  'carry-over',
  'burn',
  'discard',
  'this-coup-dummy',
  'next-coup-dummy',
  'draw-now',
  'void-coup',
  'void-shoe',
  'settle',
] as const;
/** An action that a disposition can prescribe. */
export type Action = (typeof ACTIONS)[number];

/** The conditions that choose between entries for one code. An absent condition does not matter. */
export interface Circumstances {
  readonly exposed?: boolean;
  readonly firstCard?: boolean;
  readonly lastCoup?: boolean;
  readonly bankerMustDraw?: boolean;
  /** The hand that the misplaced card belongs to. */
  readonly belongsTo?: 'player' | 'banker';
}

/** What a rule document prescribes about findings of some codes. */
export interface Irregularity {
  readonly codes: readonly string[];
  readonly when?: Circumstances;
  readonly do: readonly Action[];
  /** A key of `sources`, with the section that prescribes it. */
  readonly source: string;
  readonly section: string;
}
