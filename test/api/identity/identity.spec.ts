import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { migrateAccess, ensureFirstAdmin, type Role } from '#api';
import { bearerOf } from '../../../apps/api/src/identity/credentials/bearer-token.js';
import {
  hashPassword,
  passwordFits,
} from '../../../apps/api/src/identity/credentials/passwords.js';
import { accessOptions } from '../../../apps/api/src/identity/database/access-database.js';
import { ACCESS_MIGRATIONS } from '../../../apps/api/src/identity/database/access-migrations.js';
import { WriteScope } from '../../../apps/api/src/identity/identity.js';
import { matches, NamePatterns } from '../../../apps/api/src/identity/name-patterns.js';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { createDatabase } from '../../kit/database.js';
import { eventually } from '../../kit/eventually.js';

let api: TestApi;
let admin: string;
const PASSWORD = 'correct horse battery';

beforeAll(async () => {
  api = await startApi();
  admin = await api.person('admin', { name: 'root' });
});
afterAll(() => api.close());

const named = (answer: Answer): string =>
  answer.json<{ type: string }>().type.replace('urn:shoeprint:problem:', '');
const signIn = (name: string, password: string = PASSWORD): Promise<Answer> =>
  api.send('POST', '/v1/sign-in', undefined, { name, password });
const tokenOf = (answer: Answer): string => answer.json<{ token: string }>().token;
const newAccount = (name: string, roles: Role[] = ['pit-boss'], tables = ['*']): Promise<Answer> =>
  api.send('POST', '/v1/accounts', admin, { name, password: PASSWORD, roles, tables });
const newKey = (key: object, token = admin): Promise<Answer> =>
  api.send('POST', '/v1/keys', token, {
    name: 'k',
    sources: ['device/B07-*'],
    tables: ['B07'],
    types: ['*'],
    ...key,
  });

describe('signing in', () => {
  it('returns a token that identifies its owner until they sign out', async () => {
    await newAccount('mei.chan', ['pit-boss', 'finance'], ['B07', 'B08']);
    const answer = await signIn('mei.chan');
    expect([answer.statusCode, answer.json<object>()]).toEqual([
      200,
      { token: expect.stringMatching(/^sps_/), expiresAt: expect.stringMatching(/Z$/) },
    ]);
    const token = tokenOf(answer);
    const me = (await api.send('GET', '/v1/me', token)).json<{
      id: string;
      permissions: string[];
    }>();
    expect(me).toMatchObject({
      id: 'person/mei.chan',
      person: 'mei.chan',
      roles: ['pit-boss', 'finance'],
      tables: ['B07', 'B08'],
    });
    expect(me.permissions).toEqual(['own-session', 'own-password']);
    expect((await api.send('POST', '/v1/sign-out', token)).statusCode).toBe(204);
    expect((await api.send('GET', '/v1/me', token)).statusCode).toBe(401);
  });

  it('answers a wrong password, an unknown name and a disabled account alike', async () => {
    await newAccount('left.house');
    await api.send('PATCH', '/v1/accounts/left.house', admin, { disabled: true });
    const answers = [
      await signIn('mei.chan', 'a wrong password'),
      await signIn('nobody.here'),
      await signIn('left.house'),
      await signIn('\u0000'),
    ];
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual(
      answers.map(() => [401, answers[0]?.body]),
    );
    expect(named(answers[0] as Answer)).toBe('wrong-password');
  });

  it('checks five wrong passwords of a name, even simultaneous ones, then refuses for a while, but not for another name', async () => {
    await newAccount('ada');
    const tries = await Promise.all(
      Array.from({ length: 12 }, () => signIn('ada', 'a wrong password')),
    );
    const statuses = tries.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([...Array<number>(5).fill(401), ...Array<number>(7).fill(429)]);
    const refused = await signIn('ada');
    expect([refused.statusCode, named(refused), refused.headers['retry-after']]).toEqual([
      429,
      'too-many-attempts',
      '60',
    ]);
    expect((await signIn('mei.chan')).statusCode).toBe(200);
  });

  /** `sps_` and `spk_`: the secret follows, and may contain an underscore. */
  const PREFIX = 4;

  it('stores only hashes of tokens and passwords', async () => {
    const token = tokenOf(await signIn('mei.chan'));
    const key = (await newKey({ name: 'hashed' })).json<{ token: string }>().token;
    const source = api.app.get(DataSource);
    const kept = JSON.stringify(
      await Promise.all(
        ['account', 'session', 'device_key', 'known_address'].map((table) =>
          source.query(`select t::text from access.${table} t`),
        ),
      ),
    );
    for (const secret of [token, token.slice(PREFIX), key, key.slice(PREFIX), PASSWORD])
      expect(kept).not.toContain(secret);
  });
});

