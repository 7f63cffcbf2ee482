import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ROLES } from '#api';
import { canonicalLine, stamped } from '#audit';
import { MemoryLog, partitionOf, type StoredRecord } from '#event-log';
import type { FindingLine } from '#read-model';
import pg from 'pg';
import { LivePlay } from '../../../apps/api/src/reading/live-play.js';
import { logLinesOf, recordsIn, withoutStamps } from '../../../apps/api/src/record/log-lines.js';
import { type Audited, built, file, shoeprintBeside } from '../../cli/shoeprint.js';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';
import { dayLines, ReadingFloor, TABLES } from './reading-floor.js';

const HOUSE = '@house';
const path = (table: string, query = ''): string =>
  `/v1/tables/${encodeURIComponent(table)}/record${query}`;
const tableIn = (line: string): string => (JSON.parse(line) as { table: string }).table;
const problem = ({ statusCode, body }: Answer): readonly [number, string] => [
  statusCode,
  (JSON.parse(body) as { type: string }).type.replace('urn:shoeprint:problem:', ''),
];

let floor: ReadingFloor;
let sent: readonly string[];
let regulator: string;
beforeAll(async () => {
  built();
  sent = dayLines();
  floor = await ReadingFloor.open(sent);
  regulator = await floor.server.api.person('regulator', { name: 'inspector' });
});
afterAll(() => floor?.close());

const saved = async (table: string, query = '', token = regulator): Promise<string> => {
  const answer = await floor.get(path(table, query), { token });
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    200,
    'application/x-ndjson',
  ]);
  return answer.body;
};

/** Returns the lines of a table as they lie in the log. */
async function linesOnLog(table: string, log = floor.log): Promise<string[]> {
  const records = await log.read(partitionOf(table, log.partitions), 0, 1 << 30);
  return records
    .filter(({ key }) => key === table)
    .flatMap(({ value }) => Buffer.from(value).toString().split('\n'));
}

