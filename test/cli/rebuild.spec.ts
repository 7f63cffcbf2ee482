import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { simulate } from '#audit';
import { Rebuild } from '#read-model';
import { DAYS } from '../auditor/floor.js';
import { System, PARTITIONS } from '../faults/system.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { rounds } from '../kit/rounds.js';
import { built } from './shoeprint.js';
import { endAll, START_MS, Started } from './serving.js';

let system: System;
/** Shoes at each of the first three tables. */
const SHOES = rounds(8);

const linesOf = (table: string, shoes: number): string[] => [
  ...simulate({
    rules: BOOK.get('punto-banco@1') as never,
    seed: `rebuild ${table}`,
    shoes,
    table,
    bets: true,
    faults: ['TC-05', 'PY-03', 'CM-06'],
  }).lines,
];

async function send(lines: readonly string[]): Promise<void> {
  for (let at = 0; at < lines.length; at += 2_000) {
    const body = lines.slice(at, at + 2_000);
    const answer = await fetch(`${system.urls[0]}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${system.key}`, 'content-type': 'application/x-ndjson' },
      body: body.join('\n'),
    });
    if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  }
}

/** Waits until the rows hold everything sent. */
const caughtUp = (): Promise<unknown> =>
  eventually(
    'all that was sent in the rows',
    async () => {
      const [row] = await system.query<{ behind: number | null }>(
        'select sum(l.next - p.next)::int as behind from log.partition l join rows.position p using (partition)',
      );
      return row?.behind === 0;
    },
    START_MS,
  );

/** Returns all rows of these tables, without when and by whom they were written. */
async function rowsOf(...tables: string[]): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  for (const name of [
    'table_state',
    'shoe',
    'coup',
    'finding',
    'ledger',
    'commission',
    'dealt',
    'bet_total',
    'device',
  ]) {
    const found = await system.query(
      `select to_jsonb(t)
         - array['snapshot','snapshot_next','snapshot_waits','generation','committed_at'] as row
       from rows.${name} t
       where coalesce(to_jsonb(t)->>'table', (select s."table" from rows.shoe s where s.ref = to_jsonb(t)->>'shoe_ref')) = any($1) order by 1`,
      [tables],
    );
    rows[name] = found.map(({ row }) => row as unknown);
  }
  return rows;
}

const env = (): NodeJS.ProcessEnv => ({
  DATABASE_URL: system.postgres.url,
  SHOEPRINT_PARTITIONS: String(PARTITIONS),
  SHOEPRINT_GAMING_DAY: JSON.stringify(DAYS),
});
const rebuild = (...more: string[]): Started =>
  Started.shoeprint(['rebuild', 'rows', ...more], env());
/** Returns the lines of its log, each as level and message. */
const told = (started: Started): Record<string, unknown>[] =>
  started.said
    .trim()
    .split('\n')
    .map((line) => {
      const { level, message } = JSON.parse(line) as { level: string; message: string | object };
      return { level, ...(typeof message === 'string' ? { message } : message) };
    });
const isMade = async (schema: string): Promise<boolean> =>
  (
    await system.query('select from pg_tables where schemaname = $1 and tablename = $2', [
      schema,
      'position',
    ])
  ).length > 0;

beforeAll(async () => {
  built();
  system = await System.start({ log: 'postgres' });
  await Promise.all(['B01', 'B02', 'B03'].map((table) => send(linesOf(table, SHOES))));
  await caughtUp();
}, 3 * START_MS);
afterAll(async () => {
  await endAll();
  await system.close();
});

