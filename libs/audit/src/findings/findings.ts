import { markFinding, markUnjudgeable } from '../changes.js';
import { CATALOGUE, hides, lossBits, type CodeFacts, type FindingCode } from './catalogue.js';
import { idOf, type Sha256Hex } from './ids.js';
import { referenceOf } from '../events/events.js';
import type { Coup, GapMark, Shoe } from '../state.js';
import { unreadOf } from '../coup/coup.js';
import {
  causeText,
  isSameMissing,
  partsOf,
  UNREAD,
  type Cause,
  type Finding,
  type Found,
  type Missing,
  type Unjudgeable,
} from './finding.js';

/**
 * What a judge found wrong. The fields that distinguish findings of one code in one location make
 * the id.
 */
export type Wrong = Pick<
  Finding,
  | 'seat'
  | 'bet'
  | 'hand'
  | 'by'
  | 'event'
  | 'gap'
  | 'repeat'
  | 'irregularity'
  | 'events'
  | 'expected'
  | 'observed'
  | 'message'
  | 'impact'
  | 'explainedBy'
>;

/** Where a finding is raised, and under which rules. */
type FindingLocation = Pick<
  Finding,
  'table' | 'shoe' | 'coup' | 'shoeRef' | 'coupRef' | 'rules' | 'void'
>;

/** Returns a finding with its id. */
export function newFinding(
  code: FindingCode,
  location: FindingLocation,
  { impact, explainedBy, ...wrong }: Wrong,
  sha256: Sha256Hex,
): Finding {
  const finding = {
    code,
    severity: CATALOGUE[code].severity,
    ...location,
    ...wrong,
    ...(explainedBy && { explainedBy }),
    ...(impact && impact.amount !== 0 && { impact }),
    remedied: false,
  };
  return { id: idOf(finding, sha256), ...finding };
}

/**
 * Raises a finding once: its id comes from the code, the table and the references of what it is
 * about, so a second raise of the same wrong changes nothing. Returns the finding if it is new.
 */
export function raise(
  shoe: Shoe,
  coup: Coup | null,
  code: FindingCode,
  wrong: Wrong,
): Finding | undefined {
  const { about, onVoid } = CATALOGUE[code];
  const of = about === 'shoe' ? null : coup;
  const location = {
    table: shoe.table,
    shoe: shoe.name,
    shoeRef: shoe.ref,
    ...(of && { coup: of.number, coupRef: of.ref }),
    rules: shoe.rules.ref,
    void: of?.state === 'void' && onVoid !== 'void if earlier',
  };
  const finding = newFinding(code, location, wrong, shoe.sha256);
  if (shoe.found.has(finding.id)) return undefined;
  if (isHidden(shoe, of, code, wrong.events)) return undefined;
  const coupRef = of?.ref ?? null;
  const { cause, unrecorded } = shoe;
  const raisedBy = cause.type === 'gap' ? cause.after : referenceOf(cause);
  const found: Found = {
    ...{ finding, coup: coupRef, raisedBy },
    ...(unrecorded && { raised: unrecorded }),
  };
  shoe.found.set(finding.id, found);
  markFinding(shoe, found, 'raised');
  return finding;
}

/**
 * Returns whether a gap hid what a finding would need. What it hid of a coup or of the shoe is
 * listed already. Outside coups, the code is listed here.
 */
function isHidden(
  shoe: Shoe,
  coup: Coup | null,
  code: FindingCode,
  events: readonly string[],
): boolean {
  if (hides(shoe.lost | (coup?.lost ?? 0), code)) return true;
  const { openingLost: gap } = shoe;
  if (coup || !gap || !hides(PLAY_LOST, code)) return false;
  // a correction that changes nothing is in no journal: the mark of the gap remembers it
  if (shoe.cause.type === 'observation-corrected') listAtMark(shoe, gap, { code, events });
  else unjudgeable(shoe, null, { codes: [code], events, cause: { is: 'gap', gap } });
  return true;
}
const PLAY_LOST = lossBits(['play']);

/** Most events that the mark of a gap remembers. What is hidden beyond them is not listed. */
const UNRECORDED_MAX = 1024;

/**
 * Lists a code that the gap leaves open about an event of no journal, and remembers it at the mark
 * of the gap. Does nothing if the shoe has no such mark, or a full one.
 */
