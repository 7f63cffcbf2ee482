import { once } from 'node:events';
import { connect, type Server } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import {
  Problem,
  PROBLEM_MEDIA_TYPE,
  PROBLEMS,
  type ProblemName,
} from '../../../apps/api/src/problems/problems.js';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';

const told: unknown[] = [];
const tell = (...all: unknown[]): void => void told.push(all);
let api: TestApi;
let admin: string;

beforeAll(async () => {
  api = await startApi({
    settings: { requestTimeoutMs: 500 },
    logger: { log: () => undefined, warn: tell, error: tell, fatal: tell },
  });
  admin = await api.person('admin');
});
afterAll(() => api.close());

/** Checks that a response is a problem document of the given type, and returns it. */
function problemOf(
  status: number,
  headers: Readonly<Record<string, unknown>>,
  body: string,
): Record<string, unknown> & { readonly name: string } {
  expect(headers['content-type']).toBe(PROBLEM_MEDIA_TYPE);
  const document = JSON.parse(body) as Record<string, unknown>;
  const name = String(document.type).replace('urn:shoeprint:problem:', '') as ProblemName;
  expect(document).toMatchObject({ status, title: PROBLEMS[name].title });
  expect(status).toBe(PROBLEMS[name].status);
  return { ...document, name };
}
const problem = ({ statusCode, headers, body }: Answer): ReturnType<typeof problemOf> =>
  problemOf(statusCode, headers, body);
const post = (payload: string, type = 'application/json'): Promise<Answer> =>
  api.app.inject({
    method: 'POST',
    url: '/v1/accounts',
    headers: { authorization: `Bearer ${admin}`, 'content-type': type },
    payload,
  });

const isRequired = (pointer: string) => ({ pointer, reason: 'is required' });

describe('a problem document', () => {
  it('shows the unseen characters of a name as escapes', async () => {
    const token = await api.device({ sources: ['device/seen'] });
    const event = {
      specversion: '1.0',
      type: 'shoeprint.coup-closed.v1',
      source: 'device/\u202eneesnu\u0085',
      id: '1',
      time: '2026-11-20T12:00:00Z',
      table: 'B07',
      shoe: 'S1',
      data: {},
    };
    const answer = await api.app.inject({
      method: 'POST',
      url: '/v1/events',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/cloudevents+json',
      },
      payload: JSON.stringify(event),
    });
    expect(answer.statusCode).toBe(403);
    expect(answer.body).not.toMatch(/[\u007f-\u009f\u202e]/);
    const [fault] = answer.json<{ errors: { reason: string }[] }>().errors;
    expect(fault?.reason).toContain(String.raw`"device/\u202eneesnu\u0085"`);
  });

  it('answers an unknown path', async () => {
    for (const path of [
      '/nothing',
      '/v1',
      '/v1/nothing',
      '/v2/me',
      '/docs/../../etc/passwd',
      '/docs/nothing.js',
    ])
      expect([path, problem(await api.send('GET', path)).name]).toEqual([path, 'not-found']);
  });

  it('answers a method that a path does not support, and names the supported ones', async () => {
    const answer = await api.send('PUT', '/v1/accounts', admin, {});
    expect([problem(answer).name, answer.headers.allow]).toEqual([
      'method-not-allowed',
      'GET, HEAD, POST',
    ]);
    const one = await api.send('PUT', '/v1/accounts/mei?x=1', admin, {});
    expect([problem(one).name, one.headers.allow]).toEqual(['method-not-allowed', 'PATCH']);
    // and not those of one finding, whose path would fit as well
    const many = await api.send('PUT', '/v1/findings/bulk', admin, {});
    expect([problem(many).name, many.headers.allow]).toEqual(['method-not-allowed', 'POST']);
  });

  it('answers a body of another media type', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'nonsense',
      'application/x-ndjson',
    ])
      expect([type, problem(await post('{}', type)).name]).toEqual([type, 'media-type-not-taken']);
  });

  it('answers a body that is not JSON, without repeating it', async () => {
    for (const body of ['{"name":"secret', '', '{"a":1}x', '\u0000']) {
      const answer = await post(body);
      expect([body, problem(answer).name]).toEqual([body, 'malformed-request']);
      expect(answer.body).not.toContain('secret');
    }
  });

  it('answers a body that is not an object, or that reaches for a prototype', async () => {
    for (const body of ['[]', '1', 'null', '"text"', '[{}]'])
      expect([body, problem(await post(body)).name]).toEqual([body, 'invalid-request']);
    expect(problem(await post('{"__proto__":{"a":1}}')).name).toBe('malformed-request');
  });

  it('answers a body that is too large', async () => {
    expect(problem(await post(JSON.stringify({ name: 'x'.repeat(70_000) }))).name).toBe(
      'too-large',
    );
  });

  it('names each invalid field by JSON pointer, once', async () => {
    expect(problem(await post('{"name":1,"a/b":2}')).errors).toEqual([
      { pointer: '/a~1b', reason: expect.any(String) },
      { pointer: '/name', reason: expect.stringMatching(/^must be 1 to 64 letters/) },
      ...['/password', '/roles', '/tables'].map(isRequired),
    ]);
  });

  it('says only that a field is missing or of another kind, not what its value lacks', async () => {
    expect(problem(await post('{}')).errors).toEqual(
      ['/name', '/password', '/roles', '/tables'].map(isRequired),
    );
    const given = { name: 'lee', password: null, roles: 'pit-boss', tables: {} };
    expect(problem(await post(JSON.stringify(given))).errors).toEqual([
      { pointer: '/password', reason: 'password must be a string' },
      { pointer: '/roles', reason: 'roles must be an array' },
      { pointer: '/tables', reason: 'tables must be an array' },
    ]);
  });

  it('answers a path that cannot be decoded', async () => {
    expect(problem(await api.send('GET', '/v1/%E0%A4%A')).name).toBe('malformed-request');
  });

  it('costs no stack, and leaves other errors theirs', () => {
    const cause = new Error('a cause');
    expect(new Problem('not-found', undefined, { cause }).stack).not.toContain('\n');
    expect([cause.stack, new Error('later').stack]).toEqual(
      ['a cause', 'later'].map((text) => expect.stringMatching(`^Error: ${text}\n +at `)),
    );
  });

  it('answers an unknown caller, and explains how to sign in', async () => {
    const answer = await api.send('GET', '/v1/me');
    expect([problem(answer).name, answer.headers['www-authenticate']]).toEqual([
      'not-signed-in',
      'Bearer realm="shoeprint"',
    ]);
  });

  it('answers an internal error with an id that the log has too, beside the stack that the response leaves out', async () => {
    const broken = await startApi({
      logger: { log: () => undefined, warn: tell, error: tell, fatal: tell },
    });
    try {
      const token = await broken.person('admin');
      await broken.send('GET', '/v1/keys', token);
      await broken.app
        .get(DataSource)
        .query('alter table access.device_key rename column created_by to gone');
      const answer = await broken.send('GET', '/v1/keys', token);
      const { name, instance, detail } = problem(answer);
      expect([name, detail]).toEqual(['internal-fault', undefined]);
      expect(instance).toMatch(/^urn:uuid:[0-9a-f-]{36}$/);
      expect(answer.body).not.toMatch(/created_by|device-keys\.ts|Error/);
      const entry = JSON.stringify(
        told.find((all) => JSON.stringify(all).includes(instance as string)),
      );
      expect(entry).toMatch(/created_by/);
      expect(entry).toMatch(/device-keys\.(ts|js)/);
    } finally {
      await broken.close();
    }
  });
});

