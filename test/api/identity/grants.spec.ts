import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import type { Role } from '#api';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';

const PASSWORD = 'correct horse battery';

let api: TestApi;
/** The tokens of admins, by name: two of all tables, one of B07 and one of B08. */
const tokens: Record<string, string> = {};

beforeAll(async () => {
  api = await startApi();
  for (const [name, tables] of Object.entries({
    root: ['*'],
    second: ['*'],
    floor7: ['B07'],
    floor8: ['B08'],
  }))
    tokens[name] = await api.person('admin', { name, tables });
  tokens.twin = await api.person('admin', { name: 'twin', person: 'root' });
  tokens.screen = await api.person('admin', { name: 'screen', wallDisplay: true });
});
afterAll(() => api.close());

const named = (answer: Answer): string =>
  answer.json<{ type: string }>().type.replace('urn:shoeprint:problem:', '');
const problemOf = (answer: Answer): string =>
  answer.statusCode < 400 ? String(answer.statusCode) : `${answer.statusCode} ${named(answer)}`;

interface Kept {
  readonly roles: readonly string[];
  readonly tables: readonly string[];
}
interface Pending extends Kept {
  readonly id: string;
  readonly account: string;
  readonly askedBy: string;
}

/** Returns what an account has, from the table itself. */
async function keptOf(name: string): Promise<Kept> {
  const [account] = await api.app
    .get(DataSource)
    .query<Kept[]>('select roles, tables from access.account where name = $1', [name]);
  if (!account) throw new Error(`there is no account ${name}`);
  return account;
}
const grants = async (by: string): Promise<Pending[]> =>
  (await api.send('GET', '/v1/grants', tokens[by])).json<{ items: Pending[] }>().items;
const patch = (by: string, name: string, change: object): Promise<Answer> =>
  api.send('PATCH', `/v1/accounts/${name}`, tokens[by], change);
const decide = (by: string, id: string, what: 'confirm' | 'refuse'): Promise<Answer> =>
  api.send('POST', `/v1/grants/${id}/${what}`, tokens[by]);
/** Asks for `compliance` for a new account and returns the id of the grant. */
async function asked(name: string, by = 'root', tables = ['*']): Promise<string> {
  await api.person('finance', { name, tables });
  const answer = await patch(by, name, { roles: ['finance', 'compliance'] });
  return answer.json<{ grant: Pending }>().grant.id;
}

let made = 0;
type Row = readonly [
  granter: string,
  grantee: { readonly roles: readonly Role[]; readonly tables: readonly string[] },
  change: object,
  answer: string,
];
const pit = { roles: ['pit-boss'], tables: ['B07'] } as const;
const everywhere = { roles: ['pit-boss'], tables: ['*'] } as const;
const officer = { roles: ['compliance'], tables: ['B07'] } as const;

