import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { MemoryLog } from '#event-log';
import { within } from '#process';
import { newToken, tokenFrom } from '../../../apps/api/src/identity/credentials/bearer-token.js';
import { Identities } from '../../../apps/api/src/identity/identities.js';
import { FollowedSessions } from '../../../apps/api/src/identity/sessions/followed-sessions.js';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { createDatabase, type TestDatabase } from '../../kit/database.js';
import { eventually } from '../../kit/eventually.js';
import { SilentProxy } from '../../kit/silent-proxy.js';
import { card, EVENT, lineOf } from '../ingest/events-app.js';

/** An answer must come long before this, however busy the machine is. */
const ANSWER_MS_MAX = 25_000;
const READS = [
  '/v1/accounts',
  '/v1/coups',
  '/v1/coups?format=csv',
  '/v1/findings',
  '/v1/house-events',
  '/v1/keys',
  '/v1/parked',
  '/v1/positions',
  '/v1/reports/commission',
  '/v1/reports/misdealt',
  '/v1/shoes',
  '/v1/tables',
];

let database: TestDatabase;
let proxy: SilentProxy;
let api: TestApi;
let person: string;
let goOn = (): void => undefined;
const log = new MemoryLog();
const logged: string[] = [];
const note = (line: unknown): void => {
  if (typeof line === 'object' && line !== null && 'message' in line)
    logged.push(String(line.message));
};
const LOGGER = { log: note, warn: note, error: note, fatal: note };

beforeAll(async () => {
  database = await createDatabase();
  const through = await SilentProxy.beforeDatabase(database.url);
  proxy = through.proxy;
  api = await startApi({ databaseUrl: through.url, log, logger: LOGGER });
  person = await api.person(['admin', 'compliance', 'finance', 'surveillance']);
});
afterEach(async () => {
  jest.restoreAllMocks();
  goOn();
  await eventually('a ready api', async () => (await get('/readyz')).statusCode === 200);
});
afterAll(async () => {
  await api.close();
  await log.close();
  await proxy.close();
  await database.drop();
});

const get = (path: string, token?: string): Promise<Answer> =>
  within(ANSWER_MS_MAX, api.send('GET', path, token));
const all = (): Promise<Answer[]> => Promise.all(READS.map((path) => get(path, person)));
const statuses = (answers: readonly Answer[]): number[] =>
  answers.map(({ statusCode }) => statusCode);
const send = (token: string, table = 'B07'): Promise<Answer> =>
  within(
    ANSWER_MS_MAX,
    api.app.inject({
      method: 'POST',
      url: '/v1/events',
      payload: lineOf(card({ table })),
      headers: { 'content-type': EVENT, authorization: `Bearer ${token}` },
    }),
  );
const problem = (answer: Answer): string =>
  answer.json<{ type: string }>().type.replace('urn:shoeprint:problem:', '');
const ok = READS.map(() => 200);
const readAgain = (): Promise<true> =>
  eventually('all reads', async () => statuses(await all()).every((status) => status === 200));

describe('an api whose database is silent', () => {
  it('answers every read with 503, and reads again once the database answers', async () => {
    expect(statuses(await all())).toEqual(ok);
    goOn = proxy.hold();
    const answers = await all();
    expect(statuses(answers)).toEqual(READS.map(() => 503));
    expect(new Set(answers.map(problem))).toEqual(new Set(['not-ready']));
    expect(answers[0]?.headers['retry-after']).toBe('1');
    goOn();
    await readAgain();
  });

  it('answers 503 to a token that nobody knows', async () => {
    goOn = proxy.hold();
    const answers = [await send(newToken('spk').text), await get('/v1/me', newToken('sps').text)];
    expect(answers.map((answer) => [answer.statusCode, problem(answer)])).toEqual(
      answers.map(() => [503, 'not-ready']),
    );
  });

  it('is not ready, and ready again once the database answers', async () => {
    goOn = proxy.hold();
    const answer = await get('/readyz');
    expect([answer.statusCode, answer.json<object>()]).toMatchObject([
      503,
      { ready: false, database: { ok: false }, log: { ok: true } },
    ]);
  });

  it('reads again though every connection that it had stays half-open', async () => {
    await all();
    proxy.loseConnections();
    const answers = await all();
    expect(statuses(answers).filter((status) => status !== 200 && status !== 503)).toEqual([]);
    await readAgain();
  });
});

/** Lets so much time pass for what this process measures. */
const later = (ms: number): void => {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ms);
};
/** Runs a statement on the database itself. */
async function sql(text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(text, values).finally(() => client.end());
}
/** Returns the answer to a request that needs no database but for the token. */
const rules = (token: string): Promise<Answer> => get('/v1/rules', token);

