import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalLine } from '#audit';
import { ANY_CHARACTER } from '../../kit/any-character.js';
import { anyEvent, NARROW } from '../../kit/any-event.js';
import { eventually } from '../../kit/eventually.js';
import { rounds } from '../../kit/rounds.js';
import {
  BATCH,
  card,
  EVENT,
  EventsApp,
  lineOf,
  LINES,
  unstamped,
  type Answer,
} from '../ingest/events-app.js';

let api: EventsApp;
let port: number;
beforeAll(async () => {
  api = await EventsApp.open({ partitions: 2 }, { requestTimeoutMs: 1000 });
  port = await api.listen();
});
afterAll(() => api?.close());

const SEED = 20261120;
const bound = (numRuns: number): fc.Parameters<unknown> => ({
  seed: SEED,
  numRuns: rounds(numRuns),
  endOnFailure: false,
});

const linesByTable = (): string[] => api.lines().sort();
const stillTakesEvents = async (): Promise<void> =>
  expect((await api.send(lineOf(card()))).status).toBe(202);

/**
 * Returns the events of a body as JSON.parse reads them: what must be on the log if the request is
 * accepted.
 */
function eventsOf(body: Buffer, type: string): unknown[] {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  if (type === EVENT) return [JSON.parse(text)];
  if (type === BATCH) return JSON.parse(text) as unknown[];
  return (text.match(/[^\n]+/g) ?? [])
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

/**
 * Sends a body and checks the server's promise: it records everything and nothing else, or answers
 * with a problem and records nothing.
 */
async function wholeOrNothing(
  body: Buffer,
  type: string,
  packed: Buffer | undefined,
): Promise<Answer> {
  const before = linesByTable().length;
  const answer =
    packed === undefined
      ? await api.send(body, { type })
      : await api.send(packed, { type, headers: { 'content-encoding': 'gzip' } });
  const added = linesByTable().length - before;
  if (answer.status === 202) {
    const sent = eventsOf(body, type).map((event) => canonicalLine(JSON.stringify(event)));
    expect([answer.body.accepted, added]).toEqual([sent.length, sent.length]);
    const content = new Set(api.lines().map((line) => unstamped(line).content));
    for (const line of sent)
      if (!line.includes('observation-corrected')) expect(content).toContain(line);
  } else {
    expect([400, 403, 413, 415]).toContain(answer.status);
    expect(answer.body.type).toMatch(
      /^urn:shoeprint:problem:(malformed-events|malformed-request|source-not-yours|too-large|media-type-not-taken)$/,
    );
    expect(added).toBe(0);
  }
  return answer;
}

const RUBBISH = [
  '{"a":1,"a":2}',
  '[]',
  '{}',
  'null',
  '""',
  '\0',
  '"\\ud800"',
  '1e999',
  '-0',
  '9007199254740993',
  '1.0000000000000000001',
  '[[[[',
  ']]]]',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":1}}',
  '\ufeff',
  '\u2028',
  '['.repeat(5000),
  '{"data":'.repeat(5000),
  `${'['.repeat(3000)}${']'.repeat(3000)}`,
  `"${'x'.repeat(20_000)}"`,
  '1'.repeat(20_000),
];

const validLine = fc.oneof(anyEvent(), anyEvent(NARROW)).map((event) => lineOf(event));
const joined = (type: string, lines: readonly string[]): string =>
  type === BATCH ? `[${lines.join(',')}]` : type === LINES ? lines.join('\n') : (lines[0] ?? '');
const byteChange = fc.tuple(
  fc.nat(),
  fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(...Buffer.from('"\\{}[]:,09eE-+\n\r ')),
  ),
  fc.constantFrom('put', 'cut', 'set', 'flip', 'end', 'twice'),
);

function changed(text: string, changes: readonly (readonly [number, number, string])[]): Buffer {
  let bytes: Buffer = Buffer.from(text);
  for (const [where, byte, how] of changes) {
    const at = bytes.length === 0 ? 0 : where % bytes.length;
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
    if (how === 'end') bytes = head;
    else if (how === 'cut') bytes = Buffer.concat([head, tail]);
    else if (how === 'put') bytes = Buffer.concat([head, Buffer.from([byte]), bytes.subarray(at)]);
    else if (how === 'twice') bytes = Buffer.concat([bytes, bytes.subarray(at)]);
    else
      bytes = Buffer.concat([
        head,
        Buffer.from([how === 'flip' ? (bytes[at] ?? 0) ^ (1 << (byte % 8)) : byte]),
        tail,
      ]);
  }
  return bytes;
}