describe('an account', () => {
  it('is refused if a field is missing, unknown, null or invalid, and the response names each', async () => {
    const answer = await api.send('POST', '/v1/accounts', admin, {
      name: '../x',
      password: 'short',
      roles: ['king'],
      tables: ['B*'],
      extra: 1,
    });
    expect([answer.statusCode, named(answer)]).toEqual([400, 'invalid-request']);
    const pointers = answer
      .json<{ errors: { pointer: string; reason: string }[] }>()
      .errors.map(({ pointer }) => pointer);
    expect([...new Set(pointers)].sort()).toEqual([
      '/extra',
      '/name',
      '/password',
      '/roles',
      '/tables',
    ]);
    for (const change of [
      { disabled: null },
      { roles: null },
      { roles: [] },
      { tables: null },
      { password: 'another password' },
      { person: null },
      { wallDisplay: null },
      { tables: ['*', 'B07'] },
    ]) {
      expect([
        change,
        (await api.send('PATCH', '/v1/accounts/mei.chan', admin, change)).statusCode,
      ]).toEqual([change, 400]);
    }
  });

  it('is created only once', async () => {
    expect((await newAccount('twice')).statusCode).toBe(201);
    const again = await newAccount('twice');
    expect([again.statusCode, named(again)]).toEqual([409, 'conflict']);
  });

  it('never shows its password', async () => {
    const list = await api.send('GET', '/v1/accounts', admin);
    expect(list.json<{ items: object[] }>().items).toContainEqual({
      name: 'twice',
      person: 'twice',
      roles: ['pit-boss'],
      tables: ['*'],
      disabled: false,
      wallDisplay: false,
      secondFactor: false,
      mustChangePassword: true,
      createdAt: expect.any(String),
      createdBy: 'person/root',
    });
    expect(list.body).not.toMatch(/scrypt|"password|battery/i);
  });

  it('loses its sessions at once when it is disabled', async () => {
    await newAccount('leaver');
    const second = tokenOf(await signIn('leaver'));
    await api.send('GET', '/v1/me', second);
    await api.send('PATCH', '/v1/accounts/leaver', admin, { disabled: true });
    expect((await api.send('GET', '/v1/me', second)).statusCode).toBe(401);
    await api.send('PATCH', '/v1/accounts/leaver', admin, { disabled: false });
    expect((await api.send('GET', '/v1/me', second)).statusCode).toBe(401);
  });

  it('has its new roles from the next request on', async () => {
    const clerk = await api.person('finance', { name: 'clerk' });
    expect((await api.send('GET', '/v1/parked', clerk)).statusCode).toBe(403);
    await api.send('PATCH', '/v1/accounts/clerk', admin, { roles: ['finance', 'integrator'] });
    expect((await api.send('GET', '/v1/parked', clerk)).statusCode).toBe(200);
  });

  it('is not found if it does not exist', async () => {
    for (const name of ['no.one', '%00', 'a%2Fb'])
      expect([
        name,
        (await api.send('PATCH', `/v1/accounts/${name}`, admin, { disabled: true })).statusCode,
      ]).toEqual([name, 404]);
  });
});

describe('the last admin', () => {
  it('cannot be removed, not even by two admins who remove each other at the same time', async () => {
    const alone = await startApi();
    try {
      const one = await alone.person('admin', { name: 'one' });
      const two = await alone.person('admin', { name: 'two' });
      for (const token of [one, two]) await alone.send('GET', '/v1/me', token);
      const answers = await Promise.all([
        alone.send('PATCH', '/v1/accounts/two', one, { disabled: true }),
        alone.send('PATCH', '/v1/accounts/one', two, { roles: ['finance'] }),
      ]);
      expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
      const left = answers[0]?.statusCode === 200 ? ['one', one] : ['two', two];
      const refused = await alone.send('PATCH', `/v1/accounts/${left[0]}`, left[1], {
        roles: ['finance'],
      });
      expect([refused.statusCode, named(refused)]).toEqual([403, 'not-permitted']);
    } finally {
      await alone.close();
    }
  });
});

describe('a device key', () => {
  it('is shown once and names its device', async () => {
    const answer = await newKey({ name: 'B07-gateway' });
    expect([answer.statusCode, answer.json<object>()]).toEqual([
      201,
      expect.objectContaining({
        name: 'B07-gateway',
        sources: ['device/B07-*'],
        createdBy: 'person/root',
        revokedAt: null,
        token: expect.stringMatching(/^spk_/),
      }),
    ]);
    expect((await api.send('GET', '/v1/me', tokenOf(answer))).json()).toMatchObject({
      id: 'device/B07-gateway',
      person: null,
      roles: ['device'],
      tables: ['B07'],
      permissions: ['record-events', 'own-session', 'read-docs'],
      wallDisplay: false,
      secondFactor: false,
      mustDo: null,
    });
    const list = await api.send('GET', '/v1/keys', admin);
    expect(list.body).not.toContain(tokenOf(answer));
    expect(
      list
        .json<{ items: { name: string; lastUsedAt: string | null }[] }>()
        .items.find(({ name }) => name === 'B07-gateway')?.lastUsedAt,
    ).toEqual(expect.any(String));
  });

  it('is refused once it is revoked: here at once, elsewhere within a second', async () => {
    const { id, token } = (await newKey({ name: 'revoked' })).json<{ id: string; token: string }>();
    const elsewhere = await startApi({ databaseUrl: api.databaseUrl });
    try {
      expect((await api.send('GET', '/v1/me', token)).statusCode).toBe(200);
      expect((await elsewhere.send('GET', '/v1/me', token)).statusCode).toBe(200);
      expect((await api.send('DELETE', `/v1/keys/${id}`, admin)).statusCode).toBe(204);
      const revoked = performance.now();
      expect((await api.send('GET', '/v1/me', token)).statusCode).toBe(401);
      await eventually(
        'the refusal elsewhere',
        async () => (await elsewhere.send('GET', '/v1/me', token)).statusCode === 401,
        5000,
      );
      expect(performance.now() - revoked).toBeLessThan(4000);
      expect((await api.send('DELETE', `/v1/keys/${id}`, admin)).statusCode).toBe(404);
    } finally {
      await elsewhere.close();
    }
  });

  it('never gets the name of another key, not even of a revoked one', async () => {
    const again = await newKey({ name: 'revoked' });
    expect([again.statusCode, named(again)]).toEqual([409, 'conflict']);
  });

  it('reaches no further than the tables of the account that creates it', async () => {
    const integrator = await api.person('integrator', { tables: ['B08'] });
    for (const tables of [['B07'], ['*'], ['B08', 'B07'], ['B0*']])
      expect([tables, (await newKey({ name: 'far', tables }, integrator)).statusCode]).toEqual([
        tables,
        403,
      ]);
    const { id } = (await newKey({ name: 'near', tables: ['B08'] }, integrator)).json<{
      id: string;
    }>();
    const seen = (await api.send('GET', '/v1/keys', integrator)).json<{
      items: { name: string }[];
    }>();
    expect(seen.items.map(({ name }) => name)).toEqual(['near']);
    const foreign = (await newKey({ name: 'foreign' })).json<{ id: string }>();
    expect((await api.send('DELETE', `/v1/keys/${foreign.id}`, integrator)).statusCode).toBe(404);
    expect((await api.send('DELETE', `/v1/keys/${id}`, integrator)).statusCode).toBe(204);
  });

  it('can list only valid sources, tables and types', async () => {
    for (const wrong of [
      { sources: [] },
      { sources: ['shoe'] },
      { sources: ['*'] },
      { sources: ['d*'] },
      { sources: ['*/x'] },
      { sources: ['device*'] },
      { sources: ['device/'] },
      { sources: ['system/auditor'] },
      { sources: ['device/x', 'system/*'] },
      { sources: ['device/B07\u202e'] },
      { sources: [`device/${'€'.repeat(132)}`] },
      { tables: ['B07\u2066'] },
      { tables: ['\u200fB07'] },
      { tables: ['\u061c'] },
      { tables: ['B07\u0085'] },
      { tables: ['€'.repeat(134)] },
      { sources: ['device/*a*b*c*d*'] },
      { tables: ['*a*b*c*d*'] },
      { tables: [''] },
      { tables: ['a\u0000'] },
      { tables: ['a\ud800b'] },
      { sources: ['device/\ud800'] },
      { types: ['card-stolen'] },
      { types: ['gap-declared'] },
      { name: 'a/b' },
    ]) {
      const answer = await newKey({ name: 'wrong', ...wrong });
      expect([wrong, answer.statusCode]).toEqual([wrong, 400]);
      const [fault] = answer.json<{ errors: { pointer: string }[] }>().errors;
      expect(fault?.pointer).toBe(`/${Object.keys(wrong)[0]}`);
    }
  });

  it('may have every name of 400 bytes that a reader sees', async () => {
    const names = ['Ménü-שלום', '€'.repeat(133)];
    const answer = await newKey({
      name: 'seen',
      sources: names.map((name) => `device/${name}`.slice(0, 138)),
      tables: names,
    });
    expect([answer.statusCode, answer.json<object>()]).toEqual([
      201,
      expect.objectContaining({ tables: names }),
    ]);
  });

  it('writes as a person only if an admin gave it that, and never as the system', async () => {
    const integrator = await api.person('integrator');
    for (const sources of [['person/*'], ['device/x', 'person/mei.chan'], ['person/m*']]) {
      const refused = await newKey({ name: 'people', sources }, integrator);
      expect([sources, refused.statusCode, named(refused)]).toEqual([
        sources,
        403,
        'not-permitted',
      ]);
      expect(refused.json<{ errors: object[] }>().errors).toEqual([
        {
          pointer: `/sources/${sources.length - 1}`,
          reason: 'only an admin may give a key a source of a person',
        },
      ]);
    }
    const devices = { name: 'devices', sources: ['device/*', 'virtual/*'] };
    expect((await newKey(devices, integrator)).statusCode).toBe(201);
    const people = { name: 'people', sources: ['device/*', 'person/*'] };
    expect((await newKey(people)).statusCode).toBe(201);
    const both = await api.person(['integrator', 'admin']);
    expect((await newKey({ name: 'both', sources: ['person/x'] }, both)).statusCode).toBe(201);
  });
});

describe('an account', () => {
  it('may list only tables whose names a reader sees', async () => {
    for (const tables of [['B07\u202e'], ['\u0000'], ['a\ud800b'], ['€'.repeat(134)]]) {
      const answer = await newAccount('unseen', ['pit-boss'], tables);
      expect([tables, answer.statusCode]).toEqual([tables, 400]);
      expect(answer.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer).toBe('/tables');
    }
  });
});

describe('a token', () => {
  it('is compared completely: one with another last character is unknown', async () => {
    const token = await api.device();
    const other = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    expect((await api.send('GET', '/v1/me', other)).statusCode).toBe(401);
    expect((await api.send('GET', '/v1/me', token)).statusCode).toBe(200);
  });

  it('is found in a header of any blanks, in a time that grows with its length alone', () => {
    const text = `spk_0123456789abcdef_${'x'.repeat(43)}`;
    expect(bearerOf(`bearer   ${text}  `)).toMatchObject({ text, kind: 'spk' });
    for (const header of ['', 'Bearer', `Basic ${text}`, `Bearer${text}`, `Bearer ${text} x`])
      expect([header, bearerOf(header)]).toEqual([header, undefined]);
    const blanks = `Bearer${' '.repeat(16_000)}x y`;
    const began = performance.now();
    for (let i = 0; i < 50; i += 1) expect(bearerOf(blanks)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('is unknown after its session ended', async () => {
    const token = await api.person('finance', { name: 'sleeper' });
    await api.app
      .get(DataSource)
      .query(
        `update access.session set expires_at = now() - interval '1 second' where account_name = 'sleeper'`,
      );
    expect((await api.send('GET', '/v1/me', token)).statusCode).toBe(401);
  });
});

describe('what a device key may write', () => {
  const scope = new WriteScope({
    sources: ['device/B07-*', 'virtual/x'],
    types: ['card-drawn', 'coup-opened'],
    tables: ['B07'],
  });

  it.each([
    ['device/B07-shoe', 'card-drawn', 'B07', undefined],
    ['virtual/x', 'coup-opened', 'B07', undefined],
    ['device/B08-shoe', 'card-drawn', 'B07', 'source'],
    ['xdevice/B07-shoe', 'card-drawn', 'B07', 'source'],
    ['device/B07-shoe', 'bet-placed', 'B07', 'type'],
    ['device/B07-shoe', 'card-drawn', 'B071', 'table'],
    ['device/B07-shoe', 'card-drawn', '@house', 'table'],
    ['device/B07-shoe', 'card-drawn', '@unkeyed-0', 'table'],
  ])(
    'is limited by its lists: from %s a %s at %s is refused for %s',
    (source, type, table, refused) => {
      expect(scope.refuses({ source, type, table })).toBe(refused);
      expect(scope.refuses({ source, type, table })).toBe(refused);
    },
  );

  it.each(['gap-declared', 'finding-signed', 'export-made'])(
    'never includes %s, whatever it lists',
    (type) => {
      expect(
        new WriteScope({ sources: ['*'], types: ['*', type], tables: ['*'] }).refuses({
          source: 'device/B07-shoe',
          type,
          table: 'B07',
        }),
      ).toBe('type');
    },
  );

  it.each([['*'], ['system/*'], ['system/auditor'], ['s*']])(
    'never includes a source of the server itself, whatever an older key lists: %s',
    (pattern) => {
      const older = new WriteScope({ sources: [pattern], types: ['*'], tables: ['*'] });
      const event = { source: 'system/auditor', type: 'card-drawn', table: 'B07' };
      expect(older.refuses(event)).toBe('source');
    },
  );

  it('is everything for the list ["*"], and nothing for an empty list', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(new NamePatterns(['*']).has(text)).toBe(true);
        expect(new NamePatterns([]).has(text)).toBe(false);
      }),
    );
  });

  /** Whether a pattern matches, tried in every way. */
  const naively = (pattern: string, name: string): boolean =>
    pattern === ''
      ? name === ''
      : pattern.startsWith('*')
        ? naively(pattern.slice(1), name) || (name !== '' && naively(pattern, name.slice(1)))
        : name !== '' && pattern[0] === name[0] && naively(pattern.slice(1), name.slice(1));
  const few = fc.constantFrom('a', 'b', '*');

  it('matches what a naive matcher does, in no more steps than the product of the lengths', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: few, minLength: 1, maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'a', 'b', '\n', '.'), minLength: 1, maxLength: 10 }),
        (pattern, name) => {
          let steps = 0;
          expect(matches(pattern, name, () => (steps += 1))).toBe(naively(pattern, name));
          expect(steps).toBeLessThanOrEqual(pattern.length * name.length);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('takes few steps for a name that is made to be slow, and matches none over 400 characters', () => {
    let steps = 0;
    const slow = `device/${'a'.repeat(393)}`;
    expect(matches('device/*a*a*a*a*b', slow, () => (steps += 1))).toBe(false);
    expect(steps).toBeLessThanOrEqual('device/*a*a*a*a*b'.length * slow.length);
    expect(matches('device/*', slow)).toBe(true);
    expect(matches('device/*', `${slow}a`)).toBe(false);
    expect(matches('*', 'a'.repeat(16_384))).toBe(true);
  });

  it('is what a pattern matches, with each part in its place', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (head, middle, tail) => {
        fc.pre(![head, tail].some((part) => part.includes('*')));
        const patterns = new NamePatterns([`${head}*${tail}`]);
        expect(patterns.has(head + middle + tail)).toBe(true);
        const other = `${middle}${head}`;
        expect(patterns.has(other)).toBe(
          other.startsWith(head) &&
            other.endsWith(tail) &&
            other.length >= head.length + tail.length,
        );
      }),
    );
  });
});

