import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  BadCursor,
  isDatabaseAway,
  openSnapshot,
  readSnapshot,
  rowsNow,
  TooManyRows,
  type OpenSnapshot,
  type Positions,
  type ReadAt,
  type SchemaQuery,
  type Snapshot,
} from '#read-model';
import { DataSource } from 'typeorm';
import { Problem } from '../problems/problems.js';
import { ROWS } from '../settings/tokens.js';
import { PositionsLook } from './positions-look.js';

/** Reads rows, each time from one snapshot that is not older than the reader asks for. */
@Injectable()
export class RowsReader {
  constructor(
    @InjectDataSource(ROWS) private readonly rows: DataSource,
    private readonly look: PositionsLook,
  ) {}

  /**
   * Runs `work` on a snapshot of the rows at `least` or later. Throws the problem `not-yet-visible`
   * if the rows do not get there within two seconds, `invalid-request` for an unknown cursor, and
   * `not-ready` if the database does not answer.
   */
  read<Result>(
    least: Positions | undefined,
    work: (read: Snapshot) => Promise<Result>,
  ): Promise<ReadAt<Result>> {
    return this.answered(least, () => readSnapshot(this.rows, work));
  }

  /** Returns the rows of one query as they are now. Throws `not-ready` as `read` does. */
  now<Row>(query: SchemaQuery): Promise<Row[]> {
    return this.answered(undefined, () => rowsNow<Row>(this.rows, query));
  }

  /**
   * Runs `work` on such a snapshot, which stays open until `work` closes it. Throws as `read` does,
   * and `too-large` if a query has more rows than a file may have lines.
   */
  open<Result>(
    least: Positions | undefined,
    work: (snapshot: OpenSnapshot) => Promise<Result>,
  ): Promise<Result> {
    return this.answered(least, async () => work(await openSnapshot(this.rows)));
  }

  private async answered<Result>(
    least: Positions | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      if (least) await this.look.until(least);
      return await work();
    } catch (error) {
      if (error instanceof BadCursor)
        throw new Problem('invalid-request', undefined, {
          errors: [{ pointer: '/cursor', reason: error.message }],
        });
      if (error instanceof TooManyRows)
        throw new Problem(
          'too-large',
          `the file would have over ${error.most} lines; narrow it by from, to or table`,
        );
      if (isDatabaseAway(error))
        throw new Problem('not-ready', 'the database does not answer', {
          headers: { 'Retry-After': '1' },
          cause: error,
        });
      throw error;
    }
  }
}
