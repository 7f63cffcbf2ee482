import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOTP, URI } from 'otpauth';
import { DataSource } from 'typeorm';
import { quickHash } from '../../kit/quick-hash.js';
import { startApi, type Answer, type PersonOptions, type TestApi } from '../../kit/api.js';
import { codeOf, confirmedEarly } from '../../kit/totp.js';

const PASSWORD = 'a staple of batteries';

let api: TestApi;
let admin: string;
let hash: string;
let typists = 0;

beforeAll(async () => {
  api = await startApi({ settings: { secondFactor: ['compliance'] } });
  admin = await api.person('admin', { name: 'root' });
  hash = quickHash(PASSWORD);
});
afterAll(() => api.close());

const problemOf = (answer: Answer): string =>
  answer.statusCode < 400
    ? String(answer.statusCode)
    : `${answer.statusCode} ${answer.json<{ type: string }>().type.replace('urn:shoeprint:problem:', '')}`;
const post = (path: string, token: string | undefined, body: object): Promise<Answer> =>
  api.send('POST', path, token, body);
const signIn = (name: string, code?: string): Promise<Answer> =>
  post('/v1/sign-in', undefined, { name, password: PASSWORD, ...(code !== undefined && { code }) });
const person = (name: string, more: PersonOptions = {}): Promise<string> =>
  api.person('compliance', { name, passwordHash: hash, ...more });
/** Enrolls an authenticator with the code of the step before now, so that later ones are unused. */
async function enrolled(token: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  const begun = await post('/v1/me/second-factor', token, { password: PASSWORD });
  const { secret } = begun.json<{ secret: string }>();
  const confirmed = await confirmedEarly(secret, (code) =>
    post('/v1/me/second-factor/confirm', token, { code }),
  );
  if (confirmed.statusCode !== 200) throw new Error(confirmed.body);
  return { secret, ...confirmed.json<{ recoveryCodes: string[] }>() };
}

describe('a role that requires a second factor', () => {
  it('leads nowhere but to enrolling one', async () => {
    const token = await person('officer');
    for (const path of ['/v1/findings', '/v1/tables', '/v1/me/sessions'])
      expect([path, problemOf(await api.send('GET', path, token))]).toEqual([
        path,
        '403 second-factor-enrollment-required',
      ]);
    expect((await api.send('GET', '/v1/me', token)).json()).toMatchObject({
      mustDo: 'second-factor',
      secondFactor: false,
      permissions: ['own-session', 'own-password', 'own-factor'],
    });
    await enrolled(token);
    expect((await api.send('GET', '/v1/findings', token)).statusCode).toBe(200);
    expect((await api.send('GET', '/v1/me', token)).json()).toMatchObject({
      mustDo: null,
      secondFactor: true,
    });
  });

  it('comes after a password that must be changed', async () => {
    const token = await person('new.officer', { mustChangePassword: true });
    expect(problemOf(await post('/v1/me/second-factor', token, { password: PASSWORD }))).toBe(
      '403 password-change-required',
    );
  });

  it('is the one that the setting names, and no other', async () => {
    const token = await api.person('surveillance');
    expect((await api.send('GET', '/v1/findings', token)).statusCode).toBe(200);
  });
});

describe('enrolling', () => {
  it.each(['１２３４５６', '12345', 'half \ud800', '😀😀😀'])(
    'refuses a code that is not six digits, %j, and says how to authenticate',
    async (code) => {
      const token = await person(`typist.${(typists += 1)}`);
      await post('/v1/me/second-factor', token, { password: PASSWORD });
      const answer = await post('/v1/me/second-factor/confirm', token, { code });
      expect([problemOf(answer), answer.headers['www-authenticate']]).toEqual([
        '401 wrong-code',
        'Bearer realm="shoeprint"',
      ]);
    },
  );

  it('takes the password, and returns a secret and its URI', async () => {
    const token = await person('enroller');
    expect(problemOf(await post('/v1/me/second-factor', token, { password: 'a wrong one' }))).toBe(
      '401 wrong-password',
    );
    const begun = await post('/v1/me/second-factor', token, { password: PASSWORD });
    expect(begun.statusCode).toBe(201);
    const { secret, uri } = begun.json<{ secret: string; uri: string }>();
    const read = URI.parse(uri);
    expect(read).toBeInstanceOf(TOTP);
    expect([read.issuer, read.label, read.secret.base32]).toEqual([
      'Shoeprint',
      'enroller',
      secret,
    ]);
    expect(read.secret.bytes).toHaveLength(20);
  });

  it('counts only once a code confirms it, and ends the other sessions', async () => {
    const token = await person('confirmer');
    const begun = await post('/v1/me/second-factor', token, { password: PASSWORD });
    const { secret } = begun.json<{ secret: string }>();
    const other = (await signIn('confirmer')).json<{ token: string }>().token;
    const confirm = (code: string): Promise<Answer> =>
      post('/v1/me/second-factor/confirm', token, { code });
    expect(problemOf(await confirm(codeOf(secret, 10)))).toBe('401 wrong-code');
    expect((await api.send('GET', '/v1/me', other)).statusCode).toBe(200);
    const answer = await confirm(codeOf(secret));
    expect(answer.json<{ recoveryCodes: string[] }>().recoveryCodes).toHaveLength(10);
    expect((await api.send('GET', '/v1/me', other)).statusCode).toBe(401);
    expect(problemOf(await confirm(codeOf(secret, 1)))).toBe('409 conflict');
    expect(problemOf(await post('/v1/me/second-factor', token, { password: PASSWORD }))).toBe(
      '409 conflict',
    );
  });
});

