import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  BadCursor,
  positionsReached,
  readSnapshot,
  type Positions,
  type ReadAt,
  type Snapshot,
} from '#read-model';
import { DataSource } from 'typeorm';
import { outOfReach } from '../problems/out-of-reach.js';
import { Problem } from '../problems/problems.js';
import { ROWS } from '../settings/tokens.js';

/** How long a reader of its own writes waits before it must ask again (contract section 7). */
const PATIENCE_MS = 2_000;
/** How often the rows are checked while a reader waits. */
const LOOK_MS = 10;

/** Reads rows, each time from one snapshot that is not older than the reader asks for. */
@Injectable()
export class RowsReader {
  constructor(@InjectDataSource(ROWS) private readonly rows: DataSource) {}

  /**
   * Runs `work` on a snapshot of the rows at `least` or later. Throws the problem `not-yet-visible`
   * if the rows do not get there within two seconds, `invalid-request` for an unknown cursor, and
   * `not-ready` if the database does not answer.
   */
  async read<Result>(
    least: Positions | undefined,
    work: (read: Snapshot) => Promise<Result>,
  ): Promise<ReadAt<Result>> {
    try {
      if (least) await this.until(least);
      return await readSnapshot(this.rows, work);
    } catch (error) {
      if (error instanceof BadCursor)
        throw new Problem('invalid-request', undefined, {
          errors: [{ pointer: '/cursor', reason: error.message }],
        });
      if (outOfReach(error))
        throw new Problem('not-ready', 'the database does not answer', {
          headers: { 'Retry-After': '1' },
          cause: error,
        });
      throw error;
    }
  }

  private async until(least: Positions): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!(await positionsReached(this.rows, least))) {
      if (performance.now() >= end)
        throw new Problem('not-yet-visible', undefined, { headers: { 'Retry-After': '1' } });
      await pause(LOOK_MS);
    }
  }
}
