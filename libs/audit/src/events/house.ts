import type { RuleBook } from '../history/replay.js';
import type { House } from './validate.js';

/** The bet ids of contract section 5. */
export const BET_IDS: ReadonlySet<string> = new Set([
  'player',
  'banker',
  'tie',
  'player-pair',
  'banker-pair',
  'either-pair',
  'perfect-pair',
  'big',
  'small',
  'dragon-7',
  'panda-8',
  'super-6',
  'lucky-6',
  'dragon-bonus-player',
  'dragon-bonus-banker',
]);

/** Returns whether an id is that of a bet: one of the contract's, or of an installed document's. */
export function isBetId(book: RuleBook, id: string): boolean {
  if (BET_IDS.has(id)) return true;
  for (const rules of book.values()) if (rules.bets.has(id)) return true;
  return false;
}

const houses = new WeakMap<RuleBook, House>();

/**
 * Returns what events and corrected data are validated against: the installed rule documents and
 * review policies. It is the same for the same book.
 */
export function houseFrom(book: RuleBook): House {
  let house = houses.get(book);
  if (!house) houses.set(book, (house = newHouse(book)));
  return house;
}

const newHouse = (book: RuleBook): House => ({
  hasRules: (ref) => book.has(ref),
  hasBet: (id) => isBetId(book, id),
  hasPolicy: (ref) => book.policies.has(ref),
  hasDisposition: (policy, code) => book.policies.get(policy)?.dispositions.has(code) ?? false,
});
