// What an outsider tried on the server, as requests over HTTP. One server for all: add an `it` for
// each promise, and keep to what a client can see. Elsewhere: that a signal ends `npm start`, and
// that NEST_LOG_LEVEL is followed (standalone/npm-start), that a reader who never reads is
// disconnected (api/http/strict-requests), and how fast cards are recorded beside readers
// (`npm run bench:budgets`).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { get } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT } from '../api/ingest/events-app.js';
import {
  databaseOf,
  endAll,
  postgresOf,
  query,
  signedIn,
  Started,
  START_MS,
  type Serving,
} from '../cli/serving.js';
import { built } from '../cli/shoeprint.js';
import { createDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { shortTable } from '../kit/short-table.js';
import { StreamReader } from '../kit/stream-reader.js';

const root = mkdtempSync(join(tmpdir(), 'shoeprint-review-'));
const data = join(root, 'data');
const TLS = 'test/fixtures/tls';
const DAY = '2026-11-20';

let server: Serving;

beforeAll(async () => {
  built();
  server = await signedIn(Started.shoeprint(['serve', '--data', data, '--port', '0']));
}, START_MS);
afterAll(async () => {
  await endAll();
  rmSync(root, { recursive: true, force: true });
});

/** Returns an event of a table as a line. */
const line = (table: string, type: string, id: string, more: object): string =>
  JSON.stringify({
    specversion: '1.0',
    type: `shoeprint.${type}.v1`,
    source: `device/${table}`,
    id,
    time: `${DAY}T12:00:0${id}Z`,
    table,
    ...more,
  });

/** Returns the lines of a coup without cards, which has findings. */
const coupOf = (table: string, dealer: string): string[] => [
  line(table, 'dealer-signed-on', '1', { data: { dealer, role: 'dealer' } }),
  line(table, 'shoe-opened', '2', {
    shoe: 's',
    data: {
      rules: 'punto-banco-no-burn@1',
      decks: 8,
      kind: 'physical',
      currency: 'USD',
      reports: ['outcomes'],
    },
  }),
  line(table, 'coup-opened', '3', { shoe: 's', data: { coup: 1 } }),
  line(table, 'coup-closed', '4', { shoe: 's', data: {} }),
];

describe('input from a sender', () => {
  it('stays in its cell of a CSV, whatever line breaks and formulas it holds', async () => {
    const dealer = `d-1\n=cmd|'/c calc'!A1\r@x`;
    await server.send(coupOf('CSV1', dealer));
    const csv = await eventually('the dealer in the report', async () => {
      const answer = await server.ask('/v1/reports/dealers?format=csv&table=CSV1');
      const text = await answer.text();
      return text.includes('d-1') && text;
    });
    const breaks = csv.replace(/"(?:[^"]|"")*"/g, '""');
    expect(breaks.split('\r\n').filter(Boolean)).toHaveLength(2);
    expect(breaks).not.toMatch(/cmd|@x/);
  });

  it('cannot hold up the server by a pattern with many stars', async () => {
    const patternOf = async (name: string, source: string): Promise<Response> =>
      server.ask('/v1/keys', { name, sources: [source], tables: ['STARS'], types: ['*'] });
    const five = await patternOf('five-stars', 'device/*a*a*a*a*b');
    expect(five.status).toBe(400);
    const four = await patternOf('four-stars', 'device/*a*a*a*b');
    expect(four.status).toBe(201);
    const { token } = (await four.json()) as { token: string };
    const began = performance.now();
    const answer = await fetch(`${server.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': EVENT },
      body: line('STARS', 'device-online', '1', { source: `device/${'a'.repeat(380)}`, data: {} }),
    });
    expect(answer.status).toBe(403);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe('what a device says', () => {
  it('is a finding if it names a person who did not send it', async () => {
    await server.send([
      ...coupOf('PR10', 'd-1'),
      line('PR10', 'coup-voided', '5', {
        shoe: 's',
        data: { coup: 1, reason: 'misdeal', by: 'mei.chan' },
      }),
    ]);
    await eventually('the finding', async () => {
      const answer = await server.ask('/v1/findings?table=PR10&code=PR-10');
      return (await answer.text()).includes('"PR-10"');
    });
  });
});

describe('people', () => {
  const GIVEN = 'given by an admin once';
  const OWN = 'chosen by the person alone';

  /** Returns the status and the problem of a request with a token. */
  const asked = async (
    token: string | undefined,
    method: string,
    path: string,
    body?: object,
  ): Promise<string> => {
    const answer = await send(token, method, path, body);
    const { type } = (answer.status === 204 ? {} : await answer.json()) as { type?: string };
    return `${answer.status} ${(type ?? '').replace('urn:shoeprint:problem:', '')}`.trim();
  };
  const send = (
    token: string | undefined,
    method: string,
    path: string,
    body?: object,
  ): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const signIn = (name: string, password: string): Promise<Response> =>
    send(undefined, 'POST', '/v1/sign-in', { name, password });
  const tokenOf = async (name: string, password: string): Promise<string> =>
    ((await (await signIn(name, password)).json()) as { token: string }).token;
  /** Returns the token of a new person who has chosen a password. */
  const person = async (name: string, roles: string[], tables: string[]): Promise<string> => {
    const body = { name, password: GIVEN, roles, tables };
    expect(await asked(server.token, 'POST', '/v1/accounts', body)).toBe('201');
    const first = await tokenOf(name, GIVEN);
    const me = (await (await send(first, 'GET', '/v1/me')).json()) as { mustDo: string };
    expect(me.mustDo).toBe('password-change');
    const change = { password: GIVEN, newPassword: OWN };
    expect(await asked(first, 'POST', '/v1/me/password', change)).toBe('204');
    return tokenOf(name, OWN);
  };

  it('own their passwords: the first one leads only to choosing another, and no weak one', async () => {
    const token = await person('owner', ['pit-boss'], ['B01']);
    for (const newPassword of ['password1234', 'aaaaaaaaaaaa', ' '.repeat(12), 'owner'])
      expect(await asked(token, 'POST', '/v1/me/password', { password: OWN, newPassword })).toBe(
        '400 invalid-request',
      );
    expect(await asked(server.token, 'PATCH', '/v1/accounts/owner', { password: GIVEN })).toBe(
      '400 invalid-request',
    );
  });

  it('give nobody more than they have, and themselves nothing', async () => {
    const all = { roles: ['admin', 'compliance'], tables: ['*'] };
    expect(await asked(server.token, 'PATCH', '/v1/accounts/admin', all)).toBe('403 not-permitted');
    const floor = await person('floor', ['admin'], ['B01']);
    expect(await asked(floor, 'PATCH', '/v1/accounts/floor', all)).toBe('403 not-permitted');
    expect(await asked(floor, 'PATCH', '/v1/accounts/admin', { disabled: true })).toBe(
      '404 not-found',
    );
    const wide = { name: 'wide', password: GIVEN, ...all };
    expect(await asked(floor, 'POST', '/v1/accounts', wide)).toBe('403 not-permitted');
  });

  it('are in the record with what they do, and nobody sends to it', async () => {
    const token = await person('recorded', ['finance'], ['*']);
    await asked(token, 'POST', '/v1/sign-out');
    await eventually('what was done', async () => {
      const answer = await send(server.token, 'GET', '/v1/house-events?by=person/recorded');
      const { lines } = (await answer.json()) as { lines: { type: string }[] };
      const types = lines.map(({ type }) => type);
      return ['person-signed-in', 'account-changed', 'person-signed-out'].every((type) =>
        types.includes(type),
      );
    });
    const scope = { sources: ['device/*'], tables: ['*'], types: ['*'] };
    const made = await send(server.token, 'POST', '/v1/keys', { name: 'everywhere', ...scope });
    const key = (await made.json()) as { token: string };
    const refused = await fetch(`${server.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.token}`, 'content-type': EVENT },
      body: line('@house', 'device-online', '1', { source: 'device/x', data: {} }),
    });
    expect(refused.status).toBe(403);
    await server.started.saying(
      /"message":"request refused".*"problem":"source-not-yours","who":"device\/everywhere","from":"127\.0\.0\.1"/,
    );
  });

  it('lose their stream at once when their account is disabled', async () => {
    const screen = new StreamReader(server.url, await person('watcher', ['regulator'], ['*']));
    await screen.listening();
    const disable = { disabled: true };
    expect(await asked(server.token, 'PATCH', '/v1/accounts/watcher', disable)).toBe('200');
    await eventually('the end of the stream', () => screen.ended);
  });

  it('see what their roles may: finance no findings, wherever they are', async () => {
    const finance = await person('money', ['finance'], ['*']);
    expect(await asked(finance, 'GET', '/v1/findings')).toBe('403 not-permitted');
    expect(await asked(finance, 'GET', '/v1/coups?flagged=true')).toBe('403 not-permitted');
    await server.send(coupOf('FIN1', 'd-1'));
    await eventually('the finding', async () =>
      (await (await server.ask('/v1/findings?table=FIN1')).text()).includes('"FIN1"'),
    );
    const [coup, shoe] = ['device%2FFIN1%233', 'device%2FFIN1%232'];
    for (const path of ['coups?table=FIN1', `coups/${coup}`, 'shoes?table=FIN1', `shoes/${shoe}`]) {
      const answer = await send(finance, 'GET', `/v1/${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      const text = await answer.text();
      expect(text).toContain('FIN1');
      expect(text).not.toMatch(/findings|worst|raised|"[A-Z]{2}-\d\d"/);
    }
  });

  it('give devices no voice but their own', async () => {
    const integrator = await person('builder', ['integrator'], ['B01']);
    const key = (sources: string[]): Promise<string> =>
      asked(integrator, 'POST', '/v1/keys', {
        name: `k${sources[0] ?? ''}`.replace(/\W/g, ''),
        sources,
        tables: ['B01'],
        types: ['*'],
      });
    expect(await key(['*'])).toBe('400 invalid-request');
    expect(await key(['system/auditor'])).toBe('400 invalid-request');
    expect(await key(['person/*'])).toBe('403 not-permitted');
    expect(await key(['device/B01-*'])).toBe('201');
  });

  it('learn from a refusal how to sign in', async () => {
    const token = `sps_0123456789abcdef_${'x'.repeat(43)}`;
    for (const answer of [
      await signIn('owner', 'xxxxxxxxxxxx'),
      await send(undefined, 'GET', '/v1/me'),
      await send(token, 'GET', '/v1/me'),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it(
    'get in where they are known, whatever others try from the same address',
    async () => {
      await person('known', ['pit-boss'], ['B01']);
      let guesses = 0;
      await eventually(
        'a guess that is refused',
        async () => (await signIn(`guess${(guesses += 1)}`, 'xxxxxxxxxxxx')).status === 429,
        START_MS,
      );
      expect(guesses).toBeLessThanOrEqual(31);
      expect((await signIn('known', OWN)).status).toBe(200);
    },
    START_MS,
  );
});

describe('who only reads', () => {
  /** How many screens follow the stream, and how many tables play. */
  const [SCREENS, TABLES] = [100, 20];
  const READERS = 10;
  const READING_MS = 120_000;
  const played = shortTable({ rules: 'punto-banco@1', seed: 7, bets: false, coups: 30 });

  it(
    'cuts off no other reader and holds up no card, with a hundred screens',
    async () => {
      const screens = Array.from(
        { length: SCREENS },
        () => new StreamReader(server.url, server.token),
      );
      try {
        await Promise.all(screens.map((screen) => screen.listening()));
        for (let n = 0; n < TABLES; n += 1)
          await server.send(played.map((event) => JSON.stringify({ ...event, table: `D7-${n}` })));
        const last = `D7-${TABLES - 1}`;
        const hasSeen = ({ told }: StreamReader): boolean =>
          told.some(({ data }) => (data as { table?: string }).table === last);
        await eventually(
          'every screen at the last table',
          () => screens.every((screen) => screen.ended || hasSeen(screen)),
          READING_MS,
        );
        expect(screens.filter(({ ended }) => ended)).toHaveLength(0);
      } finally {
        for (const screen of screens) screen.cut();
      }
    },
    READING_MS,
  );

  it('gets a file or is asked to wait, and every card is recorded meanwhile', async () => {
    let isReading = true;
    const answers = new Set<string>();
    const read = async (): Promise<void> => {
      while (isReading) {
        const answer = await server.ask('/v1/coups?format=csv');
        await answer.arrayBuffer();
        answers.add(`${answer.status} ${answer.headers.get('retry-after') ?? ''}`.trim());
      }
    };
    const readers = Array.from({ length: READERS }, read);
    for (let n = 0; n < TABLES; n += 1) await server.send(coupOf(`D8-${n}`, 'd-1'));
    await eventually('a file, and a request to wait', () => answers.size >= 2);
    isReading = false;
    await Promise.all(readers);
    expect([...answers].sort()).toEqual(['200', expect.stringMatching(/^429 \d+$/)]);
  });
});

describe('who waits for what will never be there', () => {
  const WAITING = 200;

  it('is asked to come again, and every card is recorded meanwhile', async () => {
    const waiting = Array.from({ length: WAITING }, () =>
      fetch(`${server.url}/v1/tables`, {
        headers: { authorization: `Bearer ${server.token}`, 'min-position': '0:999999999' },
      }),
    );
    await server.send(coupOf('D8-waiters', 'd-1'));
    for (const answer of await Promise.all(waiting)) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await answer.text()).toContain('not-yet-visible');
    }
  });
});

describe('the machine', () => {
  const isRoot = process.getuid?.() === 0;

  (isRoot ? it : it.skip)(
    'lends no right of root to the embedded PostgreSQL, or says so',
    async () => {
      const roots = join(root, 'of-root');
      writeFileSync(roots, 'kept', { mode: 0o600 });
      if (server.started.said.includes('PostgreSQL runs with the user id of root')) return;
      await expect(query(databaseOf(data), `copy (select 'x') to '${roots}'`)).rejects.toThrow(
        'Permission denied',
      );
      expect(readFileSync(roots, 'utf8')).toBe('kept');
      const status = readFileSync(`/proc/${postgresOf(data)}/status`, 'utf8');
      expect(status).toMatch(/^Uid:(\t[1-9]\d*){4}$/m);
    },
  );

  it('answers requests with database users that are not superusers and own nothing', async () => {
    await server.ask('/v1/tables');
    const sessions = await query<{ name: string; usesuper: boolean; owns: boolean }>(
      databaseOf(data),
      `select distinct usename as name, usesuper,
         exists (select from pg_class where relowner = usesysid) as owns
       from pg_stat_activity join pg_user using (usename, usesysid)
       where datname = 'shoeprint' and application_name not in ('shoeprint-standalone', '')`,
    );
    expect(sessions.map(({ name }) => name).sort()).toEqual([
      'shoeprint_api',
      'shoeprint_auditor',
      'shoeprint_log',
      'shoeprint_sealer',
    ]);
    expect(sessions.filter(({ usesuper, owns }) => usesuper || owns)).toEqual([]);
  });

  it(
    'never prints a password that was given to it, on a terminal either',
    async () => {
      const given = 'a password that was given by file';
      const file = join(root, 'given');
      writeFileSync(file, given, { mode: 0o600 });
      const other = Started.onTerminal(['serve', '--data', join(root, 'other'), '--port', '0'], {
        SHOEPRINT_ADMIN_PASSWORD_FILE: file,
      });
      await other.saying(/Ready in/);
      expect(await other.stop()).toBe(0);
      expect(other.said).not.toContain(given);
    },
    START_MS,
  );

  it('keeps passwords out of its log, and its files from other users', () => {
    const { password } = JSON.parse(readFileSync(join(data, 'sign-in.json'), 'utf8')) as {
      password: string;
    };
    for (const secret of [password, readFileSync(join(data, 'password'), 'utf8').trim()]) {
      expect(secret.length).toBeGreaterThan(15);
      expect(server.started.said).not.toContain(secret);
    }
    const { stdout } = spawnSync('find', [data, '-type', 'f', '-perm', '/077'], {
      encoding: 'utf8',
    });
    expect(stdout.split('\n').filter((name) => /password|sign-in|pgdata/.test(name))).toEqual([]);
  });
});

describe('the way to the server', () => {
  it(
    'can be TLS, and browsers are then asked to keep to it for a year',
    async () => {
      const database = await createDatabase();
      const api = Started.program([process.execPath, 'dist/apps/api/src/main.js'], {
        DATABASE_URL: database.url,
        SHOEPRINT_PORT: '0',
        SHOEPRINT_TLS_CERT: `${TLS}/cert.pem`,
        SHOEPRINT_TLS_KEY: `${TLS}/key.pem`,
      });
      const [, url] = await api.saying(/"url":"(https:[^"]+)"/);
      for (const path of ['/livez', '/v1/me', '/nowhere', '/docs'])
        expect(await headersOf(`${url}${path}`)).toMatchObject({
          'strict-transport-security': 'max-age=31536000; includeSubDomains',
        });
      expect(await api.stop()).toBe(0);
      await database.drop();
    },
    START_MS,
  );

  it.each([
    ['two hosts', 'GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['no host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'two codings',
      'POST /v1/sign-in HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['an expectation', 'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n', 417],
  ])('refuses a request that can be read in two ways: %s', async (_what, text, status) => {
    const answer = await talk(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('application/problem+json');
    expect(answer).toContain(`"status":${status}`);
  });

  it('is described well enough to make a client', async () => {
    interface Described {
      readonly servers: readonly object[];
      readonly tags: readonly object[];
      readonly paths: Readonly<
        Record<string, Readonly<Record<string, { readonly responses: Record<string, Content> }>>>
      >;
    }
    interface Content {
      readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
    }
    const { servers, tags, paths } = (await (await server.ask('/docs-json')).json()) as Described;
    expect([servers.length, tags.length].every(Boolean)).toBe(true);
    const schemas = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .map(([status, { content }]) => [
            `${method} ${path} ${status}`,
            content?.['application/json'] && Object.keys(content['application/json'].schema ?? {}),
          ]),
      ),
    );
    expect(schemas.length).toBeGreaterThan(50);
    expect(schemas.filter(([, keys]) => keys?.length === 0)).toEqual([]);
    const bodiless = await fetch(`${server.url}/v1/accounts/x`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect(bodiless.status).toBe(400);
  });

  it('lets no browser run, embed, guess, keep or pass on anything of an answer', async () => {
    for (const path of ['/livez', '/v1/me', '/v1/tables', '/nowhere', '/docs']) {
      const headers = Object.fromEntries((await server.ask(path)).headers);
      expect({ path, ...headers }).toMatchObject({
        path,
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'.*object-src 'none'.*base-uri 'none'; frame-ancestors 'none'$/,
        ),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': path === '/docs' ? 'no-cache' : 'no-store',
      });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('shows metrics and documentation to everybody on the loopback interface only', async () => {
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    for (const path of ['/metrics', '/docs-json'])
      expect((await fetch(`${server.url}${path}`)).status).toBe(200);
  });
});

/** Returns what the server writes on a bare connection until it closes it. */
const talk = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    let all = '';
    const socket = connect(Number(port), hostname, () => socket.write(text))
      .setEncoding('utf8')
      .on('data', (part: string) => (all += part))
      .on('end', () => {
        socket.end();
        resolve(all);
      })
      .on('error', reject);
  });

/** Returns the headers of an answer over TLS, by a client that trusts the certificate of the tests. */
const headersOf = (url: string): Promise<IncomingHttpHeaders> =>
  new Promise((resolve, reject) =>
    get(url, { ca: readFileSync(`${TLS}/cert.pem`), agent: false }, (answer) => {
      resolve(answer.headers);
      answer.resume();
    }).on('error', reject),
  );
