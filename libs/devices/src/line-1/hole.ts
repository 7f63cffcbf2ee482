import { change, lose, nak, type Wait, type Work } from './gateway-work.js';
import type { UnitMemory } from './memory.js';

/** Seconds of `N` after which a number that never came is lost. */
const LOST_AFTER = 30;
/** A longer pause between two signs of a hole begins the wait again. */
const WAIT_PAUSE = 15;

/**
 * Asks for numbers that were passed over. Returns whether they are now given up: `ahead` is the
 * number of the event that shows the hole, and `last` the last number of the hole if it is given
 * up at once.
 */
export function seekHole(
  work: Work,
  unit: UnitMemory,
  ahead: number | null,
  last: number,
): boolean {
  if (work.settings.listenOnly) {
    lose(work, last - unit.taken, 'number');
    return true;
  }
  const wait = waitAfter(work, unit.taken + 1, ahead);
  change(work, { wait });
  if (work.up - wait.since < LOST_AFTER) {
    nak(work, 'GAP');
    return false;
  }
  lose(work, (wait.ahead ?? wait.due + 1) - wait.due, 'number');
  return true;
}

function waitAfter({ state, up }: Work, due: number, ahead: number | null): Wait {
  const { wait } = state;
  if (wait?.due !== due || up - wait.seenAt > WAIT_PAUSE)
    return { due, since: up, seenAt: up, ahead };
  const lower = Math.min(wait.ahead ?? Infinity, ahead ?? Infinity);
  return { ...wait, seenAt: up, ahead: Number.isFinite(lower) ? lower : null };
}
