import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { partitionOf } from '#event-log';
import type { HouseEventLine, PassedRecord } from '#read-model';
import type { Answer } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';
import { workbookOf } from '../../kit/workbook.js';
import { dayLines, ReadingFloor, REPORTS, withQuery } from '../reading/reading-floor.js';

interface Stopped {
  readonly about: string;
  readonly line: number | null;
  readonly offset: number;
}
interface Position {
  readonly partition: number;
  readonly next: number;
  readonly stopped: Stopped | null;
}
interface Shown {
  readonly sha256: string;
  readonly offset: number;
}

const lines = dayLines(['B07'], 'passed').slice(0, 300);
const partition = partitionOf('B07', 4);
/** A table in another partition. */
const ELSEWHERE = ['B01', 'B02', 'B03', 'B04'].find(
  (table) => partitionOf(table, 4) !== partition,
) as string;
const REASON = 'written by a test program, and not an event';

let floor: ReadingFloor;
let admin: string;
beforeAll(async () => {
  floor = await ReadingFloor.open([...lines.slice(0, 100), ...dayLines([ELSEWHERE], 'other')]);
  admin = await floor.server.api.person('admin', { name: 'passer' });
});
afterAll(() => floor?.close());

const send = (method: 'GET' | 'POST', path: string, token = admin, body?: object) =>
  floor.server.api.send(method, path, token, body);
const position = async (): Promise<Position> => {
  const { items } = await floor.read<{ items: Position[] }>('/v1/positions', admin);
  return items.find((item) => item.partition === partition) as Position;
};
const stopped = (): Promise<Stopped> =>
  eventually('a stopped partition', async () => (await position()).stopped ?? undefined);
const pass = (body: object, token = admin, of = String(partition)): Promise<Answer> =>
  send('POST', `/v1/positions/${of}/pass`, token, body);
const problemOf = ({ statusCode, body }: Answer): unknown => {
  const { type, errors } = JSON.parse(body) as { type: string; errors?: { pointer: string }[] };
  const pointers = errors?.map(({ pointer }) => pointer) ?? [];
  return [statusCode, type.replace('urn:shoeprint:problem:', ''), ...pointers];
};
const sha256 = (value: Uint8Array): string => createHash('sha256').update(value).digest('hex');

/** Appends bytes to the log behind the api's back, and waits until they stop the partition. */
async function write(value: Uint8Array): Promise<{ offset: number; sha256: string }> {
  const [offset] = floor.log.store.append([{ partition, records: [{ key: 'B07', value }] }]);
  await stopped();
  return { offset: offset as number, sha256: sha256(value) };
}
const admitted = async (): Promise<number | undefined> => {
  const path = '/v1/tables?table=B07';
  const answer = await floor.read<{ lines: { events: { admitted: number } }[] }>(path);
  return answer.lines[0]?.events.admitted;
};
const passes = async (): Promise<HouseEventLine[]> =>
  floor.server.all<HouseEventLine>('/v1/house-events?type=record-passed', floor.reader);

