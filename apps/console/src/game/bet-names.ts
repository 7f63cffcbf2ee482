import type { Key, Words } from '../words/words.js';

/** The ids of the bets that have a name in every language. Later rule documents may have others. */
const BETS: readonly string[] = [
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
];

/** Returns a bet in words, or its id if it has no name. */
export const betIn = (words: Words, bet: string): string =>
  BETS.includes(bet) ? words(`finding.bet.${bet}` as Key) : bet;
