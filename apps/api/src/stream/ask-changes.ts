import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { changesSince, readSnapshot, type ChangesPage, type Positions } from '#read-model';
import { FOLLOWED } from '../settings/tokens.js';

/**
 * The most changes of each kind and partition in one read. It bounds what a stream has in memory
 * here, and how long one read occupies the process.
 */
const AT_A_TIME = 50;

/** Asks what changed in the rows since these positions, at all tables or at some. */
export class AskChanges extends Query<ChangesPage> {
  constructor(
    readonly since: Positions,
    readonly scope?: readonly string[],
  ) {
    super();
  }
}

/** Reads the next changes from one snapshot. */
@QueryHandler(AskChanges)
export class AskChangesHandler implements IQueryHandler<AskChanges> {
  constructor(@InjectDataSource(FOLLOWED) private readonly rows: DataSource) {}

  async execute({ since, scope }: AskChanges): Promise<ChangesPage> {
    const { result } = await readSnapshot(this.rows, (read) =>
      changesSince(read, since, { ...(scope && { scope }), limit: AT_A_TIME }),
    );
    return result;
  }
}
