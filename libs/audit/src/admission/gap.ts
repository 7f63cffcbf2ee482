import { markCoup, markFinding } from '../changes.js';
import { isCardDue } from '../coup/coup.js';
import {
  CATALOGUE,
  codesWhere,
  FINDING_CODES,
  hides,
  lossBits,
  type CodeFacts,
  type FindingCode,
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
  type Wrong,
} from '../findings/findings.js';
import {
  isOutage,
  numbersText,
  type Cause,
  type Found,
  type Gap,
  type Missing,
  type Outage,
} from '../findings/finding.js';
import { positionOf } from '../history/journal.js';
import type { MessageKind } from './message-kinds.js';
import type { Ahead, Coup, Entry, GapMark, Shoe } from '../state.js';

/** Returns whether an event's number is missing. */
export const lacks = (missing: Missing, event: AnyEvent): boolean =>
  !isOutage(missing) &&
  missing.source === event.source &&
  missing.session === event.session &&
  missing.from <= (event.sequence as number) &&
  (event.sequence as number) <= missing.to;

/** Returns the fields of DV-04 about a hole. */
export const gapFound = (gap: Gap, { after, late }: GapMark): Wrong => ({
  gap,
  events: [after, ...late.map(referenceOf)],
  expected: numbersText(gap),
  observed: late.length > 0 ? `${late.length} came late` : 'never came',
  message: `Of ${gap.source}, session ${gap.session}, ${numbersText(gap)} never came in time.`,
});

/** Returns the fields of DV-06 about an outage. */
export function outageFound({ source, event, says }: Outage): Wrong {
  const [observed, message] =
    says === 'offline'
      ? ['offline', `${source} went offline. What happens until it is online again may be missing.`]
      : says === null
        ? ['not known', `${source} came online and does not know what it missed.`]
        : [`${says} missed`, `${source} came online and says that it missed ${says}.`];
  return { event, events: [event], expected: 'nothing missed', observed, message };
}

/**
 * Returns how many messages are still missing: those that no correction has entered. `null` if an
 * outage does not say how many its source missed.
 */
function stillMissing({ right }: Shoe, { missing, late }: GapMark): number | null {
  if (isOutage(missing)) {
    if (right.get(missing.event)?.missed === 0) return 0;
    return typeof missing.says === 'number' ? missing.says : null;
  }
  const entered = late.filter((event) => right.has(referenceOf(event)));
  return missing.to - missing.from + 1 - entered.length;
}

/** Returns how many cards may be among so many missing messages; 0 if their number is unknown. */
const cardsHidden = (sent: readonly MessageKind[], count: number | null): number =>
  count !== null && sent.includes('cards') ? count : 0;

const isOffline = (missing: Missing): boolean => isOutage(missing) && missing.says === 'offline';

/**
 * Raises the finding about what is missing. Returns false if a source went offline while no shoe
 * was open, which is not a fault yet.
 */
function raiseMissing(shoe: Shoe, mark: GapMark, since: number): boolean {
  const { missing, sent } = mark;
  if (!isOutage(missing)) raise(shoe, shoe.coup, 'DV-04', gapFound(missing, mark));
  else {
    if (isOffline(missing))
      shoe.away = [...shoe.away, { ...missing, sent, since, isRaised: !shoe.closed }];
    if (shoe.closed) return false;
    raise(shoe, shoe.coup, 'DV-06', outageFound(missing));
  }
  return true;
}

/**
 * Judges what is missing at index `at` of the journal: a hole in a source's numbers (DV-04) or an
 * outage (DV-06). Withdraws what the messages lost could have changed and lists it as unjudgeable:
 * in the coups between the events on its two sides, in the coup after and in the shoe (contract
 * section 4, the table of gaps).
 */