describe('the record of a table', () => {
  it.each(TABLES)('has every line byte for byte, in the order of the log: %s', async (table) => {
    const lines = await linesOnLog(table);
    expect(lines.length).toBeGreaterThan(1_000);
    expect(await saved(table)).toBe(lines.map((line) => `${line}\n`).join(''));
  });

  it.each(TABLES)('has the same findings for the command line as the rows: %s', async (table) => {
    const whole = file('record.ndjson', await saved(table));
    const audited = JSON.parse(
      (await shoeprintBeside(['audit', '--json', whole])).stdout,
    ) as Audited;
    const rows = await floor.lines<FindingLine>(`/v1/findings?table=${encodeURIComponent(table)}`);
    const told = ({ id, message }: Pick<FindingLine, 'id' | 'message'>): string =>
      `${id} ${message}`;
    expect(audited.findings.length).toBeGreaterThanOrEqual(20);
    expect(audited.findings.map(told).sort()).toEqual(rows.map(told).sort());
  });

  it('has without its stamps what the senders wrote', async () => {
    for (const table of TABLES)
      expect(await saved(table, '?stamps=off')).toBe(
        sent
          .filter((line) => tableIn(line) === table)
          .map((line) => `${canonicalLine(line)}\n`)
          .join(''),
      );
  });

  it('is limited to the times of receipt, the first included and the last not', async () => {
    const event = (id: number): string =>
      `{"specversion":"1.0","type":"shoeprint.device-online.v1","source":"device/t","id":"${id}","time":"2026-11-20T12:00:00Z","table":"timed","data":{}}`;
    for (const id of [1, 2, 3]) {
      const began = Date.now();
      await eventually('another millisecond', () => Date.now() > began);
      await floor.send([event(id)]);
    }
    await floor.caughtUp();
    const lines = await linesOnLog('timed');
    const [first, second, third] = lines.map(
      (line) => (JSON.parse(line) as { receivedtime: string }).receivedtime,
    ) as [string, string, string];
    const within = async (query: string): Promise<number[]> =>
      (await saved('timed', query))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => lines.indexOf(line) + 1);
    expect(await within(`?from=${second}`)).toEqual([2, 3]);
    expect(await within(`?to=${second}`)).toEqual([1]);
    expect(await within(`?from=${first}&to=${third}`)).toEqual([1, 2]);
    expect(await within(`?from=${third}&to=2100-01-01T00:00:00Z`)).toEqual([3]);
    expect(await within('?from=2100-01-01T00:00:00.5Z')).toEqual([]);
    expect(await saved('timed', `?from=${second}&to=${third}&stamps=off`)).toBe(`${event(2)}\n`);
  });

  it('names the position that it reaches, and a file', async () => {
    const partition = partitionOf('=B08', floor.log.partitions);
    const head = await floor.log.head(partition);
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers, body } = await floor.server.api.app.inject({
        method,
        url: path('=B08', '?from=2100-01-01T00:00:00Z'),
        headers: { authorization: `Bearer ${regulator}`, accept: 'application/*' },
      });
      expect([statusCode, body, headers['log-position']]).toEqual([
        200,
        '',
        `${partition}:${head}`,
      ]);
      expect(headers['content-disposition']).toBe('attachment; filename="record-_B08.ndjson"');
    }
  });

  it('is for compliance and the regulator', async () => {
    for (const role of ROLES) {
      const token = await floor.server.api.person(role);
      const { statusCode } = await floor.get(path('B07'), { token });
      expect([role, statusCode]).toEqual([
        role,
        role === 'compliance' || role === 'regulator' ? 200 : 403,
      ]);
    }
    const token = await floor.server.api.device();
    expect((await floor.get(path('B07'), { token })).statusCode).toBe(403);
  });

  it('does not exist for who may not see the table, as no other table does', async () => {
    const token = await floor.server.api.person('regulator', { tables: ['B07', HOUSE] });
    expect(await saved('B07', '', token)).toBe(await saved('B07'));
    for (const table of ['=B08', 'nowhere', HOUSE, '\0', 'b07'])
      expect(problem(await floor.get(path(table), { token }))).toEqual([404, 'not-found']);
    expect(problem(await floor.get(path('nowhere'), { token: regulator }))).toEqual([
      404,
      'not-found',
    ]);
  });

  it('the record of the house is only for identities that may see every table', async () => {
    await eventually('the start of the server', async () =>
      (await linesOnLog(HOUSE)).some((line) => line.includes('server-started')),
    );
    await floor.caughtUp();
    const lines = (await saved(HOUSE)).split('\n');
    expect(lines[0]).toContain('"type":"shoeprint.server-started.v1"');
    const whole = file('house.ndjson', lines.join('\n'));
    expect((await shoeprintBeside(['audit', whole])).code).toBe(0);
  });

  it('is recorded as read, with the table and the times', async () => {
    const token = await floor.server.api.person('compliance', { name: 'saver' });
    await saved('ä/庄 #%9', '?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z', token);
    await saved('B07', '', token);
    await floor.server.endMinute();
    const read = await eventually('both in the record of the house', async () => {
      const lines = await floor.lines<{ data: { filter: { table: string } } }>(
        '/v1/house-events?type=record-read&by=person/saver',
      );
      return lines.length === 2 ? lines : undefined;
    });
    const record = '/v1/tables/:table/record';
    expect(read.map(({ data }) => data)).toEqual(
      expect.arrayContaining([
        {
          record,
          filter: {
            table: 'ä/庄 #%9',
            from: '2026-01-01T00:00:00Z',
            to: '2027-01-01T00:00:00Z',
          },
          format: 'ndjson',
          times: 1,
        },
        { record, filter: { table: 'B07' }, format: 'ndjson', times: 1 },
      ]),
    );
  });

  it.each([
    ['?from=yesterday', '/from'],
    ['?from=2026-11-20', '/from'],
    ['?from=2026-11-20T00:00:00%2B08:00', '/from'],
    ['?from=2026-13-01T00:00:00Z', '/from'],
    ['?to=', '/to'],
    ['?to=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z', '/to'],
    ['?from=2026-11-20T00:00:00Z&to=2026-11-20T00:00:00Z', '/to'],
    ['?stamps=none', '/stamps'],
    ['?limit=5', '/limit'],
  ])('refuses a query that is invalid, by pointer: %s', async (query, pointer) => {
    const answer = await floor.get(path('B07', query), { token: regulator });
    expect([answer.statusCode, answer.json<{ errors: { pointer: string }[] }>().errors]).toEqual([
      400,
      [expect.objectContaining({ pointer })],
    ]);
  });

  it('is 406 for a reader who takes only JSON', async () => {
    const headers = { accept: 'application/json' };
    const answer = await floor.get(path('B07'), { token: regulator, headers });
    expect(problem(answer)).toEqual([406, 'not-acceptable']);
  });
});