describe('a person whose session was good', () => {
  it('goes on for a minute while the database is silent, and is refused once it answers that the session has ended', async () => {
    const token = await api.person('surveillance', { name: 'goes.on' });
    expect((await rules(token)).statusCode).toBe(200);
    goOn = proxy.hold();
    await sql('delete from access.session where account_name = $1', ['goes.on']);
    expect((await get('/v1/coups', token)).statusCode).toBe(503);
    expect((await rules(token)).statusCode).toBe(200);
    goOn();
    await eventually('the refusal', async () => (await rules(token)).statusCode === 401);
  });

  it('is refused after that minute', async () => {
    const token = await api.person('surveillance');
    expect((await rules(token)).statusCode).toBe(200);
    goOn = proxy.hold();
    later(61_000);
    const answer = await rules(token);
    expect([answer.statusCode, problem(answer)]).toEqual([503, 'not-ready']);
  });
});

describe('a stream of a person', () => {
  it('goes on while the database is silent, and ends after a minute of it', async () => {
    const token = await api.person('surveillance');
    const identity = await api.app.get(Identities).of(tokenFrom(token));
    if (!identity) throw new Error('the token leads to nobody');
    const { signal, stop } = api.app.get(FollowedSessions).follow(identity);
    goOn = proxy.silence();
    expect((await get('/v1/coups', token)).statusCode).toBe(503);
    expect(signal.aborted).toBe(false);
    later(61_000);
    await eventually('the end', () => signal.aborted, 30_000);
    stop();
  });
});

describe('a change of one account', () => {
  it('leaves the sessions of others good while the database is silent', async () => {
    const [admin, other] = [await api.person('admin'), await api.person('surveillance')];
    await api.person('pit-boss', { name: 'changes' });
    expect((await rules(other)).statusCode).toBe(200);
    const changed = await api.send('PATCH', '/v1/accounts/changes', admin, { disabled: true });
    expect(changed.statusCode).toBe(200);
    goOn = proxy.hold();
    expect((await rules(other)).statusCode).toBe(200);
    expect((await get('/v1/coups', other)).statusCode).toBe(503);
    expect((await rules(other)).statusCode).toBe(200);
  });
});

describe('a device while the log answers and the database does not', () => {
  const copiedAt = async (): Promise<number> =>
    Date.parse((await get('/readyz')).json<{ keys: { copiedAt: string } }>().keys.copiedAt);

  it('sends events with a key that this api has copied, about tables that the key has brought, for an hour', async () => {
    const [key, named] = [
      await api.device({ name: 'gateway-9' }),
      await api.device({ tables: ['B09'] }),
    ];
    await sql(`insert into access.key_table (key_name, table_name) values ('gateway-9', 'B08')`);
    const made = Date.now();
    await eventually('a copy of the keys', async () => (await copiedAt()) > made, 40_000);
    goOn = proxy.hold();
    const answers = [await send(key, 'B08'), await send(named, 'B09'), await send(key, 'B77')];
    expect(statuses(answers)).toEqual([202, 202, 503]);
    const { keys, ready } = (await get('/readyz')).json<{
      keys: { copiedAt: string; usableUntil: string };
      ready: boolean;
    }>();
    expect(ready).toBe(false);
    expect(Date.parse(keys.usableUntil) - Date.parse(keys.copiedAt)).toBe(3_600_000);
    later(3_601_000);
    expect((await send(key, 'B08')).statusCode).toBe(503);
  });

  it('is refused within a second of the answer that its key is revoked', async () => {
    const key = await api.device({ name: 'gateway-10', tables: ['B10'] });
    expect((await send(key, 'B10')).statusCode).toBe(202);
    goOn = proxy.hold();
    await sql(`update access.device_key set revoked_at = now() where name = 'gateway-10'`);
    await all();
    expect((await send(key, 'B10')).statusCode).toBe(202);
    goOn();
    await eventually('the refusal', async () => (await send(key, 'B10')).statusCode === 401);
  });
});

describe('the state of the database', () => {
  const reachable = async (): Promise<string | undefined> =>
    /^shoeprint_database_reachable (\d)$/m.exec((await get('/metrics')).body)?.[1];

  it('is in a metric and in one log line', async () => {
    logged.length = 0;
    goOn = proxy.hold();
    await eventually('the metric of silence', async () => (await reachable()) === '0');
    goOn();
    await eventually('the metric of an answer', async () => (await reachable()) === '1');
    expect(logged.filter((line) => line.startsWith('database '))).toEqual([
      'database unavailable',
      'database available again',
    ]);
  });
});
