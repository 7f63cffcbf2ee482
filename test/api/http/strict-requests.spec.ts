import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { ROLES, routesOf } from '#api';
import { startApi, type TestApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';

type Line = Readonly<Record<string, unknown>>;
const lines: Line[] = [];
const keep = (line: unknown): void => void lines.push(line as Line);
const logger: LoggerService = { log: () => undefined, warn: keep, error: keep };

/** Of an OpenAPI document, the parameters of each path and method. */
interface Document {
  readonly paths: Record<
    string,
    Record<
      string,
      { readonly parameters: readonly { readonly name: string; readonly in: string }[] }
    >
  >;
}

/** Whether a route answers with a file of the site log, as any web server would. */
const isFile = (url: string): boolean => url.startsWith('/v1/evidence/');

/** How long a reader may take nothing of an answer. */
const STALLED_MS = 1_000;
let api: TestApi;
let finance: string;
beforeAll(async () => {
  api = await startApi({ settings: { requestTimeoutMs: STALLED_MS }, logger });
  finance = await api.person('finance', { name: 'clerk' });
});
afterAll(() => api.close());

/** Returns what the server writes on a bare connection until it closes it. */
async function talk(text: string): Promise<string> {
  const { port } = new URL(await api.url());
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
    let all = '';
    socket
      .setEncoding('utf8')
      .on('data', (part: string) => (all += part))
      .on('end', () => {
        socket.end();
        resolve(all);
      })
      .on('error', reject);
  });
}

