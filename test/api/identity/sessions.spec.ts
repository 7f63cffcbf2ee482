import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { sessionWithoutPassword } from '#api';
import { quickHash } from '../../kit/quick-hash.js';
import { Identities } from '../../../apps/api/src/identity/identities.js';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';

const PASSWORD = 'a staple of batteries';
const IDLE_MINUTES = 30;

let api: TestApi;
let admin: string;
let hash: string;

beforeAll(async () => {
  api = await startApi({ settings: { sessionIdleMinutes: IDLE_MINUTES } });
  admin = await api.person('admin', { name: 'root' });
  hash = quickHash(PASSWORD);
});
afterAll(() => api.close());

interface Shown {
  readonly id: string;
  readonly current: boolean;
  readonly lastUsedAt: string;
}
const sql = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  api.app.get(DataSource).query<Row[]>(text, values);
const idOf = (token: string): string => token.split('_')[1] as string;
const signedIn = async (name: string): Promise<string> =>
  (await api.send('POST', '/v1/sign-in', undefined, { name, password: PASSWORD })).json<{
    token: string;
  }>().token;
const newAccount = (name: string, more: object = {}): Promise<string> =>
  api.person('finance', { name, passwordHash: hash, ...more });
const statusOf = async (token: string): Promise<number> =>
  (await api.send('GET', '/v1/me', token)).statusCode;
const listed = (answer: Answer): Shown[] => answer.json<{ items: Shown[] }>().items;
/** Lets a session be unused for so many minutes, and empties the cache of tokens. */
async function unused(token: string, minutes: number): Promise<void> {
  await sql(
    `update access.session set last_used_at = now() - make_interval(secs => $2) where id = $1`,
    [idOf(token), minutes * 60],
  );
  const [session] = await sql<{ account: string }>(
    'select account_name as account from access.session where id = $1',
    [idOf(token)],
  );
  api.app.get(Identities).forget({ account: session?.account ?? '' });
}

describe('a session', () => {
  it('ends when it was not used for the idle limit, and its use is kept to the minute', async () => {
    const token = await newAccount('idler');
    await unused(token, IDLE_MINUTES - 0.1);
    expect(await statusOf(token)).toBe(200);
    const [used] = await sql<{ ago: number }>(
      `select extract(epoch from now() - last_used_at)::float8 as ago from access.session where id = $1`,
      [idOf(token)],
    );
    expect(used?.ago).toBeLessThan(30);
    await unused(token, IDLE_MINUTES + 0.1);
    expect(await statusOf(token)).toBe(401);
  });

  it('writes its use at most once a minute', async () => {
    const token = await newAccount('busy');
    await unused(token, 0.5);
    const lastUsed = async (): Promise<unknown> =>
      (await sql(`select last_used_at from access.session where id = $1`, [idOf(token)]))[0];
    const before = await lastUsed();
    for (let i = 0; i < 3; i += 1) expect(await statusOf(token)).toBe(200);
    expect(await lastUsed()).toEqual(before);
    await unused(token, 1.5);
    const old = await lastUsed();
    expect(await statusOf(token)).toBe(200);
    expect(await lastUsed()).not.toEqual(old);
  });

  it('a session of a wall display has no idle limit, but ends when it expires', async () => {
    const token = await newAccount('wall', { wallDisplay: true });
    await unused(token, 60 * 24);
    expect(await statusOf(token)).toBe(200);
    await sql(`update access.session set expires_at = now() where id = $1`, [idOf(token)]);
    await unused(token, 1);
    expect(await statusOf(token)).toBe(401);
  });

  it('is listed to its owner and ended by them', async () => {
    await newAccount('owner');
    await sql(`delete from access.session where account_name = 'owner'`);
    const [one, two] = [await signedIn('owner'), await signedIn('owner')];
    const sessions = listed(await api.send('GET', '/v1/me/sessions', two));
    expect(sessions.map(({ id, current }) => [id, current])).toEqual([
      [idOf(two), true],
      [idOf(one), false],
    ]);
    expect((await api.send('DELETE', `/v1/me/sessions/${idOf(one)}`, two)).statusCode).toBe(204);
    expect([await statusOf(one), await statusOf(two)]).toEqual([401, 200]);
    for (const id of [idOf(one), idOf(admin), 'x'])
      expect((await api.send('DELETE', `/v1/me/sessions/${id}`, two)).statusCode).toBe(404);
    expect(await statusOf(admin)).toBe(200);
  });

  it('is listed to and ended by an admin whose tables cover the account, and no other', async () => {
    const token = await newAccount('watched', { tables: ['B07', 'B08'] });
    const path = '/v1/accounts/watched/sessions';
    const scoped = await api.person('admin', { name: 'floor7', tables: ['B07'] });
    for (const [method, url] of [
      ['GET', path],
      ['DELETE', `${path}/${idOf(token)}`],
    ] as const)
      expect((await api.send(method, url, scoped)).statusCode).toBe(404);
    expect(listed(await api.send('GET', path, admin))).toEqual([
      expect.objectContaining({ id: idOf(token), current: false }),
    ]);
    expect((await api.send('DELETE', `${path}/${idOf(token)}`, admin)).statusCode).toBe(204);
    expect(await statusOf(token)).toBe(401);
    expect((await api.send('DELETE', `${path}/${idOf(token)}`, admin)).statusCode).toBe(404);
  });

  it('is one of at most 50 of an account: a further one ends the oldest', async () => {
    await newAccount('many');
    await sql(`delete from access.session where account_name = 'many'`);
    const tokens: string[] = [];
    for (let i = 0; i < 51; i += 1) tokens.push(await sessionWithoutPassword(api.app, 'many'));
    const [first, second] = tokens as [string, string];
    const kept = await sql<{ id: string }>(
      `select id from access.session where account_name = 'many'`,
    );
    expect(kept).toHaveLength(50);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });
});

describe('a wall display', () => {
  it('reads and writes nothing, whatever its roles', async () => {
    const token = await api.person(['pit-boss', 'integrator', 'admin'], { wallDisplay: true });
    const me = (await api.send('GET', '/v1/me', token)).json<{ permissions: string[] }>();
    expect(me.permissions).toEqual(expect.arrayContaining(['read-tables', 'own-password']));
    expect(me.permissions.filter((name) => !/^(own|read|report|follow)-/.test(name))).toEqual([]);
    expect((await api.send('GET', '/v1/tables', token)).statusCode).toBe(200);
    for (const [method, url] of [
      ['POST', '/v1/events'],
      ['POST', '/v1/accounts'],
      ['GET', '/v1/accounts'],
      ['POST', '/v1/keys'],
      ['POST', '/v1/parked/B07/release'],
    ] as const)
      expect([url, (await api.send(method, url, token, {})).statusCode]).toEqual([url, 403]);
  });
});
