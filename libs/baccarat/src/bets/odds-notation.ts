/** An exact fraction of two integers, in lowest terms, `den` above 0. */
export interface Rational {
  readonly num: number;
  readonly den: number;
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** Returns `num / den` in lowest terms. Both must be safe integers, and `den` above 0. */
export function rational(num: number, den: number): Rational {
  if (!Number.isSafeInteger(num) || !Number.isSafeInteger(den) || den <= 0)
    throw new Error(`${num}/${den} is not an exact fraction of safe integers`);
  const by = gcd(Math.abs(num), den) || 1;
  return { num: num / by, den: den / by };
}

const DECIMAL = /^(0|[1-9]\d{0,8})(?:\.(\d{1,6}))?$/;

/**
 * Parses a plain decimal such as `0.95` or `12`, exactly. Returns `undefined` for any other text.
 */
export function parseDecimal(text: string): Rational | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const fraction = match[2] ?? '';
  const den = 10 ** fraction.length;
  return rational(Number(match[1]) * den + Number(fraction || '0'), den);
}

/** Odds as published, and the profit on one unit staked. */
export interface Odds {
  readonly text: string;
  readonly notation: 'to' | 'for';
  readonly profit: Rational;
}

const ODDS = /^(\S+) (to|for) (\S+)$/;

/**
 * Parses odds as layouts print them: `8 to 1`, `0.95 to 1`, `9 for 1`. "To" pays in addition to the
 * stake and "for" includes it, so `9 for 1` is `8 to 1` (COMAR 36.05.03.14 E forbids "for" on
 * layouts because of this confusion). Returns `undefined` if the text is not odds, or if "for"
 * would return less than the stake.
 */
export function parseOdds(text: string): Odds | undefined {
  const match = ODDS.exec(text);
  if (!match) return undefined;
  const [win, unit] = [parseDecimal(match[1] as string), parseDecimal(match[3] as string)];
  if (!win || !unit || unit.num === 0) return undefined;
  const notation = match[2] as 'to' | 'for';
  // Reduce crosswise before multiplying: with nine digits before the point and six after it, a
  // division stays within 2^53 but a multiplication does not.
  const [whole, parts] = [rational(win.num, unit.num), rational(unit.den, win.den)];
  const paid = rational(whole.num * parts.num, whole.den * parts.den);
  const profit = notation === 'to' ? paid : { num: paid.num - paid.den, den: paid.den };
  return profit.num < 0 ? undefined : { text, notation, profit };
}
