import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { LogRefused } from '../port.js';

/** What a log in PostgreSQL is: a number of its own, and how many partitions it has for life. */
export interface LogIdentity {
  readonly id: string;
  readonly partitions: number;
}

/** The role that the log's sessions work under: it may append through the function, and read. */
export const LOG_ROLE = 'shoeprint_log';
/** The channel that wakes followers in other processes. */
export const WAKE_CHANNEL = 'shoeprint_log';

const SCHEMA_VERSION = 1;
/** Any number, as long as it is always the same: two processes that start at once make one schema. */
const INSTALL_LOCK = 0x5e0e_9217;

const TABLES = `
create schema log;

create table log.identity (
  one boolean primary key default true check (one),
  id uuid not null,
  partitions integer not null check (partitions > 0),
  version integer not null
);

-- The offset that the next record of a partition gets. A row and no sequence: a sequence moves on when a transaction fails,
-- and what is behind a hole may be committed before what is in it.
create table log.partition (
  partition integer primary key check (partition >= 0),
  next bigint not null default 0 check (next >= 0)
) with (fillfactor = 10);

create table log.record (
  partition integer not null,
  "offset" bigint not null check ("offset" >= 0),
  key text not null,
  value bytea not null,
  primary key (partition, "offset")
);
`;

/**
 * One statement appends to several partitions, and is a transaction of its own. Rows of log.partition stay locked until it
 * has committed, so the order of offsets is the order of commits, and whoever sees an offset sees all before it.
 */
const APPEND = `
create function log.append(partitions integer[], counts integer[], batches integer[], nths integer[], keys text[], starts integer[], lengths integer[], bytes bytea)
returns bigint[] language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
#variable_conflict use_column
declare
  firsts bigint[];
begin
  -- "off" answers before the record is on disk, "local" before it is on the standby that the server waits for.
  if current_setting('synchronous_commit') in ('off', 'local') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  -- In the order of their numbers, so that two appends never wait for each other in a ring.
  perform from log.partition p where p.partition = any (append.partitions) order by p.partition for update;
  with advanced as (
    update log.partition p set next = p.next + b.count
    from unnest(append.partitions, append.counts) as b (partition, count) where p.partition = b.partition
    returning p.partition, p.next - b.count as first
  )
  select array_agg(a.first order by b.nth) into firsts
  from unnest(append.partitions) with ordinality as b (partition, nth) join advanced a on a.partition = b.partition;
  if cardinality(firsts) is distinct from cardinality(append.partitions) then
    raise exception 'there is no such partition among %', append.partitions using errcode = 'invalid_parameter_value';
  end if;
  insert into log.record (partition, "offset", key, value)
  select append.partitions[r.batch], firsts[r.batch] + r.nth, r.key, substring(append.bytes from r.start for r.length)
  from unnest(append.batches, append.nths, append.keys, append.starts, append.lengths) as r (batch, nth, key, start, length);
  perform pg_notify('${WAKE_CHANNEL}', '');
  return firsts;
end
$body$;
revoke execute on function log.append from public;
`;

/** The record is never edited: not by a slip, and not by its owner either, without first taking the triggers away. */
const TRIGGERS = `
create function log.refuse() returns trigger language plpgsql as $body$
begin
  raise exception '% of log.% is refused: the log is append-only', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end
$body$;
create function log.only_forward() returns trigger language plpgsql as $body$
begin
  if new.partition <> old.partition or new.next < old.next then
    raise exception 'log.partition only goes forward' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$body$;
create trigger append_only before update or delete or truncate on log.record for each statement execute function log.refuse();
create trigger append_only before update or delete or truncate on log.identity for each statement execute function log.refuse();
create trigger append_only before delete or truncate on log.partition for each statement execute function log.refuse();
create trigger only_forward before update on log.partition for each row execute function log.only_forward();
alter table log.record enable always trigger append_only;
alter table log.identity enable always trigger append_only;
alter table log.partition enable always trigger append_only;
alter table log.partition enable always trigger only_forward;
`;

