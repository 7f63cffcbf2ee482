import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { ensureFirstAdmin, migrateAccess, passwordState, ROLES, routesOf } from '#api';
import { commonestPasswords } from '../../../apps/api/src/identity/credentials/commonest-passwords.js';
import { passwordFault } from '../../../apps/api/src/identity/credentials/password-rule.js';
import { quickHash } from '../../kit/quick-hash.js';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { createDatabase } from '../../kit/database.js';

const GIVEN = 'correct horse battery';
const OWN = 'a staple of batteries';

let api: TestApi;
let admin: string;

beforeAll(async () => {
  api = await startApi();
  admin = await api.person('admin', { name: 'root' });
});
afterAll(() => api.close());

const problemOf = (answer: Answer): string =>
  answer.statusCode < 400
    ? String(answer.statusCode)
    : `${answer.statusCode} ${answer.json<{ type: string }>().type.replace('urn:shoeprint:problem:', '')}`;
const signIn = (name: string, password: string): Promise<Answer> =>
  api.send('POST', '/v1/sign-in', undefined, { name, password });
const tokenOf = (answer: Answer): string => answer.json<{ token: string }>().token;
const post = async (path: string, token: string | undefined, body: object): Promise<string> =>
  problemOf(await api.send('POST', path, token, body));
const change = (token: string, password: string, newPassword: string): Promise<string> =>
  post('/v1/me/password', token, { password, newPassword });
const reset = (name: string, code: string, newPassword: string): Promise<string> =>
  post('/v1/password-reset', undefined, { name, code, newPassword });
const issued = async (name: string, body: object = {}): Promise<string> =>
  (await api.send('POST', `/v1/accounts/${name}/password-reset`, admin, body)).json<{
    code: string;
  }>().code;
const create = (name: string, password = GIVEN): Promise<Answer> =>
  api.send('POST', '/v1/accounts', admin, { name, password, roles: ['pit-boss'], tables: ['*'] });
/** Adds an account whose owner chose its password. */
const settled = async (name: string, password = OWN): Promise<void> =>
  void (await api.person('finance', { name, passwordHash: quickHash(password) }));

describe('a password that an admin gave', () => {
  it('leads nowhere but to changing it, on every route', async () => {
    await create('newcomer');
    const token = tokenOf(await signIn('newcomer', GIVEN));
    const others = routesOf(api.app).filter(
      ({ method, url, needs }) =>
        needs !== 'nothing' &&
        method !== 'HEAD' &&
        !/^\/(docs|metrics)/.test(url) && // open to everybody here
        !['GET /v1/me', 'POST /v1/me/password', 'POST /v1/sign-out'].includes(`${method} ${url}`),
    );
    expect(others.length).toBeGreaterThan(30);
    const everything = await api.person(ROLES, { name: 'everything', mustChangePassword: true });
    for (const { method, url } of others) {
      const answer = await api.send(method as 'GET', url.replace(/:\w+/g, '0'), everything);
      expect([method, url, problemOf(answer)]).toEqual([
        method,
        url,
        '403 password-change-required',
      ]);
    }
    expect((await api.send('GET', '/v1/me', token)).json()).toMatchObject({
      mustDo: 'password-change',
      permissions: ['own-session', 'own-password'],
    });
    expect(await change(token, GIVEN, OWN)).toBe('204');
    expect((await api.send('GET', '/v1/tables', token)).statusCode).toBe(200);
    expect(problemOf(await signIn('newcomer', GIVEN))).toBe('401 wrong-password');
    expect((await signIn('newcomer', OWN)).statusCode).toBe(200);
  });

  it('lets its owner sign out', async () => {
    await create('away');
    const token = tokenOf(await signIn('away', GIVEN));
    expect((await api.send('POST', '/v1/sign-out', token)).statusCode).toBe(204);
  });

  it('is not changed by an admin afterwards', async () => {
    const answer = await api.send('PATCH', '/v1/accounts/newcomer', admin, { password: GIVEN });
    expect(problemOf(answer)).toBe('400 invalid-request');
  });
});

