import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { MemoryLog } from '#event-log';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { KeyTables } from '../../../apps/api/src/identity/keys/key-tables.js';

const MOST = 3;
const EVENT = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';

const log = new MemoryLog();
let api: TestApi;
beforeAll(async () => {
  api = await startApi({ log, settings: { keyTablesMax: MOST } });
});
afterAll(async () => {
  await api.close();
  await log.close();
});

let made = 0;
const event = (table: string): object => ({
  specversion: '1.0',
  type: 'shoeprint.coup-closed.v1',
  source: 'device/gateway',
  id: String((made += 1)),
  time: '2026-11-20T12:00:00Z',
  table,
  shoe: 'S1',
  data: {},
});
const send = (
  token: string,
  tables: readonly string[],
  { to = api, query = '' }: { readonly to?: TestApi; readonly query?: string } = {},
): Promise<Answer> =>
  to.app.inject({
    method: 'POST',
    url: `/v1/events${query}`,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': tables.length === 1 ? EVENT : BATCH,
    },
    payload: JSON.stringify(tables.length === 1 ? event(tables[0] as string) : tables.map(event)),
  });
const status = async (...asked: Parameters<typeof send>): Promise<number> =>
  (await send(...asked)).statusCode;
const recorded = (table: string): number =>
  Array.from({ length: log.partitions }, (_, partition) => log.store.of(partition))
    .flat()
    .filter(({ key }) => key === table).length;

