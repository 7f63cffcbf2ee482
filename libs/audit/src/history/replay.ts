import type { Rules } from '#baccarat';
import { CATALOGUE } from '../findings/catalogue.js';
import type { Sha256 } from '../findings/ids.js';
import { markFinding, markReplaced, noShoeChanges, noTableChanges } from '../changes.js';
import { accountOf } from '../ledger/commission.js';
import { referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import { passGap } from '../admission/gap.js';
import { openShoe } from '../judges/shoe.js';
import type { Coup, Entry, GapMark, Shoe } from '../state.js';
import type { Found } from '../findings/finding.js';
import { step } from '../step.js';
import { dataFaults, type House } from '../events/validate.js';

/**
 * The rule documents that are installed, by `id@version`, and the SHA-256 that makes the ids of
 * findings: this library is pure and has none of its own.
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
 * The rules that a shoe was opened under. Throws where they are not installed: a verdict without
 * its rules is none.
 */
function rulesOf(book: RuleBook, ref: string): Rules {
  const rules = book.get(ref);
  if (!rules) throw new Error(`the record names the rule document ${ref}, which is not installed`);
  return rules;
}

/** Returns what a shoe is judged by. Throws where its rules are not installed. */
export const judgedBy = (
  book: RuleBook,
  { data }: EventOf<'shoe-opened'>,
): Pick<Shoe, 'rules' | 'sha256'> => ({ rules: rulesOf(book, data.rules), sha256: book.sha256 });

type Data = Readonly<Record<string, unknown>>;

/**
 * What each corrected event says by its last correction, by the event's reference. A correction may
 * itself be corrected: later ones are read first, so that each is taken as it was last put right.
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

/** The event of a reference among those that a shoe holds, late ones too. */
export function eventIn(shoe: Shoe, reference: string): AnyEvent | undefined {
  if (shoe.ref === reference) return shoe.opening;
  for (const entry of shoe.journal) {
    if (entry.type === 'gap') {
      const late = entry.late.find((event) => referenceOf(event) === reference);
      if (late) return late;
    } else if (referenceOf(entry) === reference) return entry;
  }
  return undefined;
}

type Correction = EventOf<'observation-corrected'>['data'];

/**
 * The event that a correction comes to, or in words why it comes to none. A correction of a
 * correction comes to what that one is now to name, and must fit it in turn.
 */
export function targetOf(shoe: Shoe, { event, data }: Correction, house: House): AnyEvent | string {
  const named = eventIn(shoe, event);
  if (!named) return event;
  if (dataFaults(named.type, data, house).length > 0)
    return `data that does not fit a ${named.type}`;
  return named.type === 'observation-corrected'
    ? targetOf(shoe, data as unknown as Correction, house)
    : named;
}

/**
 * Where the event that a correction names is a correction itself: what that one has come to so far,
 * which is now as it was.
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

/** Gives events of a shoe as their last corrections have them. */
export const asLastCorrected = (shoe: Shoe): ((event: AnyEvent) => AnyEvent) =>
  correctedBy(corrections(shoe.journal));

/**
 * The shoe again from its journal, every event as its last correction has it. Its changes are those
 * of the replay.
 */
export function replay(shoe: Shoe, book: RuleBook): Shoe {
  const right = corrections(shoe.journal);
  const asCorrected = correctedBy(right);
  const opening = asCorrected(shoe.opening) as EventOf<'shoe-opened'>;
  const given = { ...judgedBy(book, opening), changes: noShoeChanges(noTableChanges()) };
  const fresh = openShoe(shoe.table, opening, given, shoe.dutyAtOpening);
  for (const [at, entry] of shoe.journal.entries()) {
    if (entry.type === 'gap') replayGap(fresh, entry, at, right, asCorrected);
    else {
      step(fresh, asCorrected(entry), at);
      const was = entry.type === 'coup-opened' ? (entry.data.kind ?? 'normal') : undefined;
      if (was === 'normal' && fresh.coup?.kind === 'dummy') fresh.coup.correctedToDummy = true;
    }
    fresh.journal.push(entry);
  }
  return fresh;
}

/** A corrected late event takes the place of its number. */
function replayGap(
  fresh: Shoe,
  mark: GapMark,
  at: number,
  right: ReadonlyMap<string, Data>,
  asCorrected: (event: AnyEvent) => AnyEvent,
): void {
  const entered = mark.late
    .filter((event) => right.has(referenceOf(event)))
    .sort((a, b) => (a.sequence as number) - (b.sequence as number));
  passGap(fresh, mark, at, entered.length === mark.to - mark.from + 1);
  for (const event of entered) step(fresh, asCorrected(event), at);
}

/**
 * The coup that an entry of the journal concerns: the one it names, the one in which it happened,
 * or, for bets between coups, the next.
 */
export function coupConcerned(shoe: Shoe, event: AnyEvent): Coup | null {
  const reference = referenceOf(event);
  for (const coup of shoe.coups)
    if (coup.ref === reference || coup.cards.some((laid) => referenceOf(laid.event) === reference))
      return coup;
  if (event.type === 'coup-voided' && event.data.coup !== undefined)
    return shoe.coups.findLast(({ number }) => number === event.data.coup) ?? null;
  if (event.type === 'card-moved') {
    const home = shoe.coups.findLast((coup) =>
      coup.cards.some((laid) => referenceOf(laid.event) === event.data.event),
    );
    if (home) return home;
  }
  const at = shoe.journal.findIndex((entry) =>
    entry.type === 'gap'
      ? entry.late.some((late) => referenceOf(late) === reference)
      : referenceOf(entry) === reference,
  );
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
 * What a correction touches: coups by the reference of their opening, the events corrected, or
 * everything in the shoe.
 */
export interface Concern {
  readonly coups: ReadonlySet<string | undefined>;
  readonly events: ReadonlySet<string>;
  readonly all: boolean;
}

/**
 * Takes the shoe as a correction leaves it: findings of the coups concerned and of the shoe's cards
 * and commission that no longer hold are withdrawn, new ones raised; what devices and people did
 * (DV, PR) stays, and other coups are not touched.
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
    const kept = now && inScope(found) ? now : found;
    fresh.found.set(id, kept);
    markFinding(fresh, kept, 'amended');
  }
  for (const [id, found] of held) {
    if (!inScope(found)) continue;
    fresh.found.set(id, found);
    markFinding(fresh, found, 'raised');
  }
  for (const seat of former.ledger.keys()) accountOf(fresh, seat); // a seat's line stays, at zero
}
