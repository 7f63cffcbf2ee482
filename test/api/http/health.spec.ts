import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getDataSourceToken } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { MemoryLog, PostgresLog } from '#event-log';
import pg from 'pg';
import { ROWS } from '../../../apps/api/src/settings/tokens.js';
import { startApi, type TestApi } from '../../kit/api.js';
import { createDatabase } from '../../kit/database.js';
import { eventually } from '../../kit/eventually.js';
import { rounds } from '../../kit/rounds.js';
import { startServer } from '../../kit/server.js';

let api: TestApi;
const log = new MemoryLog();

beforeAll(async () => {
  api = await startApi({ log });
});
afterAll(async () => {
  await api.close();
  await log.close();
});

interface Readiness {
  readonly ready: boolean;
  readonly log: { readonly ok: boolean; readonly powerSafe: boolean; readonly notes: string[] };
  readonly database: { readonly ok: boolean; readonly notes: string[] };
}
const ready = async (server = api): Promise<Readiness & { readonly status: number }> => {
  const { statusCode, body } = await server.send('GET', '/readyz');
  return { status: statusCode, ...(JSON.parse(body) as Readiness) };
};

describe('readiness', () => {
  it('is yes with log, database and schemas in place, for any caller, and notes that a memory log is not power-safe', async () => {
    const answer = await ready();
    expect(answer).toMatchObject({
      status: 200,
      ready: true,
      database: { ok: true, notes: [] },
      log: { ok: true, powerSafe: false },
    });
    expect(answer.log.notes.join()).toMatch(/not power-safe/);
  });

  it('does not depend on how far the rows lag', async () => {
    await log.append({
      partition: 0,
      records: Array.from({ length: 500 }, () => ({ key: 'T1', value: Buffer.from('{}') })),
      urgency: 'bulk',
    });
    expect((await ready()).status).toBe(200);
  });

  it('is false while the log is out of reach, and true again afterwards', async () => {
    log.faults.unreachable = true;
    expect(await ready()).toMatchObject({
      status: 503,
      ready: false,
      log: { ok: false },
      database: { ok: true },
    });
    log.faults.unreachable = false;
    expect((await ready()).status).toBe(200);
  });

  it('is false if a schema is missing, and names it', async () => {
    const source = api.app.get(DataSource);
    await source.query('alter schema rows rename to rows_gone');
    expect(await ready()).toMatchObject({
      status: 503,
      ready: false,
      database: { ok: false, notes: ['the table rows.position is not there'] },
    });
    await source.query('alter schema rows_gone rename to rows');
    expect((await ready()).status).toBe(200);
  });
});

describe('an api whose log in PostgreSQL refuses records', () => {
  it('is not ready from the first refusal on, and ready again once the log would take one', async () => {
    const server = await startServer((url) => PostgresLog.open({ url, partitions: 1 }));
    const client = new pg.Client(server.database.url);
    await client.connect();
    try {
      const event = { id: 'd/1', source: 'device/d', type: 'shoeprint.device-online.v1' };
      const given = { ...event, specversion: '1.0', time: '2026-11-20T12:00:00Z', table: 'B07' };
      const token = await server.api.device();
      const sent = async (): Promise<number> => {
        const { statusCode } = await server.api.app.inject({
          method: 'POST',
          url: '/v1/events',
          payload: { ...given, data: {} },
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/cloudevents+json',
          },
        });
        return statusCode;
      };
      await client.query(
        'revoke execute on function log.append from shoeprint_log, public, current_user',
      );
      expect([await sent(), (await ready(server.api)).status]).toEqual([503, 503]);
      expect((await ready(server.api)).log.notes.join()).toMatch(/takes no records: permission/);
      await client.query('grant execute on function log.append to shoeprint_log');
      expect([(await ready(server.api)).status, await sent()]).toEqual([200, 202]);
    } finally {
      await client.end();
      await server.close();
    }
  });
});

/** A proxy in front of a server that can cut and restore connections. */
class Way {
  private readonly sockets = new Set<Socket>();
  private open = true;
  private readonly server;

