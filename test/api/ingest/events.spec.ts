import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { canonicalLine } from '#audit';
import { partitionOf, RECORD_BYTES_MAX } from '#event-log';
import { eventually } from '../../kit/eventually.js';
import {
  BATCH,
  card,
  EVENT,
  EventsApp,
  lineOf,
  LINES,
  unstamped,
  type Answer,
} from './events-app.js';

let api: EventsApp;
beforeAll(async () => {
  api = await EventsApp.open({ partitions: 4 });
});
afterAll(() => api?.close());

let before = 0;
beforeEach(() => {
  before = api.records().length;
});
const nothingWasAppended = (): void => expect(api.records().length).toBe(before);
const problem = (name: string): string => `urn:shoeprint:problem:${name}`;
const isProblem = (answer: Answer, status: number, name: string): void => {
  expect([answer.status, answer.body.type]).toEqual([status, problem(name)]);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
};

describe('a recorded event', () => {
  it('is on the log as the bytes that were sent, followed by the stamps, one event a record', async () => {
    const event = card({ table: 'exact' });
    const from = Date.now();
    const answer = await api.send(lineOf(event));
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ accepted: 1 });
    const [record, ...others] = api.records().filter(({ key }) => key === 'exact');
    expect(others).toEqual([]);
    const { content, from: sender, time } = unstamped(record!.text);
    expect(content).toBe(lineOf(event));
    expect(sender).toBe('device/gateway-1');
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(time)).toBeGreaterThanOrEqual(from);
    expect(record!.partition).toBe(partitionOf('exact', 4));
    expect(answer.headers['log-position']).toBe(
      `${record!.partition}:${api.log.store.of(record!.partition).length}`,
    );
  });

  it('is converted to canonical form, whatever form the sender used', async () => {
    const event = card({ table: 'Tisch-ä庄\u2028"\\', data: { card: null, to: null } });
    const backwards = Object.fromEntries(
      Object.entries({
        ...event,
        traceparent: '00-1-2-03',
        datacontenttype: 'application/json',
      }).reverse(),
    );
    for (const text of [
      JSON.stringify(backwards, null, 2),
      `\n ${lineOf(event)}\r\n`,
      lineOf(event).replace(/庄/, '\\u5e84'),
    ]) {
      expect((await api.send(text)).status).toBe(202);
    }
    expect(api.lines('Tisch-ä庄\u2028"\\').map((line) => unstamped(line).content)).toEqual(
      [1, 2, 3].map(() => canonicalLine(lineOf(event))),
    );
  });

  it('keeps the order of its table in a batch and in lines, and is counted in the response', async () => {
    const tables = ['order-1', 'order-2', 'order-3'];
    const events = Array.from({ length: 90 }, (_, i) => card({ table: `order-${(i % 3) + 1}` }));
    const batch = await api.send(`[ ${events.map(lineOf).join(' , ')} ]`, { type: BATCH });
    const lines = await api.send(events.map(lineOf).join('\r\n\r\n'), { type: LINES });
    expect([batch.body, lines.body]).toEqual([{ accepted: 90 }, { accepted: 90 }]);
    for (const table of tables) {
      const sent = events.filter((event) => event.table === table).map(lineOf);
      expect(api.lines(table).map((line) => unstamped(line).content)).toEqual([...sent, ...sent]);
      expect(api.records().filter(({ key }) => key === table).length).toBe(2);
    }
    const written = new Map(
      String(lines.headers['log-position'])
        .split(',')
        .map((pair) => pair.split(':').map(Number) as [number, number]),
    );
    expect([...written.keys()].sort()).toEqual(
      [...new Set(tables.map((table) => partitionOf(table, 4)))].sort(),
    );
    for (const [partition, end] of written) expect(end).toBe(api.log.store.of(partition).length);
  });

  it('is in a block of at most 60,000 bytes if there are many, and none is lost between blocks', async () => {
    const events = Array.from({ length: 3000 }, (_, i) =>
      card({ table: i % 7 === 0 ? 'block-b' : 'block-a' }),
    );
    expect((await api.send(events.map(lineOf).join('\n'), { type: LINES })).body).toEqual({
      accepted: 3000,
    });
    const blocks = api.records().filter(({ key }) => key === 'block-a');
    expect(blocks.length).toBeGreaterThan(5);
    for (const { bytes } of blocks) expect(bytes).toBeLessThanOrEqual(RECORD_BYTES_MAX);
    for (const { bytes } of blocks.slice(0, -1))
      expect(bytes).toBeGreaterThan(RECORD_BYTES_MAX - 1000);
    for (const table of ['block-a', 'block-b'])
      expect(api.lines(table).map((line) => unstamped(line).content)).toEqual(
        events.filter((event) => event.table === table).map(lineOf),
      );
  });

  it('may arrive compressed with gzip, and with parameters on its media type', async () => {
    expect((await api.send(lineOf(card()), { gzip: true })).status).toBe(202);
    expect(
      (await api.send(`[${lineOf(card())}]`, { gzip: true, type: `${BATCH}; charset=utf-8` }))
        .status,
    ).toBe(202);
    for (const type of [`${LINES};charset="UTF-8"`, `${LINES}; profile=x`, LINES.toUpperCase()])
      expect((await api.send(lineOf(card()), { type })).status).toBe(202);
  });

  it('has stamps whose times never go back, even if many senders send at once', async () => {
    await Promise.all(
      Array.from({ length: 200 }, () => api.send(lineOf(card({ table: 'clock' })))),
    );
    const times = api.lines('clock').map((line) => unstamped(line).time);
    expect(times.length).toBe(200);
    expect([...times].sort()).toEqual(times);
  });

  it('does not exist for an empty batch or empty lines, which are accepted', async () => {
    for (const [body, type] of [
      ['[]', BATCH],
      ['', LINES],
      ['\n\r\n\n', LINES],
    ] as const) {
      const answer = await api.send(body, { type });
      expect([answer.status, answer.body]).toEqual([202, { accepted: 0 }]);
      expect(answer.headers['log-position']).toBeUndefined();
    }
    nothingWasAppended();
  });
});

