import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request, type RequestOptions } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PostgresLog } from '#event-log';
import { newToken } from '../../../apps/api/src/identity/credentials/bearer-token.js';
import { serverEnvironment } from '../../kit/answers.js';
import { createDatabase, type TestDatabase } from '../../kit/database.js';
import { eventually } from '../../kit/eventually.js';
import { card, EVENT, lineOf } from '../ingest/events-app.js';

const TLS = 'test/fixtures/tls';
const ca = readFileSync(`${TLS}/cert.pem`);
const PARTITIONS = 4;

interface Answered {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The built api, in its own process, over TLS and under a path. */
class Server {
  readonly lines: { readonly message: unknown; readonly level: string }[] = [];
  stderr = '';
  code: number | null | undefined;
  private readonly child: ChildProcess;
  readonly agent = new Agent({ ca, keepAlive: true, maxSockets: 16 });

  constructor(databaseUrl: string) {
    this.child = spawn(process.execPath, ['dist/apps/api/src/main.js'], {
      env: serverEnvironment({
        DATABASE_URL: databaseUrl,
        SHOEPRINT_PARTITIONS: String(PARTITIONS),
        SHOEPRINT_PORT: '0',
        SHOEPRINT_BASE_PATH: '/audit',
        SHOEPRINT_TLS_CERT: `${TLS}/cert.pem`,
        SHOEPRINT_TLS_KEY: `${TLS}/key.pem`,
        SHOEPRINT_ADMIN_PASSWORD: 'correct horse battery staple',
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    let rest = '';
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const parts = `${rest}${text}`.split('\n');
      rest = parts.pop() as string;
      for (const part of parts) this.lines.push(JSON.parse(part) as Server['lines'][number]);
    });
    this.child.on('exit', (code) => (this.code = code));
  }

  /** Returns the address on which it listens. */
  async port(): Promise<number> {
    const url = await eventually(
      'the line that it listens',
      () => {
        if (this.code !== undefined) throw new Error(`ended with ${this.code}: ${this.stderr}`);
        return this.lines
          .map(({ message }) => message as { message?: string; url?: string })
          .find(({ message }) => message === 'listening')?.url;
      },
      60_000,
    );
    expect(url).toMatch(/^https:/);
    return Number(new URL(url).port);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
  async close(): Promise<void> {
    this.agent.destroy();
    if (this.code === undefined) this.child.kill('SIGKILL');
    await eventually('its end', () => this.code !== undefined);
  }
}

let database: TestDatabase;
let server: Server;
let port: number;
let device: string;
beforeAll(async () => {
  database = await createDatabase();
  server = new Server(database.url);
  port = await server.port();
  const client = new pg.Client(database.url);
  await client.connect();
  const { id, text, hash } = newToken('spk');
  await client.query(
    'insert into access.device_key (id, name, token_hash, sources, tables, types, created_by) values ($1, $2, $3, $4, $4, $4, $5)',
    [id, 'drained', hash, ['*'], 'system/test'],
  );
  await client.end();
  device = text;
}, 90_000);
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

const options = (
  method: string,
  path: string,
  headers: RequestOptions['headers'] = {},
): RequestOptions => ({ host: '127.0.0.1', port, method, path, agent: server.agent, headers });
function ask(
  method: string,
  path: string,
  { headers, body }: { headers?: RequestOptions['headers']; body?: string } = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asking = request(options(method, path, headers), (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => (text += piece))
        .on('end', () =>
          resolve({ status: response.statusCode, body: text, headers: response.headers }),
        )
        .on('error', reject);
    });
    asking.on('error', reject).end(body);
  });
}
const eventHeaders = (): RequestOptions['headers'] => ({
  authorization: `Bearer ${device}`,
  'content-type': EVENT,
});

describe('an api over TLS, under a path', () => {
  it('can be reached only with TLS, by a client that trusts its certificate', async () => {
    const alive = await ask('GET', '/audit/livez');
    expect(alive.status).toBe(200);
    expect(alive.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    for (const path of ['/nowhere', '/audit/v1/me'])
      expect((await ask('GET', path)).headers).toHaveProperty('strict-transport-security');
    await expect(fetch(`http://127.0.0.1:${port}/audit/livez`)).rejects.toThrow();
    await expect(fetch(`https://127.0.0.1:${port}/audit/livez`)).rejects.toThrow();
    const protocol = await new Promise((resolve, reject) => {
      const socket = connect(
        { host: '127.0.0.1', port, ca, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' },
        () => resolve(socket.getProtocol()),
      ).on('error', reject);
    }).catch((error: unknown) => (error as Error).message);
    expect(protocol).toMatch(/alert|protocol|version|unsupported|ssl/i);
  });

  it('serves everything under the path and nothing elsewhere, and its description says so', async () => {
    expect((await ask('GET', '/livez')).status).toBe(404);
    expect((await ask('GET', '/auditlivez')).status).toBe(404);
    expect((await ask('GET', '/audit/readyz')).status).toBe(200);
    const { servers, paths } = JSON.parse((await ask('GET', '/audit/docs-json')).body) as {
      servers: { url: string }[];
      paths: object;
    };
    expect(servers.map(({ url }) => url)).toEqual(['/audit']);
    expect(Object.keys(paths)).toContain('/v1/events');
    expect((await ask('GET', '/audit/docs')).status).toBe(200);
    const signedIn = await ask('POST', '/audit/v1/sign-in', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'admin', password: 'correct horse battery staple' }),
    });
    expect(signedIn.status).toBe(200);
  });

  it('gives a browser a session cookie for this host over TLS alone', async () => {
    const body = { name: 'admin', password: 'correct horse battery staple', cookie: true };
    const signIn = (headers: RequestOptions['headers']): ReturnType<typeof ask> =>
      ask('POST', '/audit/v1/sign-in', {
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    expect((await signIn({ origin: `http://127.0.0.1:${port}` })).status).toBe(403);
    const { status, headers } = await signIn({ origin: `https://127.0.0.1:${port}` });
    const set = String(headers['set-cookie']);
    expect([status, set]).toEqual([
      200,
      expect.stringMatching(
        /^__Host-shoeprint-session=\S+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    const cookie = set.replace(/;.*/, '');
    expect((await ask('GET', '/audit/v1/me', { headers: { cookie } })).status).toBe(200);
  });
});

describe('every answer over TLS', () => {
  /** Returns what the server writes on a bare connection until it has sent a head. */
  const headTo = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, ca }, () => socket.write(text));
      let all = '';
      socket
        .setEncoding('utf8')
        .on('data', (part: string) => {
          all += part;
          const end = all.indexOf('\r\n\r\n');
          if (end < 0) return;
          socket.destroy();
          resolve(all.slice(0, end));
        })
        .on('error', reject);
    });

  it.each([
    ['200 OK', () => 'GET /audit/livez HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['401 Unauthorized', () => 'GET /audit/v1/me HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['400 Bad Request', () => 'GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['417 Expectation Failed', () => 'GET /audit/livez HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n'],
    ['400 The request is malformed', () => 'hello\r\n\r\n'],
    [
      '200 OK',
      async () =>
        `GET /audit/v1/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${await regulator('looker')}\r\n\r\n`,
    ],
  ])('asks a browser to come back over TLS only: %s', async (status, text) => {
    const head = await headTo(await text());
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`));
    expect(head).toMatch(/^strict-transport-security: max-age=31536000; includeSubDomains\r?$/im);
  });
});

describe('an api that receives SIGTERM', () => {
  it('answers requests under way, ends streams and exits within seconds, and every acknowledged event is on the log', async () => {
    const acknowledged = new Set<string>();
    let isOver = false;
    const sender = async (name: string): Promise<void> => {
      while (!isOver) {
        const event = card({ table: name });
        const answer = await ask('POST', '/audit/v1/events', {
          headers: eventHeaders(),
          body: lineOf(event),
        }).catch(() => undefined);
        if (answer?.status === 202) acknowledged.add(event.id as string);
        if (answer === undefined) return;
      }
    };
    const stream = await following();
    const senders = Array.from({ length: 8 }, (_, i) => sender(`drain-${i}`));
    await eventually('some events', () => acknowledged.size > 100);
    const half = await halfSent();
    const before = acknowledged.size;
    await eventually('more events', () => acknowledged.size > before + 50);
    server.signal('SIGTERM');
    await eventually('that it ends', () =>
      server.lines.some(({ message }) => (message as { message?: string }).message === 'stopping'),
    );
    const began = performance.now();
    expect(await half.finish()).toBe(202);
    acknowledged.add(half.id);
    await eventually('its end', () => server.code !== undefined);
    isOver = true;
    expect([server.code, server.stderr]).toEqual([0, '']);
    expect(performance.now() - began).toBeLessThan(8_000);
    await Promise.all(senders);
    await eventually('the end of the stream', () => stream.ended);
    const recorded = await recordedIds(database.url);
    expect([...acknowledged].filter((id) => !recorded.has(id))).toEqual([]);
  }, 90_000);
});

/**
 * Sends half of a request's body. `finish` sends the rest and returns the status of the response.
 */
async function halfSent(): Promise<{
  readonly id: string;
  readonly finish: () => Promise<number | undefined>;
}> {
  const event = card({ table: 'drain-half' });
  const body = Buffer.from(lineOf(event));
  const asking = request({
    ...options('POST', '/audit/v1/events', { ...eventHeaders(), 'content-length': body.length }),
    agent: new Agent({ ca }),
  });
  const answered = new Promise<number | undefined>((resolve, reject) =>
    asking
      .on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)))
      .on('error', reject),
  );
  answered.catch(() => undefined);
  await new Promise<void>((resolve) => asking.write(body.subarray(0, 100), () => resolve()));
  return { id: event.id as string, finish: () => (asking.end(body.subarray(100)), answered) };
}

/** Returns the token of a regulator who has just signed in. */
async function regulator(name: string): Promise<string> {
  const client = new pg.Client(database.url);
  await client.connect();
  const { id, text, hash } = newToken('sps');
  await client.query(
    `insert into access.account (name, person, password_hash, roles, tables, created_by) values ($1, $1, 'none', '{regulator}', '{*}', 'system/test')`,
    [name],
  );
  await client.query(
    `insert into access.session (id, account_name, token_hash, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
    [id, name, hash],
  );
  await client.end();
  return text;
}

/** Follows the stream. */
async function following(): Promise<{ readonly ended: boolean }> {
  const text = await regulator('follower');
  const state = { ended: false, begun: false };
  request(
    {
      ...options('GET', '/audit/v1/stream', { authorization: `Bearer ${text}` }),
      agent: new Agent({ ca }),
    },
    (response) => {
      response
        .on('data', () => (state.begun = true))
        .on('close', () => (state.ended = true))
        .on('error', () => (state.ended = true));
    },
  )
    .on('error', () => (state.ended = true))
    .end();
  await eventually('the stream', () => state.begun);
  return state;
}

async function recordedIds(url: string): Promise<Set<string>> {
  const log = await PostgresLog.open({ url, partitions: PARTITIONS });
  const found = new Set<string>();
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const head = await log.head(partition);
    for (let from = 0; from < head;) {
      const records = await log.read(partition, from);
      for (const { value } of records)
        for (const line of Buffer.from(value).toString().split('\n'))
          found.add((JSON.parse(line) as { id: string }).id);
      from += records.length;
    }
  }
  await log.close();
  return found;
}