describe('a password', () => {
  it('matches only its own hash, and is salted', async () => {
    const [one, two] = [await hashPassword(PASSWORD), await hashPassword(PASSWORD)];
    expect(one).not.toBe(two);
    expect([await passwordFits(PASSWORD, one), await passwordFits(`${PASSWORD} `, one)]).toEqual([
      true,
      false,
    ]);
  });
});

describe('the schema of accounts', () => {
  it('is created once by any number of simultaneous processes, and matches the entities', async () => {
    const database = await createDatabase();
    try {
      await Promise.all([1, 2, 3].map(() => migrateAccess(database.url)));
      const source = await new DataSource({
        ...accessOptions(database.url, () => undefined),
        // TypeORM reads a schema by several queries at once, which pg supports in this mode only.
        extra: { pipeline: true },
      }).initialize();
      const drift = await source.driver.createSchemaBuilder().log();
      const applied = await source.query<{ name: string }[]>(
        'select name from access.migration order by id',
      );
      await source.destroy();
      expect(drift.upQueries.map(({ query }) => query)).toEqual([]);
      expect(applied.map(({ name }) => name)).toEqual(ACCESS_MIGRATIONS.map(({ name }) => name));
    } finally {
      await database.drop();
    }
  });

  it('gets its first admin once, however many processes ask at the same time', async () => {
    const database = await createDatabase();
    try {
      await migrateAccess(database.url);
      const made = await Promise.all([1, 2, 3].map(() => ensureFirstAdmin(database.url)));
      const [first, ...others] = made.filter((admin) => admin !== undefined);
      expect(others).toEqual([]);
      const server = await startApi({ databaseUrl: database.url });
      const { name, password } = first ?? {};
      const answer = await server.send('POST', '/v1/sign-in', undefined, { name, password });
      await server.close();
      expect(answer.statusCode).toBe(200);
      expect(await ensureFirstAdmin(database.url, { password: PASSWORD })).toBeUndefined();
    } finally {
      await database.drop();
    }
  });
});