describe('a change of an account', () => {
  it.each<Row>([
    // what one admin may do alone
    ['root', pit, { roles: ['surveillance'] }, '200'],
    ['root', pit, { roles: ['finance', 'integrator'], tables: ['*'] }, '200'],
    ['root', pit, { tables: ['B07', 'B08'] }, '200'],
    ['root', pit, { disabled: true }, '200'],
    ['floor7', pit, { roles: ['surveillance'] }, '200'],
    ['floor7', pit, { tables: [] }, '200'],
    ['root', officer, { roles: ['finance'] }, '200'],
    ['root', officer, { tables: [] }, '200'],
    ['floor7', officer, { roles: ['compliance', 'finance'] }, '200'],
    // what stays within the granter's tables
    ['floor7', pit, { tables: ['B08'] }, '403 not-permitted'],
    ['floor7', pit, { tables: ['B07', 'B08'] }, '403 not-permitted'],
    ['floor7', pit, { tables: ['*'] }, '403 not-permitted'],
    ['floor8', pit, { roles: ['surveillance'] }, '404 not-found'],
    ['floor8', pit, { disabled: true }, '404 not-found'],
    ['floor8', pit, { tables: ['B08'] }, '404 not-found'],
    ['floor7', everywhere, { tables: ['B07'] }, '404 not-found'],
    [
      'floor7',
      { roles: ['pit-boss'], tables: ['B07', 'B08'] },
      { disabled: true },
      '404 not-found',
    ],
    // what another admin has to confirm
    ['root', pit, { roles: ['pit-boss', 'compliance'] }, '202'],
    ['root', pit, { roles: ['regulator'] }, '202'],
    ['root', pit, { roles: ['admin'] }, '202'],
    ['root', officer, { tables: ['B07', 'B08'] }, '202'],
    ['root', officer, { tables: ['*'] }, '202'],
    ['root', officer, { roles: ['compliance', 'admin'] }, '202'],
    ['floor7', pit, { roles: ['admin'] }, '202'],
    ['floor7', officer, { roles: ['compliance', 'regulator'] }, '202'],
    ['twin', pit, { roles: ['admin'] }, '202'],
    // a wall display writes nothing
    ['screen', pit, { roles: ['finance'] }, '403 not-permitted'],
  ])('by %s of %j to %j answers %s', async (by, grantee, change, answer) => {
    const name = `walked-${(made += 1)}`;
    await api.person(grantee.roles, { name, tables: grantee.tables });
    const before = await keptOf(name);
    const got = await patch(by, name, change);
    expect(problemOf(got)).toBe(answer);
    const { disabled: _, ...rights } = change as { disabled?: boolean } & Partial<Kept>;
    expect(await keptOf(name)).toEqual(answer === '200' ? { ...before, ...rights } : before);
    expect((await grants('second')).filter(({ account }) => account === name)).toEqual(
      answer === '202' ? [expect.objectContaining({ ...before, ...rights, askedBy: by })] : [],
    );
  });

  it.each(['root', 'twin', 'floor7', 'second'])(
    'is refused to %s for an account of their own, whatever it changes',
    async (by) => {
      for (const change of [
        { roles: ['admin', 'finance'] },
        { tables: ['B07'] },
        { wallDisplay: true },
        { person: 'somebody' },
        { disabled: true },
      ])
        expect([change, problemOf(await patch(by, by, change))]).toEqual([
          change,
          '403 not-permitted',
        ]);
      expect((await keptOf(by)).roles).toEqual(['admin']);
    },
  );

  it('is refused for another account of the same human', async () => {
    expect(problemOf(await patch('root', 'twin', { roles: ['finance'] }))).toBe(
      '403 not-permitted',
    );
    expect(problemOf(await patch('twin', 'root', { roles: ['finance'] }))).toBe(
      '403 not-permitted',
    );
  });

  it('shows an admin only the accounts whose tables are all within their own', async () => {
    await api.person('finance', { name: 'both', tables: ['B07', 'B08'] });
    await api.person('finance', { name: 'one', tables: ['B07'] });
    const names = async (by: string): Promise<string[]> =>
      (await api.send('GET', '/v1/accounts', tokens[by]))
        .json<{ items: { name: string }[] }>()
        .items.map(({ name }) => name);
    expect(await names('floor7')).toEqual(expect.arrayContaining(['floor7', 'one']));
    expect(await names('floor7')).not.toEqual(expect.arrayContaining(['both']));
    expect(await names('floor8')).not.toEqual(expect.arrayContaining(['one']));
    expect(await names('root')).toEqual(
      expect.arrayContaining(['both', 'one', 'floor7', 'floor8']),
    );
  });
});

describe('a new account', () => {
  const create = (by: string, roles: Role[], tables: string[]): Promise<Answer> =>
    api.send('POST', '/v1/accounts', tokens[by], {
      ...{ name: `new-${(made += 1)}`, password: PASSWORD, roles, tables },
    });

  it('gets at most the tables of the admin who creates it', async () => {
    expect(problemOf(await create('floor7', ['pit-boss'], ['B07']))).toBe('201');
    for (const tables of [['*'], ['B08'], ['B07', 'B08']])
      expect([tables, problemOf(await create('floor7', ['pit-boss'], tables))]).toEqual([
        tables,
        '403 not-permitted',
      ]);
  });

  it('is never made by the human whose it is to be', async () => {
    const answer = await api.send('POST', '/v1/accounts', tokens.root, {
      ...{ name: 'own', password: PASSWORD, roles: ['pit-boss'], tables: ['*'], person: 'root' },
    });
    expect(problemOf(answer)).toBe('403 not-permitted');
  });

  it('gets only the roles that need no confirmation, and the others once they are confirmed', async () => {
    const answer = await create('root', ['finance', 'compliance'], ['*']);
    expect(answer.statusCode).toBe(202);
    const { account, grant } = answer.json<{ account: { name: string }; grant: Pending }>();
    expect(account).toMatchObject({ roles: ['finance'], tables: ['*'] });
    expect((await decide('second', grant.id, 'confirm')).json()).toMatchObject({
      name: account.name,
      roles: ['finance', 'compliance'],
    });
    expect((await keptOf(account.name)).roles).toEqual(['finance', 'compliance']);
  });

  it('can do nothing while all of its roles wait', async () => {
    const answer = await create('root', ['admin'], ['*']);
    const { account } = answer.json<{ account: { name: string; roles: string[] } }>();
    expect(account.roles).toEqual([]);
    const signedIn = await api.send('POST', '/v1/sign-in', undefined, {
      name: account.name,
      password: PASSWORD,
    });
    const { token } = signedIn.json<{ token: string }>();
    expect(problemOf(await api.send('GET', '/v1/accounts', token))).toBe('403 not-permitted');
    expect(problemOf(await api.send('GET', '/v1/me', token))).toBe('403 not-permitted');
  });
});

