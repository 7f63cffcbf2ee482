import { markCoup, markFinding } from '../changes.js';
import {
  CATALOGUE,
  codesWhere,
  hides,
  lossBits,
  type CodeFacts,
  type Loss,
} from '../findings/catalogue.js';
import { reverseEntries } from '../ledger/commission.js';
import { referenceOf, type AnyEvent } from '../events/events.js';
import { touch } from '../history/checkpoint.js';
import {
  amend,
  isNotJudgedInVoid,
  listUnrecorded,
  raise,
  unjudgeable,
  withdraw,
} from '../findings/findings.js';
import {
  numbersText,
  type Cause,
  type Finding,
  type Found,
  type Gap,
} from '../findings/finding.js';
import type { MessageKind } from './message-kinds.js';
import type { Coup, Entry, GapMark, Shoe } from '../state.js';

/** Returns whether an event's number lies in a gap. */
export const lacks = ({ source, session, from, to }: Gap, event: AnyEvent): boolean =>
  source === event.source &&
  session === event.session &&
  from <= (event.sequence as number) &&
  (event.sequence as number) <= to;

const gapOf = ({ source, session, boot, from, to }: Gap): Gap => ({
  source,
  session,
  boot,
  from,
  to,
});

/** Returns the fields of DV-04 about a hole. */
export const gapFound = (
  mark: GapMark,
): Required<Pick<Finding, 'gap' | 'events' | 'expected' | 'observed' | 'message'>> => ({
  gap: gapOf(mark),
  events: [mark.after, ...mark.late.map(referenceOf)],
  expected: numbersText(mark),
  observed: mark.late.length > 0 ? `${mark.late.length} came late` : 'never came',
  message: `Of ${mark.source}, session ${mark.session}, ${numbersText(mark)} never came in time.`,
});

/**
 * Judges a hole in a source's numbers, at index `at` of the journal (DV-04). Withdraws what the
 * messages lost could have changed and lists it as unjudgeable: in the coups between the events on
 * its two sides, in the coup after and in the shoe (contract section 4, the table of gaps).
 * `filled`: a correction has since entered every number.
 */
export function passGap(shoe: Shoe, mark: GapMark, at: number, filled: boolean): void {
  shoe.cause = mark;
  shoe.at = at;
  if (mark.raises) raise(shoe, shoe.coup, 'DV-04', gapFound(mark));
  if (filled || mark.sent.length === 0) return;
  listUnrecorded(shoe, mark, mark.unrecorded);
  const since = heardLast(shoe, mark.source, at);
  loseOfShoe(shoe, mark, since);
  for (const coup of coupsBetween(shoe, since, at))
    loseOfCoup(shoe, coup, mark, between(mark.sent));
  const gap = gapOf(mark);
  if (mark.sent.includes('people')) shoe.duty.lost = gap;
  const isOutside = shoe.coup === null && !mark.opensCoup;
  if (mark.sent.includes('play')) {
    loseOutside(shoe, mark, since, at);
    if (isOutside) shoe.openingLost = gap;
  }
  (isOutside || mark.opensCoup ? shoe.ahead.between : shoe.ahead.after).push(mark);
}

/**
 * Returns the index, in the order of play, of the last event of a source before `at` that came in
 * time; -1 if the shoe has none.
 */
export const heardLast = ({ played }: Shoe, source: string, at: number): number =>
  played.findLastIndex(
    (entry, i) =>
      i < at && entry.type !== 'gap' && entry.source === source && !isEntered(played, entry),
  );

const isEntered = (played: readonly Entry[], event: AnyEvent): boolean =>
  played.some((entry) => entry.type === 'gap' && entry.late.includes(event));

/** Takes from a coup that opens what the gaps since the last opening hid of it. */
export function meetGaps(shoe: Shoe, coup: Coup): void {
  const { ahead } = shoe;
  shoe.openingLost = null;
  for (const mark of ahead.between) loseOfCoup(shoe, coup, mark, between(mark.sent));
  for (const { sent, ...mark } of ahead.after)
    if (sent.includes('play')) loseOfCoup(shoe, coup, mark, AFTER_PLAY);
  ahead.after = ahead.between;
  ahead.between = [];
}