describe('the tables that a key brings', () => {
  it('are bounded, one at a time, and those it brought stay open to it', async () => {
    const key = await api.device({ name: 'one-by-one' });
    for (const table of ['A1', 'A2', 'A3']) expect(await status(key, [table])).toBe(202);
    const refused = await send(key, ['A4']);
    expect([refused.statusCode, refused.json<object>()]).toEqual([
      403,
      expect.objectContaining({
        type: 'urn:shoeprint:problem:source-not-yours',
        detail: expect.stringContaining('at most 3'),
        errors: [{ pointer: '/table', reason: expect.stringContaining('"A4"') }],
      }),
    ]);
    expect(recorded('A4')).toBe(0);
    expect(await status(key, ['A1'])).toBe(202);
    expect(await status(key, ['A3', 'A2'])).toBe(202);
  });

  it('are bounded in a batch, of which nothing is recorded and nothing counts', async () => {
    const key = await api.device({ name: 'batches' });
    expect(await status(key, ['B1', 'B2'])).toBe(202);
    const refused = await send(key, ['B1', 'B3', 'B1', 'B4', 'B5', 'B4']);
    expect([refused.statusCode, refused.json<{ errors: object[] }>().errors]).toEqual([
      403,
      [
        { pointer: '/table', position: 4, reason: expect.stringContaining('"B4"') },
        { pointer: '/table', position: 5, reason: expect.stringContaining('"B5"') },
      ],
    ]);
    expect(recorded('B3')).toBe(0);
    expect(await status(key, ['B5'])).toBe(202);
    expect(await status(key, ['B3'])).toBe(403);
  });

  it('count in another api and after a restart', async () => {
    const key = await api.device({ name: 'elsewhere' });
    for (const table of ['C1', 'C2', 'C3']) expect(await status(key, [table])).toBe(202);
    const other = await startApi({
      log,
      databaseUrl: api.databaseUrl,
      settings: { keyTablesMax: MOST },
    });
    try {
      expect(await status(key, ['C4'], { to: other })).toBe(403);
      expect(await status(key, ['C2'], { to: other })).toBe(202);
    } finally {
      await other.close();
    }
  });

  it('do not share the last place between requests at the same time', async () => {
    const key = await api.device({ name: 'racing' });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => status(key, [`D${i}`])));
    expect(answers.filter((code) => code === 202)).toHaveLength(MOST);
    expect(answers.filter((code) => code === 403)).toHaveLength(12 - MOST);
  });

  it('do not include those that the key lists by name, nor those of other keys', async () => {
    const tables = ['E1', 'E2', 'E3', 'E4', 'E5'];
    const key = await api.device({ name: 'listed', tables: [...tables, 'F*'] });
    for (const table of tables) expect(await status(key, [table])).toBe(202);
    for (const table of ['F1', 'F2', 'F3']) expect(await status(key, [table])).toBe(202);
    expect(await status(key, ['F4'])).toBe(403);
    const other = await api.device({ name: 'other' });
    expect(await status(other, ['F4'])).toBe(202);
  });

  it('are not bounded for people, whose account has their tables', async () => {
    const person = await api.person('pit-boss', { name: 'mei' });
    for (let i = 0; i <= MOST; i += 1) {
      const answer = await api.app.inject({
        method: 'POST',
        url: '/v1/events',
        headers: { authorization: `Bearer ${person}`, 'content-type': EVENT },
        payload: JSON.stringify({ ...event(`G${i}`), source: 'person/mei' }),
      });
      expect(answer.statusCode).toBe(202);
    }
  });

  it('are refused by a check as by recording, and a check brings none', async () => {
    const key = await api.device({ name: 'checked' });
    const check = { query: '?check=true' };
    expect(await status(key, ['H1', 'H2', 'H3'], check)).toBe(200);
    expect(await status(key, ['H4'], check)).toBe(200);
    const many = await send(key, ['H1', 'H1', 'H2', 'H3', 'H4', 'H4'], check);
    expect([many.statusCode, many.json<{ errors: object[] }>().errors]).toEqual([
      403,
      [expect.objectContaining({ position: 5 })],
    ]);
    expect(await status(key, ['H4', 'H5', 'H6'])).toBe(202);
    const answer = await send(key, ['H1'], check);
    expect([answer.statusCode, answer.body]).toEqual([403, (await send(key, ['H1'])).body]);
  });

  it('are counted in one transaction for all requests that wait, each by itself', async () => {
    await api.device({ name: 'together' });
    const tables = api.app.get(KeyTables);
    const identity = {
      kind: 'device',
      id: 'device/together',
      writes: { names: () => false },
    } as unknown as Parameters<KeyTables['bring']>[0];
    const bring = (...names: string[]): Promise<void> =>
      tables.bring(
        identity,
        names.map((table) => ({ table, position: undefined })),
      );
    const outcomes = await Promise.allSettled([
      ...[bring('K1'), bring('K2'), bring('K3', 'K4', 'K5'), bring('K2', 'K3'), bring('K4')],
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'rejected'],
    ]);
    const counted = await api.app.get(DataSource).query<{ names: string[] }[]>(
      `select array_agg(table_name order by table_name) as names
         from access.key_table where key_name = 'together' group by brought_at order by brought_at`,
    );
    expect(counted).toEqual([{ names: ['K1'] }, { names: ['K2', 'K3'] }]);
  });

  it('cost no query once they are known', async () => {
    const key = await api.device({ name: 'fast' });
    expect(await status(key, ['I1'])).toBe(202);
    const tables = api.app.get(KeyTables);
    const identity = {
      kind: 'device',
      id: 'device/fast',
      writes: { names: () => false },
    } as unknown as Parameters<KeyTables['knows']>[0];
    expect([tables.knows(identity, 'I1'), tables.knows(identity, 'I2')]).toEqual([true, false]);
    const counted = await api.app
      .get(DataSource)
      .query<{ table_name: string }[]>(
        `select table_name from access.key_table where key_name = 'fast'`,
      );
    expect(counted).toEqual([{ table_name: 'I1' }]);
  });
});

describe("a table's name", () => {
  it.each([
    ['a'.repeat(200), 202],
    ['a'.repeat(201), 400],
    ['€'.repeat(66), 202],
    ['€'.repeat(67), 400],
    ['\u{1F0A1}'.repeat(50), 202],
    ['\u{1F0A1}'.repeat(51), 400],
  ])('of %s is answered %i', async (table, code) => {
    const key = await api.device();
    for (const query of ['', '?check=true'])
      for (const tables of [[table], [table, table]]) {
        const answer = await send(key, tables, { query });
        expect(answer.statusCode).toBe(query === '' ? code : code === 202 ? 200 : code);
        if (code === 202) continue;
        const { type, errors } = answer.json<{ type: string; errors: object[] }>();
        expect(type).toBe('urn:shoeprint:problem:malformed-events');
        expect(errors[0]).toMatchObject({
          pointer: '/table',
          reason: 'must be at most 200 bytes of UTF-8',
        });
      }
  });
});
