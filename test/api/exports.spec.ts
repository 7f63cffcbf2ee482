import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getDataSourceToken } from '@nestjs/typeorm';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { openSnapshot, TooManyRows } from '#read-model';
import { Export } from '../../apps/api/src/reading/export.js';
import { ROWS } from '../../apps/api/src/settings/tokens.js';
import { startApi, type TestApi } from '../kit/api.js';
import { eventually } from '../kit/eventually.js';

/** The findings of the test: far more bytes than the buffers of a connection hold. */
const COUNT = 40_000;
const PATH = '/v1/findings?format=csv';

let api: TestApi;
let url: string;
let reader: string;
let client: pg.Client;
beforeAll(async () => {
  api = await startApi();
  url = await api.url();
  reader = await api.person('compliance');
  client = new pg.Client(api.databaseUrl);
  await client.connect();
  await client.query(
    `insert into rows.position (partition, log_id, next, fold_version, generation, events) values (0, 'x', 1, 1, 1, 0)`,
  );
  await add(0, COUNT);
});
afterAll(async () => {
  await client?.end();
  await api?.close();
});

const add = (from: number, count: number): Promise<unknown> =>
  client.query(
    `insert into rows.finding
       (id, code, severity, "table", shoe, rules, "void", remedied, "at", gaming_day, body,
        partition, changed)
     select 'f' || n, 'TC-05', 1, 'B07', 'S1', 'punto-banco@1', false, false, now(), '2026-11-20',
            json_build_object('id', 'f' || n, 'code', 'TC-05', 'table', 'B07',
              'message', repeat('x', 1000), 'events', json_build_array('device/x#' || n)), 0, 1
     from generate_series($1::int, $2::int) n`,
    [from + 1, from + count],
  );

/** Begins an export over HTTP, without reading any of it. */
const begun = (path = PATH, token = reader): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(
      `${url}${path}`,
      { agent: false, headers: { authorization: `Bearer ${token}` } },
      resolve,
    ).on('error', reject);
  });
/** Reads the rest of an answer. */
async function rest(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return text;
}
/** Returns how many connections are within a transaction: an export, or a short one of others. */
const under = async (): Promise<number> =>
  Number(
    (
      await client.query<{ n: string }>(
        `select count(*) as n from pg_stat_activity where application_name = 'shoeprint-api' and state like 'idle in transaction%'`,
      )
    ).rows[0]?.n,
  );
async function counted(line: string): Promise<number> {
  const { body } = await api.send('GET', '/metrics');
  const value = body.split('\n').find((each) => each.startsWith(`${line} `));
  return Number(value?.split(' ').at(-1) ?? NaN);
}
const problemOf = (answer: { body: string }): string =>
  (JSON.parse(answer.body) as { type: string }).type;

