import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QueryBus } from '@nestjs/cqrs';
import { getDataSourceToken } from '@nestjs/typeorm';
import pg from 'pg';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { positionsText, type FindingLine, type Positions } from '#read-model';
import { Metrics } from '../../../apps/api/src/operation/metrics.js';
import { LivePlay } from '../../../apps/api/src/reading/live-play.js';
import { PositionsLook } from '../../../apps/api/src/reading/positions-look.js';
import { ChangeFeed } from '../../../apps/api/src/stream/change-feed.js';
import { viewerOf } from '../../../apps/api/src/stream/views.js';
import { ROWS } from '../../../apps/api/src/settings/tokens.js';
import { startApi, type TestApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';
import { StreamReader } from '../../kit/stream-reader.js';

let api: TestApi;
let url: string;
let all: string;
let client: pg.Client;
const readers: StreamReader[] = [];
const follow = (
  token: string,
  options?: ConstructorParameters<typeof StreamReader>[2],
): StreamReader => {
  const reader = new StreamReader(url, token, options);
  readers.push(reader);
  return reader;
};
beforeAll(async () => {
  api = await startApi();
  url = await api.url();
  all = await api.person('compliance');
  client = new pg.Client(api.databaseUrl);
  await client.connect();
  await client.query(
    `insert into rows.position (partition, log_id, next, fold_version, generation, events) values (0, 'x', 0, 1, 1, 0)`,
  );
});
afterAll(async () => {
  for (const reader of readers) reader.cut();
  await client?.end();
  await api?.close();
});

const followers = (): number => api.app.get(ChangeFeed).count;
const leave = async (): Promise<void> => {
  for (const reader of readers.splice(0)) reader.cut();
  await eventually('nobody', () => followers() === 0);
};

/** Writes findings of so many bytes at tables `T0`, `T1`, …, each a record of partition 0. */
async function findings(count: number, bytes = 20, tables = 1): Promise<number> {
  const rows = api.app.get<DataSource>(getDataSourceToken(ROWS));
  const [{ next }] = await rows.query<[{ next: number }]>('select next from rows.position');
  await rows.transaction(async (work) => {
    await work.query(
      `insert into rows.finding
       (id, code, severity, "table", shoe, rules, "void", remedied, "at", gaming_day, body,
        partition, changed)
       select 'f' || n, 'TC-05', 1, 'T' || n % $4::int, 'S1', 'punto-banco@1', false, false, now(), '2026-11-20',
              json_build_object('id', 'f' || n, 'code', 'TC-05', 'table', 'T' || n % $4::int,
                'message', repeat('x', $3::int)), 0, n
       from generate_series($1::int + 1, $1::int + $2::int) n`,
      [next, count, bytes, tables],
    );
    await work.query('update rows.position set next = next + $1', [count]);
  });
  return next + count;
}

/** Returns how often a metric was counted. */
async function counted(line: string): Promise<number> {
  const { body } = await api.send('GET', '/metrics');
  const value = body.split('\n').find((each) => each.startsWith(`${line} `));
  return Number(value?.split(' ').at(-1) ?? NaN);
}

/** Returns how many transactions of this database were rolled back: each read of a snapshot is. */
async function snapshots(): Promise<number> {
  const { rows } = await client.query<{ read: string }>(
    'select xact_rollback as read from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.read);
}

describe('many followers of the stream', () => {
  it('make the database be read as often as one does', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 60 }, (_, n) => api.person('pit-boss', { tables: [`T${n % 30}`] })),
    );
    const many = [...tokens, all].map((token) => follow(token));
    for (const reader of many) await reader.listening();
    // PostgreSQL publishes its counts within a second or two.
    const before = await snapshots();
    for (let step = 0; step < 3; step += 1) {
      const next = await findings(30, 20, 30);
      await eventually('everybody has theirs', () =>
        many.every(({ told }) => told.length >= next / 30),
      );
    }
    await eventually('the reads are counted', async () => (await snapshots()) > before, 15_000);
    await eventually('a second without a read', quiet(snapshots), 15_000);
    expect((await snapshots()) - before).toBeLessThan(10);
    for (const [n, reader] of many.slice(0, 60).entries())
      expect(new Set(reader.of<FindingLine>('finding').map(({ table }) => table))).toEqual(
        new Set([`T${n % 30}`]),
      );
    await leave();
  });

  it('receive the same bytes if they may see the same, and their own id if they began later', async () => {
    const [one, other] = [follow(all), follow(all)];
    for (const reader of [one, other]) await reader.listening();
    const next = await findings(20);
    const ahead = follow(all, { id: `0:${next - 5}` });
    const beyond = follow(all, { id: `0:${next + 5}` });
    await eventually('the end', () => [one, other, ahead].every(({ id }) => id === `0:${next}`));
    expect(one.told).toEqual(other.told);
    expect(ahead.told.map(({ data }) => data)).toEqual(one.told.slice(-5).map(({ data }) => data));
    const end = await findings(10);
    await eventually('more', () =>
      [one, other, ahead, beyond].every(({ id }) => id === `0:${end}`),
    );
    expect(beyond.told).toHaveLength(5);
    await leave();
  });

  it('resume from a moment ago without a read of their own', async () => {
    const stays = follow(all);
    await stays.listening();
    const next = await findings(20);
    await eventually('the findings', () => stays.id === `0:${next}`);
    const own = await counted('shoeprint_stream_reads_total{by="own"}');
    const back = follow(all, { id: `0:${next - 20}` });
    await eventually('the findings again', () => back.id === `0:${next}`);
    expect(back.told).toHaveLength(20);
    expect(await counted('shoeprint_stream_reads_total{by="own"}')).toBe(own);
    const far = follow(all, { id: '0:0' });
    await eventually('all', () => far.id === `0:${next}`);
    expect(far.told).toHaveLength(next);
    expect(await counted('shoeprint_stream_reads_total{by="own"}')).toBeGreaterThan(own);
    await leave();
  });

  it('are not held up by one that does not read, which is disconnected', async () => {
    const [slow, ...fast] = [follow(all, { paused: true }), follow(all), follow(all)];
    await eventually('three', () => followers() === 3);
    for (const reader of fast) await reader.listening();
    const dropped = await counted('shoeprint_stream_dropped_total');
    let next = 0;
    await eventually(
      'it let go',
      async () => {
        next = await findings(1_000, 2_000);
        await eventually('the others have them', () => fast.every(({ id }) => id === `0:${next}`));
        return followers() === 2;
      },
      40_000,
    );
    expect(await counted('shoeprint_stream_dropped_total')).toBe(dropped + 1);
    expect(fast.map(({ ended }) => ended)).toEqual([false, false]);
    const [one] = fast;
    const ids = one.of<FindingLine>('finding').map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    slow?.cut();
    await leave();
  });

  it('are brought what changed after a rest, so that live play goes first', async () => {
    class Resting extends LivePlay {
      override restAfter = (): number => 60_000;
    }
    const feed = feedThat(new Resting());
    const one = counting(feed, await feed.now());
    await findings(1);
    await eventually('the first change', () => one.got === 1);
    const next = await findings(1);
    let looks = 0;
    const unfollow = api.app.get(PositionsLook).follow((positions) => {
      if (positions.get(0) === next) looks += 1;
      return 25;
    });
    await eventually('three looks that saw the second', () => looks === 3);
    expect(one.got).toBe(1);
    unfollow();
    feed.leave(one.reader);
  });

  it('are written to some at a time, each once, and a heartbeat meanwhile has the position of each', async () => {
    const rests: (() => void)[] = [];
    class Paced extends LivePlay {
      override restAfter = (): number => 0;
      override rest = (): Promise<void> => new Promise((goOn) => rests.push(goOn));
    }
    const feed = feedThat(new Paced());
    const since = await feed.now();
    const many = Array.from({ length: 150 }, () => counting(feed, since));
    await findings(1);
    await eventually('a first pause', () => rests.length === 1);
    const [before, after] = [since, await feed.now()].map(positionsText);
    const told = many.filter(({ got }) => got === 1);
    expect([told.length > 0, told.length < 100]).toEqual([true, true]);
    for (const { got, reader } of many)
      expect(positionsText(feed.positionOf(reader))).toBe(got === 1 ? after : before);
    const leaver = many.at(-1);
    if (leaver) feed.leave(leaver.reader);
    const newcomer = counting(feed, since);
    expect(newcomer.got).toBe(1);
    await eventually('everybody else has it', () => {
      rests.shift()?.();
      return many.slice(0, -1).every(({ got }) => got === 1);
    });
    await findings(1);
    await eventually('the next too, and the newcomer', () => {
      rests.shift()?.();
      return [...many.slice(0, -1), newcomer].every(({ got }) => got === 2);
    });
    expect(leaver?.got).toBe(0);
    for (const { reader } of [...many, newcomer]) feed.leave(reader);
  });

  it('read a batch for themselves if writing it to them failed', async () => {
    const feed = feedThat(new LivePlay());
    const since = await feed.now();
    const [first, broken, last] = [0, 1, 2].map(() => counting(feed, since));
    if (!first || !broken || !last) throw new Error('three readers follow');
    broken.reader.take = () => {
      throw new Error('this reader breaks');
    };
    await findings(1);
    await eventually('two have to read for themselves', () => broken.behind + last.behind === 2);
    expect([first.got, first.behind, last.got]).toEqual([1, 0, 0]);
    expect([broken, last].map(({ reader }) => positionsText(reader.since))).toEqual([
      positionsText(since),
      positionsText(since),
    ]);
    expect(feed.admit(last.reader)).toBe(true);
    expect(last.got).toBe(1);
    for (const { reader } of [first, broken, last]) feed.leave(reader);
  });

  it('receive in each heartbeat where to resume, even if nothing concerns them', async () => {
    const elsewhere = await api.person('pit-boss', { tables: ['B99'] });
    const reader = follow(elsewhere);
    await reader.listening();
    const next = await findings(3);
    await eventually('a heartbeat', () => reader.id === `0:${next}`, 12_000);
    expect([reader.comments > 0, reader.told]).toEqual([true, []]);
    await leave();
  });

  it('are refused with 429 if one identity has too many', async () => {
    const many = Array.from({ length: 1_000 }, () => follow(all));
    await eventually('a thousand', () => followers() === 1_000, 30_000);
    const answer = await fetch(`${url}/v1/stream`, { headers: { authorization: `Bearer ${all}` } });
    expect([
      answer.status,
      ((await answer.json()) as { type: string }).type,
      answer.headers.get('retry-after'),
    ]).toEqual([429, 'urn:shoeprint:problem:too-many-at-once', '5']);
    expect(await counted('shoeprint_answers_under_way{of="streams"}')).toBe(1_000);
    expect(await counted('shoeprint_answers_refused_total{of="streams"}')).toBe(1);
    const other = follow(await api.person('regulator'));
    await other.listening();
    many[0]?.cut();
    await eventually('a place', async () => {
      const reader = follow(all);
      await eventually('an answer', () => reader.status !== undefined);
      return reader.status === 200;
    });
    await leave();
  });
});

/** Returns a feed of this api's changes that rests as `live` says. */
const feedThat = (live: LivePlay): ChangeFeed =>
  new ChangeFeed(
    api.app.get(QueryBus),
    api.app.get(PositionsLook),
    live,
    new Metrics(new Registry()),
  );

/** Lets a reader of all tables follow a feed, level from the start, and counts its calls. */
function counting(feed: ChangeFeed, since: Positions) {
  const all = viewerOf({ roles: ['compliance'], tables: 'all', person: undefined });
  const counted = {
    got: 0,
    behind: 0,
    reader: {
      viewer: all,
      since,
      take: (): boolean => (counted.got += 1) > 0,
      fallsBehind: () => void (counted.behind += 1),
    },
  };
  feed.join(counted.reader, since);
  expect(feed.admit(counted.reader)).toBe(true);
  return counted;
}

/** Returns a condition that holds once a count has not grown for a second. */
function quiet(count: () => Promise<number>): () => Promise<boolean> {
  let last = -1;
  let since = performance.now();
  return async () => {
    const now = await count();
    if (now !== last) [last, since] = [now, performance.now()];
    return performance.now() - since > 2_000;
  };
}
