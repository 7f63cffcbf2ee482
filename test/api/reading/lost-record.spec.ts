import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BrokenLog, PostgresLog } from '#event-log';
import type { FindingLocation, LinePosition } from '#read-model';
import pg from 'pg';
import { evidenceFile } from '../../../apps/api/src/record/evidence-file.js';
import { recordsIn } from '../../../apps/api/src/record/log-lines.js';
import { createDatabase, type TestDatabase } from '../../kit/database.js';

const RECORDS = 6;
const LOST = 3;

let database: TestDatabase;
let log: PostgresLog;
beforeAll(async () => {
  database = await createDatabase();
  log = await PostgresLog.open({ url: database.url, partitions: 1 });
  const records = Array.from({ length: RECORDS }, (_, n) => ({
    key: 'B07',
    value: Buffer.from(`line ${n}`),
  }));
  await log.append({ partition: 0, records, urgency: 'live' });
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query('alter table log.record disable trigger all');
  await client.query('delete from log.record where "offset" = $1', [LOST]);
  await client.end();
});
afterAll(async () => {
  await log?.close();
  await database?.drop();
});

const lost: unknown = expect.objectContaining({ partition: 0, offset: LOST });

/** Returns the file of a finding that rests on these records. */
async function evidenceOn(...offsets: number[]): Promise<string> {
  const lines = offsets.map((offset): LinePosition => [offset, 0]);
  const location = { id: 'f1', lines, partition: 0 } as unknown as FindingLocation;
  const { parts } = evidenceFile(
    log,
    { location, positions: '0:6' },
    { stamps: true, after: undefined },
  );
  const bytes: Uint8Array[] = [];
  for await (const part of parts) bytes.push(part);
  return Buffer.concat(bytes).toString();
}

describe('a log that lost a record behind the back of the house', () => {
  it('still gives what a finding rests on that does not need it', async () => {
    expect(await evidenceOn(0, 2)).toBe('line 0\nline 2\n');
    expect(await evidenceOn(5)).toBe('line 5\n');
  });

  it('names it to a finding that rests on it', async () => {
    const refused = evidenceOn(2, LOST);
    await expect(refused).rejects.toBeInstanceOf(BrokenLog);
    await expect(refused).rejects.toEqual(lost);
  });

  it('gives the record of a table up to it, and names it', async () => {
    const read: string[] = [];
    const range = { key: 'B07', partition: 0, from: 0, to: RECORDS };
    const reading = (async () => {
      for await (const records of recordsIn(log, range, () => Promise.resolve()))
        read.push(...records.map(({ value }) => Buffer.from(value).toString()));
    })();
    await expect(reading).rejects.toBeInstanceOf(BrokenLog);
    await expect(reading).rejects.toEqual(lost);
    expect(read).toEqual(['line 0', 'line 1', 'line 2']);
  });
});