describe('a malformed request', () => {
  it('is refused as a whole, and the response names every malformed event by line, pointer and reason', async () => {
    const { id: _, ...nameless } = card();
    const lines = [
      lineOf(card()),
      '',
      lineOf({ ...card(), data: { card: '1S', to: 'nobody' } }),
      'no JSON',
      lineOf(card()),
      lineOf(nameless),
      lineOf({ ...card(), receivedfrom: 'me' }),
      lineOf(card()).replace('"table"', '"table":"x","table"'),
    ];
    const answer = await api.send(lines.join('\n'), { type: LINES });
    isProblem(answer, 400, 'malformed-events');
    expect(answer.body.detail).toBe('5 of 7 events are malformed; nothing was recorded.');
    expect(answer.body.errors?.map(({ position, pointer }) => [position, pointer])).toEqual([
      [3, '/data/card'],
      [3, '/data/to'],
      [4, ''],
      [6, '/id'],
      [7, '/receivedfrom'],
      [8, '/table'],
    ]);
    nothingWasAppended();
  });

  it('is refused as a whole batch, and the response numbers its events from 1', async () => {
    const answer = await api.send(`[${lineOf(card())}, 7, {}, ${lineOf(card())}]`, { type: BATCH });
    isProblem(answer, 400, 'malformed-events');
    expect([...new Set(answer.body.errors?.map(({ position }) => position))]).toEqual([2, 3]);
    nothingWasAppended();
  });

  it.each([
    [
      'a byte that is not UTF-8',
      Buffer.concat([Buffer.from(lineOf(card()).slice(0, -1)), Buffer.from([0xff, 0x7d])]),
    ],
    ['NUL in a name', lineOf(card({ table: 'a\0b' }))],
    ['a lone surrogate', lineOf(card({ table: 'x' })).replace('"x"', '"\\ud800"')],
    [
      'a number beyond 2^53 - 1',
      lineOf(card()).replace(/"sequence":\d+/, '"sequence":9007199254740993'),
    ],
    [
      'a number beyond the range of a double',
      lineOf(card()).replace(/"sequence":\d+/, '"sequence":1e999'),
    ],
    ['an unknown type', lineOf(card({ type: 'shoeprint.card-burnt.v1' }))],
    ['an unknown version', lineOf(card({ type: 'shoeprint.card-drawn.v2' }))],
    [
      'a rule document that is not installed',
      lineOf(
        card({
          type: 'shoeprint.shoe-opened.v1',
          data: { rules: 'none@1', decks: 8, kind: 'physical', currency: 'MOP', reports: [] },
        }),
      ),
    ],
    ['an event of more than 16 KiB', lineOf(card({ id: 'x'.repeat(17_000) }))],
    ['an empty body', ''],
    ['a byte order mark', `\ufeff${lineOf(card())}`],
    ['two events instead of one', `${lineOf(card())}\n${lineOf(card())}`],
    ['unclosed brackets', '['.repeat(60_000)],
  ])('is refused for %s', async (_, body) => {
    const answer = await api.send(body);
    isProblem(answer, 400, 'malformed-events');
    expect(answer.body.errors?.length).toBeGreaterThan(0);
    expect(answer.body.errors?.[0]).not.toHaveProperty('position');
    nothingWasAppended();
  });

  it.each(['', ' ', '{}', '[', '[1,]', '[1][2]', 'null', `[${'['.repeat(100_000)}`])(
    'is refused if it is not a batch: %#',
    async (body) => {
      const answer = await api.send(body, { type: BATCH });
      expect(['malformed-request', 'malformed-events'].map(problem)).toContain(answer.body.type);
      expect(answer.status).toBe(400);
      nothingWasAppended();
    },
  );

  it('is answered with every malformed event, and with all their faults if there are few', async () => {
    const answer = await api.send('{"a":1,"b":2}\n'.repeat(20_000), { type: LINES });
    isProblem(answer, 400, 'malformed-events');
    const errors = answer.body.errors!;
    expect(new Set(errors.map(({ position }) => position)).size).toBe(20_000);
    expect(errors.filter(({ position }) => position === 1)).toHaveLength(9);
    expect(errors.filter(({ position }) => position === 20_000)).toHaveLength(1);
    const more = Number(/(\d+) more faults were found/.exec(answer.body.detail!)?.[1]);
    expect(errors.length + more).toBe(20_000 * 9);
    expect(answer.text.length).toBeLessThan(20_000 * 250);
    expect(answer.body.detail).toContain('20000 of 20000 events are malformed');
  });

  it.each([
    ['text/plain', 'no'],
    ['application/json', '{"a":1}'],
    ['application/json', '{'],
    ['application/xml', '<a/>'],
    ['', 'x'],
    [`${EVENT}; charset=latin1`, '{}'],
    ['application/cloudevents', '{}'],
  ])('is refused unread if its media type is %j', async (type, body) => {
    isProblem(await api.send(body, { type }), 415, 'media-type-not-taken');
    nothingWasAppended();
  });

  it.each(['br', 'deflate', 'gzip, gzip', 'zstd'])(
    'is refused if it is compressed with %s',
    async (encoding) => {
      const answer = await api.send(lineOf(card()), { headers: { 'content-encoding': encoding } });
      isProblem(answer, 415, 'media-type-not-taken');
      expect(answer.headers['accept-encoding']).toBe('gzip');
    },
  );

  it('is refused if its gzip is broken, truncated or followed by other bytes', async () => {
    const { gzipSync } = await import('node:zlib');
    const packed = gzipSync(lineOf(card()));
    for (const body of [
      Buffer.from('not gzip'),
      packed.subarray(0, -6),
      Buffer.concat([packed, Buffer.from('more')]),
    ]) {
      isProblem(
        await api.send(body, { headers: { 'content-encoding': 'gzip' } }),
        400,
        'malformed-request',
      );
    }
    nothingWasAppended();
  });

  it('is refused for its size: a single event, a batch, lines, their number, and gzip that expands', async () => {
    const spaces = (bytes: number): string => ' '.repeat(bytes);
    isProblem(await api.send(spaces(64 * 1024 + 1)), 413, 'too-large');
    isProblem(await api.send(spaces(16 * 1024 * 1024 + 1), { type: BATCH }), 413, 'too-large');
    isProblem(await api.send(spaces(64 * 1024 + 1), { gzip: true }), 413, 'too-large');
    isProblem(
      await api.send(spaces(16 * 1024 * 1024 + 1), { type: LINES, gzip: true }),
      413,
      'too-large',
    );
    isProblem(await api.send(`[${'1,'.repeat(50_000)}1]`, { type: BATCH }), 413, 'too-large');
    isProblem(await api.send('1\n'.repeat(50_001), { type: LINES }), 413, 'too-large');
    nothingWasAppended();
  });

  it('every other route refuses a form of events', async () => {
    for (const url of ['/v1/sign-in', '/v1/sign-out']) {
      const answer = await api.app.inject({
        method: 'POST',
        url,
        payload: lineOf(card()),
        headers: { 'content-type': EVENT, authorization: `Bearer ${api.token}` },
      });
      expect(answer.statusCode).toBe(415);
    }
    expect(
      (
        await api.app.inject({
          method: 'POST',
          url: '/v1/nowhere',
          payload: '{}',
          headers: { 'content-type': EVENT },
        })
      ).statusCode,
    ).toBe(404);
  });
});

