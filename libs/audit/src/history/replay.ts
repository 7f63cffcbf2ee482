import type { Rules } from '#baccarat';
import { CATALOGUE } from '../findings/catalogue.js';
import type { Sha256 } from '../findings/ids.js';
import { markFinding, markReplaced, noShoeChanges, noTableChanges } from '../changes.js';
import { referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import { passGap } from '../admission/gap.js';
import { openShoe } from '../judges/shoe.js';
import { timeOf } from '../events/time.js';
import type { Coup, Entry, Shoe } from '../state.js';
import type { Found } from '../findings/finding.js';
import { step } from '../step.js';
import { dataFaults, type House } from '../events/validate.js';

/**
 * The installed rule documents by `id@version`, and the SHA-256 for the ids of findings, because
 * this library is pure and has none of its own.
 */
export class RuleBook extends Map<string, Rules> {
  constructor(
    readonly sha256: Sha256,
    rules: Iterable<readonly [string, Rules]> = [],
  ) {
    super(rules);
  }
}

/**
 * Returns the rules that a shoe was opened under. Throws if they are not installed, because nothing
 * can be judged without them.
 */
function rulesOf(book: RuleBook, ref: string): Rules {
  const rules = book.get(ref);
  if (!rules) throw new Error(`the record names the rule document ${ref}, which is not installed`);
  return rules;
}

/** Returns what a shoe is judged by. Throws if its rules are not installed. */
export const judgedBy = (
  book: RuleBook,
  { data }: EventOf<'shoe-opened'>,
): Pick<Shoe, 'rules' | 'sha256'> => ({ rules: rulesOf(book, data.rules), sha256: book.sha256 });

type Data = Readonly<Record<string, unknown>>;

/**
 * Returns the corrected data of each corrected event, by its reference. A correction may itself be
 * corrected, so later corrections are read first.
 */
function corrections(journal: readonly Entry[]): Map<string, Data> {
  const right = new Map<string, Data>();
  for (const entry of journal.toReversed()) {
    if (entry.type !== 'observation-corrected') continue;
    const { event, data } = (right.get(referenceOf(entry)) ??
      entry.data) as EventOf<'observation-corrected'>['data'];
    if (!right.has(event)) right.set(event, data);
  }
  return right;
}

/** Returns the event with a reference among those that a shoe holds, including late ones. */
export function eventIn(shoe: Shoe, reference: string): AnyEvent | undefined {
  if (shoe.ref === reference) return shoe.opening;
  for (const entry of shoe.journal) {
    if (entry.type === 'gap') {
      const late = entry.late.find((event) => referenceOf(event) === reference);
      if (late && (late.shoe === undefined || late.shoe === shoe.name)) return late;
    } else if (referenceOf(entry) === reference) return entry;
  }
  return undefined;
}

type Correction = EventOf<'observation-corrected'>['data'];

/**
 * Returns the event that a correction changes, or in words why there is none. A correction of a
 * correction changes the event that the corrected one now names, and its data must fit that event.
 */
export function targetOf(shoe: Shoe, { event, data }: Correction, house: House): AnyEvent | string {
  const named = eventIn(shoe, event);
  // What a lost opening would have opened was not kept.
  if (!named || (named.type === 'shoe-opened' && isLateIn(shoe, named))) return event;
  if (dataFaults(named.type, data, house).length > 0)
    return `data that does not fit a ${named.type}`;
  return named.type === 'observation-corrected'
    ? targetOf(shoe, data as unknown as Correction, house)
    : named;
}

/**
 * Returns the event that a correction has changed so far, if `named` is a correction. That event
 * counts again as it was.
 */
export function targetsBefore(shoe: Shoe, named: AnyEvent): AnyEvent[] {
  const right = corrections(shoe.journal);
  const passed: AnyEvent[] = [];
  for (
    let at: AnyEvent | undefined = named;
    at?.type === 'observation-corrected' && !passed.includes(at);
  ) {
    passed.push(at);
    at = eventIn(shoe, ((right.get(referenceOf(at)) ?? at.data) as Correction).event);
    if (at && at.type !== 'observation-corrected') return [at];
  }
  return [];
}

const correctedBy =
  (right: ReadonlyMap<string, Data>) =>
  (event: AnyEvent): AnyEvent => {
    const data = right.size === 0 ? undefined : right.get(referenceOf(event));
    return data === undefined ? event : ({ ...event, data } as unknown as AnyEvent);
  };

/** Returns a function that returns each event of a shoe with its last correction. */
export const asLastCorrected = (shoe: Shoe): ((event: AnyEvent) => AnyEvent) =>
  correctedBy(corrections(shoe.journal));

/**
 * Replays a shoe from its journal, with every event as its last correction has it. Returns a shoe
 * whose changes are those of the replay.
 */
export function replay(shoe: Shoe, book: RuleBook): Shoe {
  const right = corrections(shoe.journal);
  const asCorrected = correctedBy(right);
  const opening = asCorrected(shoe.opening) as EventOf<'shoe-opened'>;
  const given = { ...judgedBy(book, opening), changes: noShoeChanges(noTableChanges()) };
  const fresh = openShoe(shoe.table, opening, given, shoe.dutyAtOpening);
  for (const entry of shoe.journal) fresh.journal.push(entry);
  fresh.played = inOrderOfPlay(fresh, right);
  for (const [at, entry] of fresh.played.entries()) {
    if (entry.type === 'gap') {
      const entered = entry.late.filter((event) => right.has(referenceOf(event)));
      passGap(fresh, entry, at, entered.length === entry.to - entry.from + 1);
      continue;
    }
    step(fresh, asCorrected(entry), at);
    const was = entry.type === 'coup-opened' ? (entry.data.kind ?? 'normal') : undefined;
    if (was === 'normal' && fresh.coup?.kind === 'dummy') fresh.coup.correctedToDummy = true;
  }
  return fresh;
}

/** Returns whether an event came late for its number in a shoe. */
export const isLateIn = ({ journal }: Shoe, event: AnyEvent): boolean =>
  journal.some((entry) => entry.type === 'gap' && entry.late.includes(event));

/**
 * Returns the journal of a shoe in the order of play. A late event that a correction has entered
 * lies between the events of its source before and after it, and among what others sent between
 * those before the first that has a later time.
 */
function inOrderOfPlay({ name, journal }: Shoe, right: ReadonlyMap<string, Data>): Entry[] {
  const marks = journal.filter((entry) => entry.type === 'gap');
  const here = marks
    .flatMap(({ late, raises }) => late.filter(({ shoe }) => (shoe ? shoe === name : raises)))
    .filter((event) => right.has(referenceOf(event)));
  if (here.length === 0) return journal;
  const played = [...journal];
  for (const event of here.sort((a, b) => (a.sequence as number) - (b.sequence as number))) {
    const mark = played.findIndex((entry) => entry.type === 'gap' && entry.late.includes(event));
    const after = played.findLastIndex(
      (entry, at) => at < mark && entry.type !== 'gap' && entry.source === event.source,
    );
    const later = played.findIndex(
      (entry, at) => after < at && at < mark && entry.type !== 'gap' && isLater(entry, event),
    );
    played.splice(later < 0 ? mark : later, 0, event);
  }
  return played;
}

const isLater = (one: AnyEvent, other: AnyEvent): boolean =>
  (timeOf(one.time) ?? 0) > (timeOf(other.time) ?? 0);

/**
 * Returns the coup that an entry of the journal concerns: the one that it opened or changed, the
 * one in which it happened or, for bets between coups, the next.
 */
export function coupConcerned(shoe: Shoe, event: AnyEvent): Coup | null {
  const reference = referenceOf(event);
  for (const coup of shoe.coups)
    if (coup.ref === reference || coup.cards.some((laid) => referenceOf(laid.event) === reference))
      return coup;
  const reached = shoe.reached.get(reference);
  if (reached) return reached;
  if (event.type === 'card-moved') {
    const home = shoe.coups.findLast((coup) =>
      coup.cards.some((laid) => referenceOf(laid.event) === event.data.event),
    );
    if (home) return home;
  }
  const isIt = (each: AnyEvent): boolean => referenceOf(each) === reference;
  const played = shoe.played.findIndex((entry) => entry.type !== 'gap' && isIt(entry));
  const at =
    played >= 0
      ? played
      : shoe.played.findIndex((entry) => entry.type === 'gap' && entry.late.some(isIt));
  const during = shoe.coups.find(({ from, to }) => from <= at && at <= to);
  if (during) return during;
  const next =
    event.type === 'bet-placed' ||
    event.type === 'bet-withdrawn' ||
    event.type === 'betting-closed';
  return (
    (next ? shoe.coups.find(({ from }) => from > at) : shoe.coups.findLast(({ to }) => to < at)) ??
    null
  );
}

/**
 * What a correction concerns: coups by the references of their openings, corrected events, or
 * everything in the shoe.
 */
export interface Concern {
  readonly coups: ReadonlySet<string | undefined>;
  readonly events: ReadonlySet<string>;
  readonly all: boolean;
}

/**
 * Adopts a shoe that a correction replayed. Withdraws the findings of the coups concerned, and of
 * the shoe's cards and commission, that no longer hold, and raises new ones. Findings about what
 * devices and people did (DV, PR) stay, and other coups do not change.
 */
export function adopt(
  former: Shoe,
  fresh: Shoe,
  { coups, events, all }: Concern,
  because: string,
): void {
  const concerns = (coup: string | null): boolean => all || (coup !== null && coups.has(coup));
  const inScope = ({ finding, coup }: Found): boolean =>
    CATALOGUE[finding.code].onCorrection === 'shoe' ||
    concerns(coup) ||
    (coup === null && finding.events.some((event) => events.has(event)));
  markReplaced(former, fresh);
  const held = new Map(fresh.found);
  fresh.found.clear();
  for (const [id, found] of former.found) {
    const now = held.get(id);
    held.delete(id);
    const stays =
      !now && (!inScope(found) || CATALOGUE[found.finding.code].onCorrection === 'stays');
    if (!now && !stays) {
      markFinding(fresh, found, { because });
      continue;
    }
    // what a device did stays where it was found
    const isDevice = CATALOGUE[found.finding.code].about === 'device';
    const kept = now && inScope(found) && !isDevice ? now : found;
    fresh.found.set(id, kept);
    markFinding(fresh, kept, 'amended');
  }
  for (const [id, found] of held) {
    if (!inScope(found)) continue;
    fresh.found.set(id, found);
    markFinding(fresh, found, 'raised');
  }
}
