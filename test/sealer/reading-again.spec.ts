import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { leafHash } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { partitionOf, PostgresLog } from '#event-log';
import { eventually } from '../kit/eventually.js';
import { Site } from './site.js';

const PARTITIONS = 2;
const { sha256 } = nodeCryptography;

let site: Site;
beforeEach(async () => {
  site = await Site.open((url) => PostgresLog.open({ url, partitions: PARTITIONS }));
});
afterEach(async () => {
  await site.close();
});

const records = (table: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `{"table":"${table}","n":${at}}`);
const leafOf = (value: string): string =>
  Buffer.from(leafHash(sha256, Buffer.from(value))).toString('hex');

/** Seals 300 records of each of two tables of one partition, and stops. */
async function sealed(): Promise<{ readonly partition: number; readonly tables: string[] }> {
  const tables = ['B1', 'B2', 'B3', 'B4'].filter((table) => partitionOf(table, PARTITIONS) === 0);
  for (const table of tables) await site.append(table, ...records(table, 300));
  const sealer = await site.start();
  await site.sealedAll();
  await site.stop(sealer);
  // As long after a whole reading as the next one is due.
  await site.query('delete from seal.reading');
  return { partition: 0, tables };
}

/** Changes the log as a superuser does with its triggers switched off. */
async function behindOurBack(sql: string, values: unknown[] = []): Promise<void> {
  await site.query('alter table log.record disable trigger append_only');
  await site.query(sql, values);
  await site.query('alter table log.record enable always trigger append_only');
}

/** Returns what the sealer has named, once it has named something. */
const named = (): Promise<Record<string, unknown>[]> =>
  eventually('a mismatch', async () => {
    const found = await site.query(
      `select partition, "offset"::int, name, record::int, encode(sealed, 'hex') as sealed,
         encode(found, 'hex') as found from seal.mismatch order by "offset"`,
    );
    return found.length > 0 && found;
  });

describe('reading the log again', () => {
  it('finds nothing in a log that nobody changed', async () => {
    await sealed();
    await site.start();
    await eventually('a whole reading', async () => {
      const [read] = await site.query<{ whole: boolean }>(
        'select count(completed_at) = 2 as whole from seal.reading',
      );
      return read?.whole;
    });
    expect(await site.query('select from seal.mismatch')).toEqual([]);
  });

  it('names a record that was changed by its table, its number, its place and both hashes', async () => {
    const { partition, tables } = await sealed();
    const [, second = ''] = tables;
    await behindOurBack(
      `update log.record set value = 'another' where partition = $1 and "offset" = 420`,
      [partition],
    );
    const sealer = await site.start();
    expect(await named()).toEqual([
      {
        partition,
        offset: 420,
        name: second,
        record: 120,
        sealed: leafOf(records(second, 300)[120] ?? ''),
        found: leafOf('another'),
      },
    ]);
    expect(await site.reader.mismatches(second)).toHaveLength(1);
    expect(await site.reader.mismatches(tables[0] ?? '')).toEqual([]);
    await eventually('the alarm among the metrics', async () =>
      /shoeprint_seal_alarms_total\{alarm="changed"\} 1/.test(await sealer.registry.metrics()),
    );
    await site.append(second, 'more');
    await site.sealedAll();
  });

  it('names a record that was removed, and one that was moved to another table', async () => {
    const { partition, tables } = await sealed();
    const [first = '', second = ''] = tables;
    await behindOurBack(`delete from log.record where partition = $1 and "offset" = 10`, [
      partition,
    ]);
    await behindOurBack(`update log.record set key = $2 where partition = $1 and "offset" = 500`, [
      partition,
      first,
    ]);
    await site.start();
    await eventually('two mismatches', async () => (await named()).length === 2);
    expect(await named()).toMatchObject([
      { offset: 10, name: first, record: 10, found: null },
      { offset: 500, name: second, record: 200 },
    ]);
  });
});