describe('permission to write', () => {
  it('requires a token and a role that may write', async () => {
    expect((await api.send(lineOf(card()), { token: 'none' })).status).toBe(401);
    isProblem(
      await api.send(lineOf(card()), { token: await api.person('fina', ['finance'], ['*']) }),
      403,
      'not-permitted',
    );
    nothingWasAppended();
  });

  it('limits a key to its own sources, tables and types, and the response names every other event', async () => {
    const token = await api.key({
      name: 'B07',
      sources: ['device/B07-*'],
      tables: ['B07'],
      types: ['card-drawn'],
    });
    expect((await api.send(lineOf(card({ table: 'B07' })), { token })).status).toBe(202);
    before = api.records().length;
    const events = [
      card(),
      card({ source: 'device/B08-shoe' }),
      card({ table: 'B08', source: 'device/B07-x' }),
      card({ type: 'shoeprint.cut-card-drawn.v1', data: {} }),
      card(),
    ];
    const answer = await api.send(JSON.stringify(events), { type: BATCH, token });
    isProblem(answer, 403, 'source-not-yours');
    expect(answer.body.errors).toEqual([
      {
        position: 2,
        pointer: '/source',
        reason: '"device/B08-shoe" is not a source that device/B07 may write',
      },
      { position: 3, pointer: '/table', reason: '"B08" is not a table that device/B07 may write' },
      {
        position: 4,
        pointer: '/type',
        reason: '"cut-card-drawn" is not a type that device/B07 may write',
      },
    ]);
    nothingWasAppended();
  });

  it('is checked only after the form of the events', async () => {
    const token = await api.key({
      name: 'B09',
      sources: ['device/B09'],
      tables: ['B09'],
      types: ['*'],
    });
    isProblem(
      await api.send(`${lineOf(card())}\n{}`, { type: LINES, token }),
      400,
      'malformed-events',
    );
  });

  it('never includes gap-declared, whatever a key lists', async () => {
    const gap = {
      specversion: '1.0',
      type: 'shoeprint.gap-declared.v1',
      source: 'system/auditor',
      id: '1',
      time: '2026-11-20T12:00:00Z',
      table: 'B07',
      data: { source: 'device/B07-shoe', session: '7', from: 1, to: 2 },
    };
    isProblem(await api.send(lineOf(gap)), 403, 'source-not-yours');
    for (const type of ['finding-confirmed', 'export-made'])
      expect([400, 403]).toContain(
        (await api.send(lineOf({ ...gap, type: `shoeprint.${type}.v1` }))).status,
      );
    nothingWasAppended();
  });

  it('limits a person to their own name and tables, and stamps the events with that name', async () => {
    const token = await api.person('mei', ['pit-boss'], ['P1']);
    const event = (source: string, table: string): string =>
      lineOf({
        specversion: '1.0',
        type: 'shoeprint.supervisor-called.v1',
        source,
        id: 'a',
        time: '2026-11-20T12:00:00Z',
        table,
        data: { reason: 'a card fell' },
      });
    expect((await api.send(event('person/mei', 'P1'), { token })).status).toBe(202);
    expect(unstamped(api.lines('P1')[0]!).from).toBe('person/mei');
    isProblem(await api.send(event('person/tom', 'P1'), { token }), 403, 'source-not-yours');
    isProblem(await api.send(event('device/P1-shoe', 'P1'), { token }), 403, 'source-not-yours');
    isProblem(await api.send(event('person/mei', 'P2'), { token }), 403, 'source-not-yours');
  });
});

