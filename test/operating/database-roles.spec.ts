import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { rebuildRows, startAuditor, type RunningAuditor } from '#auditor';
import { SILENT } from '#server';
import { LOG_ROLE, openLog, type EventLog } from '#event-log';
import { API_ROLE, AUDITOR_ROLE, migrate, RowStore } from '#read-model';
import { migrateSeal, SEALER_ROLE } from '#seal-store';
import { sealingSettings, startSealer, type RunningSealer } from '#sealer';
import { Environment } from '#process';
import { migrateAccess } from '#api';
import { EmbeddedCluster } from '../../apps/standalone/src/postgres/embedded-cluster.js';
import { built } from '../cli/shoeprint.js';
import { serverEnvironment } from '../kit/answers.js';
import { startApi, type TestApi } from '../kit/api.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { card, lineOf, BATCH } from '../api/ingest/events-app.js';

const run = promisify(execFile);
const PARTITIONS = 2;
const DAYS = [{ from: '2000-01-01', zone: 'UTC', cutover: '00:00' }];
const page = readFileSync('docs/operating/database-roles.md', 'utf8');
const statements = (/```sql\n([^`]*)```/.exec(page)?.[1] ?? '').split(';').filter((s) => s.trim());
const passwords = new Map(
  statements.flatMap((sql) => {
    const [, role, password] = /create role (\w+) login password '([^']+)'/.exec(sql) ?? [];
    return role && password ? [[role, password] as const] : [];
  }),
);
const REFUSED = '42501';

const dir = mkdtempSync(join(tmpdir(), 'shoeprint-roles-'));
const cluster = new EmbeddedCluster({ dir, database: 'postgres', ephemeral: true });

/** Returns the address of the database for a role. */
function urlOf(role: string): string {
  const url = new URL(cluster.url);
  url.pathname = '/shoeprint';
  url.username = role;
  url.password = passwords.get(role) ?? '';
  return url.href;
}
const owner = 'shoeprint_owner';

/** Runs a statement in a session of its own. */
async function query(url: string, sql: string, values?: unknown[]): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  return client.query(sql, values).finally(() => client.end());
}

/** Returns the code of PostgreSQL for which a role may not run a statement. */
const refusal = (role: string, sql: string): Promise<string | undefined> =>
  query(urlOf(role), sql).then(
    () => undefined,
    (error: unknown) => (error as { code?: string }).code,
  );

let log: EventLog;
let auditorsLog: EventLog;
let api: TestApi;
let auditor: RunningAuditor;
let sealersLog: EventLog;
let sealer: RunningSealer;
/** What PostgreSQL answered to each program before the owner had migrated. */
const early: string[] = [];

beforeAll(async () => {
  built();
  await cluster.start();
  for (const sql of statements) await query(cluster.url, sql);
  for (const attempt of [
    migrateAccess(urlOf(API_ROLE)),
    migrate(urlOf(AUDITOR_ROLE)),
    migrateSeal(urlOf(SEALER_ROLE)),
  ])
    await attempt.catch((error: unknown) => early.push((error as Error).message));
  await run(process.execPath, ['dist/apps/api/src/main.js', 'migrate'], {
    env: serverEnvironment({
      DATABASE_URL: urlOf(owner),
      SHOEPRINT_PARTITIONS: String(PARTITIONS),
    }),
  });
  log = await openLog({ kind: 'postgres', url: urlOf(API_ROLE), partitions: PARTITIONS });
  api = await startApi({ log, databaseUrl: urlOf(API_ROLE) });
  auditorsLog = await openLog({
    kind: 'postgres',
    url: urlOf(AUDITOR_ROLE),
    partitions: PARTITIONS,
  });
  auditor = await startAuditor({
    log: auditorsLog,
    databaseUrl: urlOf(AUDITOR_ROLE),
    book: BOOK,
    gamingDays: DAYS,
    journal: SILENT,
  });
  sealersLog = await openLog({
    kind: 'postgres',
    url: urlOf(SEALER_ROLE),
    partitions: PARTITIONS,
  });
  sealer = await startSealer({
    log: sealersLog,
    databaseUrl: urlOf(SEALER_ROLE),
    settings: {
      ...sealingSettings(new Environment({ SHOEPRINT_SITE: 'shoeprint.example/roles' }), dir),
      rhythm: { everyMs: 100, records: 1_000, graceMs: 0 },
    },
    gamingDays: DAYS,
    journal: SILENT,
  });
}, 120_000);
afterAll(async () => {
  await api?.close();
  await auditor?.close();
  await sealer?.close();
  await sealersLog?.close();
  await auditorsLog?.close();
  await log?.close();
  await cluster.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Records an event and waits until it is in the rows that the api reads. */
async function judged(table: string): Promise<void> {
  const sent = await api.app.inject({
    method: 'POST',
    url: '/v1/events',
    headers: { authorization: `Bearer ${await api.device()}`, 'content-type': BATCH },
    payload: `[${lineOf(card({ table }))}]`,
  });
  expect(sent.statusCode).toBe(202);
  const person = await api.person('compliance');
  await eventually('the table in the rows', async () => {
    const { lines } = (await api.send('GET', '/v1/tables', person)).json<{
      lines: { table: string }[];
    }>();
    return lines.some((line) => line.table === table);
  });
}

describe('the database roles of docs/operating/database-roles.md', () => {
  it('keep the programs from starting until the owner has migrated', () => {
    expect(early).toEqual([
      expect.stringMatching(/the schema "access" must be created or migrated.*main\.js migrate/),
      expect.stringMatching(/the schema "rows" must be created or migrated.*main\.js migrate/),
      expect.stringMatching(/the schema "seal" must be created or migrated.*main\.js migrate/),
    ]);
  });

  it('let an api and an auditor record, judge and answer, and the owner rebuild beside them', async () => {
    await judged('ROLES-1');
    const report = await rebuildRows({
      log,
      databaseUrl: urlOf(owner),
      book: BOOK,
      gamingDays: DAYS,
    });
    expect(report.swapped).toBe(true);
    await judged('ROLES-2');
    expect((await log.health()).notes.join()).not.toMatch(/only triggers/);
  }, 60_000);

  it('let a sealer seal what an api records, and the api read it', async () => {
    await judged('ROLES-3');
    await eventually('a seal', async () => ((await sealer.checkpoint())?.size ?? 0) >= 2);
    const { rows } = await query(urlOf(API_ROLE), 'select count(*)::int as seals from seal.entry');
    expect(rows[0]).not.toEqual({ seals: 0 });
  });

  it('let the sealer append to the record of the house, and to no table by any way', async () => {
    const append = (key: string): Promise<unknown> =>
      sealersLog.append({
        partition: 0,
        urgency: 'live',
        records: [{ key, value: Buffer.from('{}') }],
      });
    // the keys that the statements below name, and nobody else has used
    const others = async (): Promise<unknown> =>
      (await query(urlOf(owner), `select key from log.record where key in ('B07', '@HOUSE')`)).rows;
    expect(await others()).toEqual([]);
    await append('@house');
    await expect(append('B07')).rejects.toThrow('may append under the key @house only');
    const call = (keys: string): string =>
      `select log.append('{0}', '{2}', '{1,1}', '{0,1}', ${keys}, '{1,2}', '{1,1}', 'xy')`;
    for (const sql of [
      call(`'{B07,B07}'`),
      call(`'{@house,B07}'`),
      call(`'{@HOUSE,@house}'`),
      `set role ${LOG_ROLE}; ${call(`'{@house,B07}'`)}`,
      `set role ${LOG_ROLE}; set session role none; ${call(`'{B07,@house}'`)}`,
      `begin; set local search_path = pg_temp; ${call(`'{B07,@house}'`)}; commit`,
      `set session authorization ${API_ROLE}`,
      `set role ${API_ROLE}`,
      `set role ${owner}`,
      'delete from log.limited',
      `update log.limited set key = 'B07'`,
      `insert into log.limited values ('x', 'y')`,
      'drop table log.limited',
      `insert into log.record values (0, 999, 'B07', '')`,
      'create or replace function log.append(integer[]) returns int language sql as $$ select 1 $$',
      `create function pg_temp.f() returns int language sql security definer as $$ select 1 $$`,
    ])
      expect({ sql, code: await refusal(SEALER_ROLE, sql) }).toEqual({ sql, code: REFUSED });
    expect(await refusal(SEALER_ROLE, call(`'{@house}'`))).toBe('23502');
    expect(await refusal(SEALER_ROLE, call('null'))).toBe('23502');
    expect(await others()).toEqual([]);
    expect(await refusal(API_ROLE, call(`'{B07,B07}'`))).toBeUndefined();
  });

  it('let the api decide about parked tables and stopped partitions', async () => {
    await query(
      urlOf(owner),
      `insert into rows.parked ("table", name, partition, "offset", line, reason, parked_at)
       values ('P', 'P', 1, 1, 1, 'why', now());
       update rows.position set stopped_at = now(), stopped_offset = 1, stopped_reason = 'why', owner = null where partition = 1`,
    );
    const decisions = RowStore.open(urlOf(API_ROLE), { poolSize: 1 });
    expect(await decisions.askParked('P', 'release', 'person/x')).toBe(true);
    expect(await decisions.resumePartition(1)).toBe(true);
    await query(
      urlOf(owner),
      `update rows.position
       set stopped_at = now(), stopped_offset = 1, stopped_line = 0, stopped_reason = 'why',
         owner = null
       where partition = 1`,
    );
    const { text, values } = decisions.passing({
      ...{ partition: 1, offset: 1, sha256: 'ab'.repeat(32), size: 1, key: 'P' },
      ...{ reason: 'a test', passedBy: 'person/x' },
    });
    await query(urlOf(API_ROLE), text, values);
    expect(await decisions.passed(1)).toHaveLength(1);
    await query(urlOf(owner), 'delete from rows.passed_record');
    await decisions.close();
  });

  it.each<[string, readonly string[]]>([
    [
      'the api from writing rows, positions or the log, and from owning anything',
      [
        'delete from rows.finding',
        'update rows.coup set detail = detail',
        'insert into rows.member (owner, seen_at) values (1, now())',
        'update rows.position set next = 0',
        `update rows.position set owner = 'x'`,
        'delete from rows.parked',
        `update rows.parked set reason = ''`,
        `insert into rows.released select 1, 1, 1, 't', 'r', 'b', now()`,
        `update rows.passed_record set reason = ''`,
        'delete from rows.passed_record',
        'truncate rows.finding',
        'insert into log.record values (0, 0, 1, null)',
        'update log.partition set next = 0',
        'alter table log.record disable trigger all',
        'drop table rows.finding',
        'create table rows.mine ()',
        'create table access.mine ()',
        'create schema mine',
        'create table public.mine ()',
        'create temporary table mine ()',
        `update access.migration set name = ''`,
      ],
    ],
    [
      'the auditor from reading accounts, and from owning anything',
      [
        'select password_hash from access.account',
        'select * from access.session',
        'select * from access.device_key',
        `update access.account set roles = '{admin}'`,
        `insert into rows.passed_record select 1, 1, 'd', 1, 'k', 'f', 'r', 'b', now()`,
        'delete from rows.passed_record',
        'delete from log.record',
        'update log.partition set next = 0',
        'alter table rows.finding add column mine int',
        'truncate rows.finding',
        'create schema mine',
        'create table rows.mine ()',
        `delete from rows.migration`,
      ],
    ],
    [
      'the sealer from changing what was sealed, and from rows, accounts and the log',
      [
        'update seal.entry set text = text',
        'delete from seal.entry',
        'update seal.tile set root = root',
        'delete from seal.tile',
        'update seal.tail set hashes = hashes',
        'update seal.checkpoint set note = note',
        'delete from seal.grown',
        'delete from seal.position',
        'truncate seal.tail',
        'update seal.outbox set line = line',
        'select * from rows.finding',
        'select password_hash from access.account',
        'delete from log.record',
        'update log.partition set next = 0',
        'create schema mine',
        'delete from seal.migration',
      ],
    ],
    [
      'the owner from the rest of the server',
      [
        'alter role shoeprint_api superuser',
        'create role mine',
        'create database mine',
        'select rolpassword from pg_authid',
      ],
    ],
  ])('keep %s', async (who, forbidden) => {
    const role = who.startsWith('the api')
      ? API_ROLE
      : who.startsWith('the auditor')
        ? AUDITOR_ROLE
        : who.startsWith('the sealer')
          ? SEALER_ROLE
          : owner;
    const outside = [
      `copy (select 'x') to '/tmp/shoeprint-never'`,
      `copy (select 'x') to program 'true'`,
      `select pg_read_file('/etc/passwd')`,
      'set role app',
    ];
    for (const sql of [...forbidden, ...outside])
      expect({ sql, code: await refusal(role, sql) }).toEqual({ sql, code: REFUSED });
  });

  it('are not superusers, and the programs’ roles own nothing', async () => {
    const { rows } = await query(
      urlOf(owner),
      `select rolname as role,
         rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as strong,
         exists (select from pg_class where relowner = r.oid)
           or exists (select from pg_namespace where nspowner = r.oid) as owns
       from pg_roles r where rolname like 'shoeprint%' order by 1`,
    );
    expect(rows).toEqual([
      { role: API_ROLE, strong: false, owns: false },
      { role: AUDITOR_ROLE, strong: false, owns: false },
      { role: LOG_ROLE, strong: false, owns: false },
      { role: owner, strong: false, owns: true },
      { role: SEALER_ROLE, strong: false, owns: false },
    ]);
  });
});
