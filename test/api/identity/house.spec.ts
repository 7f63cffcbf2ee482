import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventData } from '#audit';
import { rebuildRows } from '#auditor';
import { MemoryLog, MemoryStore } from '#event-log';
import type { HouseEventLine, TableLine } from '#read-model';
import { DataSource } from 'typeorm';
import { HouseRecord } from '../../../apps/api/src/house/house-record.js';
import { startApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';
import { BOOK } from '../../kit/house.js';
import { startServer, type TestServer, UTC_DAYS } from '../../kit/server.js';

const store = new MemoryStore(4);
let log: MemoryLog;
let server: TestServer;
let regulator: string;

beforeAll(async () => {
  log = new MemoryLog({ store });
  server = await startServer(async () => log);
  regulator = await server.api.person('regulator');
});
afterAll(() => server?.close());

const acts = (query = ''): Promise<HouseEventLine[]> =>
  server.all<HouseEventLine>(`/v1/house-events${query}`, regulator);
const database = (): DataSource => server.api.app.get(DataSource);
const record = (): HouseRecord => server.api.app.get(HouseRecord);

/** Returns the keys that acts name which are not on the log yet. */
const waiting = async (): Promise<string[]> =>
  (
    await database().query<{ data: { key: string } }[]>(
      `select data from access.outbox where type = 'key-revoked'`,
    )
  ).map(({ data }) => data.key);

const endMinute = (): Promise<void> => server.endMinute();

/** Returns the acts that fit once there are `count` of them. */
async function actsWhen(
  fits: (act: HouseEventLine) => boolean,
  count = 1,
): Promise<HouseEventLine[]> {
  let found: HouseEventLine[] = [];
  await eventually(`${count} such acts in the record of the house`, async () => {
    found = (await acts()).filter(fits);
    return found.length >= count;
  });
  return found;
}

describe('the record of the house', () => {
  it('begins with the start of the server: its version, rules, review policy and settings', async () => {
    const [started] = await actsWhen(({ type }) => type === 'server-started');
    expect(started).toMatchObject({
      by: 'system/api',
      data: {
        version: '0.1.0',
        rules: { 'punto-banco@1': expect.stringMatching(/^[0-9a-f]{64}$/) },
        policy: { 'review@1': BOOK.policies.get('review@1')?.hash },
        settings: { basePath: '', sessionHours: 12, policy: 'review@1' },
      },
    });
  });

  it('names a setting that is a secret, and not its value', async () => {
    const api = await startApi({ settings: { metricsToken: 'hidden-word' } });
    try {
      const all = await Promise.all(
        Array.from({ length: api.log.partitions }, (_, partition) =>
          api.log.read(partition, 0, 1 << 20),
        ),
      );
      const text = all.flat().map(({ value }) => Buffer.from(value).toString());
      expect(text.join()).toContain('"metricsToken":"(set)"');
      expect(text.join()).not.toContain('hidden-word');
    } finally {
      await api.close();
    }
  });

  it('names who read a report, how often in a minute, and what it was about', async () => {
    const reader = await server.api.person('compliance', { name: 'reader' });
    const path = '/v1/reports/commission?table=B07&limit=2';
    for (let times = 0; times < 3; times += 1)
      expect((await server.api.send('GET', path, reader)).statusCode).toBe(200);
    await server.api.send('GET', '/v1/coups?format=csv&from=2026-01-01', reader);
    await server.api.send('GET', '/v1/coups', reader); // a page on a screen is not recorded
    const { headers } = await server.api.send('GET', '/v1/reports/dealers', regulator);
    await server.api.app.inject({
      url: '/v1/reports/dealers',
      headers: { authorization: `Bearer ${reader}`, 'if-none-match': headers.etag as string },
    });
    expect((await acts('?by=person/reader')).length).toBe(0); // the minute is not over
    await endMinute();
    const read = await actsWhen(({ by }) => by === 'person/reader', 2);
    expect(read.map(({ type, data }) => [type, data])).toEqual(
      expect.arrayContaining([
        [
          'record-read',
          { record: '/v1/reports/commission', filter: { table: 'B07' }, format: 'json', times: 3 },
        ],
        [
          'record-read',
          { record: '/v1/coups', filter: { from: '2026-01-01' }, format: 'csv', times: 1 },
        ],
      ]),
    );
    expect(read).toHaveLength(2);
  });

  it('keeps a file back that it cannot record, and holds no place for it', async () => {
    const reader = await server.api.person('compliance');
    const statuses: number[] = [];
    await database().query('alter table access.outbox rename to gone');
    try {
      for (let times = 0; times < 4; times += 1)
        statuses.push((await server.api.send('GET', '/v1/coups?format=csv', reader)).statusCode);
    } finally {
      await database().query('alter table access.gone rename to outbox');
    }
    expect(statuses).toEqual([500, 500, 500, 500]);
    expect((await server.api.send('GET', '/v1/coups?format=csv', reader)).statusCode).toBe(200);
  });

  it('is closed to every sender, and so are its types at every table', async () => {
    const event = {
      specversion: '1.0',
      type: 'shoeprint.device-online.v1',
      source: 'device/x',
      id: '1',
      time: '2026-11-20T12:00:00Z',
      table: '@house',
      data: {},
    };
    const signedIn = {
      ...event,
      type: 'shoeprint.person-signed-in.v1',
      table: 'B07',
      data: { account: 'mei', session: '1', address: '::1' },
    };
    const key = await server.api.device();
    for (const sent of [event, signedIn]) {
      const answer = await server.api.app.inject({
        method: 'POST',
        url: '/v1/events',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/cloudevents+json',
        },
        payload: JSON.stringify(sent),
      });
      expect([answer.statusCode, answer.json<{ type: string }>().type]).toEqual([
        403,
        expect.stringMatching(/source-not-yours$/),
      ]);
    }
  });

  it('does not appear among the tables', async () => {
    await actsWhen(() => true);
    const rows = await database().query<{ name: string }[]>('select name from rows.table_state');
    expect(rows).toContainEqual({ name: '@house' });
    const tables = await server.all<TableLine>('/v1/tables', regulator);
    expect(tables.map(({ table }) => table)).not.toContain('@house');
  });

  it('is read by compliance and the regulator, if they may see every table', async () => {
    const status = async (token: string): Promise<number> =>
      (await server.api.send('GET', '/v1/house-events', token)).statusCode;
    expect(await status(await server.api.person('compliance'))).toBe(200);
    expect(await status(await server.api.person('admin'))).toBe(403);
    expect(await status(await server.api.person('regulator', { tables: ['B07'] }))).toBe(403);
  });

  it('can be narrowed to a person, types and days, and read as CSV', async () => {
    await record().note({
      type: 'key-revoked',
      by: 'person/=ann',
      data: { key: 'old, "key"' },
    });
    const [act] = await actsWhen(({ by }) => by === 'person/=ann');
    expect(await acts('?type=key-revoked,key-created&by=person/%3Dann')).toEqual([act]);
    expect(await acts(`?type=key-revoked&to=${(act as HouseEventLine).gamingDay}`)).toEqual([act]);
    expect(await acts('?type=key-revoked&from=2100-01-01')).toEqual([]);
    const csv = await server.api.send(
      'GET',
      '/v1/house-events?type=key-revoked&format=csv',
      regulator,
    );
    expect(csv.body).toContain('"key-revoked","person/=ann","{""key"":""old, \\""key\\""""}"');
    expect(
      (await server.api.send('GET', '/v1/house-events?type=card-drawn', regulator)).statusCode,
    ).toBe(400);
  });

  it('has every act that was done, and none of an act that failed', async () => {
    const failing = record().transaction(async (_, note) => {
      await note({ type: 'key-revoked', by: 'person/ann', data: { key: 'never' } });
      throw new Error('the act failed');
    });
    await expect(failing).rejects.toThrow('the act failed');
    await record().note({ type: 'key-revoked', by: 'person/ann', data: { key: 'done' } });
    const revoked = await actsWhen(({ by }) => by === 'person/ann');
    expect(revoked.map(({ data }) => data)).toEqual([{ key: 'done' }]);
  });

  it.each([
    ['nobody', 'x', '/source must be device/…, person/…, virtual/… or system/…'],
    ['person/ann', 'half a \ud83c', 'a string contains a lone surrogate'],
    ['person/ann', 'x'.repeat(16_384), 'would be over 16384 bytes'],
  ])('refuses an act that could not be read again, before it is done', async (by, key, why) => {
    await expect(record().note({ type: 'key-revoked', by, data: { key } })).rejects.toThrow(why);
  });

  it('cuts a long filter between two characters', async () => {
    const reader = await server.api.person('compliance', { name: 'long' });
    const dealer = `${'y'.repeat(399)}\u{1F0A1}\u{1F0A1}`;
    const path = `/v1/reports/dealers?dealer=${encodeURIComponent(dealer)}`;
    expect((await server.api.send('GET', path, reader)).statusCode).toBe(200);
    await endMinute();
    const [read] = await actsWhen(({ by }) => by === 'person/long');
    expect(read?.data).toMatchObject({ filter: { dealer: `${'y'.repeat(399)}…` } });
  });

  it('keeps a filter of the longest texts, whatever their characters', async () => {
    const reader = await server.api.person('compliance', { name: 'loud' });
    const text = encodeURIComponent('\u0001'.repeat(400));
    const names = ['table', 'shoe', 'shoeRef', 'dealer'].map((name) => `${name}=${text}`);
    const path = `/v1/coups?format=csv&${names.join('&')}`;
    expect((await server.api.send('GET', path, reader)).statusCode).toBe(200);
    await endMinute();
    expect(await actsWhen(({ by }) => by === 'person/loud')).toHaveLength(1);
  });

  it('refuses a key or an account that is too long to be recorded, and makes none', async () => {
    const admin = await server.api.person('admin', { name: 'wordy' });
    const tables = Array.from({ length: 100 }, (_, i) => `${'t'.repeat(180)}${i}`);
    const [key, account] = await Promise.all([
      server.api.send('POST', '/v1/keys', admin, {
        ...{ name: 'wordy-key', sources: ['device/x'], types: ['*'], tables },
      }),
      server.api.send('POST', '/v1/accounts', admin, {
        ...{ name: 'wordy-two', password: 'a long enough phrase', roles: ['pit-boss'], tables },
      }),
    ]);
    for (const answer of [key, account])
      expect([answer.statusCode, answer.json<object>()]).toEqual([
        413,
        expect.objectContaining({
          type: 'urn:shoeprint:problem:too-large',
          detail: expect.stringContaining('16384 bytes'),
        }),
      ]);
    for (const list of ['/v1/keys', '/v1/accounts'])
      expect((await server.api.send('GET', list, admin)).body).not.toContain('wordy-');
  });

  it('keeps nobody waiting longer than two seconds for a log that is away, and loses nothing', async () => {
    let comesBack: () => void = () => undefined;
    const back = new Promise<void>((resolve) => {
      comesBack = resolve;
    });
    store.faults.beforeSend = () => back;
    await record().note({ type: 'key-revoked', by: 'person/ben', data: { key: 'slow' } });
    expect(await waiting()).toContain('slow');
    delete store.faults.beforeSend;
    comesBack();
    const [act] = await actsWhen(({ by }) => by === 'person/ben');
    expect(act?.data).toEqual({ key: 'slow' });
  });

  it('gets what another process left behind, or could not append', async () => {
    store.faults.failBefore = true;
    await record().note({ type: 'key-revoked', by: 'person/dee', data: { key: 'refused' } });
    delete store.faults.failBefore;
    expect(await waiting()).toContain('refused');
    await database().query(
      `update access.outbox set at = now() - interval '1 minute', held_until = now() - interval '1 s'`,
    );
    const [act] = await actsWhen(({ by }) => by === 'person/dee');
    expect(act?.data).toEqual({ key: 'refused' });
    await eventually('an empty outbox', async () => (await waiting()).length === 0);
  });

  it('shows an act once that was appended twice', async () => {
    await record().note({ type: 'key-revoked', by: 'person/cy', data: { key: 'twice' } });
    await actsWhen(({ by }) => by === 'person/cy');
    const partitions = await Promise.all(
      Array.from({ length: log.partitions }, (_, partition) => log.read(partition, 0, 1 << 24)),
    );
    const again = partitions.flat().find(({ value }) => Buffer.from(value).includes('"twice"'));
    if (!again) throw new Error('the act is not on the log');
    const { partition, key, value } = again;
    const { next } = await log.append({ partition, records: [{ key, value }], urgency: 'live' });
    await eventually('the second append in the rows', async () =>
      (await server.auditor.positions()).some(
        (position) => position.partition === partition && position.next === next,
      ),
    );
    expect(await acts('?by=person/cy')).toHaveLength(1);
  });
});

