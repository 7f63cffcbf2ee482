import { canonicalContent } from '../events/canonical.js';
import { referenceOf, SHAPES, type AnyEvent, type EventOf } from '../events/events.js';
import { fullName } from '../events/upcast.js';
import type { Finding } from '../findings/finding.js';
import type { Sha256 } from '../findings/ids.js';
import { eventIn } from '../history/journal.js';
import { asLastCorrected } from '../history/replay.js';
import type { Coup, Duty, GapMark, Shoe, TableState } from '../state.js';
import { changeDuty } from '../step.js';
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
  return new ShoeEvidence(shoe).behind(found.finding);
}

/**
 * What the findings of a shoe rest on, as the shoe is when this is made. Making it reads the
 * journal once. A question about a finding then costs about as much as its coup has events.
 */
export class ShoeEvidence {
  /** The place of each event in the journal. A late one lies before the correction that enters it. */
  private readonly order = new Map<AnyEvent, number>();
  private readonly coups = new Map<string, number>();
  private readonly late = new Map<string, AnyEvent>();
  private readonly corrections = new Lists<EventOf<'observation-corrected'>>();
  private readonly moves = new Lists<AnyEvent>();
  private readonly ledger = new Lists<AnyEvent>();
  /** Who is on duty from an index of the order of play on. */
  private readonly duty: (OnDuty & { readonly at: number })[];

  constructor(private readonly shoe: Shoe) {
    const { journal, played, dutyAtOpening } = shoe;
    this.duty = [{ ...dutyAtOpening, at: -1 }];
    for (const [at, { ref }] of shoe.coups.entries()) this.coups.set(ref, at);
    for (const at of shoe.gaps)
      for (const event of (played[at] as GapMark).late) this.late.set(referenceOf(event), event);
    this.order.set(shoe.opening, -1);
    for (const [at, entry] of journal.entries()) if (entry.type !== 'gap') this.note(entry, at);
    const asCorrected = asLastCorrected(shoe);
    for (const [at, entry] of played.entries())
      if (entry.type === 'dealer-signed-on' || entry.type === 'dealer-relieved')
        this.changeDuty(asCorrected(entry) as typeof entry, at);
  }

  private note(event: AnyEvent, at: number): void {
    this.order.set(event, at);
    if (event.type === 'card-moved') this.moves.add(event.data.event, event);
    if (isOfLedger(event)) this.ledger.add(String(event.data.seat), event);
    if (event.type !== 'observation-corrected') return;
    const last = asLastCorrected(this.shoe)(event) as typeof event;
    for (const name of new Set([event.data.event, last.data.event])) {
      this.corrections.add(name, event);
      const late = this.late.get(name);
      if (late && !this.order.has(late)) this.order.set(late, at - 0.5);
    }
  }

  private changeDuty(event: Parameters<typeof changeDuty>[1], at: number): void {
    const { dealer, caller } = this.duty.at(-1) as OnDuty;
    const now = { dealer, caller, lost: null };
    changeDuty(now, event);
    this.duty.push({ ...now, at });
  }

  /**
   * Returns the events that a finding rests on, in the order in which the fold took them.
   *
   * If it is about a coup: the opening of the shoe; the bets before the coup and a carried card,
   * with its move, that count in it; everything from its opening to its end, with the late events
   * that were entered there; every later event that changed it; and the corrections of any of
   * these. If it is about the shoe: the events that it names and their corrections, and for
   * commission that is outstanding or wrong, what entered that seat's ledger.
   */
  behind(finding: Finding): AnyEvent[] {
    const coup = this.coupOf(finding);
    const chosen = new Set<AnyEvent>(coup ? this.ofCoup(coup) : this.named(finding));
    // a set is iterated to what is added on the way
    for (const event of chosen)
      for (const correction of this.corrections.of(referenceOf(event))) chosen.add(correction);
    const placeOf = (event: AnyEvent): number => this.order.get(event) ?? this.order.size;
    return [...chosen].sort((a, b) => placeOf(a) - placeOf(b));
  }

  /**
   * Returns who was involved in what a finding is about: dealers and callers on duty in its coup,
   * or in the shoe; and each person who sent one of the events behind it, or is named in one as
   * having done it. At most `PEOPLE_MAX`.
   */
  people(finding: Finding): string[] {
    const coup = this.coupOf(finding);
    const people = new Set(this.onDuty(coup?.from ?? 0, coup?.to ?? this.shoe.played.length));
    for (const event of this.behind(finding)) for (const one of peopleOf(event)) people.add(one);
    return [...people].slice(0, PEOPLE_MAX);
  }

  private coupOf({ coupRef }: Finding): Coup | undefined {
    const at = coupRef === undefined ? undefined : this.coups.get(coupRef);
    return at === undefined ? undefined : this.shoe.coups[at];
  }

  private *ofCoup(coup: Coup): Iterable<AnyEvent> {
    const { opening, played, coups } = this.shoe;
    yield opening;
    const before = coups[(this.coups.get(coup.ref) as number) - 1];
    for (let at = (before?.to ?? -1) + 1; at < coup.from; at += 1) {
      const entry = played[at];
      if (entry && BETWEEN.has(entry.type)) yield entry as AnyEvent;
    }
    for (const { carried, event } of coup.cards) {
      if (!carried) continue;
      yield event;
      yield* this.moves.of(referenceOf(event));
    }
    for (const entry of played.slice(coup.from, coup.to + 1)) if (entry.type !== 'gap') yield entry;
    yield* this.at(coup.reachedBy);
  }

  private *named({ code, seat, events }: Finding): Iterable<AnyEvent> {
    yield* this.at(events);
    if (LEDGER_CODES.has(code) && seat !== undefined) yield* this.ledger.of(String(seat));
  }

  /** Returns the events of these references that the shoe holds. */
  private *at(references: readonly string[]): Iterable<AnyEvent> {
    for (const reference of references) {
      const event = eventIn(this.shoe, reference);
      if (event) yield event;
    }
  }

  private onDuty(from: number, to: number): string[] {
    const first = this.duty.findLastIndex(({ at }) => at < from);
    const people: (string | null)[] = [];
    for (let i = first; i < this.duty.length; i += 1) {
      const { dealer, caller, at } = this.duty[i] as OnDuty & { readonly at: number };
      if (at > to) break;
      people.push(dealer, caller);
    }
    return people.filter((one) => one !== null);
  }
}

type OnDuty = Pick<Duty, 'dealer' | 'caller'>;

/** Lists by name. */
class Lists<T> {
  private readonly lists = new Map<string, T[]>();

  add(name: string, item: T): void {
    const list = this.lists.get(name);
    if (list) list.push(item);
    else this.lists.set(name, [item]);
  }

  of(name: string): readonly T[] {
    return this.lists.get(name) ?? [];
  }
}

/** What counts in the next coup if it lies between two. */
const BETWEEN: ReadonlySet<string> = new Set(['bet-placed', 'bet-withdrawn', 'betting-closed']);

const LEDGER_CODES: ReadonlySet<string> = new Set(['CM-05', 'CM-06', 'CM-08']);

type OfLedger =
  EventOf<'bet-settled'> | EventOf<'commission-collected'> | EventOf<'commission-waived'>;

/** Returns whether an event enters commission in the ledger. */
export const isOfLedger = (event: AnyEvent): event is OfLedger =>
  event.type === 'commission-collected' ||
  event.type === 'commission-waived' ||
  (event.type === 'bet-settled' &&
    (event.data.commissionTaken !== undefined || event.data.commissionMarked !== undefined));

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
