import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { routesOf } from '#api';
import { ANY_CHARACTER } from '../../kit/any-character.js';
import type { Answer } from '../../kit/api.js';
import { rounds } from '../../kit/rounds.js';
import { dayLines, LISTS, ReadingFloor, REPORTS, withQuery } from './reading-floor.js';

let floor: ReadingFloor;
beforeAll(async () => {
  floor = await ReadingFloor.open(dayLines(['B07'], 'one table').slice(0, 4_000));
});
afterAll(() => floor?.close());

interface Problem {
  readonly type: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer: string; readonly reason: string }[];
}
const isRefused = (answer: Answer, pointer: string): void => {
  const { type, errors } = answer.json<Problem>();
  expect([answer.statusCode, type, errors?.map((fault) => fault.pointer)]).toEqual([
    400,
    'urn:shoeprint:problem:invalid-request',
    expect.arrayContaining([pointer]),
  ]);
  expect(answer.headers['content-type']).toBe('application/problem+json');
};

describe('an invalid query', () => {
  it.each([...LISTS, ...REPORTS])(
    'is refused on %s, and the response names the parameter',
    async (path) => {
      const paged = !/dealers|payouts/.test(path);
      for (const [query, pointer] of [
        ['colour=red', '/colour'],
        ['constructor=1', '/constructor'],
        ['toString=1', '/toString'],
        ['__proto__=1', '/__proto__'],
        ['Table=B07', '/Table'],
        ['table=%00', '/table'],
        ['table=a&table=b', '/table'],
        ['format=xml', '/format'],
        ...(paged
          ? [
              ['cursor=nonsense', '/cursor'],
              ['limit=0', '/limit'],
              ['limit=1001', '/limit'],
              ['limit=ten', '/limit'],
              ['limit=1e2', '/limit'],
              ['limit=', '/limit'],
              ['limit=5&limit=6', '/limit'],
              ['cursor=a&cursor=b', '/cursor'],
            ]
          : []),
        ...(path === '/v1/tables'
          ? []
          : [
              ['from=2026-13-01', '/from'],
              ['to=yesterday', '/to'],
              ['from=2026-11-20T00:00:00Z', '/from'],
              ['to=', '/to'],
            ]),
      ] as const) {
        isRefused(await floor.get(withQuery(path, query)), pointer);
      }
    },
  );

  it('is refused if a value is not one of those allowed', async () => {
    for (const [path, pointer] of [
      ['/v1/findings?code=TC-99', '/code'],
      ['/v1/findings?code=TC-05,nonsense', '/code'],
      ['/v1/findings?code=', '/code'],
      ['/v1/findings?severity=5', '/severity'],
      ['/v1/findings?severity=1,x', '/severity'],
      ['/v1/findings?status=open', '/status'],
      ['/v1/findings?order=oldest', '/order'],
      ['/v1/coups?flagged=maybe', '/flagged'],
      ['/v1/reports/commission?by=colour', '/by'],
      ['/v1/reports/commission?seat=0', '/seat'],
      ['/v1/reports/commission?seat=one', '/seat'],
      ['/v1/reports/misdealt?code=TC-99', '/code'],
      ['/v1/reports/misdealt?severity=0', '/severity'],
    ] as const)
      isRefused(await floor.get(path), pointer);
  });

  it('is refused if a cursor belongs to another list', async () => {
    const { next } = await floor.read<{ next: string }>('/v1/coups?limit=1');
    for (const path of ['/v1/findings', '/v1/reports/misdealt', '/v1/reports/commission'])
      isRefused(await floor.get(`${path}?cursor=${next}`), '/cursor');
    isRefused(await floor.get(`/v1/coups?cursor=${next}x`), '/cursor');
  });

  const name = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        'table',
        'from',
        'to',
        'dealer',
        'cursor',
        'limit',
        'format',
        'by',
        'seat',
        'shoe',
        'shoeRef',
        'coupRef',
        'currency',
        'bet',
        'source',
        'code',
        'severity',
        'status',
        'order',
        'flagged',
      ),
    },
    fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', ''),
    fc.string({ maxLength: 5, unit: ANY_CHARACTER }),
  );
  const value = fc.oneof(
    fc.string({ maxLength: 12, unit: ANY_CHARACTER }),
    fc.integer().map(String),
    fc.maxSafeInteger().map(String),
    fc.constantFrom(
      'B07',
      '2026-11-20',
      '0001-01-01',
      '0000-01-01',
      '9999-12-31',
      '1899-02-29',
      '999999999999999',
      '2147483648',
      '1',
      'json',
      'csv',
      'seat',
      'TC-05',
      '',
      "'; drop table x",
      'true',
      '\0',
      '%s',
      '9'.repeat(400),
      'ü'.repeat(500),
    ),
    fc
      .constantFrom(
        ['x', -1],
        ['coups', '2026-11-20', '2026-11-20T12:00:00.000Z', 'x'],
        ['commission/seat', 'a', 'b', 'c', 9007199254740991, 'MOP'],
        ['commission/seat', 'a', 'b', 'c', -9007199254740991, '\ud800'],
        ['findings', '9999-12-31', 'x'],
      )
      .map((key) => Buffer.from(JSON.stringify(key)).toString('base64url')),
  );
  const raw = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(name, value).map(([key, of]) => `${encode(key)}=${encode(of)}`),
    },
    fc.constantFrom(
      '&&',
      '=',
      '%',
      '%zz=%ff',
      '%ed%a0%80=1',
      'table=%ed%a0%80',
      'table[]=x',
      'table[a]=b',
      '?',
      'a=b=c',
      '+',
      'table=%c0%80',
    ),
  );
  const encode = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD'));

  it('is answered or refused on every read route, and never causes an internal error', async () => {
    const token = await floor.server.api.person([
      'admin',
      'integrator',
      'compliance',
      'surveillance',
      'pit-boss',
      'finance',
      'regulator',
    ]);
    const routes = routesOf(floor.server.api.app)
      .filter(
        ({ method, url }) => method === 'GET' && url.startsWith('/v1/') && !url.endsWith('/stream'),
      )
      .map(({ url }) => url);
    expect(routes.length).toBeGreaterThan(16);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes),
        fc.string({ maxLength: 20, unit: ANY_CHARACTER }),
        fc.array(raw, { maxLength: 3 }),
        async (route, id, parts) => {
          const path = route.replace(/:\w+/g, encode(id) || 'x');
          const { statusCode, body } = await floor.get(`${path}?${parts.join('&')}`, { token });
          expect([200, 400, 404]).toContain(statusCode);
          if (statusCode === 400)
            expect(JSON.parse(body)).toMatchObject({
              type: expect.stringMatching(
                /^urn:shoeprint:problem:(invalid-request|malformed-request)$/,
              ),
            });
        },
      ),
      { numRuns: rounds(1_500) },
    );
  });
});