describe('a log in trouble', () => {
  beforeEach(() => {
    Object.assign(api.log.faults, { beforeSend: undefined, failBefore: false, failAfter: false });
  });

  it('a log that refuses leads to 503 with Retry-After: nothing was recorded, and a later retry succeeds', async () => {
    api.log.faults.failBefore = true;
    const event = lineOf(card({ table: 'again' }));
    const answer = await api.send(event);
    isProblem(answer, 503, 'not-recorded');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    nothingWasAppended();
    api.log.faults.failBefore = false;
    expect((await api.send(event)).status).toBe(202);
    expect(api.lines('again').length).toBe(1);
  });

  it('a log that loses its answer leads to 504: the event may be recorded', async () => {
    api.log.faults.failAfter = true;
    isProblem(await api.send(lineOf(card({ table: 'maybe' }))), 504, 'outcome-unknown');
    expect(api.lines('maybe').length).toBe(1);
  });

  it('a log that takes one partition and refuses another leads to 504', async () => {
    const partial = await EventsApp.open({
      partitions: 4,
      queueBytesMax: 200_000,
      sendBytesMax: 130_000,
    });
    try {
      const small = card({ table: 'small' });
      const large = Array.from({ length: 800 }, () =>
        card({ table: partitionOf('large', 4) === partitionOf('small', 4) ? 'larger' : 'large' }),
      );
      const answer = await partial.send([small, ...large].map(lineOf).join('\n'), { type: LINES });
      isProblem(answer, 504, 'outcome-unknown');
      expect(partial.lines('small')).toHaveLength(1);
    } finally {
      await partial.close();
    }
  });

  it('a log that is slow delays responses, but handles many requests at once', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    api.log.faults.beforeSend = () => held;
    const answers = Array.from({ length: 300 }, () => api.send(lineOf(card({ table: 'slow' }))));
    await eventually('a queue', async () => (await api.log.health()).queuedBytes > 20_000);
    expect(api.lines('slow')).toEqual([]);
    release();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(
      Array.from({ length: 300 }, () => 202),
    );
    expect(new Set(api.lines('slow').map((line) => unstamped(line).content)).size).toBe(300);
  });

  it('a log whose queue is full leads to 503 at once, and requests succeed again when it has drained', async () => {
    const full = await EventsApp.open({ queueBytesMax: 40_000 });
    try {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      full.log.faults.beforeSend = () => held;
      const answers: Answer[] = [];
      const sent = Array.from({ length: 200 }, async () =>
        answers.push(await full.send(lineOf(card({ table: 'full' })))),
      );
      await eventually('what found no room', () => answers.length > 50);
      for (const answer of answers) isProblem(answer, 503, 'not-recorded');
      release();
      await Promise.all(sent);
      const taken = answers.filter(({ status }) => status === 202).length;
      expect([taken > 50, taken + answers.filter(({ status }) => status === 503).length]).toEqual([
        true,
        200,
      ]);
      expect(full.lines('full').length).toBe(taken);
      delete full.log.faults.beforeSend;
      expect((await full.send(lineOf(card({ table: 'full' })))).status).toBe(202);
    } finally {
      await full.close();
    }
  });
});

