import { referenceOf, type AnyEvent } from '../events/events.js';
import { advance, CONTENTS_MAX, sessionOf, type AdmissionState } from './admission.js';

/**
 * Remembers an event from before the place where judging begins, as if all before it had been
 * admitted: a number continues its session from there, whatever lies between. Returns whether the
 * event was admitted. It was not if its number or id was recalled before: as a repeat, it makes the
 * number or id one with two contents if its content differs.
 */
export function recall(state: AdmissionState, event: AnyEvent): boolean {
  return event.sequence === undefined
    ? recallId(state, event)
    : recallNumber(state, event, event.sequence);
}

function recallId({ ids, equivocalIds }: AdmissionState, event: AnyEvent): boolean {
  const reference = referenceOf(event);
  const known = ids.get(reference);
  if (known === undefined) ids.set(reference, event.digest);
  else if (known !== event.digest) equivocalIds.add(reference);
  return known === undefined;
}

function recallNumber(state: AdmissionState, event: AnyEvent, sequence: number): boolean {
  const session = sessionOf(state, event);
  if (sequence >= session.next) {
    session.next = sequence;
    advance(session, event);
    return true;
  }
  const slot = sequence % CONTENTS_MAX;
  const known = session.digests[slot];
  if (known === event.digest || session.onlines.includes(event.digest)) return false;
  if (event.type === 'device-online') {
    const { source, session: name, boot, onlines, equivocal } = session;
    const again = { source, session: name, boot: boot + 1, onlines, equivocal };
    state.sessions[0] = { ...again, next: sequence, digests: [0] };
    advance(state.sessions[0], event);
    return true;
  }
  if (known !== undefined) {
    if (!session.equivocal.includes(sequence)) session.equivocal.push(sequence);
    return false;
  }
  session.digests[slot] = event.digest;
  return true;
}
