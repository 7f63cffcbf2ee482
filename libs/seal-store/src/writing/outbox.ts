import type pg from 'pg';
import type { SealPool } from '../database/seal-pool.js';

/** How long a process has lines to itself. An append that takes longer may come twice. */
const HELD_S = 30;

/** A line that waits until the log has it. */
export interface WaitingLine {
  readonly place: number;
  readonly line: string;
}

/**
 * Lines for the record of the house. Each is written in one transaction with what it reports, and
 * deleted once the log has it, so none is lost when a sealer ends.
 */
export class Outbox {
  constructor(private readonly pool: SealPool) {}

  /** Adds lines that report nothing that this database keeps. */
  async add(lines: readonly string[]): Promise<void> {
    await this.pool.query(
      'outbox-add',
      'insert into seal.outbox (line) select unnest($1::text[])',
      [lines],
    );
  }

  /** Returns the oldest lines that no other process has, in order. The caller deletes or frees them. */
  async take(most: number): Promise<WaitingLine[]> {
    const taken = await this.pool.query<WaitingLine>(
      'outbox-take',
      `update seal.outbox set held_until = clock_timestamp() + ${HELD_S} * interval '1 s'
       where place in (
         select place from seal.outbox
         where held_until is null or held_until < clock_timestamp()
         order by place limit $1 for update skip locked)
       returning place, line`,
      [most],
    );
    return taken.toSorted((one, other) => one.place - other.place);
  }

  /** Leaves lines to any process. */
  async free(lines: readonly WaitingLine[]): Promise<void> {
    await this.pool.query(
      'outbox-free',
      'update seal.outbox set held_until = null where place = any($1::bigint[])',
      [lines.map(({ place }) => place)],
    );
  }

  /** Deletes lines that the log has. */
  async delete(lines: readonly WaitingLine[]): Promise<void> {
    await this.pool.query(
      'outbox-delete',
      'delete from seal.outbox where place = any($1::bigint[])',
      [lines.map(({ place }) => place)],
    );
  }
}

/** Adds a line within the transaction of what it reports. */
export async function insertLine(client: pg.ClientBase, line: string): Promise<void> {
  await client.query('insert into seal.outbox (line) values ($1)', [line]);
}
