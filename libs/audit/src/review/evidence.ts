import { contentOf } from '../events/canonical.js';
import { referenceOf, SHAPES, type AnyEvent, type EventOf } from '../events/events.js';
import { codesWhere } from '../findings/catalogue.js';
import type { Finding } from '../findings/finding.js';
import type { Sha256Hex } from '../findings/ids.js';
import { eventIn, positionOf } from '../history/journal.js';
import { asLastCorrected } from '../history/replay.js';
import type { Coup, Duty, Entry, Shoe, TableState } from '../state.js';
import { changeDuty } from '../step.js';
import { PEOPLE_MAX } from './desk.js';

/**
 * Returns the SHA-256, in hexadecimal digits, of the contents of events, each with a line feed.
 * `sha256sum` over the same lines returns it.
 */
const evidenceOf = (events: readonly AnyEvent[], sha256: Sha256Hex): string =>
  sha256(events.map((event) => `${contentOf(event)}\n`).join(''));

/** Returns the same for a finding about no shoe within reach: of the references that it names. */
export const evidenceOfReferences = (references: readonly string[], sha256: Sha256Hex): string =>
  sha256(references.map((reference) => `${reference}\n`).join(''));

/**
 * Returns the events behind a finding of a table, in the order in which the fold took them.
 * Returns undefined if it is about no shoe within reach, or if its coup is open.
 */
