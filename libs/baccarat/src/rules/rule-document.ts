import type { RoundingMode } from '../bets/money.js';

/** The published JSON of a house's rules: docs/rules/README.md describes every field, rules/rule-document.schema.json checks it. */
export interface RuleDocument {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly sources: Readonly<Record<string, RuleSource>>;
  /** Where each value comes from: a JSON pointer into this document → a key of `sources`. */
  readonly provenance: Readonly<Record<string, Provenance>>;
  readonly game: 'punto-banco' | 'chemin-de-fer';
  /** Numbers of decks that the house may play with. */
  readonly decks: readonly number[];
  readonly tableau: TableauText;
  readonly bets: readonly BetText[];
  /** Names that are announced with a result: `natural` and bet ids. */
  readonly specials: readonly string[];
  /** Absent where no bet bears commission. */
  readonly commission?: CommissionText;
  /** How a payout that is no whole number of minor units is settled; to the nearest, halves up, where absent. */
  readonly payouts?: { readonly rounding: { readonly unit: number; readonly mode: RoundingMode } };
  /** Permitted numbers of cards to burn, any of which will do. */
  readonly burn: readonly BurnText[];
  readonly cutCard: CutCard;
  /** Seconds by which two sources' clocks may disagree. */
  readonly clockTolerance: number;
  readonly irregularities: readonly Irregularity[];
  readonly procedure: { readonly demonstrationHands?: number };
}

export interface RuleSource {
  readonly title: string;
  readonly section: string;
  readonly edition: string;
}

export interface Provenance {
  readonly source: string;
  /** Set where the source is not a regulator's text. */
  readonly provisional?: true;
}

/**
 * The drawing rules as a rule book prints them, a letter a cell: `D` draw, `S` stand, `O` optional.
 * `player`: totals 0 to 7. `banker`: a row for each banker total 0 to 7; ten columns for the value of the player's third
 * card 0 to 9, a space, and the column for a player who stood. Totals 8 and 9 are naturals and end the drawing.
 */
export interface TableauText {
  readonly player: string;
  readonly banker: readonly string[];
}

export interface BetText {
  readonly id: string;
  readonly title?: string;
  /** Tried in order before `pays`: the first that holds returns the stake. */
  readonly pushes?: readonly { readonly when: Predicate; readonly special?: true }[];
  /** Tried in order: the first that holds pays. Where none holds the bet loses. `special`: a payout that exists instead of commission. */
  readonly pays: readonly {
    readonly when: Predicate;
    readonly odds: string;
    readonly special?: true;
  }[];
  /** Whether winnings bear the document's commission. */
  readonly commission?: true;
}

/** What a bet's condition may ask of a coup that is over. */
export interface Facts {
  readonly winner: 'player' | 'banker' | 'tie';
  readonly playerTotal: number;
  readonly bankerTotal: number;
  readonly playerCards: number;
  readonly bankerCards: number;
  /** All cards of both hands. */
  readonly cards: number;
  /** Points between the two totals. */
  readonly margin: number;
  /** Two cards that total 8 or 9. */
  readonly playerNatural: boolean;
  readonly bankerNatural: boolean;
  /** First two cards of one rank. */
  readonly playerPair: boolean;
  readonly bankerPair: boolean;
  /** Hands (0 to 2) whose first two cards are of one rank, and of one rank and suit. */
  readonly pairs: number;
  readonly perfectPairs: number;
}

type OneOf<T> = T | readonly T[];

/**
 * Holds when every fact named has the value, or one of the values, given; `player` and `banker` are patterns of a hand's
 * cards in order (`7?` any seven, `?H` any heart, `??` any card), which the hand must have at least.
 */
export type Predicate = { readonly [fact in keyof Facts]?: OneOf<Facts[fact]> } & {
  readonly player?: readonly string[];
  readonly banker?: readonly string[];
};

export interface CommissionText {
  /** A share of the winnings, as a decimal: `0.05`. */
  readonly rate: string;
  readonly when: 'taken' | 'marked';
  /** `unit` in minor units. */
  readonly rounding: { readonly unit: number; readonly mode: RoundingMode };
  /** The least commission on a winning bet that bears it, in minor units. */
  readonly minimum?: number;
}

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

/** How many coups may still be opened once the cut card has shown: inside a coup, after its first card; or between coups. */
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
export type Action = (typeof ACTIONS)[number];

/** The conditions that choose between entries for one code; an absent one does not matter. */
export interface Circumstances {
  readonly exposed?: boolean;
  readonly firstCard?: boolean;
  readonly lastCoup?: boolean;
  readonly bankerMustDraw?: boolean;
  /** The hand that the misplaced card belongs to. */
  readonly belongsTo?: 'player' | 'banker';
}

export interface Irregularity {
  readonly codes: readonly string[];
  readonly when?: Circumstances;
  readonly do: readonly Action[];
  /** A key of `sources`, with the section that says so. */
  readonly source: string;
  readonly section: string;
}
