import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import type { ParkedAsk, ParkedTable, PositionState, RowStore } from '#read-model';
import { type Identity, seesTable } from '../identity/identity.js';
import { Problem } from '../problems/problems.js';

/** How far a partition is folded, by whom, and whether it goes on. */
export type PartitionPosition = Pick<
  PositionState,
  'partition' | 'next' | 'events' | 'owner' | 'generation' | 'committedAt' | 'stopped'
>;

/** The store that shows the auditor's positions and parked tables and takes decisions about them, on a connection of its own. */
export class Decisions implements OnApplicationShutdown {
  constructor(readonly store: RowStore) {}

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

/** The parked tables that the asker may see, by table. */
export class ListParked extends Query<readonly ParkedTable[]> {
  constructor(readonly by: Identity) {
    super();
  }
}

export class ListPositions extends Query<readonly PartitionPosition[]> {}

@QueryHandler(ListParked)
export class ListParkedHandler implements IQueryHandler<ListParked> {
  constructor(private readonly decisions: Decisions) {}

  async execute({ by }: ListParked): Promise<readonly ParkedTable[]> {
    const parked = await this.decisions.store.parked();
    return parked.filter(({ table }) => seesTable(by, table));
  }
}

@QueryHandler(ListPositions)
export class ListPositionsHandler implements IQueryHandler<ListPositions> {
  constructor(private readonly decisions: Decisions) {}

  async execute(): Promise<readonly PartitionPosition[]> {
    const positions = await this.decisions.store.positions();
    return positions.map(
      ({ partition, next, events, owner, generation, committedAt, stopped }) => ({
        partition,
        next,
        events,
        owner,
        generation,
        committedAt,
        stopped,
      }),
    );
  }
}

/** Asks the auditor that owns a parked table to judge its event again, or to go on without it. `not-found` where the table is not parked, or not to be seen. */
export class DecideParked extends Command<void> {
  constructor(
    readonly by: Identity,
    readonly table: string,
    readonly what: ParkedAsk,
  ) {
    super();
  }
}

/** Has a stopped partition claimed again by an auditor. `not-found` where it is not stopped, `not-permitted` for whoever does not see all the tables that may lie in it. */
export class ResumePartition extends Command<void> {
  constructor(
    readonly by: Identity,
    readonly partition: string,
  ) {
    super();
  }
}

@CommandHandler(DecideParked)
export class DecideParkedHandler implements ICommandHandler<DecideParked> {
  private readonly logger = new Logger('parked');

  constructor(private readonly decisions: Decisions) {}

  async execute({ by, table, what }: DecideParked): Promise<void> {
    const isId = !/\p{Cc}/u.test(table);
    if (
      !isId ||
      !seesTable(by, table) ||
      !(await this.decisions.store.askParked(table, what, by.id))
    )
      throw new Problem('not-found', 'no table of that id is parked');
    this.logger.log({ message: 'decision about a parked table', table, what, by: by.id });
  }
}

@CommandHandler(ResumePartition)
export class ResumePartitionHandler implements ICommandHandler<ResumePartition> {
  private readonly logger = new Logger('parked');

  constructor(private readonly decisions: Decisions) {}

  async execute({ by, partition }: ResumePartition): Promise<void> {
    if (by.tables !== 'all')
      throw new Problem('not-permitted', 'a partition holds tables that this identity may not see');
    const isNumber = /^\d{1,6}$/.test(partition);
    if (!isNumber || !(await this.decisions.store.resumePartition(Number(partition))))
      throw new Problem('not-found', 'no partition of that number is stopped');
    this.logger.log({
      message: 'a stopped partition is to go on',
      partition: Number(partition),
      by: by.id,
    });
  }
}
