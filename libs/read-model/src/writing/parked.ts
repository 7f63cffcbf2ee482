import { keyOf } from '../database/schema-keys.js';
import type { ParkedRow } from './rows.js';
import type { WriterPool } from './pool.js';
import type { Statement } from './statements.js';

/** What may be asked about a parked table: to judge the event again, or to go on without it. */
export type ParkedAsk = 'retry' | 'release';

/** A parked table as it is shown. */
export interface ParkedTable extends ParkedRow {
  readonly parkedAt: Date;
  readonly asked: ParkedAsk | null;
  readonly askedBy: string | null;
  readonly askedAt: Date | null;
}

/** An event that is left out, because somebody decided to go on without it. */
export interface ReleasedEvent {
  readonly table: string;
  readonly partition: number;
  readonly offset: number;
  readonly line: number;
  readonly reason: string;
  readonly releasedBy: string;
  readonly releasedAt: Date;
}

const COLUMNS =
  'name as "table", partition, "offset", line, reason, parked_at as "parkedAt", asked, asked_by as "askedBy", asked_at as "askedAt"';

/** All parked tables, the longest parked first. */
export async function parked(pool: WriterPool): Promise<ParkedTable[]> {
  return pool.query<ParkedTable & Record<string, unknown>>(
    'parked',
    `select ${COLUMNS} from ${pool.sql}.parked order by parked_at, "table"`,
  );
}

/** The parked tables of some partitions about which somebody asked something that is not yet done. */
export async function asked(
  pool: WriterPool,
  partitions: readonly number[],
): Promise<(ParkedTable & { readonly asked: ParkedAsk })[]> {
  return pool.query<ParkedTable & { readonly asked: ParkedAsk } & Record<string, unknown>>(
    'asked',
    `select ${COLUMNS} from ${pool.sql}.parked where partition = any($1::int[]) and asked is not null order by asked_at, "table"`,
    [partitions],
  );
}

/** Asks for a table to be retried or released by whoever owns its partition; a later asking replaces one not yet done. False where the table is not parked. */
export async function askParked(
  pool: WriterPool,
  table: string,
  what: ParkedAsk,
  by: string,
): Promise<boolean> {
  const found = await pool.query(
    'ask-parked',
    `update ${pool.sql}.parked set asked = $2, asked_by = $3, asked_at = clock_timestamp() where "table" = $1 returning 1`,
    [keyOf(table), what, by],
  );
  return found.length > 0;
}

/** The events of a partition that are left out, in order. Whoever folds it, from wherever, leaves out the same. */
export async function released(pool: WriterPool, partition: number): Promise<ReleasedEvent[]> {
  return pool.query<ReleasedEvent & Record<string, unknown>>(
    'released',
    `select "table", partition, "offset", line, reason, released_by as "releasedBy", released_at as "releasedAt"
     from ${pool.sql}.released where partition = $1 order by "offset", line`,
    [partition],
  );
}

/** Ends the parking of a table; where it was released, the event is from now on left out. */
export const unparking = (schema: string, table: string): Statement => ({
  name: 'unpark',
  text: `with unparked as (delete from ${schema}.parked where "table" = $1 returning *)
     insert into ${schema}.released (partition, "offset", line, "table", reason, released_by, released_at)
     select partition, "offset", line, name, reason, asked_by, asked_at from unparked where asked = 'release'
     on conflict do nothing`,
  values: [keyOf(table)],
});
