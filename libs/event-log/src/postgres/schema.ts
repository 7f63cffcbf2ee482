import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { errorCode } from '#process';
import { LogRefused } from '../port.js';

/** Identity of a log in PostgreSQL. Its number of partitions never changes. */
export interface LogIdentity {
  readonly id: string;
  readonly partitions: number;
}

/** The role of the log's sessions. It may append through the function, and read. */
export const LOG_ROLE = 'shoeprint_log';
/** The channel that wakes followers in other processes. */
export const WAKE_CHANNEL = 'shoeprint_log';

const SCHEMA_VERSION = 1;
/** Any constant. It makes two processes that start at once create one schema. */
const INSTALL_LOCK = 0x5e0e_9217;

const TABLES = `
create schema log;

create table log.identity (
  one boolean primary key default true check (one),
  id uuid not null,
  partitions integer not null check (partitions > 0),
  version integer not null
);

-- The offset of the partition's next record. It is a row, not a sequence: a sequence advances even
-- if the transaction fails, and a later offset could commit before an earlier one.
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

/** Users who may append under one key only. Their sessions cannot get around it: see `APPEND`. */
const LIMITED = `
create table log.limited (
  role name primary key,
  key text not null
);
`;

/**
 * Appends to several partitions in one statement, which is its own transaction. It locks the rows
 * of log.partition until it commits, so offsets follow the order of commits, and a reader that sees
 * an offset also sees all earlier ones.
 */
const APPEND = `
create or replace function log.append(
  partitions integer[], counts integer[], batches integer[], nths integer[], keys text[],
  starts integer[], lengths integer[], bytes bytea)
returns bigint[] language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
#variable_conflict use_column
declare
  firsts bigint[];
  only_key text;
begin
  -- The user who signed in: "set role" does not change it.
  select l.key into only_key from log.limited l where l.role = session_user;
  if only_key <> any (append.keys) then
    raise exception '% may append under the key % only', session_user, only_key
      using errcode = 'insufficient_privilege';
  end if;
  -- With "off" the server answers before the record is on disk, with "local" before it is on a
  -- synchronous standby.
  if current_setting('synchronous_commit') in ('off', 'local') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  -- Locks the rows in the order of their numbers, so that two appends cannot deadlock.
  perform from log.partition p where p.partition = any (append.partitions)
    order by p.partition for update;
  with advanced as (
    update log.partition p set next = p.next + b.count
    from unnest(append.partitions, append.counts) as b (partition, count)
    where p.partition = b.partition
    returning p.partition, p.next - b.count as first
  )
  select array_agg(a.first order by b.nth) into firsts
  from unnest(append.partitions) with ordinality as b (partition, nth)
  join advanced a on a.partition = b.partition;
  if cardinality(firsts) is distinct from cardinality(append.partitions) then
    raise exception 'there is no such partition among %', append.partitions
      using errcode = 'invalid_parameter_value';
  end if;
  insert into log.record (partition, "offset", key, value)
  select append.partitions[r.batch], firsts[r.batch] + r.nth, r.key,
    substring(append.bytes from r.start for r.length)
  from unnest(append.batches, append.nths, append.keys, append.starts, append.lengths)
    as r (batch, nth, key, start, length);
  perform pg_notify('${WAKE_CHANNEL}', '');
  return firsts;
end
$body$;
revoke execute on function log.append from public;
`;

/** Rejects every edit of the record, even by its owner, as long as the triggers are enabled. */
const TRIGGERS = `
create function log.refuse() returns trigger language plpgsql as $body$
begin
  raise exception '% of log.% is refused: the log is append-only', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
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
create trigger append_only before update or delete or truncate on log.record
  for each statement execute function log.refuse();
create trigger append_only before update or delete or truncate on log.identity
  for each statement execute function log.refuse();
create trigger append_only before delete or truncate on log.partition
  for each statement execute function log.refuse();
create trigger only_forward before update on log.partition
  for each row execute function log.only_forward();