describe('the metrics of taking events in', () => {
  it('count events by type and result, bytes, seconds and what waits', async () => {
    await api.send(
      JSON.stringify([card(), card(), card({ type: 'shoeprint.cut-card-drawn.v1', data: {} })]),
      { type: BATCH },
    );
    const text = (await api.app.inject({ url: '/metrics' })).body;
    expect(text).toMatch(
      /^shoeprint_ingest_events_total\{type="card-drawn",result="recorded"\} \d+$/m,
    );
    for (const result of ['refused', 'not-recorded', 'unknown'])
      expect(text).toMatch(
        new RegExp(
          `^shoeprint_ingest_events_total\\{type="card-drawn",result="${result}"\\} \\d+$`,
          'm',
        ),
      );
    expect(text).toMatch(/^shoeprint_ingest_events_total\{type="none",result="malformed"\} \d+$/m);
    for (const name of [
      'shoeprint_ingest_request_bytes_count',
      'shoeprint_ingest_request_seconds_count',
      'shoeprint_ingest_queue_bytes',
      'shoeprint_ingest_queue_bytes_max',
    ])
      expect(text).toMatch(new RegExp(`^${name} \\d+$`, 'm'));
  });
});

describe('the API description of POST /v1/events', () => {
  it('shows the three bodies and every response', async () => {
    const { paths } = (await api.app.inject({ url: '/docs-json' })).json<{
      paths: Record<
        string,
        {
          post: {
            requestBody: {
              content: Record<string, { examples: Record<string, { value: unknown }> }>;
            };
            responses: Record<string, unknown>;
          };
        }
      >;
    }>();
    const { requestBody, responses } = paths['/v1/events']!.post;
    expect(Object.keys(requestBody.content)).toEqual([EVENT, BATCH, LINES]);
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['202', '400', '401', '403', '408', '413', '415', '503', '504']),
    );
    for (const [type, { examples }] of Object.entries(requestBody.content)) {
      for (const { value } of Object.values(examples))
        expect(
          (await api.send(typeof value === 'string' ? value : JSON.stringify(value), { type }))
            .status,
        ).toBe(202);
    }
  });
});