describe('changing a password', () => {
  it('takes the old one, ends the other sessions, and keeps this one', async () => {
    await settled('changer');
    const [one, two] = [
      tokenOf(await signIn('changer', OWN)),
      tokenOf(await signIn('changer', OWN)),
    ];
    expect(await change(one, 'not the old one', GIVEN)).toBe('401 wrong-password');
    expect(await change(one, OWN, OWN)).toBe('400 invalid-request');
    expect((await api.send('GET', '/v1/me', two)).statusCode).toBe(200);
    expect(await change(one, OWN, GIVEN)).toBe('204');
    expect((await api.send('GET', '/v1/me', one)).statusCode).toBe(200);
    expect((await api.send('GET', '/v1/me', two)).statusCode).toBe(401);
  });

  it('counts wrong old passwords as failed sign-ins', async () => {
    const token = await api.person('finance', { name: 'guessed' });
    const answers: string[] = [];
    for (let i = 0; i < 6; i += 1) answers.push(await change(token, `guess number ${i}`, GIVEN));
    expect(answers).toEqual([
      ...Array<string>(5).fill('401 wrong-password'),
      '429 too-many-attempts',
    ]);
    expect(problemOf(await signIn('guessed', OWN))).toBe('429 too-many-attempts');
  });

  it('is not for devices', async () => {
    expect(await change(await api.device(), OWN, GIVEN)).toBe('403 not-permitted');
  });
});

describe('a reset', () => {
  it('is a code with which the person sets a new password, once', async () => {
    await settled('forgetful');
    const open = tokenOf(await signIn('forgetful', OWN));
    const code = await issued('forgetful');
    expect(code).toMatch(/^([2-9A-HJ-NP-Z]{4}-){6}[2-9A-HJ-NP-Z]{4}$/);
    expect((await signIn('forgetful', OWN)).statusCode).toBe(200);
    expect(await reset('forgetful', 'AAAA-BBBB-CCCC-DDDD-EEEE', GIVEN)).toBe('401 wrong-code');
    expect(await reset('changer', code, GIVEN)).toBe('401 wrong-code');
    expect(await reset('forgetful', code, '1q2w3e4r5t6y')).toBe('400 invalid-request');
    const typed = code.replaceAll('-', ' ').toLowerCase();
    const answers = await Promise.all([
      reset('forgetful', typed, GIVEN),
      reset('forgetful', code, GIVEN),
    ]);
    expect(answers.sort()).toEqual(['204', '401 wrong-code']);
    expect((await api.send('GET', '/v1/me', open)).statusCode).toBe(401);
    expect(problemOf(await signIn('forgetful', OWN))).toBe('401 wrong-password');
    const token = tokenOf(await signIn('forgetful', GIVEN));
    expect((await api.send('GET', '/v1/tables', token)).statusCode).toBe(200);
  });

  it('is good for 24 hours, and only the latest one counts', async () => {
    await settled('slow');
    const first = await issued('slow');
    const second = await issued('slow');
    expect(await reset('slow', first, GIVEN)).toBe('401 wrong-code');
    const source = api.app.get(DataSource);
    const [left] = await source.query<{ hours: number }[]>(
      `select extract(epoch from expires_at - now())::float8 / 3600 as hours from access.password_reset where account_name = 'slow'`,
    );
    expect(left?.hours).toBeCloseTo(24, 1);
    await source.query(
      `update access.password_reset set expires_at = now() where account_name = 'slow'`,
    );
    expect(await reset('slow', second, GIVEN)).toBe('401 wrong-code');
  });

  it('answers a wrong code alike for any name, and counts it as a failed sign-in', async () => {
    const code = 'AAAA-BBBB-CCCC-DDDD-EEEE';
    for (const name of ['no.such', '../x', '\u0000'])
      expect([name, await reset(name, code, GIVEN)]).toEqual([name, '401 wrong-code']);
    await settled('target');
    const answers: string[] = [];
    for (let i = 0; i < 6; i += 1) answers.push(await reset('target', code, GIVEN));
    expect(answers.at(-1)).toBe('429 too-many-attempts');
  });

  it('is issued only within the tables of the admin, never for an own account, and dies with it', async () => {
    await settled('wide');
    const scoped = await api.person('admin', { name: 'scoped', tables: ['B07'] });
    expect(await post('/v1/accounts/wide/password-reset', scoped, {})).toBe('404 not-found');
    expect(await post('/v1/accounts/root/password-reset', admin, {})).toBe('403 not-permitted');
    const code = await issued('wide');
    for (const disabled of [true, false])
      await api.send('PATCH', '/v1/accounts/wide', admin, { disabled });
    expect(await reset('wide', code, GIVEN)).toBe('401 wrong-code');
  });

  it('is stored only as a hash', async () => {
    await settled('hashed');
    const code = await issued('hashed');
    const kept = JSON.stringify(
      await api.app.get(DataSource).query('select t::text from access.password_reset t'),
    );
    for (const form of [code, code.replaceAll('-', '')]) {
      expect(kept).not.toContain(form);
      expect(kept).not.toContain(Buffer.from(form).toString('hex'));
    }
  });
});

