import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getDataSourceToken } from '@nestjs/typeorm';
import fc from 'fast-check';
import pg from 'pg';
import { DataSource } from 'typeorm';
import type { CoupLine, FindingLine, ShoeLine, TableChange } from '#read-model';
import { Session } from '../../../apps/api/src/identity/database/access.entities.js';
import { ChangeFeed } from '../../../apps/api/src/stream/change-feed.js';
import { StreamController } from '../../../apps/api/src/stream/stream.controller.js';
import { ROWS } from '../../../apps/api/src/settings/tokens.js';
import { startApi, type TestApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';
import { rounds } from '../../kit/rounds.js';
import { StreamReader, type Told } from '../../kit/stream-reader.js';
import { TableLog } from '../../kit/table.js';
import { dayLines, ReadingFloor, TABLES } from '../reading/reading-floor.js';

let floor: ReadingFloor;
let url: string;
let lines: string[];
const readers: StreamReader[] = [];
const follow = (
  token = floor.reader,
  options?: ConstructorParameters<typeof StreamReader>[2],
  at = url,
): StreamReader => {
  const reader = new StreamReader(at, token, options);
  readers.push(reader);
  return reader;
};
beforeAll(async () => {
  floor = await ReadingFloor.open([]);
  url = floor.server.url;
  lines = dayLines();
});
afterAll(async () => {
  for (const reader of readers) reader.cut();
  await floor?.close();
});

const watch = (): ChangeFeed => floor.server.api.app.get(ChangeFeed);
const ids = (things: readonly { readonly ref: string }[]): string[] =>
  [...new Set(things.map(({ ref }) => ref))].sort();
/** A resource as the stream last reported it. */
const lastOf = <Thing>(
  things: readonly Thing[],
  id: (thing: Thing) => string,
): Map<string, Thing> => new Map(things.map((thing) => [id(thing), thing]));
/** Expects that the stream's reports add up to what the lists show. */
async function agrees(told: readonly Told[], table?: string): Promise<void> {
  const query = table === undefined ? '' : `?table=${encodeURIComponent(table)}`;
  const of = <Thing>(event: string): Thing[] =>
    told.filter((each) => each.event === event).map(({ data }) => data as Thing);
  const coups = (await floor.lines<CoupLine>(`/v1/coups${query}`)).filter(
    ({ state }) => state !== 'open',
  );
  expect(lastOf(of<CoupLine>('coup'), ({ ref }) => ref)).toEqual(
    lastOf([...coups].reverse(), ({ ref }) => ref),
  );
  expect(lastOf(of<ShoeLine>('shoe'), ({ ref }) => ref)).toEqual(
    lastOf(await floor.lines<ShoeLine>(`/v1/shoes${query}`), ({ ref }) => ref),
  );
  const findings = await floor.lines<FindingLine>(
    `/v1/findings?status=all${query.replace('?', '&')}`,
  );
  expect(lastOf(of<FindingLine>('finding'), ({ id }) => id)).toEqual(
    lastOf(findings, ({ id }) => id),
  );
  if (table !== undefined)
    expect(new Set(of<TableChange>('table').map((each) => each.table))).toEqual(new Set([table]));
}

describe('the stream', () => {
  it('reports shoes, coups, findings and tables as they happen, to each reader only those of their tables, with an id to resume from', async () => {
    const one = await floor.server.api.person('pit-boss', { tables: [TABLES[2]] });
    const nowhere = await floor.server.api.person('regulator', { tables: [] });
    const [all, scoped, none] = [follow(), follow(one), follow(nowhere)];
    for (const reader of [all, scoped, none]) await reader.listening();
    expect(all.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const half = Math.floor(lines.length / 2);
    await floor.send(lines.slice(0, half));
    await eventually(
      'the first half',
      () => all.of('finding').length > 10 && scoped.of('coup').length > 5,
    );
    await floor.send(lines.slice(half));
    await floor.caughtUp();
    const end = (await floor.get('/v1/tables')).headers['log-position'] as string;
    await eventually(
      'all of it',
      () =>
        all.id === end && scoped.of<ShoeLine>('shoe').filter(({ closed }) => closed).length >= 2,
    );
    await agrees(all.told);
    const own = (text: string): boolean => text.includes(TABLES[2]);
    for (const { data } of scoped.told) expect(own((data as { table: string }).table)).toBe(true);
    await eventually('its last coup', async () => agrees(scoped.told, TABLES[2]).then(() => true));
    expect(none.told).toEqual([]);
    for (const reader of [all, scoped, none]) reader.cut();
    await eventually('nobody', () => watch().count === 0);
  });

  it('resumes after Last-Event-ID without missing anything, wherever it is cut off', async () => {
    const head = (await floor.get('/v1/tables')).headers['log-position'] as string;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(400), { maxLength: 6 }), async (cuts) => {
        const told: Told[] = [];
        let id = '0:0,1:0,2:0,3:0';
        for (const after of cuts) {
          const reader = follow(floor.reader, { id });
          await eventually('some of it', () => reader.told.length >= after || reader.id === head);
          reader.cut();
          told.push(...reader.told);
          ({ id } = reader);
        }
        const last = follow(floor.reader, { id });
        await eventually('the end', () => last.id === head);
        last.cut();
        await agrees([...told, ...last.told]);
      }),
      { numRuns: rounds(8) },
    );
    await eventually('nobody', () => watch().count === 0);
  });

  it('misses nothing for readers who leave and resume while events come in', async () => {
    const from = (await floor.get('/v1/tables')).headers['log-position'] as string;
    const extra = dayLines(['B20', 'B21'], 'while they come');
    const own = await floor.server.api.person('regulator', { tables: ['B21'] });
    const told = { all: [] as Told[], own: [] as Told[] };
    let isSent = false;
    const hop = async (token: string, to: Told[], every: number): Promise<void> => {
      for (let id = from; ;) {
        const last = isSent;
        const reader = follow(token, { id });
        await eventually(
          'a few more',
          async () => reader.told.length >= every || (isSent && (await floor.caughtUp(), true)),
        );
        if (last) await eventually('the rest', () => reader.comments > 0, 12_000);
        reader.cut();
        to.push(...reader.told);
        ({ id } = reader);
        if (last) return;
      }
    };
    const hopping = [hop(floor.reader, told.all, 40), hop(own, told.own, 7)];
    for (let at = 0; at < extra.length; at += 25) await floor.send(extra.slice(at, at + 25));
    isSent = true;
    await Promise.all(hopping);
    await agrees(told.own, 'B21');
    for (const table of ['B20', 'B21'])
      await agrees(
        told.all.filter(({ data }) => (data as { table: string }).table === table),
        table,
      );
    await eventually('nobody', () => watch().count === 0);
  });

  it('starts now without an id, and at the beginning of a partition that the id does not name', async () => {
    const [now, from] = [follow(), follow(floor.reader, { id: '0:0' })];
    await now.listening();
    await eventually(
      'the shoes',
      () => new Set(from.of<ShoeLine>('shoe').map(({ ref }) => ref)).size === 10,
    );
    expect(now.told).toEqual([]);
    expect(ids(from.of('shoe'))).toEqual(ids(await floor.lines<ShoeLine>('/v1/shoes')));
    for (const reader of [now, from]) reader.cut();
  });

  it.each(['x', '0:1,', '0:-1', '0:1 1:2'])(
    'refuses the id %j, which it never sent',
    async (id) => {
      const answer = await floor.get('/v1/stream', { headers: { 'last-event-id': id } });
      expect([answer.statusCode, answer.json<{ type: string }>().type]).toEqual([
        400,
        'urn:shoeprint:problem:invalid-request',
      ]);
    },
  );

  it('reports a void coup and its shoe again when a later finding says that a stake was not returned', async () => {
    const log = new TableLog('B30');
    let sent = 0;
    const play = (): Promise<unknown> =>
      floor
        .send(
          log.events.slice(sent, (sent = log.events.length)).map((each) => JSON.stringify(each)),
        )
        .then(() => floor.caughtUp());
    const reader = follow(await floor.server.api.person('pit-boss', { tables: ['B30'] }));
    await reader.listening();
    const coup = (): CoupLine | undefined => reader.of<CoupLine>('coup').at(-1);
    const shoe = (): ShoeLine | undefined => reader.of<ShoeLine>('shoe').at(-1);
    log.open();
    log.dealer();
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 10_000 });
    log.add('terminal', 'betting-closed');
    log.draw('P 9S');
    log.add('person/sam', 'coup-voided', { reason: 'misdeal', by: 'sam' });
    await play();
    await eventually('the void coup', () => coup()?.state === 'void');
    expect([coup(), shoe()]).toMatchObject([
      { findings: 0, worst: null },
      { findings: 0, worst: null },
    ]);
    log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 10_000 });
    log.add('terminal', 'coup-opened', { coup: 2 });
    await play();
    await eventually(
      'the finding',
      () => reader.of<FindingLine>('finding').at(-1)?.code === 'BT-08',
    );
    const counted = { findings: 1, worst: 1 };
    await eventually('its coup', () => coup()?.findings === 1);
    expect(coup()).toMatchObject({ ...counted, coup: 1, state: 'void' });
    expect(shoe()).toMatchObject(counted);
    reader.cut();
    await eventually('nobody', () => watch().count === 0);
  });

  it('ends at once for a HEAD request', async () => {
    const answer = await fetch(`${url}/v1/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${floor.reader}` },
      signal: AbortSignal.timeout(5_000),
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(watch().count).toBe(0);
  });

  it('sends a comment now and then, and disconnects within seconds a reader who signs out or whose tables change', async () => {
    const source = floor.server.api.app.get(DataSource);
    const [out, other, stays] = [
      await floor.server.api.person('compliance', { name: 'out' }),
      await floor.server.api.person('pit-boss', { name: 'other', tables: ['B07'] }),
      floor.reader,
    ];
    const [leaving, moved, staying] = [follow(out), follow(other), follow(stays)];
    for (const reader of [leaving, moved, staying]) await reader.listening();
    await source.getRepository(Session).delete({ accountName: 'out' });
    await source.query(`update access.account set tables = '{B08}' where name = 'other'`);
    await eventually('both let go', () => leaving.ended && moved.ended, 12_000);
    await eventually('a heartbeat', () => staying.comments > 0, 12_000);
    expect(staying.ended).toBe(false);
    staying.cut();
    await eventually('nobody', () => watch().count === 0);
  });

  it('ends with its session: at once in the same process, and within about a second elsewhere', async () => {
    const { api } = floor.server;
    const admin = await api.person('admin', { name: 'ender' });
    const elsewhere = await startApi({ databaseUrl: floor.server.database.url, log: floor.log });
    try {
      const ways: readonly (readonly [
        string,
        (name: string, token: string) => Promise<unknown>,
      ])[] = [
        [
          'ended',
          (name, token) =>
            api.send('DELETE', `/v1/accounts/${name}/sessions/${token.split('_')[1]}`, admin),
        ],
        ['signed-out', (_, token) => api.send('POST', '/v1/sign-out', token)],
        [
          'disabled',
          (name) => api.send('PATCH', `/v1/accounts/${name}`, admin, { disabled: true }),
        ],
        ['narrowed', (name) => api.send('PATCH', `/v1/accounts/${name}`, admin, { tables: [] })],
      ];
      for (const [name, act] of ways) {
        const token = await api.person('surveillance', { name });
        const [here, there] = [follow(token), follow(token, {}, await elsewhere.url())];
        for (const reader of [here, there]) await reader.listening();
        await act(name, token);
        const began = performance.now();
        await eventually(`the end here once ${name}`, () => here.ended, 5_000);
        expect(performance.now() - began).toBeLessThan(700);
        await eventually(`the end elsewhere once ${name}`, () => there.ended, 5_000);
        expect(performance.now() - began).toBeLessThan(3_000);
      }
    } finally {
      await elsewhere.close();
    }
  });

  it('ends when its session expires or has been idle for too long, because following is not a use', async () => {
    const source = floor.server.api.app.get(DataSource);
    for (const ends of [
      `expires_at = now() + interval '300 milliseconds'`,
      `last_used_at = now() - interval '59 minutes 59.7 seconds'`,
    ]) {
      const token = await floor.server.api.person('surveillance');
      const reader = follow(token);
      await reader.listening();
      await source.query(`update access.session set ${ends} where id = $1`, [token.split('_')[1]]);
      await eventually(`the end after ${ends}`, () => reader.ended, 5_000);
    }
  });

  it('forgets a reader who left while their position was looked up', async () => {
    const client = new pg.Client(floor.server.database.url);
    await client.connect();
    const waiting = async (): Promise<number> => {
      const { rows } = await client.query<{ count: string }>(
        `select count(*) from pg_stat_activity where application_name = 'shoeprint-stream' and wait_event_type = 'Lock'`,
      );
      return Number(rows[0]?.count);
    };
    try {
      await client.query('begin');
      await client.query('lock table rows.position in access exclusive mode');
      const leaving = follow();
      await eventually('a look-up that waits', async () => (await waiting()) > 0);
      leaving.cut();
      await eventually(
        'the connection gone',
        async () => (await connections(floor.server.api)) === 0,
      );
      await client.query('rollback');
      const after = follow();
      await after.listening();
      expect(watch().count).toBe(1);
      after.cut();
      await eventually('nobody', () => watch().count === 0);
    } finally {
      await client.end();
    }
  });
});

