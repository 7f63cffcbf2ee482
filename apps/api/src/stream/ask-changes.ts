import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { changesSince, positionsFrom, type ChangesPage, type Positions } from '#read-model';
import { RowsReader } from '../reading/rows-reader.js';

/**
 * The most changes of each kind and partition in one read. It bounds what one reader has in memory
 * here.
 */
const AT_A_TIME = 100;

/** Asks what changed in the rows since these positions. */
export class AskChanges extends Query<ChangesPage> {
  constructor(
    readonly since: Positions,
    readonly scope: readonly string[] | undefined,
  ) {
    super();
  }
}

/** Asks how far the rows have followed the log. */
export class AskPositions extends Query<Positions> {}

/** Reads the next changes from one snapshot. */
@QueryHandler(AskChanges)
export class AskChangesHandler implements IQueryHandler<AskChanges> {
  constructor(private readonly rows: RowsReader) {}

  async execute({ since, scope }: AskChanges): Promise<ChangesPage> {
    const { result } = await this.rows.read(undefined, (read) =>
      changesSince(read, since, { ...(scope && { scope }), limit: AT_A_TIME }),
    );
    return result;
  }
}

/** Reads the positions that the rows have reached. */
@QueryHandler(AskPositions)
export class AskPositionsHandler implements IQueryHandler<AskPositions> {
  constructor(private readonly rows: RowsReader) {}

  async execute(): Promise<Positions> {
    const { positions } = await this.rows.read(undefined, async () => undefined);
    return positions === '' ? new Map() : positionsFrom(positions);
  }
}
