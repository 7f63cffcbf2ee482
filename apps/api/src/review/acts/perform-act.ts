import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ReviewCommand } from '#read-model';
import { personIn } from '../../identity/requires.js';
import { type Acted, Acts, isTaken } from './acts.js';
import type { ActSent } from './act-request.js';
import { requireKnownFields } from './act-desk.js';
import { ReviewMetrics } from '../review-metrics.js';
import { SessionPace } from '../session-pace.js';

/**
 * Does something about a finding. Throws the refusal if it takes no effect. Appends nothing for a
 * wrong form, an unknown finding, a parked table, a finding that the rows show as ruled or claimed,
 * and an account that may not.
 */
export class PerformAct extends Command<Acted> {
  constructor(
    readonly command: ReviewCommand,
    readonly sent: ActSent,
  ) {
    super();
  }
}

/** Checks the pace and the fields of a command, performs it and counts it. */
@CommandHandler(PerformAct)
export class PerformActHandler implements ICommandHandler<PerformAct> {
  constructor(
    private readonly acts: Acts,
    private readonly pace: SessionPace,
    private readonly metrics: ReviewMetrics,
  ) {}

  execute({ command, sent }: PerformAct): Promise<Acted> {
    const outcomeOf = (acted: Acted): string => (isTaken(acted) ? 'taken' : 'pending');
    return this.metrics.counted(command, outcomeOf, async () => {
      this.pace.take(personIn(sent.by).session);
      requireKnownFields(command, sent.body);
      return this.acts.perform(command, sent);
    });
  }
}