const connections = ({ app }: TestApi): Promise<number> =>
  new Promise((resolve, reject) => {
    app.getHttpServer().getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

describe('a server whose reader takes nothing', () => {
  it('disconnects it, buffers at most one database page for it, and sends it the rest when it reconnects', async () => {
    const api = await startApi();
    try {
      await bigFindings(api, 12_000);
      const at = await api.url();
      const reader = await api.person('compliance');
      const slow = follow(reader, { id: '0:0', paused: true }, at);
      const watching = api.app.get(ChangeFeed);
      await eventually('a follower', () => watching.count === 1);
      await eventually('it let go', () => watching.count === 0, 40_000);
      slow.cut();
      const back = follow(reader, { id: '0:0' }, at);
      await eventually('everything', () => back.id === '0:12000', 40_000);
      expect(new Set(back.of<FindingLine>('finding').map(({ id }) => id)).size).toBe(12_000);
      back.cut();
    } finally {
      await api.close();
    }
  });
});

describe('a reader who takes little at a time', () => {
  it('is not disconnected, although it never has all that was sent', async () => {
    const api = await startApi();
    try {
      await bigFindings(api, 12_000);
      const reader = await api.person('compliance');
      const pace = { id: '0:0', bytesPerSecond: 150_000 };
      const slow = follow(reader, pace, await api.url());
      await eventually('25 seconds of it', () => slow.taken > 3_750_000, 100_000);
      expect(slow.ended).toBe(false);
      expect(api.app.get(ChangeFeed).count).toBe(1);
      slow.cut();
    } finally {
      await api.close();
    }
  }, 120_000);
});

/**
 * Findings of at least two thousand bytes, one a record of partition 0: more than the connection's
 * buffers hold.
 */
async function bigFindings(api: TestApi, count: number): Promise<void> {
  const rows = api.app.get<DataSource>(getDataSourceToken(ROWS));
  await rows.query(
    `insert into rows.position (partition, log_id, next, fold_version, generation, events) values (0, 'x', $1, 1, 1, $1)`,
    [count],
  );
  await rows.query(
    `insert into rows.finding
       (id, code, severity, "table", shoe, rules, "void", remedied, "at",
        gaming_day, body, partition, changed)
     select 'f' || n, 'TC-05', 1, 'B07', 'S1', 'punto-banco@1', false, false, now(), '2026-11-20', json_build_object('id', 'f' || n, 'code', 'TC-05', 'message', repeat('x', 2000)), 0, n from generate_series(1, $1::int) n`,
    [count],
  );
}

describe('a server that stops', () => {
  it('ends its streams at once and accepts no new ones', async () => {
    const api = await startApi();
    const reader = await api.person('compliance');
    const at = await api.url();
    const following = [follow(reader, {}, at), follow(reader, {}, at)];
    await eventually('both', () => api.app.get(ChangeFeed).count === 2);
    api.app.get(StreamController).onModuleDestroy();
    const late = await fetch(`${at}/v1/stream`, { headers: { authorization: `Bearer ${reader}` } });
    expect([
      late.status,
      ((await late.json()) as { type: string }).type,
      late.headers.get('retry-after'),
    ]).toEqual([503, 'urn:shoeprint:problem:not-ready', '1']);
    await eventually('their end', () => following.every(({ ended }) => ended));
    const [stalled, began] = [follow(reader, { paused: true }, at), performance.now()];
    await api.close();
    expect(performance.now() - began).toBeLessThan(5_000);
    stalled.cut();
  });
});
