import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../kit/api.js';
import { ReadingFloor } from '../reading/reading-floor.js';

interface Line {
  readonly key: string;
  readonly [field: string]: unknown;
}

let floor: ReadingFloor;
let integrator: string;
let others: string;
let admin: string;
const tokens = new Map<string, string>();

interface Sent {
  readonly table: string;
  readonly source: string;
  readonly sequence: number;
  readonly type?: string;
  readonly shoe?: string;
  readonly session?: string;
  readonly data?: object;
}

/** Returns the line of an event, by default of a device that comes online. */
const event = ({ source, sequence, type = 'device-online', ...more }: Sent): string =>
  JSON.stringify({
    specversion: '1.0',
    type: `shoeprint.${type}.v1`,
    source,
    id: `${source}/${more.session ?? '1'}/${sequence}`,
    time: `2026-11-20T12:00:0${sequence}.000Z`,
    session: '1',
    sequence,
    data: {},
    ...more,
  });

const send = async (key: string, lines: readonly string[]): Promise<void> => {
  const answer = await floor.server.api.app.inject({
    method: 'POST',
    url: '/v1/events',
    payload: lines.join('\n'),
    headers: {
      'content-type': 'application/x-ndjson',
      authorization: `Bearer ${tokens.get(key) as string}`,
    },
  });
  expect([answer.statusCode, answer.body]).toEqual([202, expect.any(String)]);
};

const newKey = async (name: string, by: string, tables: readonly string[]): Promise<void> => {
  const answer = await floor.server.api.send('POST', '/v1/keys', by, {
    name,
    sources: ['device/*'],
    tables,
    types: ['*'],
  });
  expect(answer.statusCode).toBe(201);
  tokens.set(name, answer.json<{ token: string }>().token);
};

beforeAll(async () => {
  floor = await ReadingFloor.open([]);
  const { api } = floor.server;
  integrator = await api.person('integrator', { name: 'ina', tables: ['A1', 'A2'] });
  others = await api.person('integrator', { name: 'otto', tables: ['A1'] });
  admin = await api.person('admin', { name: 'root' });
  await newKey('gateway', integrator, ['A1', 'A2']);
  await newKey('spare', integrator, ['A1']);
  await newKey('silent', integrator, ['A1']);
  await newKey('foreign', others, ['A1']);
  const a = { table: 'A1', source: 'device/a' };
  const b = { table: 'A2', source: 'device/b' };
  const unread = { type: 'card-drawn', shoe: 's', data: { card: null, to: null } };
  await send('gateway', [
    event({ ...a, sequence: 1 }),
    event({ ...a, sequence: 1 }),
    event({ ...b, sequence: 1 }),
    event({ ...b, sequence: 2, ...unread }),
  ]);
  // a hole in the numbers of a source that both keys send for, which its next session ends
  await send('spare', [event({ ...a, sequence: 4 }), event({ ...a, sequence: 1, session: '2' })]);
  await send('foreign', [event({ table: 'A1', source: 'device/c', sequence: 1 })]);
  await floor.caughtUp();
});
afterAll(() => floor?.close());

const linesFor = (token: string, query = ''): Promise<Line[]> =>
  floor.lines<Line>(`/v1/deliveries${query}`, 1000, token);

const NOTHING = {
  tables: 0,
  sources: 0,
  events: 0,
  duplicates: 0,
  unread: 0,
  lastReceived: null,
  gaps: 0,
  faults: [],
  revokedAt: null,
};
const TIME = expect.stringMatching(/^2\d{3}-.*Z$/);

describe('deliveries', () => {
  it('show an integrator what each of their own keys sent, and what was found about it', async () => {
    const mine = { createdBy: 'person/ina', revokedAt: null };
    expect(await linesFor(integrator)).toEqual([
      {
        ...mine,
        key: 'gateway',
        tables: 2,
        sources: 2,
        events: 4,
        duplicates: 1,
        unread: 1,
        lastReceived: TIME,
        gaps: 1,
        faults: expect.arrayContaining([{ code: 'DV-04', count: 1 }]),
      },
      { ...NOTHING, ...mine, key: 'silent' },
      {
        ...mine,
        key: 'spare',
        tables: 1,
        sources: 1,
        events: 2,
        duplicates: 0,
        unread: 0,
        lastReceived: TIME,
        gaps: 1,
        faults: [{ code: 'DV-04', count: 1 }],
      },
    ]);
  });

  it('show an admin the keys of everybody, within their tables', async () => {
    expect(
      (await linesFor(admin)).map(({ key }) => key.replace(/^key-\d+$/, 'key-of-the-floor')),
    ).toEqual(['foreign', 'gateway', 'key-of-the-floor', 'silent', 'spare']);
    const scoped = await floor.server.api.person('admin', { tables: ['A1'] });
    expect((await linesFor(scoped)).map(({ key, events }) => [key, events])).toEqual([
      ['foreign', 1],
      ['silent', 0],
      ['spare', 2],
    ]);
    expect(await linesFor(others)).toEqual([
      expect.objectContaining({ key: 'foreign', events: 1, faults: [] }),
    ]);
  });

  it('can be narrowed to a table, come in pages, and as a file', async () => {
    expect(
      (await linesFor(integrator, '?table=A2')).map(({ key, events }) => [key, events]),
    ).toEqual([
      ['gateway', 2],
      ['silent', 0],
      ['spare', 0],
    ]);
    expect(await floor.lines('/v1/deliveries', 1, integrator)).toEqual(await linesFor(integrator));
    const file: Answer = await floor.get('/v1/deliveries?format=csv', { token: integrator });
    const [heading, first] = file.body.split('\r\n');
    expect(heading).toBe(
      '"key","createdBy","revokedAt","tables","sources","events","duplicates","unread","lastReceived","gaps","faults"',
    );
    expect(first).toMatch(/^"gateway","person\/ina",,2,2,4,1,1,"2.*Z",1,".*DV-04 1.*"$/);
  });

  it('are for those who manage keys', async () => {
    for (const token of [floor.reader, tokens.get('gateway') as string])
      expect((await floor.get('/v1/deliveries', { token })).statusCode).toBe(403);
  });
});