describe('a line of the log', () => {
  const content =
    '{"specversion":"1.0","type":"shoeprint.seat-left.v1","source":"device/d","id":"1","time":"2026-11-20T12:00:00Z","table":"T","shoe":"ä","data":{"seat":1}}';
  const read = (text: string): readonly [string, number | undefined] => {
    const { content: bytes, received } = withoutStamps({ line: 0, bytes: Buffer.from(text) });
    return [bytes.toString(), received];
  };
  const AT = '2026-11-20T12:00:00.500Z';

  it.each(['device/d', 'person/ä', '","receivedfrom":"x","receivedtime":"1"}', '\\"'])(
    'is its content without the stamps, for every sender: %s',
    (from) => expect(read(stamped(content, from, AT))).toEqual([content, Date.parse(AT)]),
  );

  it('is read as JSON if the api did not write it', () => {
    const { data, ...rest } = JSON.parse(content) as Record<string, unknown>;
    const turned = JSON.stringify({ receivedtime: AT, data, receivedfrom: 'x', ...rest });
    expect(read(turned)).toEqual([content, Date.parse(AT)]);
    expect(read(content)).toEqual([content, undefined]);
  });

  it('stays as it is if it is not an event', () => {
    for (const text of ['', 'x', 'null', '{"type":"shoeprint.card-drawn.v1"}', '[1]'])
      expect(read(text)).toEqual([text, undefined]);
  });

  it('has its number in its record', () => {
    const value = Buffer.from('a\n\nb');
    const record: StoredRecord = { key: 'T', partition: 0, offset: 7, value };
    expect(logLinesOf(record).map(({ line, bytes }) => [line, bytes.toString()])).toEqual([
      [0, 'a'],
      [1, ''],
      [2, 'b'],
    ]);
  });
});

/** A log that counts its reads, and can hold them back. */
class WatchedLog extends MemoryLog {
  reads = 0;
  held = 0;
  gate: Promise<void> | undefined;

  override async read(partition: number, from: number, bytes?: number): Promise<StoredRecord[]> {
    this.reads += 1;
    if (this.gate) this.held += 1;
    await this.gate;
    return super.read(partition, from, bytes);
  }
}