describe('a request that two servers could read in two ways', () => {
  it.each([
    ['two hosts', 'GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['no host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'another coding of the transfer',
      'POST /v1/sign-in HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      400,
    ],
    [
      'an unknown expectation',
      'POST /v1/sign-in HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nContent-Length: 2\r\n\r\n{}',
      417,
    ],
    ['a line that is not HTTP', 'hello\r\n\r\n', 400],
    [
      'a path that is not well encoded',
      'GET /v1/coups/%ff HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      400,
    ],
  ])('is refused with a problem document: %s', async (_what, text, status) => {
    const [head = '', body = ''] = (await talk(text)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^content-type: application\/problem\+json\r?$/im);
    expect(head).toMatch(/^cache-control: no-store\r?$/im);
    expect(head).toMatch(/^referrer-policy: no-referrer\r?$/im);
    expect(head).toMatch(/^x-content-type-options: nosniff\r?$/im);
    expect(head).toMatch(/^content-security-policy: default-src 'none';/im);
    expect(head).toMatch(/^request-id: [0-9a-f-]{36}\r?$/im);
    expect(JSON.parse(body)).toMatchObject({ status });
  });

  it('is not one of HTTP/1.0 without a host', async () => {
    expect(await talk('GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('every answer', () => {
  it('is kept by no cache, reveals no address to other sites, and has its own id', async () => {
    const ids = new Set<unknown>();
    for (const [path, token] of [
      ['/livez'],
      ['/metrics'],
      ['/readyz'],
      ['/v1/nothing'],
      ['/v1/me'],
      ['/v1/me', finance],
      ['/v1/coups', finance],
      ['/v1/coups?format=csv', finance],
      ['/v1/coups?flagged=true', finance],
    ] as const) {
      const { headers } = await api.send('GET', path, token);
      expect([path, headers]).toEqual([
        path,
        expect.objectContaining({
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          'request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        }),
      ]);
      ids.add(headers['request-id']);
    }
    expect(ids.size).toBe(9);
  });

  it('the answer to a wrong password names the way to authenticate, and is kept by no cache', async () => {
    const credentials = { name: 'nobody', password: 'a wrong password' };
    const { statusCode, headers } = await api.send('POST', '/v1/sign-in', undefined, credentials);
    expect([statusCode, headers['www-authenticate'], headers['cache-control']]).toEqual([
      401,
      'Bearer realm="shoeprint"',
      'no-store',
    ]);
  });
});

describe('a body or query that costs more to validate than it may say', () => {
  const signIn = (payload: string): ReturnType<TestApi['app']['inject']> =>
    api.app.inject({
      method: 'POST',
      url: '/v1/sign-in',
      payload,
      headers: { 'content-type': 'application/json' },
    });
  const nested = (depth: number, open: string, close: string): string =>
    `${open.repeat(depth)}1${close.repeat(depth)}`;

  it.each([
    ['lists in lists', `{"name":${nested(3_000, '[', ']')},"password":"x"}`, '/name/0/0/0'],
    ['objects in objects', `{"name":${nested(1_000, '{"a":', '}')}}`, '/name/a/a/a'],
    ['an unknown field', `{"name":"a","password":"x","z":${nested(3_000, '[', ']')}}`, '/z/0/0/0'],
    ['many fields', `{${Array.from({ length: 65 }, (_, i) => `"k${i}":1`).join()}}`, ''],
    ['a long list', `{"name":[${Array.from({ length: 2_001 }, () => 1).join()}]}`, '/name'],
  ])('is refused before it is validated: %s', async (_what, payload, pointer) => {
    const answer = await signIn(payload);
    expect([answer.statusCode, answer.json<{ errors: object[] }>().errors]).toEqual([
      400,
      [{ pointer, reason: expect.stringMatching(/at most/) }],
    ]);
  });

  it('is refused if a stranger sends more than a name and a password need', async () => {
    expect((await signIn(JSON.stringify({ name: 'x'.repeat(9_000) }))).statusCode).toBe(413);
  });

  it('is a query with many parameters', async () => {
    const query = Array.from({ length: 65 }, (_, i) => `k${i}=1`).join('&');
    const answer = await api.send('GET', `/v1/coups?${query}`, finance);
    expect([answer.statusCode, answer.json<{ errors: object[] }>().errors]).toEqual([
      400,
      [{ pointer: '', reason: 'may have at most 64 members' }],
    ]);
  });
});

describe('a parameter that a route does not have', () => {
  it('is named and refused by every route that reads, so that nobody takes all for what was asked', async () => {
    const everybody = await api.person(ROLES, { name: 'everybody' });
    const routes = routesOf(api.app).filter(
      ({ method, url, needs }) =>
        method === 'GET' && url.startsWith('/v1/') && needs !== 'nothing' && !isFile(url),
    );
    expect(routes.length).toBeGreaterThan(40);
    for (const { url } of routes) {
      const path = url.replaceAll('*', 'x').replaceAll(/:\w+/g, '1');
      const answer = await api.send('GET', `${path}?colour=red`, everybody);
      expect([url, answer.statusCode, answer.json<{ errors: object[] }>().errors]).toEqual([
        ...[url, 400],
        expect.arrayContaining([
          { pointer: '/colour', reason: 'property colour should not exist' },
        ]),
      ]);
    }
  });

  it('is not spoken of to somebody whom the server does not know', async () => {
    expect((await api.send('GET', '/v1/parked?colour=red')).statusCode).toBe(401);
  });

  it('is never one of those in the OpenAPI document', async () => {
    const everybody = await api.person(ROLES, { name: 'everybody-else' });
    const { paths } = (await api.send('GET', '/docs-json')).json<Document>();
    const named = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { parameters }]) =>
        parameters
          .filter((each) => each.in === 'query')
          .map(({ name }) => ({ path, method: method.toUpperCase(), name })),
      ),
    );
    expect(named).toContainEqual({ path: '/v1/events', method: 'POST', name: 'check' });
    for (const { path, method, name } of named) {
      const url = `${path.replaceAll(/\{\w+\}/g, '1')}?${name}=1`;
      const { body } = await api.send(method as 'GET', url, everybody);
      expect([url, body]).toEqual([url, expect.not.stringContaining('should not exist')]);
    }
  });

  it('is ignored by probes, pages for operators and the files of the site log', async () => {
    for (const path of ['/livez', '/readyz', '/metrics', '/docs-json'])
      expect([path, (await api.send('GET', `${path}?colour=red`)).statusCode]).toEqual([path, 200]);
  });
});

describe('a refusal', () => {
  it('is one line of the log: who, from where and what, with the id of the answer', async () => {
    const unknown = `spk_0123456789abcdef_${'x'.repeat(43)}`;
    const refused = async (path: string, token?: string): Promise<Line | undefined> => {
      const { headers } = await api.send('GET', path, token);
      const instance = `urn:uuid:${headers['request-id'] as string}`;
      expect(lines.filter((line) => line.instance === instance)).toHaveLength(1);
      return lines.find((line) => line.instance === instance);
    };
    expect(await refused('/v1/findings?table=B07', finance)).toEqual({
      message: 'request refused',
      instance: expect.any(String),
      problem: 'not-permitted',
      who: 'person/clerk',
      from: '127.0.0.1',
      method: 'GET',
      route: '/v1/findings',
    });
    expect(await refused('/v1/coups/x', unknown)).toMatchObject({
      problem: 'not-signed-in',
      who: 'spk_0123456789abcdef',
      route: '/v1/coups/:id',
    });
    expect(await refused('/v1/me')).toMatchObject({ who: '(nobody)' });
    expect(JSON.stringify(lines)).not.toContain('xxxx');
  });

  it('a refused sign-in names who was tried, but no text that may be a password', async () => {
    const tried = async (name: string): Promise<unknown[]> => {
      await api.send('POST', '/v1/sign-in', undefined, { name, password: 'a wrong password' });
      return lines
        .filter(({ route }) => route === '/v1/sign-in')
        .slice(-1)
        .map(({ who, problem }) => [problem, who]);
    };
    expect(await tried('ada')).toEqual([['wrong-password', 'person/ada']]);
    expect(await tried('my secret!')).toEqual([['wrong-password', 'person/(no name)']]);
    for (let i = 0; i < 4; i += 1) await tried('ada');
    expect(await tried('ada')).toEqual([['too-many-attempts', 'person/ada']]);
  });

  it('has no line of its own beyond twenty in a second, but is counted', async () => {
    await eventually('a second without lines', async () => {
      const before = lines.length;
      await api.send('GET', '/v1/me');
      return lines.length - before === 1;
    });
    const before = lines.length;
    const FLOOD = 500;
    await Promise.all(Array.from({ length: FLOOD }, () => api.send('GET', '/v1/me')));
    const isSummary = ({ message }: Line): boolean =>
      message === 'refused requests omitted from the log';
    await eventually('the number of those left out', () => lines.slice(before).some(isSummary));
    const logged = lines.slice(before);
    const own = logged.filter(({ message }) => message === 'request refused').length;
    const leftOut = logged.filter(isSummary).reduce((sum, { count }) => sum + (count as number), 0);
    expect(own + leftOut).toBe(FLOOD);
    // the flood may last some seconds on a slow machine
    expect(own).toBeLessThanOrEqual(20 * (logged.filter(isSummary).length + 1));
  });
});

describe('a reader that takes nothing of its answers', () => {
  it('is disconnected, and one that reads is not', async () => {
    const { port } = new URL(await api.url());
    const path = '/docs-json';
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    socket.pause();
    socket.write(request.repeat(200));
    const began = performance.now();
    const connections = (): Promise<number> =>
      new Promise((resolve, reject) =>
        api.app
          .getHttpServer()
          .getConnections((error: Error | null, count: number) =>
            error ? reject(error) : resolve(count),
          ),
      );
    await eventually('its connection', async () => (await connections()) > 0);
    await eventually('its end', async () => (await connections()) === 0, 30 * STALLED_MS);
    expect(performance.now() - began).toBeGreaterThan(STALLED_MS / 2);
    socket.destroy();
    expect((await fetch(`${await api.url()}${path}`)).status).toBe(200);
  });
});