describe('a pending grant', () => {
  it('cannot be avoided by setting the person of the account to that of the only other admin', async () => {
    const pair = await startApi();
    try {
      const one = await pair.person('admin', { name: 'one' });
      const two = await pair.person('admin', { name: 'two' });
      await pair.person('finance', { name: 'mask' });
      const path = '/v1/accounts/mask';
      expect(problemOf(await pair.send('PATCH', path, one, { person: 'two' }))).toBe('200');
      const asks = await pair.send('PATCH', path, one, { roles: ['compliance'] });
      expect(problemOf(asks)).toBe('202');
      const { id } = asks.json<{ grant: Pending }>().grant;
      const confirm = (by: string): Promise<Answer> =>
        pair.send('POST', `/v1/grants/${id}/confirm`, by);
      expect(problemOf(await confirm(two))).toBe('403 not-permitted');
      const third = await pair.person('admin', { name: 'three' });
      expect(problemOf(await confirm(third))).toBe('200');
    } finally {
      await pair.close();
    }
  });

  it('can be confirmed neither by who asked, nor by the same human, nor by the grantee', async () => {
    const id = await asked('waiting');
    for (const by of ['root', 'twin'])
      expect([by, problemOf(await decide(by, id, 'confirm'))]).toEqual([by, '403 not-permitted']);
    tokens.grantee = await api.person('admin', { name: 'grantee' });
    await patch('root', 'grantee', { roles: ['admin', 'compliance'] });
    const [own] = (await grants('grantee')).filter(({ account }) => account === 'grantee');
    expect(problemOf(await decide('grantee', own?.id ?? '', 'confirm'))).toBe('403 not-permitted');
    expect(problemOf(await decide('grantee', own?.id ?? '', 'refuse'))).toBe('403 not-permitted');
    expect((await keptOf('waiting')).roles).toEqual(['finance']);
    expect((await keptOf('grantee')).roles).toEqual(['admin']);
  });

  it('does not exist for an admin whose tables do not cover it', async () => {
    const id = await asked('wide');
    expect((await grants('floor7')).map((grant) => grant.id)).not.toContain(id);
    for (const what of ['confirm', 'refuse'] as const)
      expect(problemOf(await decide('floor7', id, what))).toBe('404 not-found');
  });

  it('is applied once, to open sessions at once, even if two admins confirm at the same time', async () => {
    tokens.third = await api.person('admin', { name: 'third' });
    const clerk = await api.person('finance', { name: 'clerk' });
    const change = await patch('root', 'clerk', { roles: ['compliance'] });
    const { id } = change.json<{ grant: Pending }>().grant;
    expect((await api.send('GET', '/v1/parked', clerk)).statusCode).toBe(403);
    const answers = await Promise.all([
      decide('second', id, 'confirm'),
      decide('third', id, 'confirm'),
    ]);
    expect(answers.map(problemOf).sort()).toEqual(['200', '404 not-found']);
    expect((await api.send('GET', '/v1/parked', clerk)).statusCode).toBe(200);
  });

  it('is gone after it was refused, also by who asked, and changes nothing', async () => {
    for (const by of ['second', 'root']) {
      const id = await asked(`refused-by-${by}`);
      expect(problemOf(await decide(by, id, 'refuse'))).toBe('204');
      expect(problemOf(await decide('second', id, 'confirm'))).toBe('404 not-found');
      expect((await keptOf(`refused-by-${by}`)).roles).toEqual(['finance']);
    }
  });

  it('expires after 24 hours', async () => {
    const id = await asked('late');
    const source = api.app.get(DataSource);
    const [hours] = await source.query<{ hours: number }[]>(
      `select extract(epoch from expires_at - asked_at)::float8 / 3600 as hours from access.pending_grant where id = $1`,
      [id],
    );
    expect(hours?.hours).toBeCloseTo(24, 1);
    await source.query(`update access.pending_grant set expires_at = now() where id = $1`, [id]);
    expect((await grants('second')).map((grant) => grant.id)).not.toContain(id);
    expect(problemOf(await decide('second', id, 'confirm'))).toBe('404 not-found');
  });

  it('is replaced by a later change of the same account', async () => {
    const id = await asked('again');
    expect(problemOf(await patch('root', 'again', { roles: ['integrator'] }))).toBe('200');
    expect(problemOf(await decide('second', id, 'confirm'))).toBe('404 not-found');
    const first = await asked('twice');
    const later = await patch('second', 'twice', { roles: ['regulator'] });
    expect(problemOf(await decide('root', first, 'confirm'))).toBe('404 not-found');
    const { grant } = later.json<{ grant: Pending }>();
    expect(problemOf(await decide('root', grant.id, 'confirm'))).toBe('200');
    expect((await keptOf('twice')).roles).toEqual(['regulator']);
  });

  it('cannot be confirmed once its asker is no longer an admin', async () => {
    tokens.leaver = await api.person('admin', { name: 'leaver' });
    const id = await asked('of-leaver', 'leaver');
    expect(problemOf(await patch('second', 'leaver', { disabled: true }))).toBe('200');
    expect(problemOf(await decide('second', id, 'confirm'))).toBe('409 conflict');
    expect((await keptOf('of-leaver')).roles).toEqual(['finance']);
  });
});

