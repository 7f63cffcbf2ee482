import { referenceOf, type EventOf } from '../events/events.js';
import { raise } from '../findings/findings.js';
import type { Coup, Shoe } from '../state.js';

/** An event that changes what counts, and may name the person who did it. */
type Signed = EventOf<'card-moved' | 'commission-waived' | 'coup-voided' | 'observation-corrected'>;

/**
 * Raises PR-10 for an event that names another person than its own source. A device's event has no
 * person, so a name in it is another's too. An event without a name raises nothing here.
 */
export function judgeSigner(shoe: Shoe, coup: Coup | null, event: Signed): void {
  const { source, data } = event;
  if (data.by === undefined || source === `person/${data.by}`) return;
  const reference = referenceOf(event);
  raise(shoe, coup, 'PR-10', {
    event: reference,
    events: [reference],
    expected: `sent by person/${data.by}`,
    observed: `sent by ${source}`,
    message: `The event names ${data.by}, and ${source} sent it.`,
  });
}
