import { keyOf } from '../database/schema-keys.js';
import { PARKED, RELEASED, type ParkedRow, type ReleasedRow } from '../entities/index.js';
import type { ParkedEvent } from './batch.js';
import type { WriterPool } from './pool.js';
import { upsert, type Statement } from './statements.js';

/**
 * The request about a parked table: `retry` the event, or `release` the table and continue without
 * the event.
 */
export type ParkedAsk = NonNullable<ParkedRow['asked']>;

/** A parked table by its full id, with the pending request. */
export type ParkedTable = Omit<ParkedRow, 'name'>;

const COLUMNS = `p.name as "table", ${PARKED.select('p', ['partition', 'offset', 'line', 'reason', 'parkedAt', 'asked', 'askedBy', 'askedAt'])}`;

/** Returns all parked tables, in order of their ids. */
export const parked = (pool: WriterPool): Promise<ParkedTable[]> =>
  pool.query<ParkedTable>(
    'parked',
    `select ${COLUMNS} from ${pool.sql}.parked p order by p."table"`,
  );

/**
 * Returns the parked tables of some partitions that have a pending request, the oldest request
 * first.
 */
export const asked = (pool: WriterPool, partitions: readonly number[]): Promise<ParkedTable[]> =>
  pool.query<ParkedTable>(
    'asked',
    `select ${COLUMNS} from ${pool.sql}.parked p where p.partition = any($1::int[]) and p.asked is not null order by p.asked_at, p."table"`,
    [partitions],
  );

/**
 * Returns the statement that requests the retry or release of a table from the owner of its
 * partition. Replaces a pending request. Returns no row if the table is not parked.
 */
export const askingParked = (
  schema: string,
  table: string,
  what: ParkedAsk,
  by: string,
): Statement => ({
  name: 'ask-parked',
  text: `update ${schema}.parked set asked = $2, asked_by = $3, asked_at = clock_timestamp()
     where "table" = $1 returning 1`,
  values: [keyOf(table), what, by],
});

/** Returns the released events of a partition, in order. Every fold of the partition skips them. */
export const released = (pool: WriterPool, partition: number): Promise<ReleasedRow[]> =>
  pool.query<ReleasedRow>(
    'released',
    `select ${RELEASED.select('r', ['table', 'partition', 'offset', 'line', 'reason', 'releasedBy', 'releasedAt'])}
     from ${pool.sql}.released r where r.partition = $1 order by r."offset", r.line`,
    [partition],
  );

/** Returns the statement that parks tables. Parking a table again clears its request. */
export const parking = (schema: string, events: readonly ParkedEvent[]): Statement | undefined =>
  upsert(
    schema,
    PARKED,
    events.map((event) => ({ ...event, name: event.table })),
    {
      parked_at: 'clock_timestamp()',
      asked: 'null',
      asked_by: 'null',
      asked_at: 'null::timestamptz',
    },
  );

/**
 * Returns the statement that ends the parking of a table. If the request was a release, it also
 * records the event as released.
 */
export const unparking = (schema: string, table: string): Statement => ({
  name: 'unpark',
  text: `with unparked as (delete from ${schema}.parked where "table" = $1 returning *)
     insert into ${schema}.released
       (partition, "offset", line, "table", reason, released_by, released_at)
     select partition, "offset", line, name, reason, asked_by, asked_at from unparked where asked = 'release'
     on conflict do nothing`,
  values: [keyOf(table)],
});
