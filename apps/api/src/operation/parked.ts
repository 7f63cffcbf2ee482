import { Logger } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import type { ParkedAsk, ParkedTable, PositionState, RowStore, Statement } from '#read-model';
import type { EntityManager } from 'typeorm';
import { HouseRecord } from '../house/house-record.js';
import { actorOf, asker, type Identity, seesTable } from '../identity/identity.js';
import { Problem } from '../problems/problems.js';

/** How far a partition is folded, who owns it, and whether it is stopped. */
export interface PartitionPosition extends Pick<
  PositionState,
  'partition' | 'next' | 'events' | 'owner' | 'generation' | 'committedAt'
> {
  /** `about`: one record, which cannot be read and may be passed, or the log, which is at fault. */
  readonly stopped:
    (NonNullable<PositionState['stopped']> & { readonly about: 'record' | 'log' }) | null;
}

/**
 * The store of positions and parked tables, on a connection of its own. It closes with the
 * application.
 */
export class ParkingStore implements OnApplicationShutdown {
  constructor(readonly store: RowStore) {}

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

/** Asks for the parked tables that the sender may see, in order of table. */
export class ListParked extends Query<readonly ParkedTable[]> {
  constructor(readonly by: Identity) {
    super();
  }
}

/** Asks for the positions of all partitions. */
export class ListPositions extends Query<readonly PartitionPosition[]> {}

/** Reads the parked tables that the sender may see. */
@QueryHandler(ListParked)
export class ListParkedHandler implements IQueryHandler<ListParked> {
  constructor(private readonly decisions: ParkingStore) {}

  async execute({ by }: ListParked): Promise<readonly ParkedTable[]> {
    const parked = await this.decisions.store.parked();
    return parked.filter(({ table }) => seesTable(by, table));
  }
}

/** Reads the positions of all partitions, with the fields that answers show. */
@QueryHandler(ListPositions)
export class ListPositionsHandler implements IQueryHandler<ListPositions> {
  constructor(private readonly decisions: ParkingStore) {}

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
        stopped: stopped && { about: stopped.line === null ? 'log' : 'record', ...stopped },
      }),
    );
  }
}

/**
 * Asks the auditor that owns a parked table to judge its event again, or to continue without it.
 * Throws `not-found` if the table is not parked or the sender may not see it.
 */
export class DecideParked extends Command<void> {
  constructor(
    readonly by: Identity,
    readonly table: string,
    readonly what: ParkedAsk,
  ) {
    super();
  }
}

/**
 * Lets auditors claim a stopped partition again. Throws `not-found` if it is not stopped, and
 * `not-permitted` if the sender may not see all tables.
 */
export class ResumePartition extends Command<void> {
  constructor(
    readonly by: Identity,
    readonly partition: string,
  ) {
    super();
  }
}

/** Records the decision for the auditor of a parked table, and who made it. */
@CommandHandler(DecideParked)
export class DecideParkedHandler implements ICommandHandler<DecideParked> {
  private readonly logger = new Logger('parked');

  constructor(
    private readonly decisions: ParkingStore,
    private readonly record: HouseRecord,
  ) {}

  async execute({ by, table, what }: DecideParked): Promise<void> {
    const notFound = new Problem('not-found', 'no parked table has this id');
    if (/\p{Cc}/u.test(table) || !seesTable(by, table)) throw notFound;
    await this.record.transaction(async (manager, note) => {
      if (!(await isChanged(manager, this.decisions.store.askingParked(table, what, by.id))))
        throw notFound;
      await note({
        type: 'parked-decided',
        by: actorOf(by),
        data: { parked: table, decision: what },
      });
    });
    this.logger.log({ message: 'parked table: decision recorded', table, what, ...asker(by) });
  }
}

/** Makes a stopped partition claimable again, and records who asked. */
@CommandHandler(ResumePartition)
export class ResumePartitionHandler implements ICommandHandler<ResumePartition> {
  private readonly logger = new Logger('parked');

  constructor(
    private readonly decisions: ParkingStore,
    private readonly record: HouseRecord,
  ) {}

  async execute({ by, partition: asked }: ResumePartition): Promise<void> {
    const partition = partitionAsked(by, asked);
    await this.record.transaction(async (manager, note) => {
      if (!(await isChanged(manager, this.decisions.store.resuming(partition)))) throw notStopped();
      await note({ type: 'partition-resumed', by: actorOf(by), data: { partition } });
    });
    this.logger.log({ message: 'stopped partition made claimable again', partition, ...asker(by) });
  }
}

/**
 * Returns the number of a partition that a path names. Throws `not-permitted` unless the identity
 * may see every table, because a partition may have any, and `not-found` for what is not a number.
 */
export function partitionAsked(by: Identity, asked: string): number {
  if (by.tables !== 'all')
    throw new Problem('not-permitted', 'the partition has tables that this identity may not see');
  if (!/^\d{1,6}$/.test(asked)) throw notStopped();
  return Number(asked);
}

/** Returns the problem of a decision about a partition that is not stopped. */
export const notStopped = (): Problem =>
  new Problem('not-found', 'no stopped partition has this number');

/** Runs a statement in a transaction and returns whether it changed a row. */
async function isChanged(manager: EntityManager, { text, values }: Statement): Promise<boolean> {
  const [rows] = await manager.query<[unknown[], number]>(text, values);
  return rows.length > 0;
}
