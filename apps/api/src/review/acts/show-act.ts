import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { actsByReference, findingsAtHand, type ReadAt } from '#read-model';
import { Problem } from '../../problems/problems.js';
import type { Reading } from '../../reading/reading.js';
import { RowsReader } from '../../reading/rows-reader.js';
import type { Taken } from './acts.js';

/** Asks for an act on a finding, by its reference and its table. */
export class ShowAct extends Query<ReadAt<Taken>> {
  constructor(
    readonly ref: string,
    readonly table: string,
    readonly reading: Reading,
  ) {
    super();
  }
}

/**
 * Reads an act and its finding. Throws `not-found` if the rows do not have it, or the sender may
 * not see it. Leaves out looks, which are not commands.
 */
@QueryHandler(ShowAct)
export class ShowActHandler implements IQueryHandler<ShowAct> {
  constructor(private readonly rows: RowsReader) {}

  execute({ ref, table, reading: { scope, least } }: ShowAct): Promise<ReadAt<Taken>> {
    return this.rows.read(least, async (read) => {
      const [act] = /\0|\p{Cs}/u.test(`${ref}${table}`)
        ? []
        : await actsByReference(read, [ref], [table]);
      const [row] = act ? await findingsAtHand(read, [act.finding], scope) : [];
      if (!act || !row || act.type === 'finding-viewed')
        throw new Problem(
          'not-found',
          'no act on a finding of this table has this reference yet, or this identity may not see it',
        );
      return { act, row };
    });
  }
}
