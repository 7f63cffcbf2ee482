import { Injectable } from '@nestjs/common';
import { HOUSE_TABLE } from '#audit';
import type { ExportAsked } from '#export';
import { findingAt, tableSeen } from '#read-model';
import type { Identity } from '../identity/identity.js';
import { Problem } from '../problems/problems.js';
import { RowsReader } from '../reading/rows-reader.js';
import { SealedFiles } from '../site-log/site-log.js';

type Scope = ExportAsked['scope'];

/** What an identity may have packages of. */
@Injectable()
export class ExportScopes {
  constructor(
    private readonly rows: RowsReader,
    private readonly sealed: SealedFiles,
  ) {}

  /**
   * Returns the scope with its table. Throws `not-found` for a table or finding that does not exist
   * or that the sender may not see, `not-permitted` for what belongs to all tables, and
   * `day-not-sealed`.
   */
  async seen(by: Identity, asked: Scope): Promise<Scope> {
    const scope = await this.withTable(by, asked);
    await this.requireSealedDays(scope);
    return scope;
  }

  private async withTable({ tables }: Identity, scope: Scope): Promise<Scope> {
    const seen = tables === 'all' ? undefined : tables;
    const { table, finding } = scope;
    if (table === undefined && finding === undefined) {
      if (seen)
        throw new Problem(
          'not-permitted',
          'only an identity that may see every table may ask for a package of all tables',
        );
      return scope;
    }
    const isHouse = table === HOUSE_TABLE;
    const { result } = await this.rows.read(undefined, async (read) => {
      const limit = seen && { scope: seen };
      if (finding !== undefined) return (await findingAt(read, finding, limit ?? {}))?.body.table;
      return isHouse && seen ? undefined : tableSeen(read, { table: table ?? '', ...limit });
    });
    if (result !== undefined && (finding === undefined || table === undefined || table === result))
      return { ...scope, table: result };
    throw new Problem(
      'not-found',
      finding === undefined
        ? 'no table has this id and sent an event, or this identity may not see it'
        : 'no finding has this id, or this identity may not see it',
    );
  }

  private async requireSealedDays({ day, from, to }: Scope): Promise<void> {
    for (const each of new Set([day, from, to]))
      if (each !== undefined && !(await this.isSealed(each)))
        throw new Problem('day-not-sealed', `the gaming day ${each} is not sealed`);
  }

  private async isSealed(day: string): Promise<boolean> {
    try {
      return await this.sealed.isDaySealed(day);
    } catch (error) {
      if (error instanceof Problem && error.problem === 'not-found') return false;
      throw error;
    }
  }
}
