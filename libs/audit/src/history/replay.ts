import type { Rules } from '#baccarat';
import type { Policy } from '../review/policy.js';
import type { Sha256Hex } from '../findings/ids.js';
import { noShoeChanges, noTableChanges } from '../changes.js';
import { kindOf } from '../coup/coup.js';
import { referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import { passGap } from '../admission/gap.js';
import { openShoe } from '../judges/shoe.js';
import { timeOf } from '../events/time.js';
import type { Entry, Shoe } from '../state.js';
import { eventIn, isLateIn, record } from './journal.js';
import { step } from '../step.js';
import { dataFaults, type House } from '../events/validate.js';

/**
 * The installed rule documents and review policies by `id@version`, and the SHA-256 for the ids of
 * findings and for evidence, because this library is pure and has none of its own.
 */
export class RuleBook extends Map<string, Rules> {
  readonly policies: Map<string, Policy>;

  constructor(
    readonly sha256: Sha256Hex,
    rules: Iterable<readonly [string, Rules]> = [],
    policies: Iterable<readonly [string, Policy]> = [],
  ) {
    super(rules);
    this.policies = new Map(policies);
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
  const { right } = shoe;
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
export const asLastCorrected = ({ right }: Shoe): ((event: AnyEvent) => AnyEvent) =>
  correctedBy(right);

/** Records a correction of an event that a shoe holds. */
export function recordCorrection(shoe: Shoe, event: EventOf<'observation-corrected'>): void {
  const named = eventIn(shoe, event.data.event);
  record(shoe, event);
  // what a corrected correction had changed counts again as it was
  if (named?.type === 'observation-corrected') shoe.right = corrections(shoe.journal);
  else shoe.right.set(event.data.event, event.data.data);
}

/**
 * Replays a shoe from its journal, with every event as its last correction has it. Returns a shoe
 * whose changes are those of the replay.
 */
export function replay(shoe: Shoe, book: RuleBook): Shoe {
  const right = corrections(shoe.journal);
  const asCorrected = correctedBy(right);
  const { recordedOpening } = shoe;
  const opening = asCorrected(recordedOpening) as EventOf<'shoe-opened'>;
  const given = { ...judgedBy(book, opening), changes: noShoeChanges(noTableChanges()) };
  const fresh = {
    ...openShoe(shoe.table, opening, given, shoe),
    recordedOpening,
  };
  for (const entry of shoe.journal) fresh.journal.push(entry);
  fresh.right = right;
  fresh.played = inOrderOfPlay(fresh, right);
  for (const [at, entry] of fresh.played.entries()) if (entry.type === 'gap') fresh.gaps.push(at);
  for (let at = 0; at < fresh.played.length; at += 1) playAgain(fresh, at, step);
  return fresh;
}

/** Replays an entry of the order of play, as its last correction has it. */
export function playAgain(
  shoe: Shoe,
  at: number,
  how: (shoe: Shoe, event: AnyEvent, at: number) => void,
): void {
  const entry = shoe.played[at] as Entry;
  if (entry.type === 'gap') return passGap(shoe, entry, at);
  how(shoe, correctedBy(shoe.right)(entry), at);
  const was = entry.type === 'coup-opened' ? kindOf(entry) : undefined;
  if (was === 'normal' && shoe.coup?.from === at && shoe.coup.kind === 'dummy')
    shoe.coup.correctedToDummy = true;
}

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