describe('a record that is long', () => {
  const RECORD = Buffer.from('x'.repeat(50_000));
  const COUNT = 600; // 30 MB
  let log: WatchedLog;
  let api: TestApi;
  let url: string;
  let token: string;

  beforeAll(async () => {
    log = new WatchedLog({ partitions: 1, queueBytesMax: 1 << 28 });
    api = await startApi({ log });
    url = await api.url();
    token = await api.person('regulator');
    await known(api);
    const append = (key: string, count: number): Promise<unknown> =>
      log.append({
        partition: 0,
        urgency: 'bulk',
        records: Array.from({ length: count }, () => ({ key, value: RECORD })),
      });
    await append('short', 1);
    await append('long', COUNT);
  });
  afterAll(async () => {
    await api?.close();
    await log?.close();
  });

  /** Writes the rows of both tables. */
  async function known({ databaseUrl }: TestApi): Promise<void> {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    for (const table of ['long', 'short'])
      await client.query(
        `insert into rows.table_state (partition, changed, "table", name, last_event_time,
           read, admitted, duplicates, equivocal, late, stray)
         values (0, 1, $1, $1, now(), 1, 1, 0, 0, 0, 0)`,
        [table],
      );
    await client.end();
  }

  const begun = (table: string, at = url, by = token): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(
        `${at}${path(table)}`,
        { agent: false, headers: { authorization: `Bearer ${by}` } },
        resolve,
      ).on('error', reject);
    });
  const places = async (of = api): Promise<number> => {
    const { body } = await of.send('GET', '/metrics');
    return Number(/^shoeprint_answers_under_way\{of="exports"\} (\d+)$/m.exec(body)?.[1]);
  };
  /** Six of these records are the first to have 256 KiB. */
  const READS = COUNT / 6;

  it('is read no faster than its reader takes it', async () => {
    log.reads = 0;
    const response = await begun('long');
    await eventually('the buffers are full', () => response.readableLength > 0);
    let before = -1;
    await eventually('it waits for its reader', () => {
      const stands = log.reads === before;
      before = log.reads;
      return stands;
    });
    expect(log.reads).toBeLessThan(READS / 2);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(COUNT * (RECORD.length + 1));
    expect(log.reads).toBe(READS + 1);
    await eventually('its place', async () => (await places()) === 0);
  });

  it('is read no further once its reader has gone, even where other tables lie', async () => {
    log.reads = 0;
    const closed = new Promise((resolve) =>
      api.app.getHttpServer().once('connection', (socket: Socket) => socket.once('close', resolve)),
    );
    const response = await begun('short');
    // The rest of the partition belongs to the other table, so nothing more is sent.
    let open = (): void => undefined;
    log.gate = new Promise((resolve) => (open = resolve));
    await eventually('it reads on', () => log.held > 0);
    const { reads } = log;
    response.destroy();
    await closed;
    open();
    await eventually('its place', async () => (await places()) === 0);
    expect(reads).toBeLessThan(READS / 2);
    expect(log.reads).toBe(reads);
  });

  describe('whose reader may take nothing for 0.3 s', () => {
    let other: TestApi;
    let at: string;
    let by: string;
    beforeAll(async () => {
      other = await startApi({ log, settings: { requestTimeoutMs: 300 } });
      await known(other);
      at = await other.url();
      by = await other.person('regulator');
    });
    afterAll(() => other?.close());

    it('is cut off if its reader takes nothing', async () => {
      const response = await begun('long', at, by);
      await eventually('its place', async () => (await places(other)) === 0);
      const read = async (): Promise<void> => {
        for await (const _ of response);
      };
      await expect(read()).rejects.toThrow('aborted');
    });

    it('is sent although nothing of it is found for a longer time', async () => {
      const late = new Promise((resolve) =>
        other.app
          .getHttpServer()
          .once('connection', (socket: Socket) => socket.once('timeout', resolve)),
      );
      let open = (): void => undefined;
      log.held = 0;
      const response = await begun('short', at, by);
      log.gate = new Promise((resolve) => (open = resolve));
      try {
        await eventually('it reads on', () => log.held > 0);
        await late;
      } finally {
        log.gate = undefined;
        open();
      }
      let bytes = 0;
      for await (const chunk of response) bytes += (chunk as Buffer).length;
      expect(bytes).toBe(RECORD.length + 1);
    });
  });

  it('has one of the two places of files', async () => {
    const two = [await begun('long'), await begun('long')];
    expect(await places()).toBe(2);
    const refused = await api.send('GET', path('long'), token);
    expect([...problem(refused), refused.headers['retry-after']]).toEqual([
      429,
      'too-many-at-once',
      '5',
    ]);
    const other = await api.send('GET', '/v1/findings?format=csv', token);
    expect(problem(other)).toEqual([429, 'too-many-at-once']);
    for (const response of two) response.destroy();
    await eventually('their places', async () => (await places()) === 0);
  });

  it('is 503 if the log does not answer, and breaks off if it stops to', async () => {
    log.faults.unreachable = true;
    const answer = await api.send('GET', path('long'), token);
    expect(problem(answer)).toEqual([503, 'not-ready']);
    delete log.faults.unreachable;
    const response = await begun('long');
    log.faults.unreachable = true;
    const read = async (): Promise<void> => {
      for await (const _ of response);
    };
    await expect(read()).rejects.toThrow('aborted');
    delete log.faults.unreachable;
    await eventually('its place', async () => (await places()) === 0);
  });

  it('lets live play go first: it rests after each read in proportion to what it took', async () => {
    const other = new MemoryLog({ partitions: 1 });
    const records = ['a', 'b'].flatMap((key) =>
      Array.from({ length: 6 }, () => ({ key, value: RECORD })),
    );
    await other.append({ partition: 0, urgency: 'bulk', records });
    const steps: string[] = [];
    const rest = async (tookMs: number): Promise<void> =>
      void steps.push(tookMs > 0 ? 'rest' : 'no time taken');
    const range = { key: 'b', partition: 0, from: 2, to: 11 };
    for await (const read of recordsIn(other, range, rest)) steps.push(`${read.length}`);
    await other.close();
    expect(steps).toEqual(['2', 'rest', '3', 'rest']);
  });

  it('rests as other files do', async () => {
    const rests = jest.spyOn(api.app.get(LivePlay), 'restAfter');
    const { statusCode } = await api.send('GET', path('long'), token);
    expect([statusCode, rests.mock.calls.length]).toEqual([200, READS + 1]);
    expect(rests).toHaveBeenCalledWith(expect.any(Number), 0.1);
    rests.mockRestore();
  });
});
