import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { OmitType } from '@nestjs/swagger';
import type { Identity } from '../../identity/identity.js';
import { personIn } from '../../identity/requires.js';
import { FindingsFields } from '../../lists/list-fields.js';
import { type Acted, isTaken } from '../acts/acts.js';
import { NextFindings, type NextFilter } from './next-findings.js';
import { PersonTurns } from '../person-turns.js';
import { ReviewMetrics } from '../review-metrics.js';
import { SessionPace } from '../session-pace.js';

/**
 * Which findings somebody takes from: the filter of the list, without its pages and its order, and
 * without what would select only findings that nobody can take.
 */
export class NextFields extends OmitType(FindingsFields, [
  'status',
  'review',
  'mine',
  'lapsed',
  'disposition',
  'order',
  'format',
  'bom',
  'cursor',
  'limit',
] as const) {}

/**
 * Claims the worst and oldest finding that fits the filter, and that nobody holds and the person is
 * not involved in. Resolves with undefined if there is none.
 */
export class TakeNext extends Command<Acted | undefined> {
  constructor(
    readonly by: Identity,
    readonly key: string,
    readonly filter: NextFilter,
  ) {
    super();
  }
}

/** Checks the pace, lets one such command of a person run at a time, and counts them. */
@CommandHandler(TakeNext)
export class TakeNextHandler implements ICommandHandler<TakeNext> {
  constructor(
    private readonly next: NextFindings,
    private readonly turns: PersonTurns,
    private readonly pace: SessionPace,
    private readonly metrics: ReviewMetrics,
  ) {}

  execute({ by, key, filter }: TakeNext): Promise<Acted | undefined> {
    const outcomeOf = (acted: Acted | undefined): string =>
      acted === undefined ? 'nothing-left' : isTaken(acted) ? 'taken' : 'pending';
    return this.metrics.counted('take-next', outcomeOf, () => {
      const { id, session } = personIn(by);
      this.pace.take(session);
      // apart from the turn of each claim: two commands under one key take one finding
      return this.turns.run(`next/${id}`, () => this.next.take(by, key, filter));
    });
  }
}