describe('an export', () => {
  it('is sent as it is read, a slice at a time, and holds no more than its reader takes', async () => {
    const response = await begun();
    expect(response.statusCode).toBe(200);
    await eventually('it waits for its reader', async () => (await under()) === 1);
    // Rows that come later are not in it, because it shows one moment.
    await add(COUNT, 1);
    const text = await rest(response);
    expect(text.split('\r\n')).toHaveLength(COUNT + 2);
    expect(new Set(text.match(/"f\d+"/g)).size).toBe(COUNT);
    await client.query('delete from rows.finding where id = $1', [`f${COUNT + 1}`]);
    await eventually('nothing is held', async () => (await under()) === 0);
  });

  it('reads its rows in slices of two hundred, from a cursor', async () => {
    const rows = api.app.get<DataSource>(getDataSourceToken(ROWS));
    const { read, close } = await openSnapshot(rows);
    const sizes: number[] = [];
    for await (const slice of read.slices('select n from generate_series(1, $1::int) n', [450]))
      sizes.push(slice.length);
    await close();
    expect(sizes).toEqual([200, 200, 50]);
  });

  it('is refused before it begins if it has over half a million lines', async () => {
    const rows = api.app.get<DataSource>(getDataSourceToken(ROWS));
    const { read, close } = await openSnapshot(rows);
    const slices = read.slices('select n from generate_series(1, 500001) n', []);
    await expect(slices.next()).rejects.toThrow(TooManyRows);
    await close();
  });

  it('has one of two places, and a third is refused with 429', async () => {
    const two = [await begun(), await begun()];
    await eventually('both wait', async () => (await under()) === 2);
    const refused = await begun('/v1/reports/shoes?format=csv', await api.person('regulator'));
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(problemOf({ body: await rest(refused) })).toBe('urn:shoeprint:problem:too-many-at-once');
    expect(await counted('shoeprint_answers_under_way{of="exports"}')).toBe(2);
    expect(await counted('shoeprint_answers_refused_total{of="exports"}')).toBe(1);
    // A page is not an export.
    expect((await api.send('GET', '/v1/shoes?limit=1', reader)).statusCode).toBe(200);
    const [first, second] = two as [IncomingMessage, IncomingMessage];
    await rest(first);
    const next = await begun();
    expect(next.statusCode).toBe(200);
    next.destroy();
    second.destroy();
    const places = 'shoeprint_answers_under_way{of="exports"}';
    await eventually('their places', async () => (await counted(places)) === 0);
    await eventually('nothing is held', async () => (await under()) === 0);
  });

  it('gives back its place and its connection if its reader goes away or the request fails', async () => {
    for (let n = 0; n < 3; n += 1) {
      const response = await begun();
      await eventually('it waits', async () => (await under()) === 1);
      response.destroy();
      await eventually('it is over', async () => (await under()) === 0);
    }
    const head = await fetch(`${url}${PATH}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${reader}` },
    });
    expect([head.status, head.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8',
    ]);
    await client.query('alter table rows.finding rename to gone');
    const failed = await api.send('GET', PATH, reader);
    await client.query('alter table rows.gone rename to finding');
    expect(failed.statusCode).toBe(500);
    const places = 'shoeprint_answers_under_way{of="exports"}';
    await eventually('nothing is held', async () => (await counted(places)) === 0);
    await eventually('nothing is held', async () => (await under()) === 0);
  });

  it('is cut off if its reader takes nothing for a minute', async () => {
    const rows = api.app.get<DataSource>(getDataSourceToken(ROWS));
    let isClosed = false;
    const snapshot = await openSnapshot(rows);
    const whole = await Export.begin({
      snapshot,
      slices: snapshot.read.slices<{ n: number }>('select n from generate_series(1, 10000) n'),
      name: 'numbers',
      text: {
        head: 'n\n',
        of: (lines) => lines.map(({ n }) => `${n}\n`).join(''),
      },
      free: () => (isClosed = true),
      patience: { stalledMs: 50, inAllMs: 60_000 },
    });
    const stream = whole.send();
    let error: unknown;
    stream.on('error', (thrown) => (error = thrown));
    stream.read();
    await eventually('the end', () => isClosed);
    expect((error as Error).message).toBe('the reader takes nothing');
    await eventually('nothing is held', async () => (await under()) === 0);
  });
});

describe('requests that wait for a position', () => {
  it('ask the database as often together as one does', async () => {
    const wait = async (): Promise<number> =>
      (
        await api.app.inject({
          url: '/v1/tables?limit=1',
          headers: { authorization: `Bearer ${reader}`, 'min-position': '0:9' },
        })
      ).statusCode;
    const looks = (): Promise<number> => counted('shoeprint_position_looks_total');
    const before = await looks();
    expect(await wait()).toBe(503);
    const one = (await looks()) - before;
    const answers = await Promise.all(Array.from({ length: 200 }, wait));
    expect(new Set(answers)).toEqual(new Set([503]));
    const many = (await looks()) - before - one;
    expect([one > 1, many < 2 * one + 10]).toEqual([true, true]);
  });

  it('are answered when the rows get there, each at its own position', async () => {
    const at = async (next: number): Promise<number> =>
      (
        await api.app.inject({
          url: '/v1/tables?limit=1',
          headers: { authorization: `Bearer ${reader}`, 'min-position': `0:${next}` },
        })
      ).statusCode;
    const [near, far] = [at(2), at(9)];
    await client.query('update rows.position set next = 2');
    expect(await near).toBe(200);
    expect(await far).toBe(503);
    await client.query('update rows.position set next = 1');
  });
});
