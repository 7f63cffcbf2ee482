import type { EventData } from '../../events/events.js';
import { isOf, planStep, senderOf, type Play } from './script.js';

/**
 * Declares the coup void once its result is known, and returns its stakes unpaid, except those of
 * the first `kept` wagers, which stay on the layout.
 */
export function cancelCoup(
  play: Play,
  { reason, by }: Pick<EventData['coup-voided'], 'reason' | 'by'>,
  kept = 0,
): void {
  const { steps, wagers } = play;
  const unsettled = steps.filter(
    (each) => !isOf('bet-settled')(each) && !isOf('coup-closed')(each),
  );
  const voided = {
    ...(reason === undefined ? undefined : { reason }),
    ...(by === undefined ? undefined : { by }),
  };
  const returns = wagers
    .slice(kept)
    .map(({ seat, bet }) =>
      planStep('terminal', 'bet-settled', { seat, bet, stake: 'returned', paid: 0 }, 1200),
    );
  steps.splice(
    0,
    steps.length,
    ...unsettled,
    planStep(senderOf(voided), 'coup-voided', voided, 15_000),
    ...returns,
  );
}
