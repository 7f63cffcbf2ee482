import { CATALOGUE, type CodeFacts, type FindingCode } from './catalogue.js';
import { idOf } from '../admission/digest.js';
import type { Hand } from '../events/events.js';
import type { Coup, Finding, Found, Impact, Shoe, Slip, Unjudgeable } from '../state.js';

/** What a judge says of one wrong. `about` tells it from others of its code in the same coup or shoe. */
export interface Wrong {
  readonly about?: readonly string[];
  /** Whose money it is about. */
  readonly seat?: number;
  readonly bet?: string;
  /** Which hand it is about. */
  readonly hand?: Hand;
  readonly events: readonly string[];
  readonly expected: string;
  readonly observed: string;
  readonly message: string;
  readonly impact?: Impact;
  readonly explainedBy?: Slip;
}

/**
 * Raises a finding once: its id comes from the code, the table and the references of what it is about, so a second raise
 * of the same wrong changes nothing. What a device did is told by the event alone, wherever it fell. Returns the finding if
 * it is new.
 */
export function raise(
  shoe: Shoe,
  coup: Coup | null,
  code: FindingCode,
  wrong: Wrong,
): Finding | undefined {
  const { about, onVoid, severity } = CATALOGUE[code];
  const ofShoe = about === 'shoe';
  const place = about === 'device' ? [] : [shoe.ref, ofShoe || !coup ? '' : coup.ref];
  const id = idOf([code, shoe.table, ...place, ...(wrong.about ?? [])]);
  if (shoe.found.has(id)) return undefined;
  const finding: Finding = {
    id,
    code,
    severity,
    table: shoe.table,
    shoe: shoe.name,
    ...(ofShoe || !coup ? undefined : { coup: coup.number }),
    ...(wrong.seat === undefined ? undefined : { seat: wrong.seat }),
    ...(wrong.bet === undefined ? undefined : { bet: wrong.bet }),
    ...(wrong.hand === undefined ? undefined : { hand: wrong.hand }),
    rules: shoe.rules.ref,
    events: wrong.events,
    expected: wrong.expected,
    observed: wrong.observed,
    ...(wrong.explainedBy === undefined ? undefined : { explainedBy: wrong.explainedBy }),
    ...(wrong.impact === undefined || wrong.impact.amount === 0
      ? undefined
      : { impact: wrong.impact }),
    void: coup?.state === 'void' && onVoid !== 'stays' && onVoid !== 'void if earlier',
    remedied: false,
    message: wrong.message,
  };
  const coupRef = ofShoe ? null : (coup?.ref ?? null);
  shoe.found.set(id, { finding, coup: coupRef });
  shoe.news.push({ is: 'raised', finding, shoeRef: shoe.ref, coupRef });
  return finding;
}

/** Changes a finding that stands. */
export function amend(shoe: Shoe, found: Found, change: Partial<Finding>): void {
  found.finding = { ...found.finding, ...change };
  shoe.news.push({ is: 'amended', finding: found.finding, shoeRef: shoe.ref, coupRef: found.coup });
}

/** Withdraws the findings whose code's facts fit, of a coup or of the shoe as a whole (`null`), because of the event named. */
export function withdraw(
  shoe: Shoe,
  coup: Coup | null,
  fits: (facts: CodeFacts) => boolean,
  because: string,
): void {
  for (const [id, { finding, coup: ref }] of shoe.found) {
    if (ref === (coup?.ref ?? null) && fits(CATALOGUE[finding.code])) {
      shoe.found.delete(id);
      shoe.news.push({ is: 'withdrawn', finding, because, shoeRef: shoe.ref, coupRef: ref });
    }
  }
}

/** Why something cannot be judged. */
export const UNREAD = 'a card could not be read';
export const TOO_CLOSE = 'the clocks of two sources are too close to call';

/** Lists codes that cannot be judged; what is listed of one cause in one coup stands in one entry. */
export function unjudgeable(
  shoe: Shoe,
  coup: Coup | null,
  codes: readonly FindingCode[],
  events: readonly string[],
  why: string,
): void {
  if (codes.length === 0) return;
  const key = `${coup?.ref ?? shoe.ref} ${why}`;
  const known = shoe.unjudgeable.get(key);
  const entry: Unjudgeable = {
    table: shoe.table,
    shoe: shoe.name,
    ...(coup ? { coup: coup.number } : undefined),
    codes: [...new Set([...(known?.codes ?? []), ...codes])].sort(),
    events: [...new Set([...(known?.events ?? []), ...events])],
    why,
  };
  if (
    known &&
    known.codes.length === entry.codes.length &&
    known.events.length === entry.events.length
  )
    return;
  shoe.unjudgeable.set(key, entry);
  shoe.news.push({ is: 'unjudgeable', shoeRef: shoe.ref, key, entry });
}