/**
 * Values stay compressed (storage "extended"), by lz4 where the server has it. Measured on the embedded server, which has only
 * pglz, with blocks of 200 events in 60 kB: pglz 80 to 87 MB/s in, 153 out, a ninth of the bytes on disk and in the write-ahead
 * log; uncompressed ("external") 74 to 100 in, 170 out. The log is kept for ever, so the ninth decides.
 */
const COMPRESS = `
do $body$
begin
  if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) then
    alter table log.record alter column value set compression lz4;
  end if;
end
$body$;
`;

const GRANT = `
grant usage on schema log to ${LOG_ROLE};
grant select on log.identity, log.partition, log.record to ${LOG_ROLE};
grant execute on function log.append to ${LOG_ROLE};
`;

/**
 * Makes the schema `log` where it is not there, in one transaction, and says what log it is. Throws `LogRefused` where the log has another
 * number of partitions, which is set for life, or is of a version that this program does not know.
 */
export async function installLog(client: ClientBase, partitions: number): Promise<LogIdentity> {
  const found = (await identityOf(client)) ?? (await make(client, partitions));
  if (found.partitions !== partitions)
    throw new LogRefused(
      `SHOEPRINT_PARTITIONS: the log has ${found.partitions} partitions, which is set for life; ${partitions} are asked for`,
    );
  return found;
}

/** What log it is, if there is one. */
export async function identityOf(client: ClientBase): Promise<LogIdentity | undefined> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    `select to_regclass('log.identity') is not null as there`,
  );
  if (!tables[0]?.there) return undefined;
  const { rows } = await client.query<LogIdentity & { version: number }>(
    'select id, partitions, version from log.identity',
  );
  const found = rows[0];
  if (!found) throw new Error('the schema "log" holds no log: log.identity is empty');
  if (found.version !== SCHEMA_VERSION)
    throw new LogRefused(
      `the schema "log" is of version ${found.version}; this program knows ${SCHEMA_VERSION}`,
    );
  return { id: found.id, partitions: found.partitions };
}

async function make(client: ClientBase, partitions: number): Promise<LogIdentity> {
  // Of the session and not of the transaction: a session hears at the start of a transaction what others have made, not at a lock.
  await client.query('select pg_advisory_lock($1)', [INSTALL_LOCK]);
  await client.query('begin');
  try {
    const found = (await identityOf(client)) ?? (await makeAll(client, partitions));
    await client.query('commit');
    return found;
  } catch (error) {
    await client.query('rollback').catch(() => undefined); // the first error says why
    throw error;
  } finally {
    await client.query('select pg_advisory_unlock($1)', [INSTALL_LOCK]).catch(() => undefined); // the session ends, and the lock with it
  }
}

async function makeAll(client: ClientBase, partitions: number): Promise<LogIdentity> {
  for (const part of [TABLES, COMPRESS, APPEND, TRIGGERS]) await client.query(part);
  if (await hasRole(client)) await client.query(GRANT);
  const id = randomUUID();
  await client.query(
    'insert into log.partition (partition) select generate_series(0, $1::int - 1)',
    [partitions],
  );
  await client.query('insert into log.identity (id, partitions, version) values ($1, $2, $3)', [
    id,
    partitions,
    SCHEMA_VERSION,
  ]);
  return { id, partitions };
}

/** Makes the role where it is not there. Whether it is there now; a user who may make no roles is no reason to have no log. */
async function hasRole(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean; may: boolean }>(
    `select exists (select from pg_roles where rolname = $1) as there, rolcreaterole or rolsuper as may from pg_roles where rolname = current_user`,
    [LOG_ROLE],
  );
  const { there, may } = rows[0] as { there: boolean; may: boolean };
  if (there || !may) return there;
  await client.query('savepoint role');
  try {
    await client.query(`create role ${LOG_ROLE} nologin`);
    await client.query(`grant ${LOG_ROLE} to current_user`);
  } catch (error) {
    // Another database of the same server makes it at the same moment: roles belong to the server.
    await client.query('rollback to savepoint role');
    if (!['42710', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
  }
  return true;
}