alter table log.record enable always trigger append_only;
alter table log.identity enable always trigger append_only;
alter table log.partition enable always trigger append_only;
alter table log.partition enable always trigger only_forward;
`;

/**
 * Keeps values compressed (storage "extended"), with lz4 if the server has it. Measured on the
 * embedded server, which has only pglz, with blocks of 200 events in 60 kB: pglz writes 80 to 87
 * MB/s, reads 153 MB/s, and takes a ninth of the bytes on disk and in the write-ahead log.
 * Uncompressed values ("external") write 74 to 100 MB/s and read 170 MB/s. The log is kept forever,
 * so its size decides.
 */
const COMPRESS = `
do $body$
begin
  if exists (
    select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)
  ) then
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
 * Creates the schema `log` in one transaction if it is missing, and returns the log's identity.
 * Grants what the log's role needs, if that was made later.
 * Throws `LogRefused` if the log has another number of partitions, which never changes, or a
 * version that this program does not know.
 */
export async function installLog(client: ClientBase, partitions: number): Promise<LogIdentity> {
  const standing = await logIdentityOf(client);
  if (standing && (await lacksLimits(client))) await addLimits(client);
  if (standing && (await lacksGrant(client))) await client.query(GRANT);
  const found = standing ?? (await make(client, partitions));
  if (found.partitions !== partitions)
    throw new LogRefused(
      `SHOEPRINT_PARTITIONS: the log has ${found.partitions} partitions, not ${partitions}: their number cannot change`,
    );
  return found;
}

/** Returns the identity of the log in this database, or undefined if it has no log. */
export async function logIdentityOf(client: ClientBase): Promise<LogIdentity | undefined> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    `select to_regclass('log.identity') is not null as there`,
  );
  if (!tables[0]?.there) return undefined;
  const { rows } = await client.query<LogIdentity & { version: number }>(
    'select id, partitions, version from log.identity',
  );
  const found = rows[0];
  if (!found) throw new Error('the schema "log" has no identity: log.identity is empty');
  if (found.version !== SCHEMA_VERSION)
    throw new LogRefused(
      `the schema "log" has version ${found.version}; this program supports version ${SCHEMA_VERSION}`,
    );
  return { id: found.id, partitions: found.partitions };
}

async function make(client: ClientBase, partitions: number): Promise<LogIdentity> {
  // This lock belongs to the session, not to the transaction: a transaction sees what others
  // committed before it began, so it must begin after the lock is taken.
  await client.query('select pg_advisory_lock($1)', [INSTALL_LOCK]);
  await client.query('begin');
  try {
    const found = (await logIdentityOf(client)) ?? (await makeAll(client, partitions));
    await client.query('commit');
    return found;
  } catch (error) {
    await client.query('rollback').catch(() => undefined); // the first error says why
    throw error;
  } finally {
    // If this fails, the session ends and the lock with it.
    await client.query('select pg_advisory_unlock($1)', [INSTALL_LOCK]).catch(() => undefined);
  }
}

async function makeAll(client: ClientBase, partitions: number): Promise<LogIdentity> {
  for (const part of [TABLES, COMPRESS, LIMITED, APPEND, TRIGGERS]) await client.query(part);
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

/** Returns whether the log was made before some users were limited to a key, and this user owns it. */
async function lacksLimits(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ lacks: boolean }>(
    `select pg_has_role(nspowner, 'usage') and to_regclass('log.limited') is null as lacks
     from pg_namespace where nspname = 'log'`,
  );
  return rows[0]?.lacks === true;
}

async function addLimits(client: ClientBase): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [INSTALL_LOCK]);
  try {
    if (await lacksLimits(client)) await client.query(`begin; ${LIMITED} ${APPEND} commit`);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [INSTALL_LOCK]);
  }
}

/** Returns whether the role was made after the log, and the user owns the log and may grant. */
async function lacksGrant(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ lacks: boolean }>(
    `select pg_has_role(n.nspowner, 'usage')
       and not has_schema_privilege(r.oid, n.oid, 'usage') as lacks
     from pg_namespace n, pg_roles r where n.nspname = 'log' and r.rolname = $1`,
    [LOG_ROLE],
  );
  return rows[0]?.lacks === true;
}

/**
 * Creates the role if it is missing and the user may create roles. Returns whether the role exists.
 * A log without the role still works.
 */
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
    // Roles belong to the server, so a process that uses another database may create the role at
    // the same moment.
    await client.query('rollback to savepoint role');
    if (!['42710', '23505'].includes(errorCode(error) ?? '')) throw error;
  }
  return true;
}
