import type { Coup } from './whole.js';

type Bet = Coup['bets'][number];
type Paid = Pick<NonNullable<Bet['lawful']>, 'stake' | 'paid'>;

/**
 * Returns how much more the patron got than was due, in minor units, stake included and commission
 * not. Null if either is not known.
 */
export function differenceOf({
  stands,
  lawful,
  settled,
}: Pick<Bet, 'stands' | 'lawful' | 'settled'>): number | null {
  if (!lawful || !settled) return null;
  const got = (paid: Paid): number => paid.paid - (paid.stake === 'taken' ? stands : 0);
  return got(settled) - got(lawful);
}