/** Returns everything that the server writes on a bare connection until it closes it. */
async function talk(text: string): Promise<{
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}> {
  const { port } = new URL(await api.url());
  const said = await new Promise<string>((resolve, reject) => {
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
  const [head = '', body = ''] = said.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  return { status: Number(first.split(' ')[1]), headers, body };
}

describe('a bare connection', () => {
  it.each([
    ['an endless header', 'POST /v1/sign-in HTTP/1.1\r\nHost: x\r\n', 'too-slow'],
    [
      'an endless body',
      'POST /v1/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":',
      'too-slow',
    ],
    ['a request that is not HTTP', 'hello\r\n\r\n', 'malformed-request'],
    [
      'a header that is too large',
      `GET /livez HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
      'too-large',
    ],
  ])('gets a problem document and is closed: %s', async (_what, text, name) => {
    const { status, headers, body } = await talk(text);
    expect(problemOf(status, headers, body).name).toBe(name);
  });

  it('is closed after a refusal even if the client never closes its side', async () => {
    const { port } = new URL(await api.url());
    const server = api.app.getHttpServer() as Server;
    const connections = promisify<number>((done) => server.getConnections(done));
    await eventually('no connection', async () => (await connections()) === 0);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    try {
      socket.on('error', () => undefined).write('POST /v1/sign-in HTTP/1.1\r\nHost: x\r\n');
      const [answer] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      await eventually('its end', async () => (await connections()) === 0);
    } finally {
      socket.destroy();
    }
  });

  it('accepts one request after another', async () => {
    const one = 'GET /livez HTTP/1.1\r\nHost: x\r\n';
    const { port } = new URL(await api.url());
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${one}\r\n`));
      let all = '';
      socket
        .setEncoding('utf8')
        .on('error', reject)
        .on('end', () => resolve(all))
        .on('data', (part: string) => {
          all += part;
          if (all.match(/"live":true/g)?.length === 1)
            socket.write(`${one}Connection: close\r\n\r\n`);
        });
    });
    expect(said.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });
});
