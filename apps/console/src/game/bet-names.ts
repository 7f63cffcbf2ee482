import type { Words } from '../words/words.js';

/** Returns the name of a bet in words. A rule document may have bets that only it knows. */
export const betIn = (words: Words, bet: string): string => words.find(`finding.bet.${bet}`) ?? bet;