export function evidenceBehind(
  { open, before }: Pick<TableState, 'open' | 'before'>,
  finding: string,
): readonly AnyEvent[] | undefined {
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
  private readonly coups = new Map<string, number>();
  /** The index in the journal of each event, if the order of play has late ones elsewhere. */
  private readonly places: ReadonlyMap<AnyEvent, number> | null = null;
  private readonly corrections = new Lists<Placed>();
  private readonly moves = new Lists<Placed>();
  private readonly ledger = new Lists<Placed>();
  /** What was found to be behind findings. Those of one coup rest on the same events. */
  private readonly found = new Map<Finding | Coup, readonly AnyEvent[]>();
  private readonly digests = new Map<readonly AnyEvent[], string>();
  /** Who is on duty from an index of the order of play on. */
  private readonly duty: (OnDuty & { readonly at: number })[];

  constructor(readonly shoe: Shoe) {
    const { journal, played, dutyAtOpening, coups } = shoe;
    this.duty = [{ ...dutyAtOpening, at: -1 }];
    for (let at = 0; at < coups.length; at += 1) this.coups.set((coups[at] as Coup).ref, at);
    if (played !== journal) this.places = placesIn(shoe);
    for (let at = 0; at < played.length; at += 1) this.note(played[at] as Entry, at);
  }

  private note(entry: Entry, at: number): void {
    switch (entry.type) {
      case 'card-moved':
        return this.moves.add(entry.data.event, [entry, at]);
      case 'bet-settled':
      case 'commission-collected':
      case 'commission-waived':
        if (isOfLedger(entry)) this.ledger.add(String(entry.data.seat), [entry, at]);
        return;
      case 'observation-corrected':
        for (const name of namesIn(this.shoe, entry)) this.corrections.add(name, [entry, at]);
        return;
      case 'dealer-signed-on':
      case 'dealer-relieved':
        return this.changeDuty(asLastCorrected(this.shoe)(entry) as typeof entry, at);
      default:
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
  behind(finding: Finding): readonly AnyEvent[] {
    const about = this.coupOf(finding) ?? finding;
    let events = this.found.get(about);
    if (!events) this.found.set(about, (events = this.eventsBehind(finding)));
    return events;
  }

  /** Returns the digest of what `behind` returned. */
  digest(events: readonly AnyEvent[], sha256: Sha256Hex): string {
    let digest = this.digests.get(events);
    if (digest === undefined) this.digests.set(events, (digest = evidenceOf(events, sha256)));
    return digest;
  }

  private eventsBehind(finding: Finding): AnyEvent[] {
    const coup = this.coupOf(finding);
    const chosen = new Map<AnyEvent, number>(coup ? this.ofCoup(coup) : this.named(finding));
    // a map is iterated to what is added on the way
    for (const [event] of chosen)
      for (const [correction, at] of this.corrections.of(referenceOf(event)))
        chosen.set(correction, at);
    const { places } = this;
    const placed = places
      ? [...chosen.keys()].map((event): Placed => [event, places.get(event) ?? Infinity])
      : [...chosen];
    return placed.sort(([, a], [, b]) => a - b).map(([event]) => event);
  }

  /**
   * Returns who was involved in what a finding is about: dealers and callers on duty in its coup,
   * or in the shoe; and each person who sent one of the events behind it, or is named in one as
   * having done it. At most `PEOPLE_MAX`. `behind`: those events.
   */
  people(finding: Finding, behind: readonly AnyEvent[]): string[] {
    const coup = this.coupOf(finding);
    const people = new Set(this.onDuty(coup?.from ?? 0, coup?.to ?? this.shoe.played.length));
    for (const event of behind) for (const one of peopleOf(event)) people.add(one);
    return [...people].slice(0, PEOPLE_MAX);
  }

  private coupOf({ coupRef }: Finding): Coup | undefined {
    const at = coupRef === undefined ? undefined : this.coups.get(coupRef);
    return at === undefined ? undefined : this.shoe.coups[at];
  }

  private *ofCoup(coup: Coup): Iterable<Placed> {
    const { recordedOpening, played, coups } = this.shoe;
    yield [recordedOpening, -1];
    const before = coups[(this.coups.get(coup.ref) as number) - 1];
    for (let at = (before?.to ?? -1) + 1; at < coup.from; at += 1) {
      const entry = played[at] as Entry;
      if (BETWEEN.has(entry.type)) yield [entry as AnyEvent, at];
    }
    for (const { carried, event, at } of coup.cards) {
      if (!carried) continue;
      yield [event, at];
      yield* this.moves.of(referenceOf(event));
    }
    for (let at = coup.from; at <= coup.to && at < played.length; at += 1) {
      const entry = played[at] as Entry;
      if (entry.type !== 'gap') yield [entry, at];
    }
    yield* this.at(coup.reachedBy);
  }

  private *named({ code, seat, events }: Finding): Iterable<Placed> {
    yield* this.at(events);
    if (LEDGER_CODES.has(code) && seat !== undefined) yield* this.ledger.of(String(seat));
  }

  /** Returns the events of these references that the shoe holds. */
  private *at(references: readonly string[]): Iterable<Placed> {
    const { shoe } = this;
    for (const reference of references) {
      const event = eventIn(shoe, reference);
      if (!event) continue;
      if (event === shoe.opening) {
        yield [shoe.recordedOpening, -1];
        continue;
      }
      const at = positionOf(shoe, reference);
      yield [event, at < 0 ? Infinity : at];
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

/** An event and its index in the order of play, or in the journal. */
type Placed = readonly [AnyEvent, number];
type OnDuty = Pick<Duty, 'dealer' | 'caller'>;

/** Returns the references that a correction names, as it was sent and as it was last corrected. */
function namesIn(shoe: Shoe, correction: EventOf<'observation-corrected'>): ReadonlySet<string> {
  const last = asLastCorrected(shoe)(correction) as typeof correction;
  return new Set([correction.data.event, last.data.event]);
}

/**
 * Returns the index in the journal of every event of a shoe. A late event that was entered comes
 * just before the first correction that names it.
 */
function placesIn(shoe: Shoe): Map<AnyEvent, number> {
  const places = new Map<AnyEvent, number>([[shoe.recordedOpening, -1]]);
  for (const [at, entry] of shoe.journal.entries()) {
    if (entry.type === 'gap') continue;
    places.set(entry, at);
    if (entry.type !== 'observation-corrected') continue;
    for (const name of namesIn(shoe, entry)) {
      const event = eventIn(shoe, name);
      if (event && !places.has(event)) places.set(event, at - 0.5);
    }
  }
  return places;
}

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

/** The codes about commission of the shoe as a whole. */
const LEDGER_CODES: ReadonlySet<string> = new Set(
  codesWhere(({ about, withBets }) => about === 'shoe' && withBets),
);

type OfLedger =
  EventOf<'bet-settled'> | EventOf<'commission-collected'> | EventOf<'commission-waived'>;

/** Returns whether an event enters commission in the ledger. */
export const isOfLedger = (event: AnyEvent): event is OfLedger =>
  event.type === 'commission-collected' ||
  event.type === 'commission-waived' ||
  (event.type === 'bet-settled' &&
    (event.data.commissionTaken !== undefined || event.data.commissionMarked !== undefined));

/** Returns the person who sent an event, and the one whom it names as having done it. */
export function peopleOf({ type, source, data }: AnyEvent): string[] {
  const people = source.startsWith(PERSON) ? [source.slice(PERSON.length)] : [];
  const { by } = SHAPES[type].fields as { readonly by?: { readonly is: string } };
  const named = (data as { readonly by?: string }).by;
  return by?.is === 'id' && named !== undefined ? [...people, named] : people;
}

const PERSON = 'person/';
/** Returns the person who sent an event of `person/…`. */
export const reviewerOf = ({ source }: { readonly source: string }): string =>
  source.slice(PERSON.length);
