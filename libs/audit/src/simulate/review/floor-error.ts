import type { EventData, EventOf } from '../../events/events.js';
import type { TableState } from '../../state.js';

/** A declared outcome that was right, and another one, which is wrong. */
interface FloorError {
  readonly shoe: string;
  readonly event: EventOf<'outcome-declared'>;
  readonly wrong: EventData['outcome-declared'] & Readonly<Record<string, unknown>>;
}

/**
 * Returns an outcome of the last coup that the floor can correct in error, and correct back:
 * nothing was found in the coup, and no message is missing. Returns undefined if no coup fits now.
 */
export function correctedInError({ open, admission, desk }: TableState): FloorError | undefined {
  if (!open || open.closed || open.coup || open.gaps.length > 0 || admission.wait) return undefined;
  const coup = open.coups.at(-1);
  if (coup?.state !== 'over' || coup.kind !== 'normal') return undefined;
  if (coup.reachedBy.length > 0) return undefined;
  for (const item of desk.items.values()) if (item.coupRef === coup.ref) return undefined;
  const event = open.played
    .slice(coup.from, coup.to + 1)
    .find((entry) => entry.type === 'outcome-declared');
  if (!event) return undefined;
  const outcome = event.data.outcome === 'tie' ? 'banker' : 'tie';
  return { shoe: open.name, event, wrong: { ...event.data, outcome } };
}
