import { canonicalContent } from '../events/canonical.js';
import { referenceOf, SHAPES, type AnyEvent, type EventOf } from '../events/events.js';
import { fullName } from '../events/upcast.js';
import type { Finding } from '../findings/finding.js';
import type { Sha256 } from '../findings/ids.js';
import { asLastCorrected } from '../history/replay.js';
import type { Coup, Shoe, TableState } from '../state.js';
import { PEOPLE_MAX } from './desk.js';

/**
 * Returns the content of an event, as its canonical line in the log has it without the stamps. It
 * is written back from the event, so it does not depend on how a sender ordered or spaced it.
 */
export function contentOf({ type, digest: _, ...event }: AnyEvent): string {
  return canonicalContent(
    { specversion: '1.0', type: fullName(type), ...known(event) },
    type,
    null,
  );
}

/** Returns the attributes that an event has. Those that it lacks are there and undefined. */
const known = (event: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined));

/**
 * Returns the SHA-256, in hexadecimal digits, of the contents of events, each with a line feed.
 * `sha256sum` over the same lines gives it.
 */
export const evidenceOf = (events: readonly AnyEvent[], sha256: Sha256): string =>
  sha256(events.map((event) => `${contentOf(event)}\n`).join(''));

/** Returns the same for a finding about no shoe within reach: of the references that it names. */
export const evidenceOfReferences = (references: readonly string[], sha256: Sha256): string =>
  sha256(references.map((reference) => `${reference}\n`).join(''));

/**
 * Returns the events that a finding of a shoe rests on, in the order in which the fold took them.
 *
 * If it is about a coup: the opening of the shoe; the bets before the coup and a carried card, with
 * its move, that count in it; everything from its opening to its end, with the late events that
 * were entered there; every later event that changed it; and the corrections of any of these. If it
 * is about the shoe: the events that it names and their corrections, and for commission that is
 * outstanding or wrong, what entered that seat's ledger.
 */
export function eventsBehind(shoe: Shoe, finding: Finding): AnyEvent[] {
  const coup = shoe.coups.find(({ ref }) => ref === finding.coupRef);
  const chosen = new Set<AnyEvent>(coup ? eventsOfCoup(shoe, coup) : eventsNamed(shoe, finding));
  const references = new Set([...chosen].map(referenceOf));
  const entered = new Map<string, AnyEvent>();
  for (const event of chosen) if (isLate(shoe, event)) entered.set(referenceOf(event), event);
  const behind: AnyEvent[] = chosen.has(shoe.opening) ? [shoe.opening] : [];
  for (const entry of shoe.journal) {
    if (entry.type === 'gap') continue;
    if (entry.type === 'observation-corrected') {
      const names = namedBy(shoe, entry).filter((name) => references.has(name));
      if (names.length === 0 && !chosen.has(entry)) continue;
      // a late event counts from the correction that entered it
      for (const name of names) {
        const late = entered.get(name);
        if (late) behind.push(late);
        entered.delete(name);
      }
      references.add(referenceOf(entry));
      behind.push(entry);
    } else if (chosen.has(entry)) behind.push(entry);
  }
  return behind;
}

/**
 * Returns the events behind a finding of a table, in the order in which the fold took them.
 * Returns undefined if it is about no shoe within reach, or if its coup is open.
 */
export function evidenceBehind(
  { open, before }: Pick<TableState, 'open' | 'before'>,
  finding: string,
): AnyEvent[] | undefined {
  const shoe = [open, before].find((each) => each?.found.has(finding));
  const found = shoe?.found.get(finding);
  if (!shoe || !found || (shoe.coup && shoe.coup.ref === found.coup)) return undefined;
  return eventsBehind(shoe, found.finding);
}

/** Returns the references that a correction names, as it was sent and as it was last corrected. */
function namedBy(shoe: Shoe, correction: EventOf<'observation-corrected'>): string[] {
  const last = asLastCorrected(shoe)(correction) as typeof correction;
  return [...new Set([correction.data.event, last.data.event])];
}

const isLate = ({ journal, gaps, played }: Shoe, event: AnyEvent): boolean =>
  played !== journal &&
  gaps.some((at) => {
    const mark = played[at];
    return mark?.type === 'gap' && mark.late.includes(event);
  });