describe('shoeprint rebuild rows', () => {
  it(
    'swaps in equal rows while events keep arriving, and the auditor continues by itself',
    async () => {
      const before = await rowsOf('B01', 'B02', 'B03');
      expect(before.coup?.length).toBeGreaterThan(150 * SHOES);
      const [{ oid } = { oid: 0 }] = await system.query<{ oid: number }>(
        `select oid::int from pg_namespace where nspname = 'rows'`,
      );
      const rebuilding = rebuild();
      let isOver = false;
      void rebuilding.ended.then(() => (isOver = true));
      const more = linesOf('B04', 3 * SHOES);
      let at = 0;
      for (; !isOver && at < more.length; at += 200) await send(more.slice(at, at + 200));
      expect(await rebuilding.ended).toBe(0);
      expect(at).toBeGreaterThan(0);
      expect(
        await system.query(`select from pg_namespace where nspname in ('rows_next', 'rows_old')`),
      ).toEqual([]);
      expect(
        (
          await system.query<{ oid: number }>(
            `select oid::int from pg_namespace where nspname = 'rows'`,
          )
        )[0]?.oid,
      ).not.toBe(oid);
      await send(more.slice(at, at + 200));
      await caughtUp();
      expect(await rowsOf('B01', 'B02', 'B03')).toEqual(before);
      const [table] = await system.query<{ read: string }>(
        `select read from rows.table_state where "table" = 'B04'`,
      );
      expect(Number(table?.read)).toBe(Math.min(at + 200, more.length));
      const lines = told(rebuilding);
      expect([
        ...new Set(
          lines.filter(({ message }) => message === 'rebuilding').map(({ phase }) => phase),
        ),
      ]).toEqual(['folding', 'comparing', 'swapping']);
      expect(lines.at(-1)).toMatchObject({
        level: 'log',
        message: 'the rebuilt rows are live',
        resumed: false,
      });
    },
    2 * START_MS,
  );

  it(
    'resumes after it was killed',
    async () => {
      const before = await rowsOf('B01', 'B02', 'B03', 'B04');
      // prevents the swap while it locks the rows
      const holder = new pg.Client(system.postgres.url);
      await holder.connect();
      await holder.query('begin');
      await holder.query('lock table rows.position in share mode');
      const killed = rebuild();
      const stood = await eventually(
        'rows beside the live ones',
        async () => {
          if (!(await isMade('rows_next'))) return undefined;
          const [row] = await system.query<{ next: number | null }>(
            'select sum(next)::int as next from rows_next.position',
          );
          return row?.next || undefined;
        },
        START_MS,
      );
      process.kill(killed.programPid, 'SIGKILL');
      expect(await killed.ended).toBe(128 + 9);
      await holder.end();
      expect(stood).toBeGreaterThan(0);
      expect(await isMade('rows_next')).toBe(true);
      const again = rebuild();
      expect(await again.ended).toBe(0);
      expect(told(again).at(-1)).toMatchObject({
        message: 'the rebuilt rows are live',
        resumed: true,
      });
      await caughtUp();
      expect(await rowsOf('B01', 'B02', 'B03', 'B04')).toEqual(before);
    },
    2 * START_MS,
  );

  it(
    'stops gracefully on a signal, or when the command is killed, and reports it',
    async () => {
      const asked = rebuild();
      await eventually('a rebuild under way', async () => (await guards()) > 0, START_MS);
      expect(await asked.stop('SIGTERM')).toBe(130);
      expect(told(asked).at(-1)).toMatchObject({
        message: 'interrupted; run it again to resume',
      });
      const left = rebuild();
      await eventually('a rebuild under way', async () => (await guards()) > 0, START_MS);
      left.child.kill('SIGKILL');
      await eventually('its end', async () => (await guards()) === 0, START_MS);
    },
    2 * START_MS,
  );

  it(
    'swaps in rows that differ only if that is accepted, and reports which differ, on a terminal below progress bars',
    async () => {
      const before = await rowsOf('B01');
      await system.query(
        `update rows.coup set outcome = 'tie' where "table" = 'B01' and coup = 3 and outcome <> 'tie' and shoe_ref = (select min(ref) from rows.shoe where "table" = 'B01')`,
      );
      const tampered = await rowsOf('B01');
      expect(tampered).not.toEqual(before);
      const refused = rebuild();
      expect(await refused.ended).toBe(1);
      expect(told(refused).filter(({ level }) => level === 'error')).toEqual([
        expect.objectContaining({
          message: 'the rebuilt rows differ from the live ones',
          table: 'coup',
          differing: [expect.stringMatching(/B01/)],
        }),
        expect.objectContaining({
          message: expect.stringMatching(/not swapped in; pass --accept-differences/),
        }),
      ]);
      const onTerminal = Started.onTerminal(['rebuild', 'rows'], env());
      expect({ code: await onTerminal.ended, said: onTerminal.said }).toEqual({
        code: 1,
        said: expect.stringMatching(
          /differ from the live ones:\s+coup: .*B01[^]*not swapped in; pass --accept-differences/,
        ),
      });
      expect(onTerminal.said).toMatch(/folding \[[^\]]*\] 100%/);
      expect(onTerminal.said).toMatch(/comparing \[[^\]]*\] 100%/);
      expect(onTerminal.said).not.toMatch(/"rebuilding"/);
      expect(await rowsOf('B01')).toEqual(tampered);
      const accepted = rebuild('--accept-differences');
      expect(await accepted.ended).toBe(0);
      expect(await rowsOf('B01')).toEqual(before);
    },
    2 * START_MS,
  );

  it(
    'refuses a second rebuild while one runs',
    async () => {
      const first = await Rebuild.open(system.postgres.url);
      const second = rebuild();
      const code = await second.ended.finally(() => first.close());
      expect({ code, said: second.said }).toEqual({
        code: 2,
        said: 'shoeprint: another rebuild of these rows is running\n',
      });
      expect(await rebuild().ended).toBe(0);
    },
    2 * START_MS,
  );

  it(
    'names the invalid settings that it refuses',
    async () => {
      const refused = Started.shoeprint(['rebuild', 'rows'], { SHOEPRINT_GAMING_DAY: 'noon' });
      expect(await refused.ended).toBe(2);
      expect(refused.said).toMatch(/DATABASE_URL[^]*SHOEPRINT_GAMING_DAY/);
      const other = Started.shoeprint(['rebuild', 'rows'], { ...env(), SHOEPRINT_PARTITIONS: '5' });
      expect(await other.ended).toBe(2);
      expect(other.said).toMatch(/^shoeprint: SHOEPRINT_PARTITIONS: /m);
    },
    START_MS,
  );
});

/** Returns how many rebuilds hold the lock that allows only one to run. */
async function guards(): Promise<number> {
  const [row] = await system.query<{ count: number }>(
    `select count(*)::int as count from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and granted and application_name = 'shoeprint rebuild'`,
  );
  return row?.count ?? 0;
}
