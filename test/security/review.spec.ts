// What an outsider tried on the server, as requests over HTTP. One server for all: add an `it` for
// each promise, and keep to what a client can see.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT } from '../api/events-app.js';
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

describe('input from a sender', () => {
  it('stays in its cell of a CSV, whatever line breaks and formulas it holds', async () => {
    const dealer = `d-1\n=cmd|'/c calc'!A1\r@x`;
    const shoe = 's';
    await server.send([
      line('CSV1', 'dealer-signed-on', '1', { data: { dealer, role: 'dealer' } }),
      line('CSV1', 'shoe-opened', '2', {
        shoe,
        data: {
          rules: 'punto-banco-no-burn@1',
          decks: 8,
          kind: 'physical',
          currency: 'USD',
          reports: ['outcomes'],
        },
      }),
      line('CSV1', 'coup-opened', '3', { shoe, data: { coup: 1 } }),
      line('CSV1', 'coup-closed', '4', { shoe, data: {} }),
    ]);
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

/** Returns the headers of an answer over TLS, by a client that trusts the certificate of the tests. */
const headersOf = (url: string): Promise<IncomingHttpHeaders> =>
  new Promise((resolve, reject) =>
    get(url, { ca: readFileSync(`${TLS}/cert.pem`), agent: false }, (answer) => {
      resolve(answer.headers);
      answer.resume();
    }).on('error', reject),
  );
