import { isRecord } from './json-pointer.js';
import { inWords } from '../tableau/tableau-words.js';
import type { BurnText, CommissionText, Irregularity, Predicate } from './rule-document.js';
import type { Rounding } from '../bets/money.js';

const FACT_NAMES: Readonly<Record<keyof Predicate, string>> = {
  winner: 'winner',
  playerTotal: 'player total',
  bankerTotal: 'banker total',
  playerCards: 'player cards',
  bankerCards: 'banker cards',
  cards: 'cards',
  margin: 'margin',
  playerNatural: 'player natural',
  bankerNatural: 'banker natural',
  playerPair: 'player pair',
  bankerPair: 'banker pair',
  pairs: 'pairs',
  perfectPairs: 'perfect pairs',
  player: 'player hand',
  banker: 'banker hand',
};

/**
 * Describes a bet's condition: `winner banker, banker total 7, banker cards 3`, or `always` if
 * there are no facts.
 */
export function predicateInWords(when: Predicate): string {
  const parts = (Object.keys(FACT_NAMES) as (keyof Predicate)[]).flatMap((fact) => {
    const wanted = when[fact];
    if (wanted === undefined) return [];
    if (fact === 'player' || fact === 'banker')
      return [`${FACT_NAMES[fact]} ${(wanted as readonly string[]).join(' ')}`];
    const values = (Array.isArray(wanted) ? (wanted as readonly unknown[]) : [wanted]).map(String);
    return [
      `${FACT_NAMES[fact]} ${inWords(
        values.map((value) => ({ true: 'yes', false: 'no' })[value] ?? value),
        'or',
      )}`,
    ];
  });
  return parts.length > 0 ? parts.join(', ') : 'always';
}

/** Describes a way to count burn cards: `by the first card (ace 1, ten 10, face 10)`. */
export function burnInWords(way: BurnText): string {
  switch (way.count) {
    case 'none':
      return 'none';
    case 'first-card':
      return `by the first card (ace ${way.ace ?? 1}, ten ${way.ten ?? 10}, face ${way.face ?? 10})`;
    case 'decks':
      return 'as many as decks';
    case 'fixed':
      return `a fixed number from ${way.from} to ${way.to}`;
  }
}

/** Describes commission: `0.05 of the winnings, marked, to 1 (half-up)`. Units are minor units. */
export const commissionInWords = ({ rate, when, rounding, minimum }: CommissionText): string =>
  `${rate} of the winnings, ${when}, to ${roundingInWords(rounding)}${minimum === undefined ? '' : `, at least ${minimum}`}`;

/** Describes rounding: `25 (half-up)`. */
export const roundingInWords = ({ unit, mode }: Rounding): string => `${unit} (${mode})`;

/** Describes what an entry is for: `DL-05 where the card is the first of its coup`. */
export function irregularityCase(code: string, { when }: Irregularity): string {
  const conditions = Object.entries(isRecord(when) ? when : {}).map(
    ([name, wanted]) => CONDITIONS[name]?.(wanted) ?? `${name} is ${String(wanted)}`,
  );
  return conditions.length > 0 ? `${code} where ${conditions.sort().join(' and ')}` : code;
}

const CONDITIONS: Readonly<Record<string, (wanted: unknown) => string>> = {
  exposed: (wanted) => `the card was ${orNot(wanted)}exposed`,
  firstCard: (wanted) => `the card is ${orNot(wanted)}the first of its coup`,
  lastCoup: (wanted) => `the coup is ${orNot(wanted)}the last of the shoe`,
  bankerMustDraw: (wanted) => `the banker hand must ${orNot(wanted)}draw`,
  belongsTo: (wanted) => `the card belongs to the ${String(wanted)} hand`,
};

const orNot = (wanted: unknown): string => (wanted === false ? 'not ' : '');