describe('what people do', () => {
  const PASSWORD = 'a long enough phrase';
  const secrets: string[] = [];
  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    token?: string,
    body?: object,
  ) => {
    const answer = await server.api.send(method, path, token, body);
    const text = answer.body;
    for (const [, secret] of text.matchAll(/"(?:token|code|secret|password)":"([^"]+)"/g))
      secrets.push(secret as string);
    if (answer.statusCode >= 300)
      throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text === '' ? '{}' : text) as Record<string, string>;
  };
  const signIn = (password: string) =>
    send('POST', '/v1/sign-in', undefined, { name: 'may', password });

  it('is recorded: sign-ins, sessions, accounts, passwords and keys, with old and new values', async () => {
    const admin = await server.api.person('admin', { name: 'boss' });
    await send('POST', '/v1/accounts', admin, {
      name: 'may',
      person: 'p-17',
      password: PASSWORD,
      roles: ['pit-boss'],
      tables: ['B07'],
    });
    const first = await signIn(PASSWORD);
    await send('POST', '/v1/me/password', first.token, {
      password: PASSWORD,
      newPassword: 'another long enough phrase',
    });
    const second = await signIn('another long enough phrase');
    const sessions = await server.api.send('GET', '/v1/me/sessions', second.token);
    const { items } = sessions.json<{ items: { id: string; current: boolean }[] }>();
    const older = items.find(({ current }) => !current)?.id as string;
    await send('DELETE', `/v1/me/sessions/${older}`, second.token);
    await send('POST', '/v1/sign-out', second.token);
    await send('PATCH', '/v1/accounts/may', admin, { tables: ['B07', 'B08'], wallDisplay: true });
    const reset = await send('POST', '/v1/accounts/may/password-reset', admin, {});
    await send('POST', '/v1/password-reset', undefined, {
      name: 'may',
      code: reset.code,
      newPassword: 'a third long enough phrase',
    });
    const key = await send('POST', '/v1/keys', admin, {
      name: 'shoe-7',
      sources: ['device/shoe-7'],
      tables: ['B07'],
      types: ['card-drawn'],
    });
    await send('DELETE', `/v1/keys/${key.id}`, admin);
    const of = ({ data }: HouseEventLine): boolean =>
      ['may', 'shoe-7'].some((name) => Object.values(data).includes(name));
    const found = await actsWhen(of, 11);
    expect(found.toReversed().map(({ type, by, data }) => [type, by, withoutIds(data)])).toEqual([
      [
        'account-created',
        'person/boss',
        {
          account: 'may',
          values: {
            person: 'p-17',
            roles: ['pit-boss'],
            tables: ['B07'],
            disabled: false,
            wallDisplay: false,
          },
        },
      ],
      ['person-signed-in', 'person/p-17', { account: 'may', address: '127.0.0.1' }],
      ['account-changed', 'person/p-17', { account: 'may', changes: { password: 'changed' } }],
      ['person-signed-in', 'person/p-17', { account: 'may', address: '127.0.0.1' }],
      ['person-session-ended', 'person/p-17', { account: 'may' }],
      ['person-signed-out', 'person/p-17', { account: 'may' }],
      [
        'account-changed',
        'person/boss',
        {
          account: 'may',
          changes: {
            tables: { from: ['B07'], to: ['B07', 'B08'] },
            wallDisplay: { from: false, to: true },
          },
        },
      ],
      [
        'account-changed',
        'person/boss',
        { account: 'may', changes: { password: 'reset issued', removesSecondFactor: false } },
      ],
      [
        'account-changed',
        'person/p-17',
        { account: 'may', changes: { password: 'reset used', removesSecondFactor: false } },
      ],
      [
        'key-created',
        'person/boss',
        {
          key: 'shoe-7',
          values: { sources: ['device/shoe-7'], tables: ['B07'], types: ['card-drawn'] },
        },
      ],
      ['key-revoked', 'person/boss', { key: 'shoe-7' }],
    ]);
  });

  it('is recorded when an admin sets the person of an account', async () => {
    await server.api.person('pit-boss', { name: 'zoe.night' });
    const admin = await server.api.person('admin', { name: 'namer' });
    await send('PATCH', '/v1/accounts/zoe.night', admin, { person: 'zoe' });
    const [act] = await actsWhen(({ data }) => Object.values(data).includes('zoe.night'));
    expect([act?.type, act?.by, act?.data]).toEqual([
      'account-changed',
      'person/namer',
      { account: 'zoe.night', changes: { person: { from: 'zoe.night', to: 'zoe' } } },
    ]);
  });

  it('is recorded if it fails: wrong passwords by account and address, and other texts by nothing', async () => {
    await server.api.person('pit-boss', { name: 'target' });
    const wrong = (name: string) =>
      server.api.send('POST', '/v1/sign-in', undefined, { name, password: 'xxxxxxxxxxxx' });
    for (const name of ['target', 'target', 'MySecretPhrase', 'not a name!'])
      expect((await wrong(name)).statusCode).toBe(401);
    let counted: Record<string, number> = {};
    await eventually('four failed attempts in the record', async () => {
      await endMinute();
      counted = {};
      for (const { type, by, data } of await acts('?by=system/api&type=person-sign-in-failed')) {
        const {
          account = '(none)',
          address,
          attempts,
        } = data as EventData['person-sign-in-failed'];
        const key = `${type} ${by} ${address} ${account}`;
        counted[key] = (counted[key] ?? 0) + attempts;
      }
      return Object.values(counted).reduce((sum, attempts) => sum + attempts, 0) === 4;
    });
    expect(counted).toEqual({
      'person-sign-in-failed system/api 127.0.0.1 target': 2,
      'person-sign-in-failed system/api 127.0.0.1 (none)': 2,
    });
  });

  it('holds no secret that any answer showed or anybody sent', async () => {
    const partitions = await Promise.all(
      Array.from({ length: log.partitions }, (_, partition) => log.read(partition, 0, 1 << 24)),
    );
    const bytes = partitions.flat().map(({ value }) => Buffer.from(value).toString());
    expect(secrets.length).toBeGreaterThan(3);
    for (const secret of [
      ...secrets,
      PASSWORD,
      'long enough phrase',
      'MySecretPhrase',
      'xxxxxxxxxxxx',
    ])
      expect(bytes.filter((text) => text.includes(secret))).toEqual([]);
  });
});

/** Returns data without the id of a session, which differs from run to run. */
const withoutIds = ({
  session: _,
  ...data
}: HouseEventLine['data'] & { session?: string }): object => data;

describe('the rows of the record', () => {
  it('is the same after a rebuild of the rows', async () => {
    const { tables } = await rebuildRows({
      log,
      databaseUrl: server.database.url,
      book: BOOK,
      gamingDays: UTC_DAYS,
    });
    const compared = tables.find(({ table }) => table === 'house_event');
    expect(compared).toMatchObject({ equal: true });
    expect(compared?.live).toBeGreaterThan(5);
  });
});