describe('a record that stops a partition', () => {
  const garbage = Buffer.concat([Buffer.from('garb\0age \u202e'), Buffer.alloc(70_000, 0xff)]);
  let record: { offset: number; sha256: string };
  beforeAll(async () => {
    record = await write(garbage);
    await floor.send(lines.slice(100, 150));
  });

  it('is named by the position of its partition', async () => {
    expect(await stopped()).toMatchObject({ about: 'record', line: 0, offset: record.offset });
  });

  it('is shown as it lies in the log, the first 64 KiB of it', async () => {
    const shown = await floor.read<Shown>(`/v1/positions/${partition}/record`, admin);
    expect(shown).toEqual({
      ...{ partition, key: 'B07', line: 0, time: null, ...record },
      size: garbage.length,
      value: garbage.subarray(0, 65_536).toString('base64'),
      reason: expect.stringMatching(/^BrokenLog: line 0 cannot be read: /),
      stoppedAt: expect.stringMatching(/Z$/),
    });
  });

  it('is shown and passed only by an administrator of all tables', async () => {
    const narrow = await floor.server.api.person('admin', { tables: ['B07'] });
    const body = { ...record, reason: REASON };
    for (const token of [narrow, floor.reader, await floor.server.api.person('integrator')]) {
      const shown = await send('GET', `/v1/positions/${partition}/record`, token);
      expect([shown.statusCode, (await pass(body, token)).statusCode]).toEqual([403, 403]);
    }
    expect((await stopped()).offset).toBe(record.offset);
  });

  it('is not passed under another offset or digest, without a reason, or in another partition', async () => {
    const body = { ...record, reason: REASON };
    const other = (partition + 1) % 4;
    const refusals: [object, string, unknown][] = [
      [{ offset: record.offset + 1 }, String(partition), [409, 'conflict', '/offset']],
      [{ sha256: sha256(Buffer.from('other')) }, String(partition), [409, 'conflict', '/sha256']],
      [{ sha256: 'ABC' }, String(partition), [400, 'invalid-request', '/sha256']],
      [{ offset: -1 }, String(partition), [400, 'invalid-request', '/offset']],
      [{ reason: '' }, String(partition), [400, 'invalid-request', '/reason']],
      [{ reason: 'x'.repeat(501) }, String(partition), [400, 'invalid-request', '/reason']],
      [{ reason: 'two\nlines' }, String(partition), [400, 'invalid-request', '/reason']],
      [{ reason: '\ud800' }, String(partition), [400, 'invalid-request', '/reason']],
      [{}, String(other), [404, 'not-found']],
      [{}, '99', [404, 'not-found']],
      [{}, 'x', [404, 'not-found']],
    ];
    for (const [wrong, of, problem] of refusals)
      expect([wrong, problemOf(await pass({ ...body, ...wrong }, admin, of))]).toEqual([
        wrong,
        problem,
      ]);
    expect(problemOf(await send('GET', `/v1/positions/${other}/record`))).toEqual([
      ...[404, 'not-found'],
    ]);
    expect(await passes()).toEqual([]);
  });

  it('is passed once if two administrators pass it at the same time', async () => {
    const second = await floor.server.api.person('admin', { name: 'second-passer' });
    const body = { ...record, reason: REASON };
    const answers = await Promise.all([pass(body), pass(body, second), pass(body), pass(body)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 404, 404, 404]);
    await floor.caughtUp();
    expect(await admitted()).toBe(150);
    expect(problemOf(await pass(body))).toEqual([404, 'not-found']);
    const [act, ...more] = await eventually('the act in the record of the house', async () => {
      const acts = await passes();
      return acts.length > 0 ? acts : undefined;
    });
    expect(more).toEqual([]);
    expect(act).toMatchObject({
      by: expect.stringMatching(/^person\//),
      data: {
        ...{ partition, ...record, size: garbage.length, key: 'B07', reason: REASON },
        fault: expect.stringMatching(/line 0 cannot be read/),
      },
    });
  });

  it('is named by every report of its partition, in each format, and by no other', async () => {
    const [act] = await passes();
    const expected: PassedRecord = {
      ...{ partition, ...record, reason: REASON, passedBy: act?.by as string },
      passedAt: expect.stringMatching(/Z$/) as unknown as string,
    };
    for (const path of REPORTS) {
      const said = async (query: string): Promise<unknown> => {
        const answer = await floor.read<{ passedRecords: PassedRecord[] }>(withQuery(path, query));
        return answer.passedRecords;
      };
      expect([path, await said('')]).toEqual([path, [expected]]);
      expect([path, await said('table=B07')]).toEqual([path, [expected]]);
      expect([path, await said(`table=${ELSEWHERE}`)]).toEqual([path, []]);

      const file = async (format: string, table: string): Promise<Answer> =>
        floor.get(withQuery(path, `table=${table}&format=${format}`));
      const sentence = new RegExp(
        `^"passed record: partition ${partition}, offset ${record.offset}, SHA-256 ${record.sha256}, passed by ${act?.by} at .*Z: ${REASON}"(,*)$`,
      );
      const csv = (await file('csv', 'B07')).body.trimEnd().split('\r\n');
      expect(csv.at(-1)).toMatch(sentence);
      const columns = (csv[0] as string).split(',').length;
      expect(sentence.exec(csv.at(-1) as string)?.[1]).toHaveLength(columns - 1);
      expect(csv.filter((line) => line.includes('passed record'))).toHaveLength(1);
      expect((await file('csv', ELSEWHERE)).body).not.toContain('passed record');
      const { rows } = workbookOf((await file('xlsx', 'B07')).rawPayload);
      expect(rows.at(-1)).toEqual([expect.stringMatching(/^passed record: partition /)]);
    }
  });

  it('is named by the reports of a reader of one table of the partition, and of no other reader', async () => {
    for (const [table, count] of [
      ['B07', 1],
      [ELSEWHERE, 0],
    ] as const) {
      const reader = await floor.server.api.person('compliance', { tables: [table] });
      const path = '/v1/reports/commission';
      const { passedRecords } = await floor.read<{ passedRecords: unknown[] }>(path, reader);
      expect([table, passedRecords.length]).toEqual([table, count]);
    }
  });

  it('is left out of the exact lines of its table, which say so', async () => {
    const { headers, body } = await floor.get('/v1/tables/B07/record');
    expect(headers['passed-records']).toBe(`${partition}:${record.offset}`);
    expect(body.trimEnd().split('\n')).toHaveLength(150);
    const other = await floor.get(`/v1/tables/${ELSEWHERE}/record`);
    expect(other.headers['passed-records']).toBeUndefined();
  });
});

describe('a partition whose log is at fault', () => {
  it('has no record to show or to pass', async () => {
    const { next } = await position();
    floor.log.faults.hole = { partition, offset: next };
    for (const from of [150, 200]) await floor.send(lines.slice(from, from + 50));
    expect(await stopped()).toMatchObject({ about: 'log', line: null, offset: next });
    delete floor.log.faults.hole;
    const [record] = await floor.log.read(partition, next, 1);
    const digest = sha256(record?.value as Uint8Array);
    const body = { offset: next, sha256: digest, reason: REASON };
    expect(problemOf(await pass(body))).toEqual([409, 'conflict']);
    expect(problemOf(await send('GET', `/v1/positions/${partition}/record`))).toEqual([
      ...[409, 'conflict'],
    ]);
    expect((await send('POST', `/v1/positions/${partition}/resume`)).statusCode).toBe(202);
    await floor.caughtUp();
    expect(await admitted()).toBe(250);
  });
});

describe('a log that does not answer', () => {
  it('keeps the record from being shown and passed until it is back', async () => {
    const record = await write(Buffer.from('more garbage'));
    floor.log.faults.unreachable = true;
    try {
      expect(problemOf(await send('GET', `/v1/positions/${partition}/record`))).toEqual([
        ...[503, 'not-ready'],
      ]);
      expect(problemOf(await pass({ ...record, reason: REASON }))).toEqual([503, 'not-ready']);
    } finally {
      floor.log.faults.unreachable = false;
    }
    expect((await pass({ ...record, reason: REASON })).statusCode).toBe(202);
    await floor.caughtUp();
  });
});
