import { referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import type { Admitting, AdmissionState } from './admission.js';

/**
 * Unnumbered ids remembered in one window. At this limit the window turns as if a shoe had been
 * opened.
 */
const IDS_MAX = 65_536;

/**
 * Begins a new window of remembered ids. Called when a shoe opens, with the opening, which belongs
 * to the new window.
 */
export function turnIds(state: AdmissionState, opening?: AnyEvent): void {
  state.idsBefore = state.ids;
  state.ids = new Map(opening ? [[referenceOf(opening), opening.digest]] : []);
  for (const reference of state.equivocalIds)
    if (!state.idsBefore.has(reference)) state.equivocalIds.delete(reference);
}

/** Returns whether another id can be remembered before the window must turn. */
export const canRemember = ({ ids }: AdmissionState): boolean => ids.size < IDS_MAX;

/** Returns the digest of the event that is remembered under a reference; undefined if none is. */
export const digestUnder = (
  { ids, idsBefore }: AdmissionState,
  reference: string,
): number | undefined => ids.get(reference) ?? idsBefore.get(reference);

/**
 * Returns whether the id of an unnumbered event is new, and remembers it. Counts a repeat: a
 * duplicate, or another content, which is passed on to `to` once.
 */
export function isNewId(state: AdmissionState, event: AnyEvent, to: Admitting): boolean {
  const reference = referenceOf(event);
  const known = digestUnder(state, reference);
  if (known === undefined) {
    if (state.ids.size >= IDS_MAX) turnIds(state);
    state.ids.set(reference, event.digest);
    return true;
  }
  if (known === event.digest) state.counts.duplicates += 1;
  else {
    state.counts.equivocal += 1;
    contradict(state, event, to);
  }
  return false;
}

/**
 * Returns whether a shoe's opening can give the shoe its reference. It cannot if another event in
 * reach has its source and id, which is then one with two contents. The id of an unnumbered opening
 * was looked up when it arrived.
 */
export function canName(
  state: AdmissionState,
  opening: EventOf<'shoe-opened'>,
  to: Pick<Admitting, 'equivocal'>,
): boolean {
  if (opening.sequence === undefined) return true;
  if (digestUnder(state, referenceOf(opening)) === undefined) return true;
  contradict(state, opening, to);
  return false;
}

/** Passes on that an id has two contents, once while it is remembered. */
function contradict(
  { equivocalIds }: AdmissionState,
  event: AnyEvent,
  to: Pick<Admitting, 'equivocal'>,
): void {
  const reference = referenceOf(event);
  if (equivocalIds.has(reference)) return;
  equivocalIds.add(reference);
  to.equivocal(event, 'id');
}