const between = (sent: readonly MessageKind[]): number =>
  lossBits(sent.flatMap((kind) => (kind === 'cards' ? [] : [kind])));
const AFTER_PLAY = lossBits(['after play']);
const PLAY = lossBits(['play']);

/**
 * Returns the coups that an event on either side of a hole touches, and those between the two. An
 * event outside coups touches the last coup before it, until the shoe is closed.
 */
function coupsBetween(shoe: Shoe, since: number, at: number): Coup[] {
  const last = shoe.played[since];
  const isOpening = last?.type === 'coup-opened';
  const touched = shoe.coups.filter(
    ({ from, to }) => from < at && (isOpening ? to > since : to >= since),
  );
  const isInCoup = touched.some(({ from }) => from <= since);
  if (!last || isInCoup || last.type === 'shoe-closed' || last.type === 'shoe-opened')
    return touched;
  const before = shoe.coups.findLast(({ to }) => to < since);
  return before ? [before, ...touched] : touched;
}

/** Takes from the shoe as a whole what a gap hid of it. */
function loseOfShoe(shoe: Shoe, mark: GapMark, since: number): void {
  const [first] = shoe.coups;
  const isPlay = mark.sent.includes('play');
  const losses: Loss[] = [];
  if (mark.sent.includes('cards')) losses.push('cards of shoe');
  if (isPlay) losses.push('play of shoe');
  if (mark.sent.includes('money')) losses.push('money of shoe');
  if (isPlay && (!first || since < first.from)) losses.push('burn');
  if (isPlay && !mark.keepsShoe) losses.push('closing');
  const bits = lossBits(losses);
  shoe.lost |= bits;
  lose(shoe, null, mark, bits);
}

function loseOfCoup(shoe: Shoe, coup: Coup, mark: Hole, bits: number): void {
  touch(shoe, coup.from);
  coup.lost |= bits;
  lose(shoe, coup, mark, bits);
  if (hides(bits, 'PY-01')) reverseEntries(shoe, coup, 'due');
  markCoup(shoe, coup);
}

/** A hole and the event after it. */
type Hole = Gap & Pick<GapMark, 'after'>;

/**
 * Withdraws what a gap takes away from a coup or from the shoe as a whole (`null`), and lists it as
 * unjudgeable.
 */
function lose(shoe: Shoe, coup: Coup | null, mark: Hole, bits: number): void {
  const isLost = ({ gap }: CodeFacts): boolean => (lossBits(gap) & bits) !== 0;
  withdraw(shoe, coup, isLost, mark.after);
  const isVoid = coup?.state === 'void';
  const codes = codesWhere((facts) => isLost(facts) && !(isVoid && isNotJudgedInVoid(facts)));
  unjudgeable(shoe, coup, { codes, events: [mark.after], cause: { is: 'gap', gap: gapOf(mark) } });
}

/**
 * Withdraws what was found outside coups since the event before the hole, and lists it as
 * unjudgeable: the opening of a coup may have been lost.
 */
function loseOutside(shoe: Shoe, mark: GapMark, since: number, at: number): void {
  const ended = shoe.coups.findLast(({ to }) => to <= since)?.to ?? -1;
  for (const [id, found] of shoe.found.of(null)) {
    const { code } = found.finding;
    if (CATALOGUE[code].about === 'shoe' || !hides(PLAY, code)) continue;
    const where = shoe.played.findIndex(
      (entry) => entry.type !== 'gap' && referenceOf(entry) === found.raisedBy,
    );
    if (where <= ended || where >= at) continue;
    shoe.found.delete(id);
    markFinding(shoe, found, { because: mark.after });
    const cause: Cause = { is: 'gap', gap: gapOf(mark) };
    unjudgeable(shoe, null, { codes: [code], events: found.finding.events, cause });
  }
}

/** Names an event that came too late for its number in the finding about the hole. */
export function nameLate(shoe: Shoe, mark: GapMark, found: Found | undefined): void {
  if (found) amend(shoe, found, gapFound(mark));
}
