import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { quickHash } from '../../kit/quick-hash.js';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';
import { StreamReader } from '../../kit/stream-reader.js';

const PASSWORD = 'a staple of batteries';
const SAME_SITE = { 'sec-fetch-site': 'same-origin' };
const PLAIN = 'shoeprint-session';
const SECURE = '__Host-shoeprint-session';
/** How a request over TLS looks behind the trusted proxy of these tests. */
const OVER_TLS = { 'x-forwarded-proto': 'https' };

const refusals: { readonly problem: string; readonly who: string }[] = [];
let api: TestApi;
let hash: string;
let made = 0;

beforeAll(async () => {
  const warn = (line: unknown): void => void refusals.push(line as (typeof refusals)[number]);
  const ignore = (): void => undefined;
  api = await startApi({
    settings: { trustProxy: ['127.0.0.1'], secondFactor: ['compliance'] },
    logger: { log: ignore, warn, error: ignore, fatal: ignore },
  });
  hash = quickHash(PASSWORD);
});
afterAll(() => api.close());

type Headers = Readonly<Record<string, string>>;
const ask = (
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'DELETE',
  url: string,
  headers: Headers = {},
  payload?: object,
): Promise<Answer> => api.app.inject({ method, url, headers, ...(payload && { payload }) });
const problemOf = (answer: Answer): string =>
  answer.statusCode < 400
    ? String(answer.statusCode)
    : `${answer.statusCode} ${answer.json<{ type: string }>().type.replace('urn:shoeprint:problem:', '')}`;
const setBy = ({ headers }: Answer): string => String(headers['set-cookie'] ?? '');
const cookieOf = (answer: Answer): string => /^[^;]*/.exec(setBy(answer))?.[0] ?? '';
const signIn = (name: string, headers: Headers = SAME_SITE, more: object = {}): Promise<Answer> =>
  ask('POST', '/v1/sign-in', headers, { name, password: PASSWORD, cookie: true, ...more });
/** Returns the name of a new account with the password, and the token of a session of it. */
async function account(more: object = {}): Promise<{ name: string; token: string }> {
  const name = `browser.${(made += 1)}`;
  return { name, token: await api.person('finance', { name, passwordHash: hash, ...more }) };
}
/** Returns the cookie, `name=value`, of a new session of a new account. */
const signedIn = async (): Promise<string> => `${PLAIN}=${(await account()).token}`;
const meWith = async (cookie: string, headers: Headers = {}): Promise<string> =>
  problemOf(await ask('GET', '/v1/me', { cookie, ...headers }));
const change = (cookie: string, headers: Headers): Promise<Answer> =>
  ask('DELETE', '/v1/me/sessions/0000000000000000', { cookie, ...headers });

