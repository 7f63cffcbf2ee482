import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { personIn } from '../../identity/requires.js';
import { Bulk, type BulkDone, type BulkSent } from './bulk.js';
import { PersonTurns } from '../person-turns.js';
import { ReviewMetrics } from '../review-metrics.js';
import { SessionPace } from '../session-pace.js';

/** Proposes one ruling for many findings, or says what would happen. Throws what `Bulk` throws. */
export class RuleInBulk extends Command<BulkDone> {
  constructor(readonly sent: BulkSent) {
    super();
  }
}

/** Checks the pace, takes the person's turn, and counts what became of each finding. */
@CommandHandler(RuleInBulk)
export class RuleInBulkHandler implements ICommandHandler<RuleInBulk> {
  constructor(
    private readonly bulk: Bulk,
    private readonly turns: PersonTurns,
    private readonly pace: SessionPace,
    private readonly metrics: ReviewMetrics,
  ) {}

  async execute({ sent }: RuleInBulk): Promise<BulkDone> {
    const isPreview = sent.preview === undefined;
    const outcomeOf = (): string => (isPreview ? 'previewed' : 'done');
    const done = await this.metrics.counted('bulk', outcomeOf, () => {
      const { id, session } = personIn(sent.by);
      this.pace.take(session);
      return this.turns.run(id, () => this.bulk.rule(sent));
    });
    if (!isPreview) for (const { outcome } of done.items) this.metrics.add('bulk-item', outcome);
    return done;
  }
}
