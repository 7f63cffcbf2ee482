import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getDataSourceToken } from '@nestjs/typeorm';
import pg from 'pg';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { openSnapshot, TooManyRows } from '#read-model';
import { Metrics } from '../../../apps/api/src/operation/metrics.js';
import { Export } from '../../../apps/api/src/reading/files/export.js';
import { linesFile } from '../../../apps/api/src/reading/files/lines-file.js';
import { LivePlay } from '../../../apps/api/src/reading/live-play.js';
import { PositionsLook } from '../../../apps/api/src/reading/positions-look.js';
import { FOLLOWED, ROWS } from '../../../apps/api/src/settings/tokens.js';
import { startApi, type TestApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';

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

  it('reads its rows from a cursor, in slices of fifty lines at most and few at first', async () => {
    const rows = api.app.get<DataSource>(getDataSourceToken(ROWS));
    const { read, close } = await openSnapshot(rows);
    const sizes: number[] = [];
    for await (const slice of read.slices('select n from generate_series(1, $1::int) n', [120]))
      sizes.push(slice.length);
    await close();
    expect(sizes).toEqual([6, 12, 24, 48, 30]);
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
});

/** Begins an export of the numbers from 1. */
async function numbers(
  count: number,
  options: Partial<Parameters<typeof linesFile<{ n: number }>>[0]>,
): Promise<Export> {
  const snapshot = await openSnapshot(api.app.get<DataSource>(getDataSourceToken(ROWS)));
  return Export.begin(
    linesFile({
      snapshot,
      slices: snapshot.read.slices<{ n: number }>('select n from generate_series(1, $1::int) n', [
        count,
      ]),
      name: 'numbers',
      sheet: { headings: ['n'], of: (lines) => lines.map(({ n }) => [n]) },
      form: { format: 'csv', bom: false },
      rest: async () => undefined,
      free: () => undefined,
      ...options,
    }),
  );
}

describe('live play goes first', () => {
  it('so an export rests after each slice and before the next is read', async () => {
    const steps: string[] = [];
    const whole = await numbers(120, {
      sheet: {
        headings: [],
        of: (lines) => {
          steps.push(`slice of ${lines.length}`);
          return [[lines.length]];
        },
      },
      rest: async (tookMs) => void steps.push(tookMs > 0 ? 'rest' : 'no time taken'),
    });
    for await (const _ of whole.send());
    const slices = [6, 12, 24, 48, 30];
    expect(steps).toEqual(slices.flatMap((size) => [`slice of ${size}`, 'rest']));
  });

  it('until an export has used half of its time: then it goes on without a rest', async () => {
    const inAllMs = 2_000;
    let rests = 0;
    const whole = await numbers(500, {
      inAllMs,
      rest: async () => {
        rests += 1;
        const began = performance.now();
        await eventually('half of its time', () => performance.now() - began > inAllMs / 2);
      },
    });
    let text = '';
    for await (const part of whole.send()) text += String(part);
    expect(text.split('\n')).toHaveLength(502);
    expect(rests).toBe(1);
  });

  it('reading rests in proportion to its work while events come, at most a second', async () => {
    const live = new LivePlay();
    expect(live.restAfter(10, 0.1)).toBe(0);
    live.came();
    expect(live.restAfter(10, 0.1)).toBeCloseTo(90);
    expect(live.restAfter(10, 0.2)).toBeCloseTo(40);
    expect(live.restAfter(500, 0.1)).toBe(1_000);
  });

  it('as every request with events says', async () => {
    const live = api.app.get(LivePlay);
    await eventually('nothing came lately', () => live.restAfter(10, 0.1) === 0);
    const answer = await api.app.inject({
      method: 'POST',
      url: '/v1/events',
      headers: {
        authorization: `Bearer ${await api.device()}`,
        'content-type': 'application/cloudevents+json',
      },
      payload: '{"specversion":"1.0"}',
    });
    expect(answer.statusCode).toBe(400);
    expect(live.restAfter(10, 0.1)).toBeGreaterThan(0);
  });
});

describe('requests that wait for a position', () => {
  /** Returns a look that rests for a minute after its first query, and its count of queries. */
  function restingLook(): { look: PositionsLook; looks: () => Promise<number> } {
    class Resting extends LivePlay {
      override restAfter = (): number => 60_000;
    }
    const metrics = new Metrics(new Registry());
    const rows = api.app.get<DataSource>(getDataSourceToken(FOLLOWED));
    const counted = metrics.registry;
    return {
      look: new PositionsLook(rows, new Resting(), metrics),
      looks: async () => {
        const all = await counted.getSingleMetric('shoeprint_position_looks_total')?.get();
        return all?.values[0]?.value ?? NaN;
      },
    };
  }

  it('cannot make the look go on while it rests, and are still refused in time', async () => {
    const { look, looks } = restingLook();
    const wait = async (): Promise<string> =>
      look.until(new Map([[0, 9]])).then(
        () => 'reached',
        (error: unknown) => (error as Error).message,
      );
    const first = wait();
    await eventually('a look', async () => (await looks()) === 1);
    const late = 'The position is not visible yet';
    expect([await first, await wait()]).toEqual([late, late]);
    expect(await looks()).toBe(1);
    look.onModuleDestroy();
  });

  it('are refused ten at a time at most, so that they do not all come back at once', async () => {
    const { look } = restingLook();
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const turns = await Promise.all(
      Array.from({ length: 45 }, () => look.until(new Map([[0, 9]])).catch(() => turn)),
    );
    isOver = true;
    const sizes = [...new Set(turns)].map((each) => turns.filter((one) => one === each).length);
    // the first may be due a millisecond before the others
    expect(Math.max(...sizes)).toBe(10);
    expect(sizes.length).toBeLessThanOrEqual(6);
    look.onModuleDestroy();
  });

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
