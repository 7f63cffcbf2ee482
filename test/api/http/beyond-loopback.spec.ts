import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryLog } from '#event-log';
import { auditorProbes, startAuditor, type RunningAuditor } from '#auditor';
import { serveProbes, SILENT } from '#server';
import { newToken } from '../../../apps/api/src/identity/credentials/bearer-token.js';
import { endAll, query, Started, START_MS } from '../../cli/serving.js';
import { built } from '../../cli/shoeprint.js';
import { createDatabase, type TestDatabase } from '../../kit/database.js';
import { BOOK } from '../../kit/house.js';

const METRICS_TOKEN = 'scrape-0123456789';

let database: TestDatabase;
let server: Started;
let url: string;
/** Of a person with the role admin. */
let token: string;

beforeAll(async () => {
  built();
  database = await createDatabase();
  server = Started.program([process.execPath, 'dist/apps/api/src/main.js'], {
    DATABASE_URL: database.url,
    SHOEPRINT_PARTITIONS: '2',
    SHOEPRINT_HOST: '0.0.0.0',
    SHOEPRINT_PORT: '0',
    SHOEPRINT_METRICS_TOKEN: METRICS_TOKEN,
  });
  const [, port] = await server.saying(/"message":"listening","url":"http:[^"]*:(\d+)"/);
  url = `http://127.0.0.1:${port}`;
  const session = newToken('sps');
  await query(
    database.url,
    `insert into access.account (name, person, password_hash, roles, tables, created_by) values ('operator', 'operator', 'none', '{admin}', '{*}', 'system/test')`,
  );
  await query(
    database.url,
    `insert into access.session (id, account_name, token_hash, expires_at) values ($1, 'operator', $2, now() + interval '1 hour')`,
    [session.id, session.hash],
  );
  token = session.text;
}, START_MS);
afterAll(async () => {
  await endAll();
  await database.drop();
});

/** Returns the status of a page, read with a token or without one. */
async function status(path: string, token?: string): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return (await fetch(`${url}${path}`, { headers })).status;
}

describe('an api that listens beyond loopback', () => {
  it('warns that it speaks plain HTTP', () => {
    expect(server.said).toMatch(/"level":"warn".*"plain HTTP beyond this machine/);
  });

  it('answers whether it is alive and ready to everybody', async () => {
    expect(await status('/livez')).toBe(200);
    expect(await status('/readyz')).toBe(200);
  });

  it('shows its metrics to the token of the settings, and to nobody without a token', async () => {
    expect(await status('/metrics')).toBe(401);
    expect(await status('/metrics', `${METRICS_TOKEN}x`)).toBe(401);
    expect(await status('/metrics', METRICS_TOKEN)).toBe(200);
    expect(await status('/v1/me', METRICS_TOKEN)).toBe(401);
    expect(await status('/docs-json', METRICS_TOKEN)).toBe(401);
  });

  it('shows its documentation to everybody with a token, and to nobody else', async () => {
    for (const path of PAGES) {
      expect([path, await status(path)]).toEqual([path, 401]);
      expect([path, await status(path, token)]).toEqual([path, 200]);
    }
    expect(await status('/metrics', token)).toBe(200);
  });
});

const PAGES = [
  ...['/docs', '/docs-json', '/docs-yaml', '/docs/problems', '/docs/asyncapi.yaml'],
  '/docs/evidence/package.schema.json',
];

describe('the health server of an auditor', () => {
  let auditor: RunningAuditor;
  const log = new MemoryLog();
  beforeAll(async () => {
    auditor = await startAuditor({
      log,
      databaseUrl: database.url,
      book: BOOK,
      gamingDays: [{ from: '2000-01-01', zone: 'UTC', cutover: '00:00' }],
      schema: 'beside',
      journal: SILENT,
    });
  });
  afterAll(async () => {
    await auditor.close();
    await log.close();
  });

  it.each([
    [{ openPages: true, metricsToken: undefined }, [200, 200, 200]],
    [{ openPages: false, metricsToken: METRICS_TOKEN }, [401, 401, 200]],
    [{ openPages: false, metricsToken: undefined }, [401, 401, 401]],
  ])(
    'answers %j with %j without a token, with a wrong one and the right one',
    async (pages, statuses) => {
      const { registry } = auditor;
      const probes = auditorProbes({ log, auditor, registry, pages });
      const health = await serveProbes(probes, '127.0.0.1', 0);
      try {
        const seen = [];
        for (const authorization of ['', 'Bearer wrong', `Bearer ${METRICS_TOKEN}`])
          seen.push((await fetch(`${health.url}/metrics`, { headers: { authorization } })).status);
        expect(seen).toEqual(statuses);
        expect((await fetch(`${health.url}/livez`)).status).toBe(200);
      } finally {
        await health.close();
      }
    },
  );
});