export function passGap(shoe: Shoe, mark: GapMark, at: number): void {
  shoe.cause = mark;
  shoe.at = at;
  const { missing, sent } = mark;
  const since = heardLast(shoe, missing.source, at);
  const isRaised = !mark.raises || raiseMissing(shoe, mark, since);
  const count = stillMissing(shoe, mark);
  if (!isRaised || count === 0 || sent.length === 0) return;
  listUnrecorded(shoe, missing, mark.unrecorded);
  loseOfShoe(shoe, mark, since);
  shoe.hidden += cardsHidden(sent, count);
  for (const coup of coupsBetween(shoe, since, at)) loseOfCoup(shoe, coup, mark, between(sent));
  if (sent.includes('people')) shoe.duty.lost = missing;
  const isOutside = shoe.coup === null && !mark.opensCoup;
  if (sent.includes('play')) {
    loseOutside(shoe, mark, since, at);
    if (isOutside || isOffline(missing)) shoe.openingLost = missing;
  }
  const reachesNext = (isOutside || mark.opensCoup) && !isOutage(missing);
  (reachesNext ? shoe.ahead.between : shoe.ahead.after).push({ ...mark, since });
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

/**
 * Takes from a coup that opens what gaps since the last opening hid of it. `isDue`: it has the
 * number that was due.
 */
export function meetGaps(shoe: Shoe, coup: Coup, isDue: boolean): void {
  const { ahead } = shoe;
  coup.playLost = shoe.openingLost;
  shoe.openingLost = null;
  for (const each of ahead.between) loseOfCoup(shoe, coup, each, between(each.sent));
  for (const each of ahead.after)
    if (each.sent.includes('play') && mayMissCoup(shoe, coup, each, isDue))
      loseOfCoup(shoe, coup, each, AFTER_PLAY);
  ahead.after = ahead.between;
  ahead.between = [];
}

/**
 * Returns whether a coup may be missing before one that opens. After an outage there is none if the
 * coup has the number that was due, and no bet was moved in a coup that nothing ended: that bet may
 * belong to the coup that opens.
 */
function mayMissCoup(shoe: Shoe, coup: Coup, { missing, since }: Ahead, isDue: boolean): boolean {
  const former = shoe.coups.at(-2);
  if (!isOutage(missing) || !isDue) return true;
  return (
    former?.to === coup.from &&
    former.wagers.some(({ moves }) =>
      moves.some(({ event }) => positionOf(shoe, referenceOf(event)) > since),
    )
  );
}

/** Returns what is lost, as bits of `LOSSES`, in a coup in which messages of these kinds are. */
export const between = (sent: readonly MessageKind[]): number =>
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
export function loseOfShoe(shoe: Shoe, mark: OfShoe, since: number): void {
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

/** Takes from a coup what was lost, as bits of `LOSSES`. */
export function loseOfCoup(shoe: Shoe, coup: Coup, mark: Hole, bits: number): void {
  touch(shoe, coup.from);
  coup.lost |= bits;
  if ((bits & PLAY) !== 0) coup.playLost = mark.missing;
  lose(shoe, coup, mark, bits);
  if (hides(bits, 'PY-01')) reverseEntries(shoe, coup, 'due');
  markCoup(shoe, coup);
}

/**
 * Makes unjudgeable what SH-13 would take from a coup that ends with a card due, if the cards that
 * gaps may have hidden could be all that was left in the shoe. What was raised before the coup's
 * end stays.
 */
export function loseLastCards(shoe: Shoe, coup: Coup): void {
  const { hidden, drawn, decks, gaps, played, at } = shoe;
  if (hidden === 0 || drawn + hidden < 52 * decks || !mustDraw(coup, shoe)) return;
  const marks = gaps.filter((each) => each < at).map((each) => played[each] as GapMark);
  const mark = marks.findLast(({ sent }) => sent.includes('cards'));
  if (!mark) return;
  const raised = new Set(shoe.found.of(coup.ref).map(([, { finding }]) => finding.code));
  const isOpen = (code: FindingCode): boolean => hides(LAST_CARDS, code) && !raised.has(code);
  coup.lost |= LAST_CARDS;
  const cause: Cause = { is: 'gap', gap: mark.missing };
  unjudgeable(shoe, coup, { codes: FINDING_CODES.filter(isOpen), events: [mark.after], cause });
}

const LAST_CARDS = lossBits(['last cards']);

/** Returns whether a coup must have another card, in some reading of its unread cards. */
const mustDraw = (coup: Coup, shoe: Shoe): boolean =>
  coup.readings ? coup.readings.mustDrawInSome : isCardDue(coup, shoe);

/** What is missing, and the event after it. */
type Hole = Pick<GapMark, 'missing' | 'after'>;
/** The same, with what its source had sent. */
type OfShoe = Hole & Pick<GapMark, 'sent' | 'keepsShoe'>;

/**
 * Withdraws what a gap takes away from a coup or from the shoe as a whole (`null`), and lists it as
 * unjudgeable.
 */
function lose(shoe: Shoe, coup: Coup | null, mark: Hole, bits: number): void {
  const isLost = ({ gap }: CodeFacts): boolean => (lossBits(gap) & bits) !== 0;
  withdraw(shoe, coup, isLost, mark.after);
  const isVoid = coup?.state === 'void';
  const codes = codesWhere((facts) => isLost(facts) && !(isVoid && isNotJudgedInVoid(facts)));
  unjudgeable(shoe, coup, { codes, events: [mark.after], cause: { is: 'gap', gap: mark.missing } });
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
    touch(shoe, where);
    shoe.found.delete(id);
    markFinding(shoe, found, { because: mark.after });
    const cause: Cause = { is: 'gap', gap: mark.missing };
    unjudgeable(shoe, null, { codes: [code], events: found.finding.events, cause });
  }
}

/** Names an event that came too late for its number in the finding about the hole. */
export function nameLate(shoe: Shoe, mark: GapMark, found: Found | undefined): void {
  if (found && !isOutage(mark.missing)) amend(shoe, found, gapFound(mark.missing, mark));
}