type Method = Parameters<typeof floor.server.api.send>[0];

describe('a name with NUL, which PostgreSQL takes nowhere', () => {
  it('is refused on every route that has a name in its path', async () => {
    const { api } = floor.server;
    const token = await api.person(['admin', 'integrator', 'compliance', 'surveillance']);
    const named = routesOf(api.app).filter(({ url }) => /^\/v1\/.*:/.test(url));
    expect(named.length).toBeGreaterThan(30);
    for (const { method, url } of named) {
      const path = url.replace(/:\w+/g, 'a%00b');
      const { statusCode } = await api.send(
        method as Method,
        path,
        token,
        method === 'GET' ? undefined : {},
      );
      expect([method, url, statusCode >= 400 && statusCode < 500]).toEqual([method, url, true]);
    }
  });
});

describe('Accept', () => {
  const typeOf = async (path: string, accept: string): Promise<unknown> => {
    const answer = await floor.get(path, { headers: { accept } });
    return answer.statusCode === 200
      ? (answer.headers['content-type'] as string).split(';')[0]
      : answer.statusCode;
  };

  it.each([
    ['*/*', 'application/json'],
    ['', 'application/json'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; charset=utf-8', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/csv, application/json;q=0.5', 'text/csv'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['text/csv, */*;q=0.1', 'text/csv'],
    ['application/json;q=0, */*', 'text/csv'],
    ['application/xml', 406],
    ['application/json;q=0', 406],
    ['text/csv;q=0, text/*;q=0', 406],
  ])('%j is answered with %s', async (accept, expected) => {
    for (const path of ['/v1/coups?limit=1', '/v1/reports/misdealt', '/v1/reports/payouts'])
      expect([path, await typeOf(path, accept)]).toEqual([path, expected]);
  });

  it('is overruled by the parameter `format`', async () => {
    for (const path of [...LISTS, ...REPORTS]) {
      expect(
        (
          await floor.get(withQuery(path, 'format=csv'), {
            headers: { accept: 'application/json' },
          })
        ).headers['content-type'],
      ).toBe('text/csv; charset=utf-8');
      expect(
        (await floor.get(withQuery(path, 'format=json'), { headers: { accept: 'text/csv' } }))
          .headers['content-type'],
      ).toBe('application/json; charset=utf-8');
    }
  });

  it('is refused if it accepts no JSON and there is no other format', async () => {
    const {
      lines: [coup],
    } = await floor.read<{ lines: { ref: string }[] }>('/v1/coups?limit=1');
    const answer = await floor.get(`/v1/coups/${encodeURIComponent(coup?.ref as string)}`, {
      headers: { accept: 'text/csv' },
    });
    expect([answer.statusCode, answer.json<Problem>().type]).toEqual([
      406,
      'urn:shoeprint:problem:not-acceptable',
    ]);
  });
});

describe('an ETag', () => {
  it('reports that nothing has changed until something has', async () => {
    for (const path of [...LISTS, ...REPORTS]) {
      const first = await floor.get(path);
      expect(first.headers.etag).toMatch(/^"[\w-]{27}"$/);
      for (const known of [
        first.headers.etag as string,
        `"other", W/${first.headers.etag as string}`,
        '*',
      ]) {
        const again = await floor.get(path, { headers: { 'if-none-match': known } });
        expect([
          path,
          again.statusCode,
          again.body,
          again.headers.etag,
          again.headers['log-position'],
        ]).toEqual([path, 304, '', first.headers.etag, first.headers['log-position']]);
      }
      expect(
        (await floor.get(path, { headers: { 'if-none-match': '"another"' } })).statusCode,
      ).toBe(200);
    }
  });

  it('is absent from a file, which is sent as it is read', async () => {
    const path = '/v1/coups?format=csv';
    const { headers, statusCode } = await floor.get(path, { headers: { 'if-none-match': '*' } });
    expect([statusCode, headers.etag]).toEqual([200, undefined]);
  });

  it('is different once a row has changed', async () => {
    const before = new Map<string, string>();
    const paths = ['/v1/coups', '/v1/tables', '/v1/reports/shoes'];
    for (const path of paths) before.set(path, (await floor.get(path)).headers.etag as string);
    await floor.send([opening('etag', 1), opening('etag', 2)]);
    await floor.caughtUp();
    for (const path of paths)
      expect(
        (await floor.get(path, { headers: { 'if-none-match': before.get(path) as string } }))
          .statusCode,
      ).toBe(200);
  });
});

describe('Min-Position', () => {
  it('waits until what was just recorded is visible, and then shows it', async () => {
    for (let i = 0; i < 20; i += 1) {
      const table = `own-${i}`;
      const position = await floor.send([opening(table, 1), opening(table, 2)]);
      for (const path of [
        `/v1/coups?table=${table}`,
        `/v1/shoes/${encodeURIComponent(`device/${table}#1`)}`,
        `/v1/reports/shoes?table=${table}`,
      ]) {
        const answer = await floor.get(path, { headers: { 'min-position': position } });
        expect(answer.statusCode).toBe(200);
        expect(answer.body).toContain(`"table":"${table}"`);
        const reached = new Map(
          (answer.headers['log-position'] as string)
            .split(',')
            .map((part) => part.split(':').map(Number) as [number, number]),
        );
        for (const [partition, next] of position
          .split(',')
          .map((part) => part.split(':').map(Number) as [number, number]))
          expect(reached.get(partition)).toBeGreaterThanOrEqual(next);
      }
    }
  });

  it('a request for a missing position is answered after two seconds as not yet visible, and never with stale rows', async () => {
    const began = performance.now();
    const answers = await Promise.all(
      [
        '/v1/coups',
        '/v1/reports/misdealt',
        '/v1/reports/commission?format=csv',
        '/v1/shoes/x',
      ].flatMap((path) =>
        ['0:999999', '0:0,99:1'].map((position) =>
          floor.get(path, { headers: { 'min-position': position } }),
        ),
      ),
    );
    expect(performance.now() - began).toBeGreaterThanOrEqual(2_000);
    for (const answer of answers) {
      expect([
        answer.statusCode,
        answer.json<Problem>().type,
        answer.headers['retry-after'],
      ]).toEqual([503, 'urn:shoeprint:problem:not-yet-visible', '1']);
      expect(answer.headers.etag).toBeUndefined();
    }
  });

  it('a request for an old position does not delay a response', async () => {
    expect((await floor.get('/v1/coups', { headers: { 'min-position': '0:0' } })).statusCode).toBe(
      200,
    );
    expect(
      (await floor.get('/v1/coups', { headers: { 'min-position': ' 0:0 , 1:0 ' } })).statusCode,
    ).toBe(200);
  });

  it.each([
    '',
    'now',
    '0',
    '0:1,',
    '0:1,0:2',
    '-1:3',
    '0:-1',
    '0:1.5',
    '9999999:1',
    '0:99999999999999999',
    '0:1;1:2',
  ])('is refused if it is written as %j', async (header) => {
    const answer = await floor.get('/v1/coups', { headers: { 'min-position': header } });
    expect([answer.statusCode, answer.json<Problem>().type]).toEqual([
      400,
      'urn:shoeprint:problem:invalid-request',
    ]);
    expect(answer.json<Problem>().detail).toContain('Min-Position');
  });

  it('may name as many partitions as a header can hold', async () => {
    const header = Array.from({ length: 1_000 }, (_, i) => `${i + 4}:0`).join(',');
    expect((await floor.get('/v1/coups', { headers: { 'min-position': header } })).statusCode).toBe(
      200,
    );
  });
});

/**
 * Returns the first two events of a shoe at a table: its opening and the opening of its first coup.
 */
const opening = (table: string, sequence: 1 | 2): string =>
  JSON.stringify({
    specversion: '1.0',
    type: `shoeprint.${sequence === 1 ? 'shoe' : 'coup'}-opened.v1`,
    source: `device/${table}`,
    id: String(sequence),
    time: `2026-11-20T12:00:0${sequence}.000Z`,
    table,
    shoe: 'S1',
    session: '1',
    sequence,
    data:
      sequence === 1
        ? {
            rules: 'punto-banco@1',
            decks: 8,
            kind: 'physical',
            currency: 'MOP',
            reports: ['outcomes'],
          }
        : { coup: 1 },
  });
