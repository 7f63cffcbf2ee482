import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { changesSince, positionsFrom, type Changes, type Positions } from '#read-model';
import { RowsReader } from '../reading/rows-reader.js';

/** Things of each kind and partition that are told at a time: what one reader may have in memory here. */
const AT_A_TIME = 100;

/** What changed in the rows since these positions. */
export class AskChanges extends Query<Changes> {
  constructor(
    readonly since: Positions,
    readonly scope: readonly string[] | undefined,
  ) {
    super();
  }
}

/** How far the rows have followed the log. */
export class AskPositions extends Query<Positions> {}

@QueryHandler(AskChanges)
export class AskChangesHandler implements IQueryHandler<AskChanges> {
  constructor(private readonly rows: RowsReader) {}

  async execute({ since, scope }: AskChanges): Promise<Changes> {
    const { result } = await this.rows.read(undefined, (read) =>
      changesSince(read, since, { ...(scope && { scope }), limit: AT_A_TIME }),
    );
    return result;
  }
}

@QueryHandler(AskPositions)
export class AskPositionsHandler implements IQueryHandler<AskPositions> {
  constructor(private readonly rows: RowsReader) {}

  async execute(): Promise<Positions> {
    const { positions } = await this.rows.read(undefined, async () => undefined);
    return positions === '' ? new Map() : positionsFrom(positions);
  }
}
