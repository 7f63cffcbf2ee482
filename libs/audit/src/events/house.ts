import type { RuleBook } from '../history/replay.js';
import type { House } from './validate.js';

/** The bet ids of contract section 5. */
const BET_IDS: ReadonlySet<string> = new Set([
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

/** Whether an id is that of a bet: one that the contract lists, or one of an installed document. */
export function isBetId(book: RuleBook, id: string): boolean {
  if (BET_IDS.has(id)) return true;
  for (const rules of book.values()) if (rules.bets.has(id)) return true;
  return false;
}

/** What events, and the data of corrections, are checked against: the rule documents that are installed. */
export const houseFrom = (book: RuleBook): House => ({
  hasRules: (ref) => book.has(ref),
  hasBet: (id) => isBetId(book, id),
});
