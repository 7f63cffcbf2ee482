import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MemoryLog, partitionOf } from '#event-log';
import { eventually } from '../kit/eventually.js';
import { nearCutover } from './site-days.js';
import { Site } from './site.js';

const TABLE = ['B1', 'B2', 'B3', 'B4'].find((table) => partitionOf(table, 2) === 0) ?? '';

let log: MemoryLog;
let site: Site;
beforeEach(async () => {
  log = new MemoryLog({ partitions: 2 });
  site = await Site.open(() => Promise.resolve(log));
});
afterEach(async () => {
  jest.useRealTimers();
  await site.close();
});

/** Seals five records of a table, and stops. */
async function sealed(): Promise<void> {
  const sealer = await site.start();
  await site.append(TABLE, 'a', 'b', 'c', 'd', 'e');
  await site.sealedAll();
  await site.stop(sealer);
  // As long after a whole reading as the next one is due.
  await site.query('delete from seal.reading');
}

/** Replaces a sealed record. */
function spoil(offset: number): void {
  const record = log.store.of(0)[offset];
  if (record) log.store.of(0)[offset] = { ...record, value: Buffer.from('another') };
}

/** Runs a sealer, whose log takes nothing, until `seen`. */
async function withoutLog(seen: () => Promise<unknown>): Promise<void> {
  log.store.faults.failBefore = true;
  const sealer = await site.start();
  await eventually('what the log does not take', seen);
  await site.stop(sealer);
  expect(await site.house('evidence-alarm')).toEqual([]);
  log.store.faults.failBefore = false;
}

/** Starts a sealer and returns the alarms of the house once nothing waits any more. */
async function sent(): Promise<unknown[]> {
  await site.start();
  await eventually('an alarm', async () => (await site.house('evidence-alarm')).length > 0);
  await eventually('nothing that waits', async () => {
    const waiting = await site.query('select from seal.outbox');
    return waiting.length === 0;
  });
  return (await site.house('evidence-alarm')).map(({ data }) => data);
}

describe('what the log does not take before a sealer ends is recorded by the next one', () => {
  it('if a record was changed', async () => {
    await sealed();
    spoil(2);
    await withoutLog(async () => (await site.query('select from seal.mismatch')).length === 1);
    expect(await sent()).toMatchObject([{ alarm: 'changed', of: TABLE, record: 2, offset: 2 }]);
  });

  it('if a partition was stopped', async () => {
    await sealed();
    spoil(4);
    await withoutLog(async () => {
      const stopped = await site.query('select from seal.position where stopped_at is not null');
      return stopped.length === 1;
    });
    expect(await sent()).toContainEqual(
      expect.objectContaining({
        alarm: 'changed',
        offset: 4,
        detail: expect.stringMatching(/^partition 0 is sealed no further/),
      }),
    );
  });

  it('if the database is not the one that was sealed', async () => {
    await sealed();
    await site.query(
      `update seal.tree set frontier = overlay(frontier placing '\\x00'::bytea from 3)
       where name = $1`,
      [TABLE],
    );
    await withoutLog(async () => (await site.query('select from seal.outbox')).length === 1);
    expect(await sent()).toContainEqual(expect.objectContaining({ alarm: 'fork' }));
  });

  it('if a key was retired', async () => {
    const day = nearCutover();
    const settings = { rhythm: { everyMs: 100, records: 50_000, graceMs: 0 } };
    const first = await site.start(settings, { gamingDays: day.rules });
    await site.append(TABLE, 'a');
    await site.sealedAll();
    await site.run('rotate', '--reason', 'a test', '--by', 'mei');
    await site.append(TABLE, 'b');
    await site.sealedAll();
    log.store.faults.failBefore = true;
    day.pass();
    await eventually('the retirement', async () =>
      (await site.reader.lastEntry('keys'))?.text.includes('\nretire '),
    );
    await site.stop(first);
    log.store.faults.failBefore = false;
    await site.start(settings, { gamingDays: day.rules });
    await eventually('the retirement in the record of the house', async () =>
      (await site.house('evidence-keys-changed')).some(({ source }) => source === 'system/sealer'),
    );
  });
});
