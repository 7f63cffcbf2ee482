import { referenceOf, type AnyEvent } from '../events/events.js';
import type { Checkpoint, Coup, Entry, GapMark, Shoe } from '../state.js';
import { coupsBefore, stretchAt } from './checkpoint.js';

/** How often a shoe is searched entry by entry before its ids are put in a map. */
const SEARCHES_MAX = 8;

/** Adds an entry to the journal of a shoe, as the last in the order of play. */
export function record(shoe: Shoe, entry: Entry): void {
  const { journal, played, gaps, positions } = shoe;
  journal.push(entry);
  if (played !== journal) played.push(entry);
  const at = played.length - 1;
  if (entry.type === 'gap') gaps.push(at);
  else if (positions) place(positions, entry, at);
}

/** The place of an id that several events have. */
const SEVERAL = -1;

function place(positions: Map<string, number>, { id }: AnyEvent, at: number): void {
  positions.set(id, positions.has(id) ? SEVERAL : at);
}

/**
 * Returns the index in the order of play of the event with a reference; -1 if it was not played.
 * Looks from the index `from` on first, if the caller knows about where it is.
 */
export function positionOf(shoe: Shoe, reference: string, from = 0): number {
  const { played } = shoe;
  const positions = positionsIn(shoe);
  // either part of a reference may contain the sign between them
  for (let sign = reference.indexOf('#'); sign >= 0; sign = reference.indexOf('#', sign + 1)) {
    const id = reference.slice(sign + 1);
    const isIt = (entry: Entry | undefined): boolean =>
      entry !== undefined &&
      entry.type !== 'gap' &&
      entry.id === id &&
      referenceOf(entry) === reference;
    const known = positions ? positions.get(id) : SEVERAL;
    const at = known === SEVERAL ? searched(played, from, isIt) : known;
    if (at !== undefined && isIt(played[at])) return at;
  }
  return -1;
}

function searched(
  played: readonly Entry[],
  from: number,
  isIt: (entry: Entry | undefined) => boolean,
): number | undefined {
  for (let at = from; at < played.length; at += 1) if (isIt(played[at])) return at;
  for (let at = 0; at < from; at += 1) if (isIt(played[at])) return at;
  return undefined;
}

/**
 * Returns the map of the ids of a shoe, or null while it was searched too seldom: most shoes with a
 * finding are searched a few times, and making the map costs more.
 */
function positionsIn(shoe: Shoe): Map<string, number> | null {
  if (shoe.positions) return shoe.positions;
  shoe.searches += 1;
  if (shoe.searches <= SEARCHES_MAX) return null;
  const positions = new Map<string, number>();
  for (const [at, entry] of shoe.played.entries())
    if (entry.type !== 'gap') place(positions, entry, at);
  shoe.positions = positions;
  return positions;
}

const marksOf = ({ played, gaps }: Shoe): GapMark[] => gaps.map((at) => played[at] as GapMark);

/**
 * Returns the event with a reference among those that a shoe holds, including late ones. `from` is
 * that of `positionOf`.
 */
export function eventIn(shoe: Shoe, reference: string, from?: number): AnyEvent | undefined {
  if (shoe.ref === reference) return shoe.opening;
  const at = positionOf(shoe, reference, from);
  if (at >= 0) return shoe.played[at] as AnyEvent;
  for (const { late } of marksOf(shoe)) {
    const named = late.find((event) => referenceOf(event) === reference);
    if (named && (named.shoe === undefined || named.shoe === shoe.name)) return named;
  }
  return undefined;
}

/** Returns whether an event came late for its number in a shoe. */
export const isLateIn = (shoe: Shoe, event: AnyEvent): boolean =>
  marksOf(shoe).some(({ late }) => late.includes(event));

/**
 * Returns the coup that an entry of the journal concerns: the one that it opened or changed, the
 * one in which it happened or, for bets between coups, the next.
 */
export function coupConcerned(shoe: Shoe, event: AnyEvent): Coup | null {
  const reference = referenceOf(event);
  const played = positionOf(shoe, reference);
  if (played >= 0) {
    const changed = coupChanged(shoe, reference, played);
    if (changed) return changed;
  }
  if (event.type === 'card-moved') {
    const card = positionOf(shoe, event.data.event);
    const home = card >= 0 ? coupsHolding(shoe, card).at(-1) : undefined;
    if (home) return home;
  }
  const at =
    played >= 0
      ? played
      : (shoe.gaps[marksOf(shoe).findIndex(({ late }) => late.includes(event))] ?? -1);
  return coupDuring(shoe, event, at);
}

/** Returns the coup that an event opened or changed, or that holds its card. */
function coupChanged(shoe: Shoe, reference: string, at: number): Coup | undefined {
  const { coups } = shoe;
  const opened = coups[coupsBefore(stretchAt(shoe.checkpoints, at))];
  if (opened?.from === at) return opened;
  const [holding] = coupsHolding(shoe, at);
  return holding ?? near(shoe, at).find(({ reachedBy }) => reachedBy.includes(reference));
}

/** Returns the coups in which the card at an index lies: one that was carried over lies in two. */
const coupsHolding = (shoe: Shoe, at: number): Coup[] =>
  near(shoe, at).filter(({ cards }) => cards.some((laid) => laid.at === at));

/** Returns the coups of the stretches that the stretch of an event changed or was changed by. */
function near({ checkpoints, coups }: Shoe, at: number): Coup[] {
  const { earliest, latest } = checkpoints[stretchAt(checkpoints, at)] as Checkpoint;
  return coups.slice(coupsBefore(earliest), coupsBefore(latest + 1));
}

const OF_NEXT_COUP: ReadonlySet<AnyEvent['type']> = new Set([
  'bet-placed',
  'bet-withdrawn',
  'betting-closed',
]);

function coupDuring({ coups, checkpoints }: Shoe, { type }: AnyEvent, at: number): Coup | null {
  const opened = coupsBefore(stretchAt(checkpoints, at) + 1);
  // a coup that ends with the opening of the next ends in that stretch
  const during = coups
    .slice(Math.max(0, opened - 2), opened)
    .find(({ from, to }) => from <= at && at <= to);
  return during ?? coups[OF_NEXT_COUP.has(type) ? opened : opened - 1] ?? null;
}
