import type { Outcome } from '../tableau/due.js';
import { decimal } from './exact-fraction.js';
import { oddsOf, type BetOdds, type CoupOdds, type OddsOptions } from './odds.js';
import type { Choice } from './drawing.js';
import type { Bet, Rules } from '../rules/rules.js';

/** Digits after the point of a reported edge. */
export const REPORT_DIGITS = 12;

/**
 * Exact odds as plain JSON: counts of ordered six-card sequences, and decimals. All are strings,
 * because counts can pass 2^53.
 */
export interface OddsReport {
  /** `id@version` of the rule document. */
  readonly rules: string;
  readonly decks: number;
  /** What a hand was assumed to do in optional cells, if that was given. */
  readonly choice?: Choice;
  readonly total: string;
  readonly outcomes: Readonly<Record<Outcome, string>>;
  /** Coups by number of cards. */
  readonly cards: Readonly<Record<4 | 5 | 6, string>>;
  readonly bets: Readonly<Record<string, BetReport>>;
}

/**
 * Edges are shares of a unit staked, with 12 digits after the point, rounded to the nearest, and a
 * half to the higher.
 */
export interface BetReport {
  readonly win: string;
  readonly push: string;
  readonly lose: string;
  /** After commission at its exact rate. */
  readonly edge: string;
  readonly edgeBeforeCommission: string;
  /** On a unit of the stakes that did not push. Absent if every coup pushes. */
  readonly edgePerDecided?: string;
  /** Wins by payout, in the document's order, with the odds as published. */
  readonly tiers: readonly { readonly odds: string; readonly win: string }[];
}

/**
 * Returns the exact odds of every bet of a document from a new shoe, as `shoeprint odds --json`
 * prints them. Throws as `oddsOf` does.
 */
export function oddsReport(rules: Rules, decks: number, options: OddsOptions = {}): OddsReport {
  const { total, outcomes, cards, bets }: CoupOdds = oddsOf(rules, decks, options);
  return {
    rules: rules.ref,
    decks,
    ...(options.choice === undefined ? {} : { choice: options.choice }),
    total: String(total),
    outcomes: {
      player: String(outcomes.player),
      banker: String(outcomes.banker),
      tie: String(outcomes.tie),
    },
    cards: { 4: String(cards[4]), 5: String(cards[5]), 6: String(cards[6]) },
    bets: Object.fromEntries(
      [...bets].map(([id, odds]) => [id, betReport(rules.bets.get(id) as Bet, odds)]),
    ),
  };
}

const betReport = (
  bet: Bet,
  { win, push, lose, edge, edgeBeforeCommission, edgePerDecided, tiers }: BetOdds,
): BetReport => ({
  win: String(win),
  push: String(push),
  lose: String(lose),
  edge: decimal(edge, REPORT_DIGITS),
  edgeBeforeCommission: decimal(edgeBeforeCommission, REPORT_DIGITS),
  ...(edgePerDecided === undefined
    ? {}
    : { edgePerDecided: decimal(edgePerDecided, REPORT_DIGITS) }),
  tiers: bet.pays.map(({ odds }, tier) => ({ odds: odds.text, win: String(tiers[tier]) })),
});