describe('the rule for passwords', () => {
  it.each([
    ['eleven char', 'must be 12 to 128 characters'],
    ['x1'.repeat(65), 'must be 12 to 128 characters'],
    ['🂡🂢🂣🂤🂥🂦🂧🂨🂩🂪🂫', 'must be 12 to 128 characters'],
    ['aaaaaaaaaaaaaaa', 'must not be one repeated character'],
    ['mei.chan.of.pit.2', 'must not be the name of the account'],
    ['MEI.chan.of.pit.2', 'must not be the name of the account'],
    ['1q2w3e4r5t6y', 'must not be one of the commonest passwords'],
    ['1Q2W3E4r5t6y', 'must not be one of the commonest passwords'],
    ['correct horse battery', undefined],
    ['x1'.repeat(64), undefined],
    ['🂡🂢🂣🂤🂥🂦🂧🂨🂩🂪🂫🂬', undefined],
  ])('says of %s: %s', (password, fault) => {
    expect(passwordFault(password, 'mei.chan.of.pit.2')).toBe(fault);
  });

  it('refuses every password of a list of more than 3,000', () => {
    const list = commonestPasswords();
    expect(new Set(list).size).toBeGreaterThan(3000);
    expect(list.filter((password) => passwordFault(password, 'x') === undefined)).toEqual([]);
  });

  it('holds for a new account, a change and a reset, and the answer names the field', async () => {
    await settled('ruled');
    const token = tokenOf(await signIn('ruled', OWN));
    const code = await issued('ruled');
    for (const weak of ['1q2w3e4r5t6y', 'aaaaaaaaaaaaa', 'short']) {
      const answers = [
        await create('weak', weak),
        await api.send('POST', '/v1/me/password', token, { password: OWN, newPassword: weak }),
        await api.send('POST', '/v1/password-reset', undefined, {
          ...{ name: 'ruled', code, newPassword: weak },
        }),
      ];
      expect(
        answers.map(
          (answer) => answer.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer,
        ),
      ).toEqual(['/password', '/newPassword', '/newPassword']);
      for (const answer of answers) expect(answer.body).not.toContain(weak);
    }
  });
});

describe('the password of the first admin', () => {
  it('must be changed unless the caller says otherwise, and is unused until somebody signs in with it', async () => {
    for (const mustChangePassword of [undefined, false]) {
      const database = await createDatabase();
      await migrateAccess(database.url);
      const options = mustChangePassword === undefined ? {} : { mustChangePassword };
      const first = await ensureFirstAdmin(database.url, { password: GIVEN, ...options });
      const server = await startApi({ databaseUrl: database.url });
      try {
        const wrong = { name: 'admin', password: OWN };
        expect(first).toEqual({ name: 'admin', password: GIVEN, people: [] });
        expect(await passwordState(database.url, wrong)).toBe('changed');
        expect(await passwordState(database.url, { ...wrong, name: 'other' })).toBe('changed');
        await server.send('POST', '/v1/sign-in', undefined, wrong);
        expect(await passwordState(database.url, { name: 'admin', password: GIVEN })).toBe(
          'unused',
        );
        const given = { name: 'admin', password: GIVEN };
        const token = tokenOf(await server.send('POST', '/v1/sign-in', undefined, given));
        expect(await passwordState(database.url, given)).toBe('used');
        expect((await server.send('GET', '/v1/accounts', token)).statusCode).toBe(
          mustChangePassword === undefined ? 403 : 200,
        );
      } finally {
        await server.close();
        await database.drop();
      }
    }
  });
});