function* eventsOfCoup(shoe: Shoe, coup: Coup): Iterable<AnyEvent> {
  const { played } = shoe;
  yield shoe.opening;
  const before = shoe.coups[shoe.coups.indexOf(coup) - 1];
  for (let at = (before?.to ?? -1) + 1; at < coup.from; at += 1) {
    const entry = played[at];
    if (entry && BETWEEN.has(entry.type)) yield entry as AnyEvent;
  }
  for (const { carried, event } of coup.cards) if (carried) yield* withMoves(shoe, event);
  for (const entry of played.slice(coup.from, coup.to + 1)) if (entry.type !== 'gap') yield entry;
  const reached = new Set(coup.reachedBy);
  if (reached.size > 0)
    for (const entry of played)
      if (entry.type !== 'gap' && reached.has(referenceOf(entry))) yield entry;
}

/** What counts in the next coup if it lies between two. */
const BETWEEN: ReadonlySet<string> = new Set(['bet-placed', 'bet-withdrawn', 'betting-closed']);

function* withMoves(shoe: Shoe, card: AnyEvent): Iterable<AnyEvent> {
  yield card;
  const reference = referenceOf(card);
  for (const entry of shoe.played)
    if (entry.type === 'card-moved' && entry.data.event === reference) yield entry;
}

function* eventsNamed(shoe: Shoe, { code, seat, events }: Finding): Iterable<AnyEvent> {
  const named = new Set(events);
  const ofSeat = LEDGER_CODES.has(code) ? seat : undefined;
  if (named.has(shoe.ref)) yield shoe.opening;
  for (const entry of shoe.played) {
    if (entry.type === 'gap') {
      yield* entry.late.filter((event) => named.has(referenceOf(event)));
      continue;
    }
    const entersLedger = ofSeat !== undefined && isOfLedger(entry) && entry.data.seat === ofSeat;
    if (entersLedger || named.has(referenceOf(entry))) yield entry;
  }
}

const LEDGER_CODES: ReadonlySet<string> = new Set(['CM-05', 'CM-06', 'CM-08']);

type OfLedger =
  EventOf<'bet-settled'> | EventOf<'commission-collected'> | EventOf<'commission-waived'>;

/** Returns whether an event enters commission in the ledger. */
export const isOfLedger = (event: AnyEvent): event is OfLedger =>
  event.type === 'commission-collected' ||
  event.type === 'commission-waived' ||
  (event.type === 'bet-settled' &&
    (event.data.commissionTaken !== undefined || event.data.commissionMarked !== undefined));

/**
 * Returns who was involved in what a finding of a shoe is about: dealers and callers on duty in its
 * coup, or in the shoe; and each person who sent one of the events behind it, or is named in one as
 * having done it. At most `PEOPLE_MAX`.
 */
export function peopleIn(shoe: Shoe, finding: Finding, behind: readonly AnyEvent[]): string[] {
  const coup = shoe.coups.find(({ ref }) => ref === finding.coupRef);
  const people = new Set<string>(onDuty(shoe, coup?.from ?? 0, coup?.to ?? shoe.played.length));
  for (const event of behind) for (const one of peopleOf(event)) people.add(one);
  return [...people].slice(0, PEOPLE_MAX);
}

/** Returns who was on duty in a shoe from one index of the order of play to another. */
function* onDuty(shoe: Shoe, from: number, to: number): Iterable<string> {
  const { dutyAtOpening, played } = shoe;
  const asCorrected = asLastCorrected(shoe);
  const now = { dealer: dutyAtOpening.dealer, caller: dutyAtOpening.caller };
  for (let at = 0; at < played.length && at <= to; at += 1) {
    if (at === from) for (const one of [now.dealer, now.caller]) if (one !== null) yield one;
    const entry = played[at];
    if (entry?.type !== 'dealer-signed-on' && entry?.type !== 'dealer-relieved') continue;
    const { data } = asCorrected(entry) as typeof entry;
    if (entry.type === 'dealer-relieved') now[data.role] = null;
    else {
      now[data.role] = data.dealer;
      if (at > from) yield data.dealer;
    }
  }
  if (played.length === 0) for (const one of [now.dealer, now.caller]) if (one !== null) yield one;
}

/** Returns the person who sent an event, and the one whom it names as having done it. */
function peopleOf({ type, source, data }: AnyEvent): string[] {
  const people = source.startsWith(PERSON) ? [source.slice(PERSON.length)] : [];
  const { by } = SHAPES[type].fields as { readonly by?: { readonly is: string } };
  const named = (data as { readonly by?: string }).by;
  return by?.is === 'id' && named !== undefined ? [...people, named] : people;
}

const PERSON = 'person/';
/** Returns the person who sent an event of `person/…`. */
export const reviewerOf = ({ source }: { readonly source: string }): string =>
  source.slice(PERSON.length);