  constructor({ hostname, port }: URL) {
    this.server = createServer((near) => {
      if (!this.open) return void near.destroy();
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) {
        this.sockets.add(socket);
        socket.on('close', () => this.sockets.delete(socket)).on('error', () => socket.destroy());
      }
      near.on('close', () => far.destroy()).pipe(far);
      far.on('close', () => near.destroy()).pipe(near);
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }
  cut(): void {
    this.open = false;
    for (const socket of this.sockets) socket.destroy();
  }
  mend(): void {
    this.open = true;
  }
  close(): Promise<void> {
    this.cut();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

describe('an api whose database goes away', () => {
  it('stays alive, is not ready, answers 503 to callers it cannot identify, and recovers when the database is back', async () => {
    const database = await createDatabase();
    const way = new Way(new URL(database.url));
    const url = new URL(database.url);
    url.port = String(await way.listen());
    url.hostname = '127.0.0.1';
    const server = await startApi({ databaseUrl: url.href, log });
    try {
      const token = await server.person('admin');
      expect((await server.send('GET', '/v1/accounts', token)).statusCode).toBe(200);
      way.cut();
      expect((await server.send('GET', '/livez')).statusCode).toBe(200);
      expect(await ready(server)).toMatchObject({
        status: 503,
        ready: false,
        log: { ok: true },
        database: { ok: false },
      });
      const refused = await eventually('a refusal', async () => {
        const answer = await server.send('GET', '/v1/accounts', token);
        return answer.statusCode === 200 ? undefined : answer;
      });
      expect([
        refused.statusCode,
        refused.json<{ type: string }>().type,
        refused.headers['retry-after'],
      ]).toEqual([503, 'urn:shoeprint:problem:not-ready', '1']);
      way.mend();
      await eventually(
        'an answer',
        async () => (await server.send('GET', '/v1/accounts', token)).statusCode === 200,
      );
      await eventually('its readiness', async () => (await ready(server)).ready);
    } finally {
      await server.close();
      await way.close();
      await database.drop();
    }
  });
});

describe('an api whose connections break in the middle of requests', () => {
  it('answers each request with 200 or with 503', async () => {
    const database = await createDatabase();
    const way = new Way(new URL(database.url));
    const url = new URL(database.url);
    url.port = String(await way.listen());
    url.hostname = '127.0.0.1';
    const server = await startApi({ databaseUrl: url.href, log });
    const statuses = new Map<string, number>();
    try {
      const token = await server.person(['admin', 'surveillance']);
      const paths = ['accounts', 'coups', 'findings', 'reports/misdealt', 'parked'];
      for (let round = 0; round < rounds(120); round += 1) {
        let answered = 0;
        const asked = [...paths, ...paths].map(async (path) => {
          const { statusCode, body } = await server.send('GET', `/v1/${path}`, token);
          const seen = statusCode === 200 ? '200' : `${statusCode} ${body}`;
          statuses.set(seen, (statuses.get(seen) ?? 0) + 1);
          answered += 1;
          if (answered === 1 + (round % 8)) way.cut();
        });
        await Promise.all(asked);
        way.mend();
      }
      expect([...statuses.keys()].filter((seen) => !/^(200|503)/.test(seen))).toEqual([]);
      expect(statuses.get('200')).toBeGreaterThan(0);
      expect([...statuses.keys()].some((seen) => seen.startsWith('503'))).toBe(true);
    } finally {
      await server.close();
      await way.close();
      await database.drop();
    }
  });
});

describe('a parked table', () => {
  it('is shown only to people who may see it, and a decision about it names who made it', async () => {
    const source = api.app.get<DataSource>(getDataSourceToken(ROWS));
    await source.query(
      `insert into rows.parked ("table", name, partition, "offset", line, reason, parked_at) values ('B07', 'B07', 1, 42, 0, 'unknown type', now())`,
    );
    const admin = await api.person('admin', { name: 'decider' });
    const elsewhere = await api.person('admin', { tables: ['B08'] });
    expect((await api.send('GET', '/v1/parked', admin)).json()).toMatchObject({
      items: [
        { table: 'B07', partition: 1, offset: 42, line: 0, reason: 'unknown type', asked: null },
      ],
    });
    expect((await api.send('GET', '/v1/parked', elsewhere)).json()).toEqual({ items: [] });
    expect((await api.send('POST', '/v1/parked/B07/retry', elsewhere)).statusCode).toBe(404);
    expect((await api.send('POST', '/v1/parked/B09/retry', admin)).statusCode).toBe(404);
    expect((await api.send('POST', '/v1/parked/%00/retry', admin)).statusCode).toBe(404);
    expect((await api.send('POST', '/v1/parked/B07/release', admin)).statusCode).toBe(202);
    expect((await api.send('GET', '/v1/parked', admin)).json()).toMatchObject({
      items: [
        { table: 'B07', asked: 'release', askedBy: 'person/decider', askedAt: expect.any(String) },
      ],
    });
  });

  it('does not hide the positions of partitions', async () => {
    const source = api.app.get<DataSource>(getDataSourceToken(ROWS));
    await source.query(
      `insert into rows.position (partition, log_id, next, fold_version, generation, events, stopped_reason, stopped_offset, stopped_at) values (3, 'x', 12, 1, 2, 90, 'a hole', 12, now())`,
    );
    expect(
      (await api.send('GET', '/v1/positions', await api.person('compliance'))).json(),
    ).toMatchObject({
      items: [
        {
          partition: 3,
          next: 12,
          events: 90,
          generation: 2,
          owner: null,
          stopped: { reason: 'a hole', offset: 12 },
        },
      ],
    });
  });
});

describe('the metrics of the api', () => {
  it('count requests by route template, method and status, and never contain an id', async () => {
    const admin = await api.person('admin');
    await api.send('PATCH', '/v1/accounts/some.body', admin, { disabled: true });
    await api.send('GET', '/nowhere/some.body');
    const { headers, body } = await eventually('the count', async () => {
      const answer = await api.send('GET', '/metrics');
      return answer.body.includes('route="(none)"') ? answer : undefined;
    });
    expect(headers['content-type']).toContain('text/plain');
    expect(body).toContain(
      'shoeprint_http_request_duration_seconds_count{method="PATCH",route="/v1/accounts/:name",status="404"} 1',
    );
    expect(body).not.toContain('some.body');
  });

  it('have names with our prefix, what they count and its unit', async () => {
    const { body } = await api.send('GET', '/metrics');
    const types = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [
      name as string,
      type as string,
    ]);
    expect(types.length).toBeGreaterThan(0);
    for (const [name, type] of types as [string, string][]) {
      expect(name).toMatch(/^shoeprint_[a-z0-9_]+$/);
      if (type === 'counter') expect(name).toMatch(/_total$/);
      if (type === 'histogram') expect(name).toMatch(/_(seconds|bytes|events)$/);
    }
  });
});