describe('signing in for a cookie', () => {
  it('sets the session as a cookie that no script reads, and returns no token', async () => {
    const { name } = await account();
    const answer = await signIn(name);
    expect([answer.statusCode, answer.json<object>()]).toEqual([
      200,
      { expiresAt: expect.stringMatching(/Z$/) },
    ]);
    expect(setBy(answer)).toMatch(
      new RegExp(`^${PLAIN}=sps_[0-9a-f]{16}_[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    const me = await ask('GET', '/v1/me', { cookie: cookieOf(answer) });
    expect(me.json<object>()).toMatchObject({ id: `person/${name}` });
  });

  it('sets a cookie for this host alone over TLS, and then takes no other', async () => {
    const { name } = await account();
    const answer = await signIn(name, { ...SAME_SITE, ...OVER_TLS });
    expect(setBy(answer)).toMatch(
      new RegExp(`^${SECURE}=sps_\\S+; Path=/; HttpOnly; Secure; SameSite=Strict$`),
    );
    const cookie = cookieOf(answer);
    const plain = cookie.replace(SECURE, PLAIN);
    expect([await meWith(cookie, OVER_TLS), await meWith(plain, OVER_TLS)]).toEqual([
      '200',
      '401 not-signed-in',
    ]);
    expect(await meWith(cookie)).toBe('401 not-signed-in');
  });

  it('still returns a token and sets nothing for a program', async () => {
    const { name } = await account();
    for (const more of [{ cookie: false }, { cookie: undefined }]) {
      const answer = await signIn(name, {}, more);
      expect([setBy(answer), answer.json<object>()]).toEqual([
        '',
        { token: expect.stringMatching(/^sps_/), expiresAt: expect.any(String) },
      ]);
    }
    expect(problemOf(await signIn(name, SAME_SITE, { cookie: 'yes' }))).toBe('400 invalid-request');
  });

  it('ends the session of the cookie that it replaces', async () => {
    const { name } = await account();
    const first = cookieOf(await signIn(name));
    const second = cookieOf(await signIn(name, { ...SAME_SITE, cookie: first }));
    expect([await meWith(first), await meWith(second)]).toEqual(['401 not-signed-in', '200']);
  });

  it('takes the code of a second factor, and leads to the first duties', async () => {
    const name = 'officer.in.a.browser';
    await api.person('compliance', { name, passwordHash: hash });
    const cookie = cookieOf(await signIn(name));
    const headers = { cookie, ...SAME_SITE };
    expect((await ask('GET', '/v1/me', headers)).json<object>()).toMatchObject({
      mustDo: 'second-factor',
    });
    const begun = await ask('POST', '/v1/me/second-factor', headers, { password: PASSWORD });
    expect(begun.statusCode).toBe(201);
    await api.app
      .get(DataSource)
      .query(`update access.account set second_factor = true where name = $1`, [name]);
    const refused = await signIn(name);
    expect([problemOf(refused), setBy(refused)]).toEqual(['401 second-factor-required', '']);
    expect(problemOf(await signIn(name, SAME_SITE, { code: '000000' }))).toBe('401 wrong-code');
  });
});

describe('a request with a cookie', () => {
  it('may read from anywhere, and change only from a page of this server', async () => {
    const cookie = await signedIn();
    expect(await meWith(cookie, { 'sec-fetch-site': 'cross-site' })).toBe('200');
    expect((await ask('HEAD', '/v1/me', { cookie })).statusCode).toBe(200);
    expect(problemOf(await change(cookie, SAME_SITE))).toBe('404 not-found');
  });

  it.each<[string, Headers]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of this site', { 'sec-fetch-site': 'same-site' }],
    ['no page', { 'sec-fetch-site': 'none' }],
    ['two values', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['another site, whatever its origin', { 'sec-fetch-site': 'cross-site', origin: 'http://h' }],
    ['neither header', {}],
    ['another origin', { origin: 'http://other' }],
    ['another port', { origin: 'http://h:8378' }],
    ['another scheme', { origin: 'https://h' }],
    ['an opaque origin', { origin: 'null' }],
    ['an origin with a path', { origin: 'http://h/' }],
    ['two origins', { origin: 'http://h, http://h' }],
    ['no origin', { origin: '' }],
  ])('is refused as cross-site from %s', async (_from, headers) => {
    const { name } = await account();
    const cookie = await signedIn();
    const sent = { host: 'h', ...headers };
    expect(problemOf(await change(cookie, sent))).toBe('403 cross-site');
    const answer = await signIn(name, sent);
    expect([problemOf(answer), setBy(answer)]).toEqual(['403 cross-site', '']);
  });

  it.each<[string, Headers]>([
    ['a plain host', { host: 'floor.example', origin: 'http://floor.example' }],
    ['a port', { host: '10.0.0.7:8377', origin: 'http://10.0.0.7:8377' }],
    ['an address of IPv6', { host: '[::1]:8377', origin: 'http://[::1]:8377' }],
    ['a host in capitals', { host: 'Floor.Example', origin: 'http://floor.example' }],
  ])('may change by an origin equal to the host: %s', async (_what, headers) => {
    expect(problemOf(await change(await signedIn(), headers))).toBe('404 not-found');
  });

  it('is compared with the scheme and host that a trusted proxy passes on', async () => {
    const { name } = await account();
    const outside = { ...OVER_TLS, 'x-forwarded-host': 'audit.example', host: 'inside:8377' };
    const cookie = cookieOf(await signIn(name, { ...outside, origin: 'https://audit.example' }));
    expect(cookie).toMatch(new RegExp(`^${SECURE}=`));
    for (const origin of ['http://audit.example', 'https://inside:8377'])
      expect(problemOf(await change(cookie, { ...outside, origin }))).toBe('403 cross-site');
    const answer = await change(cookie, { ...outside, origin: 'https://audit.example' });
    expect(problemOf(answer)).toBe('404 not-found');
  });

  it('is refused without a look at the database if it comes from another site', async () => {
    const unknown = `${PLAIN}=sps_0123456789abcdef_${'x'.repeat(43)}`;
    expect(problemOf(await change(unknown, {}))).toBe('403 cross-site');
    expect(problemOf(await change(unknown, SAME_SITE))).toBe('401 not-signed-in');
  });

  it('is in the log with the public part of its token', async () => {
    const cookie = await signedIn();
    const who = cookie.slice(PLAIN.length + 1, -44);
    // The log takes twenty lines a second, and the tests before this one may have used them.
    const line = await eventually('a line about it', async () => {
      await change(cookie, {});
      return refusals.find((refusal) => refusal.who === who);
    });
    expect(line.problem).toBe('cross-site');
  });

  it('has one session cookie: two of the name identify nobody', async () => {
    const [one, two] = [await signedIn(), await signedIn()];
    for (const cookie of [`${one}; ${two}`, `${one}; ${one}`, `${PLAIN}=; ${one}`])
      expect(await meWith(cookie)).toBe('401 not-signed-in');
    expect(await meWith(`theme=dark; ${one}; x`)).toBe('200');
  });

  it.each([
    ['nothing', ''],
    ['half a token', 'sps_0123456789abcdef'],
    ['another scheme', 'Bearer sps_0123456789abcdef_'],
    ['a broken escape', '%E0%A4%A'],
    ['an unknown token', `sps_0123456789abcdef_${'x'.repeat(43)}`],
  ])('with %s in the cookie is not signed in', async (_what, value) => {
    expect(await meWith(`${PLAIN}=${value}`)).toBe('401 not-signed-in');
  });

  it('may not have the key of a device in the cookie', async () => {
    const key = await api.device();
    expect(await meWith(`${PLAIN}=${key}`)).toBe('401 not-signed-in');
  });

  it('is whose the header Authorization says, and needs no origin then', async () => {
    const { name, token } = await account();
    const cookie = await signedIn();
    const headers = { cookie, authorization: `Bearer ${token}` };
    expect((await ask('GET', '/v1/me', headers)).json<object>()).toMatchObject({
      id: `person/${name}`,
    });
    expect(problemOf(await change(cookie, headers))).toBe('404 not-found');
    for (const authorization of ['', 'Basic eDp4', 'Bearer x'])
      expect(await meWith(cookie, { authorization })).toBe('401 not-signed-in');
  });

  it('gets no permission for other origins', async () => {
    const cookie = await signedIn();
    const headers = { cookie, origin: 'http://other', 'access-control-request-method': 'DELETE' };
    for (const method of ['GET', 'OPTIONS'] as const) {
      const answer = await ask(method, '/v1/me', headers);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-'))).toEqual([]);
    }
  });

  it('follows the stream', async () => {
    const name = 'screen';
    await api.person('surveillance', { name, passwordHash: hash });
    const cookie = cookieOf(await signIn(name));
    const reader = new StreamReader(await api.url(), '', { headers: { cookie } });
    expect(await eventually('an answer', () => reader.status)).toBe(200);
    reader.cut();
  });
});

describe('signing out with a cookie', () => {
  it('ends the session and clears the cookie', async () => {
    const cookie = await signedIn();
    expect(problemOf(await ask('POST', '/v1/sign-out', { cookie }))).toBe('403 cross-site');
    const answer = await ask('POST', '/v1/sign-out', { cookie, ...SAME_SITE });
    expect([answer.statusCode, setBy(answer)]).toEqual([
      204,
      `${PLAIN}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`,
    ]);
    expect(await meWith(cookie)).toBe('401 not-signed-in');
  });

  it('leaves the cookie alone if the header Authorization named the session', async () => {
    const cookie = await signedIn();
    const { token } = await account();
    const headers = { cookie, authorization: `Bearer ${token}` };
    const answer = await ask('POST', '/v1/sign-out', headers);
    expect([answer.statusCode, setBy(answer)]).toEqual([204, '']);
    expect(await meWith(cookie)).toBe('200');
  });
});

describe('a cookie under a base path', () => {
  it('is for the whole host, as its name asks', async () => {
    const below = await startApi({ settings: { basePath: '/audit' } });
    try {
      await below.person('finance', { name: 'below', passwordHash: hash });
      const answer = await below.app.inject({
        method: 'POST',
        url: '/audit/v1/sign-in',
        headers: SAME_SITE,
        payload: { name: 'below', password: PASSWORD, cookie: true },
      });
      expect(setBy(answer)).toContain('; Path=/; ');
      const me = await below.app.inject({
        url: '/audit/v1/me',
        headers: { cookie: cookieOf(answer) },
      });
      expect(me.statusCode).toBe(200);
    } finally {
      await below.close();
    }
  });
});