describe('an admin without another one', () => {
  it('gives every role alone, but not to themselves, until there is a second admin', async () => {
    const alone = await startApi();
    try {
      const only = await alone.person('admin', { name: 'only' });
      await alone.person('admin', { name: 'elsewhere', tables: ['B07'] });
      await alone.person('admin', { name: 'gone', disabled: true });
      await alone.person('admin', { name: 'same', person: 'only' });
      await alone.person('admin', { name: 'wall', wallDisplay: true });
      await alone.person('finance', { name: 'clerk' });
      const give = (name: string, roles: Role[]): Promise<Answer> =>
        alone.send('PATCH', `/v1/accounts/${name}`, only, { roles });
      expect(problemOf(await give('only', ['admin', 'compliance']))).toBe('403 not-permitted');
      expect(problemOf(await give('clerk', ['compliance', 'regulator', 'admin']))).toBe('200');
      await alone.person('finance', { name: 'next' });
      expect(problemOf(await give('next', ['compliance']))).toBe('202');
    } finally {
      await alone.close();
    }
  });
});

describe('the person of an account', () => {
  it('is its name, until an admin sets it once; the account writes as that person', async () => {
    const token = await api.person('pit-boss', { name: 'mei.night' });
    const event = {
      ...{ specversion: '1.0', type: 'shoeprint.device-online.v1', source: 'person/mei.chan' },
      ...{ id: '1', time: '2026-11-20T12:00:00Z', table: 'B07', data: {} },
    };
    const send = async (source: string): Promise<string> =>
      problemOf(
        await api.app.inject({
          method: 'POST',
          url: '/v1/events',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/cloudevents+json',
          },
          payload: JSON.stringify({ ...event, source }),
        }),
      );
    expect(await send('person/mei.chan')).toBe('403 source-not-yours');
    expect(await send('person/mei.night')).toBe('202');
    expect(problemOf(await patch('root', 'mei.night', { person: 'mei.chan' }))).toBe('200');
    expect(await send('person/mei.chan')).toBe('202');
    expect(await send('person/mei.night')).toBe('403 source-not-yours');
    expect((await api.send('GET', '/v1/me', token)).json()).toMatchObject({
      id: 'person/mei.night',
      person: 'mei.chan',
    });
    for (const person of ['other', 'mei.night'])
      expect(problemOf(await patch('root', 'mei.night', { person }))).toBe('409 conflict');
    expect(problemOf(await patch('root', 'mei.night', { person: 'mei.chan' }))).toBe('200');
  });

  it('may be shared by two accounts, and the stamp names the account', async () => {
    const token = await api.person('pit-boss', { name: 'mei.day', person: 'mei.chan' });
    const answer = await api.app.inject({
      method: 'POST',
      url: '/v1/events',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/cloudevents+json' },
      payload: JSON.stringify({
        ...{ specversion: '1.0', type: 'shoeprint.device-online.v1', source: 'person/mei.chan' },
        ...{ id: 'day-1', time: '2026-11-20T12:00:00Z', table: 'B77', data: {} },
      }),
    });
    expect(answer.statusCode).toBe(202);
    const [partition, next] = String(answer.headers['log-position']).split(':').map(Number);
    const records = await api.log.read(partition as number, (next as number) - 1);
    const line = JSON.parse(Buffer.from(records.at(-1)?.value ?? []).toString()) as object;
    expect(line).toMatchObject({ source: 'person/mei.chan', receivedfrom: 'person/mei.day' });
  });
});