export function listAtMark(shoe: Shoe, gap: Missing, hidden: GapMark['unrecorded'][number]): void {
  const mark = shoe.gaps
    .map((at) => shoe.played[at] as GapMark)
    .find(({ missing }) => isSameMissing(missing, gap));
  if (!mark || mark.unrecorded.length >= UNRECORDED_MAX) return;
  mark.unrecorded.push(hidden);
  listUnrecorded(shoe, gap, [hidden]);
}

/** Lists what a gap leaves open about events that are in no journal. */
export function listUnrecorded(shoe: Shoe, gap: Missing, unrecorded: GapMark['unrecorded']): void {
  const cause: Cause = { is: 'gap', gap };
  for (const { code, events } of unrecorded)
    unjudgeable(shoe, null, { codes: [code], events, cause });
}

/** Amends a finding that is in force. */
export function amend(shoe: Shoe, found: Found, change: Partial<Finding>): void {
  found.finding = { ...found.finding, ...change };
  markFinding(shoe, found, 'amended');
}

/**
 * Withdraws the findings of a coup, or of the shoe as a whole (`null`), that fit.
 * `because` names the event that causes it.
 */
export function withdraw(
  shoe: Shoe,
  coup: Coup | null,
  fits: (facts: CodeFacts, finding: Finding) => boolean,
  because: string,
): void {
  for (const [id, found] of shoe.found.of(coup?.ref ?? null)) {
    const { finding } = found;
    if (!fits(CATALOGUE[finding.code], finding)) continue;
    shoe.found.delete(id);
    markFinding(shoe, found, { because });
  }
}

/** Returns whether a void takes the code away: it is not judged in a void coup. */
export const isNotJudgedInVoid = ({ onVoid }: CodeFacts): boolean => onVoid === 'withdrawn';

/** Takes the codes that fit off what could not be judged of a coup. */
export function delist(
  shoe: Shoe,
  coup: Coup,
  fits: (facts: CodeFacts, code: FindingCode) => boolean,
): void {
  for (const [key, { coup: ref, entry }] of shoe.unjudgeable.of(coup.ref)) {
    const codes = entry.codes.filter((code) => !fits(CATALOGUE[code], code));
    if (codes.length === entry.codes.length) continue;
    if (codes.length === 0) shoe.unjudgeable.delete(key);
    else shoe.unjudgeable.set(key, { coup: ref, entry: { ...entry, codes } });
    markUnjudgeable(shoe, key, false);
  }
}

/** What a judge cannot judge: the codes, the events that leave them open, and why. */
interface NotJudged {
  readonly codes: readonly FindingCode[];
  readonly events: readonly string[];
  readonly cause: Cause;
}

/** Lists codes that cannot be judged. One entry lists everything with one cause in one coup. */
export function unjudgeable(
  shoe: Shoe,
  coup: Coup | null,
  { codes, events, cause }: NotJudged,
): void {
  if (codes.length === 0) return;
  const coupRef = coup?.ref ?? null;
  const key = notJudgedKey(coupRef, cause);
  const known = shoe.unjudgeable.get(key)?.entry;
  const entry: Unjudgeable = {
    table: shoe.table,
    shoe: shoe.name,
    ...(coup ? { coup: coup.number } : undefined),
    codes: [...new Set([...(known?.codes ?? []), ...codes])].sort(),
    // in one order, whether they were listed as they came or from a mark that was saved
    events: [...new Set([...(known?.events ?? []), ...events])].sort(),
    why: causeText(cause),
  };
  if (
    known &&
    known.codes.length === entry.codes.length &&
    known.events.length === entry.events.length
  )
    return;
  shoe.unjudgeable.set(key, { coup: coupRef, entry });
  markUnjudgeable(shoe, key, known === undefined);
}

/** Lists codes that the unread cards of a coup leave open. */
export function leftOpen(shoe: Shoe, coup: Coup, codes: readonly FindingCode[]): void {
  const events = unreadOf(coup).map(({ event }) => referenceOf(event));
  unjudgeable(shoe, coup, { codes, events, cause: UNREAD });
}

/** Returns the key of an entry among those of its shoe: its coup and its cause. */
export function notJudgedKey(coup: string | null, cause: Cause): string {
  return JSON.stringify([coup, cause.is, ...(cause.is === 'gap' ? partsOf(cause.gap) : [])]);
}
