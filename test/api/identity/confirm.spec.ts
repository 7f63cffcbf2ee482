import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { tokenFrom } from '../../../apps/api/src/identity/credentials/bearer-token.js';
import { quickHash } from '../../kit/quick-hash.js';
import { Identities } from '../../../apps/api/src/identity/identities.js';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { codeOf, confirmedEarly } from '../../kit/totp.js';

const PASSWORD = 'a staple of batteries';
const LASTS_MS = 15 * 60_000;

let api: TestApi;
let hash: string;

beforeAll(async () => {
  api = await startApi();
  hash = quickHash(PASSWORD);
});
afterAll(() => api.close());

const person = (name: string, more: object = {}): Promise<string> =>
  api.person('pit-boss', { name, passwordHash: hash, ...more });
const confirm = (token: string, body: object = { password: PASSWORD }): Promise<Answer> =>
  api.send('POST', '/v1/me/confirm', token, body);
const problemOf = (answer: Answer): string =>
  answer.statusCode < 400
    ? String(answer.statusCode)
    : `${answer.statusCode} ${answer.json<{ type: string }>().type.replace('urn:shoeprint:problem:', '')}`;
const sql = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  api.app.get(DataSource).query<Row[]>(text, values);
/** Returns when the session of a token was last confirmed, as commands see it. */
const confirmedAt = async (token: string): Promise<Date> => {
  const identity = await api.app.get(Identities).of(tokenFrom(token));
  if (!identity?.person) throw new Error('the token is not of a person');
  return identity.person.confirmedAt;
};
/** Makes the session of a token an hour old, and returns when it was confirmed then. */
async function aged(token: string): Promise<Date> {
  const id = token.split('_')[1];
  await sql(`update access.session set confirmed_at = now() - interval '1 hour' where id = $1`, [
    id,
  ]);
  const [session] = await sql<{ account: string }>(
    'select account_name as account from access.session where id = $1',
    [id],
  );
  api.app.get(Identities).forget({ account: session?.account ?? '' });
  return confirmedAt(token);
}

describe('a session', () => {
  it('counts as confirmed from its sign-in on', async () => {
    await person('fresh');
    const before = Date.now();
    const answer = await api.send('POST', '/v1/sign-in', undefined, {
      name: 'fresh',
      password: PASSWORD,
    });
    const at = (await confirmedAt(answer.json<{ token: string }>().token)).getTime();
    expect(at).toBeGreaterThanOrEqual(before - 1);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it('is confirmed by the password, at once and for a quarter of an hour', async () => {
    const token = await person('confirmer');
    const old = await aged(token);
    const answer = await confirm(token);
    const at = await confirmedAt(token);
    expect(at.getTime()).toBeGreaterThan(old.getTime() + 3_000_000);
    expect([answer.statusCode, answer.json<object>()]).toEqual([
      200,
      { factors: ['password'], confirmedUntil: new Date(at.getTime() + LASTS_MS).toISOString() },
    ]);
  });

  it('is confirmed by itself, not with the other sessions of its account', async () => {
    const one = await person('two.screens');
    const answer = await api.send('POST', '/v1/sign-in', undefined, {
      name: 'two.screens',
      password: PASSWORD,
    });
    const old = await aged(one);
    await confirm(answer.json<{ token: string }>().token);
    expect(await confirmedAt(one)).toEqual(old);
  });

  it('is not confirmed by a wrong password, which counts as a failed sign-in', async () => {
    const token = await person('guesser');
    const old = await aged(token);
    const answers: string[] = [];
    for (let i = 0; i < 6; i += 1)
      answers.push(problemOf(await confirm(token, { password: 'a wrong password' })));
    expect(answers).toEqual([
      ...Array<string>(5).fill('401 wrong-password'),
      '429 too-many-attempts',
    ]);
    expect(problemOf(await confirm(token))).toBe('429 too-many-attempts');
    const signIn = await api.send('POST', '/v1/sign-in', undefined, {
      name: 'guesser',
      password: PASSWORD,
    });
    expect(problemOf(signIn)).toBe('429 too-many-attempts');
    expect(await confirmedAt(token)).toEqual(old);
  });

  it('a session with a second factor is confirmed by its code too, and by no code twice', async () => {
    const token = await person('double');
    const begun = await api.send('POST', '/v1/me/second-factor', token, { password: PASSWORD });
    const { secret } = begun.json<{ secret: string }>();
    await confirmedEarly(secret, (code) =>
      api.send('POST', '/v1/me/second-factor/confirm', token, { code }),
    );
    const old = await aged(token);
    expect(problemOf(await confirm(token))).toBe('401 second-factor-required');
    const wrong = { password: PASSWORD, code: codeOf(secret, 20) };
    expect(problemOf(await confirm(token, wrong))).toBe('401 wrong-code');
    expect(await confirmedAt(token)).toEqual(old);
    const right = { password: PASSWORD, code: codeOf(secret) };
    const answer = await confirm(token, right);
    expect(answer.json<object>()).toMatchObject({ factors: ['password', 'code'] });
    expect(problemOf(await confirm(token, right))).toBe('401 wrong-code');
  });

  it('is confirmed by a field that it knows, and only while it lasts', async () => {
    const token = await person('careful');
    for (const body of [{}, { password: 7 }, { password: PASSWORD, passkey: 'x' }])
      expect(problemOf(await confirm(token, body))).toBe('400 invalid-request');
    await sql(`delete from access.session where id = $1`, [token.split('_')[1]]);
    expect(problemOf(await confirm(token))).toBe('401 not-signed-in');
  });

  it('a session of a person who has a first duty, and a key of a device, cannot be confirmed', async () => {
    const token = await person('beginner', { mustChangePassword: true });
    expect(problemOf(await confirm(token))).toBe('403 password-change-required');
    expect(problemOf(await confirm(await api.device()))).toBe('403 not-permitted');
  });
});