describe('signing in with a second factor', () => {
  it('takes a code beside name and password, and no code twice', async () => {
    const { secret } = await enrolled(await person('double'));
    expect(problemOf(await signIn('double'))).toBe('401 second-factor-required');
    expect(problemOf(await signIn('double', codeOf(secret, 20)))).toBe('401 wrong-code');
    const code = codeOf(secret);
    const answers = await Promise.all([signIn('double', code), signIn('double', code)]);
    expect(answers.map(problemOf).sort()).toEqual(['200', '401 wrong-code']);
    expect(problemOf(await signIn('double', codeOf(secret, -1)))).toBe('401 wrong-code');
  });

  it('asks for no code before the password is right', async () => {
    const { secret } = await enrolled(await person('silent'));
    const answer = await post('/v1/sign-in', undefined, {
      ...{ name: 'silent', password: 'a wrong password', code: codeOf(secret) },
    });
    expect(problemOf(answer)).toBe('401 wrong-password');
    expect((await signIn('silent', codeOf(secret))).statusCode).toBe(200);
  });

  it('counts wrong codes as failed attempts', async () => {
    const { secret } = await enrolled(await person('guessed'));
    const answers: string[] = [];
    for (let i = 0; i < 6; i += 1)
      answers.push(problemOf(await signIn('guessed', codeOf(secret, 20 + i))));
    expect(answers).toEqual([...Array<string>(5).fill('401 wrong-code'), '429 too-many-attempts']);
    expect(problemOf(await signIn('guessed', codeOf(secret)))).toBe('429 too-many-attempts');
  });

  it('takes each recovery code once, instead of a code', async () => {
    const { recoveryCodes } = await enrolled(await person('recovering'));
    const [first = '', second = ''] = recoveryCodes;
    const answers = await Promise.all([signIn('recovering', first), signIn('recovering', first)]);
    expect(answers.map(problemOf).sort()).toEqual(['200', '401 wrong-code']);
    expect((await signIn('recovering', second.toLowerCase())).statusCode).toBe(200);
    const kept = JSON.stringify(
      await api.app.get(DataSource).query(`select t::text from access.recovery_code t`),
    );
    for (const code of recoveryCodes)
      expect(kept).not.toContain(Buffer.from(code.replaceAll('-', '')).toString('hex'));
  });
});

describe('removing a second factor', () => {
  it('takes the password and a code', async () => {
    const token = await person('remover');
    const { secret, recoveryCodes } = await enrolled(token);
    const remove = async (password: string, code: string): Promise<string> =>
      problemOf(await post('/v1/me/second-factor/remove', token, { password, code }));
    expect(await remove('a wrong password', codeOf(secret))).toBe('401 wrong-password');
    expect(await remove(PASSWORD, codeOf(secret, 20))).toBe('401 wrong-code');
    expect(await remove(PASSWORD, recoveryCodes[0] ?? '')).toBe('204');
    expect((await signIn('remover')).statusCode).toBe(200);
    expect((await api.send('GET', '/v1/me', token)).json()).toMatchObject({
      mustDo: 'second-factor',
    });
  });

  it('is possible for an admin only as part of a reset that the person uses', async () => {
    await enrolled(await person('lost'));
    const use = async (body: object): Promise<void> => {
      const issued = await post('/v1/accounts/lost/password-reset', admin, body);
      const { code } = issued.json<{ code: string }>();
      expect(problemOf(await signIn('lost'))).toBe('401 second-factor-required');
      const reset = { name: 'lost', code, newPassword: 'another staple of batteries' };
      expect(problemOf(await post('/v1/password-reset', undefined, reset))).toBe('204');
      await api.app
        .get(DataSource)
        .query(`update access.account set password_hash = $1 where name = 'lost'`, [hash]);
    };
    await use({});
    expect(problemOf(await signIn('lost'))).toBe('401 second-factor-required');
    await use({ removeSecondFactor: true });
    expect((await signIn('lost')).statusCode).toBe(200);
  });
});