const mediaType = fc.constantFrom(EVENT, BATCH, LINES);
const packing = fc.constantFrom(undefined, undefined, undefined, 'gzip', 'cut', 'spoilt', 'not');
function packedAs(body: Buffer, how: string | undefined): Buffer | undefined {
  if (how === undefined) return undefined;
  if (how === 'not') return body;
  const packed = gzipSync(body);
  if (how === 'cut') return packed.subarray(0, Math.floor(packed.length / 2));
  if (how === 'spoilt') packed[packed.length >> 1] = (packed[packed.length >> 1] as number) ^ 0x5a;
  return packed;
}

describe('any body', () => {
  it('is recorded completely or not at all: valid events, some with changed bytes', async () => {
    const request = fc.tuple(
      mediaType,
      fc.array(validLine, { minLength: 1, maxLength: 5 }),
      fc.oneof(fc.constant([]), fc.array(byteChange, { minLength: 1, maxLength: 3 })),
      packing,
    );
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(request, async ([type, lines, changes, how]) => {
        const body = changed(joined(type, lines), changes);
        const { status } = await wholeOrNothing(body, type, packedAs(body, how));
        seen.add(status);
      }),
      bound(600),
    );
    for (const status of [202, 400, 403]) expect(seen).toContain(status);
    await stillTakesEvents();
  });

  it('is recorded completely or not at all: garbage among events, and random bytes', async () => {
    const piece = fc.oneof(
      validLine,
      fc.constantFrom(...RUBBISH),
      fc.json(),
      fc.string({ unit: ANY_CHARACTER }),
    );
    const body = fc.oneof(
      fc
        .tuple(mediaType, fc.array(piece, { maxLength: 5 }))
        .map(([type, pieces]) => [type, Buffer.from(joined(type, pieces))] as const),
      fc.tuple(
        mediaType,
        fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(body, packing, async ([type, bytes], how) => {
        await wholeOrNothing(bytes, type, packedAs(bytes, how));
      }),
      bound(500),
    );
    await stillTakesEvents();
  });

  it.each([
    ['60,000 brackets', EVENT, '['.repeat(60_000)],
    ['100,000 brackets in a batch', BATCH, `[${'['.repeat(100_000)}${']'.repeat(100_000)}]`],
    ['100,000 objects in lines', LINES, '{"a":'.repeat(100_000)],
    ['a line of 16 MiB', LINES, 'x'.repeat(16 * 1024 * 1024)],
    ['16 MiB of empty lines', LINES, '\n'.repeat(16 * 1024 * 1024)],
    ['16 MiB of commas', BATCH, `[${','.repeat(16 * 1024 * 1024 - 2)}]`],
    ['an unterminated string', BATCH, `["${'\\"'.repeat(1_000_000)}`],
    [
      'endless keys in one event',
      EVENT,
      `{${Array.from({ length: 5000 }, (_, i) => `"k${i}":1`).join(',')}}`,
    ],
  ])('does no harm: %s', async (_, type, text) => {
    const body = Buffer.from(text);
    const answer = await wholeOrNothing(body, type, undefined);
    expect(answer.text.length).toBeLessThan(400_000);
    await stillTakesEvents();
  });

  it('a body with deep data in a correction is recorded as it was sent, or refused', async () => {
    const depth = 3000;
    const deep = lineOf(
      card({
        type: 'shoeprint.observation-corrected.v1',
        data: { event: 'device/x#1', data: { deep: 0 } },
      }),
    ).replace('{"deep":0}', `{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    const answer = await api.send(deep);
    expect([202, 400]).toContain(answer.status);
    if (answer.status === 202)
      expect(api.lines().filter((line) => unstamped(line).content === deep).length).toBe(1);
  });

  it('a body with gzip that expands beyond the limit is refused before all of it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '), { level: 1 });
    for (const type of [EVENT, BATCH, LINES]) {
      const answer = await api.send(bomb, { type, headers: { 'content-encoding': 'gzip' } });
      expect([answer.status, answer.body.type]).toEqual([413, 'urn:shoeprint:problem:too-large']);
    }
    await stillTakesEvents();
  });

  it('a body with any media type, charset and content encoding is accepted, or refused with an explanation', async () => {
    const header = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'application/cloudevents+json;charset=utf-8" ,x*') }),
      fc.constantFrom(
        '',
        ';',
        '/',
        'a/b;charset',
        `${EVENT};`,
        `${EVENT};;charset=utf-8`,
        `${LINES}; charset="utf-16"`,
        'application/json',
        'multipart/form-data; boundary=x',
        'x'.repeat(4000),
      ),
    );
    await fc.assert(
      fc.asyncProperty(header, header, async (type, encoding) => {
        const before = api.lines().length;
        const answer = await api.send(lineOf(card()), {
          type,
          ...(encoding !== '' && { headers: { 'content-encoding': encoding } }),
        });
        expect([202, 400, 415]).toContain(answer.status);
        expect(api.lines().length - before).toBe(answer.status === 202 ? 1 : 0);
      }),
      bound(200),
    );
    await stillTakesEvents();
  });
});

/**
 * Writes bytes on a bare connection and ends it in one of several ways. Returns what came back
 * until it closed.
 */
function onTheWire(
  parts: readonly (Buffer | string)[],
  end: 'finish' | 'reset' | 'wait',
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let back = '';
    socket.on('data', (chunk) => (back += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(back));
    socket.on('connect', () => {
      for (const part of parts) socket.write(part);
      if (end === 'finish') socket.end();
      else if (end === 'reset') setImmediate(() => socket.resetAndDestroy());
    });
  });
}

const head = (extra: readonly string[], token = api.token): string =>
  ['POST /v1/events HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, ...extra, '', ''].join(
    '\r\n',
  );
/**
 * Opens 16 connections that announce the largest body, send none of it and never close their side.
 */
const stall = (port: number, token: string, length = 16): Socket[] =>
  Array.from({ length }, () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.write(head([`Content-Type: ${LINES}`, `Content-Length: ${16 * 1024 * 1024}`], token));
    return socket;
  });
const statuses = (back: string): number[] =>
  [...back.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

describe('anything sent over a connection', () => {
  const allAllowed = (back: string): void => {
    for (const status of statuses(back))
      expect(status < 500 || status === 503 || status === 504).toBe(true);
  };

  it('is not recorded if the body ends too soon, however much of it arrived', async () => {
    const whole = Array.from({ length: 20 }, () => lineOf(card())).join('\n');
    const before = api.lines().length;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.constantFrom('finish' as const, 'reset' as const),
        fc.boolean(),
        async (at, end, chunked) => {
          const sent = whole.slice(0, at);
          const back = await onTheWire(
            chunked
              ? [
                  head([`Content-Type: ${LINES}`, 'Transfer-Encoding: chunked']),
                  sent === '' ? '' : `${Buffer.byteLength(sent).toString(16)}\r\n${sent}\r\n`,
                ]
              : [
                  head([`Content-Type: ${LINES}`, `Content-Length: ${Buffer.byteLength(whole)}`]),
                  sent,
                ],
            end,
          );
          allAllowed(back);
          expect(statuses(back)).not.toContain(202);
        },
      ),
      bound(40),
    );
    await stillTakesEvents();
    expect(api.lines().length).toBe(before + 1);
  });

  it('does no harm if chunks, lengths and headers are garbage', async () => {
    const event = lineOf(card({ table: 'wire' }));
    const before = api.lines().length;
    const cases: (readonly string[])[] = [
      [head([`Content-Type: ${EVENT}`, 'Transfer-Encoding: chunked']), 'zz\r\n', event],
      [
        head([`Content-Type: ${EVENT}`, 'Transfer-Encoding: chunked']),
        'ffffffffffffffff\r\n',
        event,
      ],
      [head([`Content-Type: ${EVENT}`, 'Transfer-Encoding: chunked', 'Content-Length: 5']), event],
      [head([`Content-Type: ${EVENT}`, 'Content-Length: -1']), event],
      [head([`Content-Type: ${EVENT}`, 'Content-Length: 99999999999999999999']), event],
      [head([`Content-Type: ${EVENT}`, 'Content-Length: 3', 'Content-Length: 4']), event],
      [head([`Content-Type: ${EVENT}`, `X-Long: ${'x'.repeat(100_000)}`])],
      [head([`Content-Type: ${EVENT}`, ...Array.from({ length: 3000 }, (_, i) => `X-${i}: 1`)])],
      ['\0\0\0\0'],
      ['POST /v1/events HTTP/9.9\r\n\r\n'],
      [`POST /v1/events\r\n\r\n${event}`],
      ['GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n'],
      [head([`Content-Type: ${BATCH}`, 'Transfer-Encoding: gzip'])],
      [head([`Content-Type: ${EVENT}`, 'Expect: 200-maybe', `Content-Length: ${event.length}`])],
    ];
    for (const parts of cases) allAllowed(await onTheWire(parts, 'finish'));
    const random = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(random, fc.boolean(), async (bytes, afterHead) => {
        allAllowed(
          await onTheWire(
            afterHead
              ? [head([`Content-Type: ${LINES}`, 'Transfer-Encoding: chunked']), bytes]
              : [bytes],
            'finish',
          ),
        );
      }),
      bound(60),
    );
    expect(api.lines().length).toBe(before);
    await stillTakesEvents();
  });

  it('is accepted if the body arrives in the smallest pieces', async () => {
    const event = lineOf(card({ table: 'crumbs' }));
    const back = await onTheWire(
      [
        head([`Content-Type: ${EVENT}`, 'Transfer-Encoding: chunked', 'Connection: close']),
        ...[...event].map((letter) => `1\r\n${letter}\r\n`),
        '0\r\n\r\n',
      ],
      'wait',
    );
    expect(statuses(back)).toEqual([202]);
    expect(api.lines('crumbs').map((line) => unstamped(line).content)).toEqual([event]);
  });

  it('is limited by the total size of large bodies: one more is answered 503, a single event is accepted', async () => {
    const roomy = await EventsApp.open({ partitions: 2 });
    const large = `${lineOf(card())}\n`.repeat(400);
    const sendLarge = (): Promise<Answer> => roomy.send(large, { type: LINES });
    const port = await roomy.listen();
    const open = stall(port, roomy.token);
    try {
      // The last of the sixteen is refused itself if it comes while a large body is being sent.
      const refused = await eventually('a refusal', async () => {
        const answer = await sendLarge();
        if (answer.status === 503) return answer;
        open.push(...stall(port, roomy.token, 1));
        return false;
      });
      expect([refused.body.type, refused.headers['retry-after']]).toEqual([
        'urn:shoeprint:problem:not-recorded',
        '1',
      ]);
      expect((await roomy.send(lineOf(card()))).status).toBe(202);
      for (const socket of open) socket.resetAndDestroy();
      await eventually('room again', async () => (await sendLarge()).status === 202);
    } finally {
      for (const socket of open) socket.destroy();
      await roomy.close();
    }
  });

  it('stops counting against that limit once a large body stops arriving, even if the client stays connected', async () => {
    const open = stall(port, api.token);
    try {
      await Promise.all(open.map((socket) => once(socket, 'data')));
      const large = `${lineOf(card())}\n`.repeat(400);
      await eventually(
        'room again',
        async () => (await api.send(large, { type: LINES })).status === 202,
      );
    } finally {
      for (const socket of open) socket.destroy();
    }
  });

  it('is refused in time if the body stops arriving, and others are served meanwhile', async () => {
    const stalled = Array.from({ length: 20 }, () =>
      onTheWire(
        [
          head([`Content-Type: ${LINES}`, 'Content-Length: 1000']),
          lineOf(card({ table: 'stalled' })),
        ],
        'wait',
      ),
    );
    for (let i = 0; i < 20; i += 1) await stillTakesEvents();
    for (const back of await Promise.all(stalled)) expect(statuses(back)).toEqual([408]);
    expect(api.lines('stalled')).toEqual([]);
    await eventually(
      'a server that serves',
      async () => (await api.send(lineOf(card()))).status === 202,
    );
  });
});
