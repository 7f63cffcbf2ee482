import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Decoder, houseFrom } from '#audit';
import type { EventLog } from '#event-log';
import { RecordFile } from '#export';
import { LogWindow } from '../../libs/export/src/log-window.js';
import { KeptRecords } from '../../libs/export/src/record-file.js';
import { TableLog } from '../../libs/export/src/table-log.js';
import { BOOK } from '../kit/house.js';
import { rounds } from '../kit/rounds.js';
import { simulated } from '../simulate/simulated.js';
import { asking, ExportHouse } from './export-house.js';

const LINES = 200;

describe('a package of a table that is larger than what is kept in memory', () => {
  let house: ExportHouse;
  let count = 0;
  beforeAll(async () => {
    house = await ExportHouse.open();
    const { lines } = simulated({ rules: 'punto-banco@1', bets: true, seed: 4, shoes: 50 });
    const all = [...lines];
    const records: string[] = [];
    for (let at = 0; at < all.length; at += LINES)
      records.push(all.slice(at, at + LINES).join('\n'));
    const bytes = records.reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeGreaterThan(17 * 1024 * 1024);
    for (let at = 0; at < records.length; at += 50)
      await house.site.append('T1', ...records.slice(at, at + 50));
    count = records.length;
    await house.settled();
  });
  afterAll(() => house.close());

  /** Returns the log of the house, and how often each of its records was read. */
  function counted(): { readonly counting: EventLog; readonly times: Map<number, number> } {
    const times = new Map<number, number>();
    const { log } = house.site;
    const read: EventLog['read'] = async (...asked) => {
      const found = await log.read(...asked);
      for (const { offset } of found) times.set(offset, (times.get(offset) ?? 0) + 1);
      return found;
    };
    const counting = new Proxy<EventLog>(log, {
      get: (target, name) =>
        name === 'read' ? read : (Reflect.get(target, name) as () => unknown).bind(target),
    });
    return { counting, times };
  }

  it('is made by reading each record of the log once', async () => {
    const { counting, times } = counted();
    const asked = asking({ kind: 'table', table: 'T1' });
    const { file, records } = await house.make(asked, { changed: { log: counting } });
    expect(records).toBe(count);
    expect(times.size).toBe(count);
    expect(Math.max(...times.values())).toBe(1);
    expect((await house.verified(file)).verdict).toBe('INTACT');
    expect((await readdir(house.site.folder)).filter((name) => name.startsWith('work-'))).toEqual(
      [],
    );
  });

  it('keeps a range while single records before it are read', async () => {
    const { counting, times } = counted();
    const file = await RecordFile.create(join(house.site.folder, 'records-of-a-range'));
    try {
      const seals = house.site.reader;
      const decoder = new Decoder(houseFrom(BOOK));
      const table = await seals.table('T1');
      if (!table) throw new Error('no seal holds the table');
      const parts = { window: new LogWindow(counting), seals, file };
      const log = new TableLog(parts, { id: 'T1', ...table }, { decoder, isTolerant: false });
      const first = 20;
      const offsets = async (from: number, to: number): Promise<number[]> => {
        const found: number[] = [];
        for await (const some of log.stored(from, to))
          found.push(...some.map(({ offset }) => offset));
        return found;
      };
      const range = await offsets(first, count);
      expect(range.length).toBe(count - first);
      expect(await offsets(5, 6)).toEqual([5]);
      times.clear();
      expect(await offsets(first, count)).toEqual(range);
      expect(times.size).toBe(0);
    } finally {
      await file.close();
    }
  });
});

describe('records that are kept in a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'records-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const record = fc.record({
    partition: fc.nat(1_023),
    offset: fc.nat(Number.MAX_SAFE_INTEGER),
    value: fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
  });
  const added = fc.array(
    fc.record({
      skipped: fc.constantFrom(0, 0, 0, 1),
      records: fc.array(record, { maxLength: 5 }),
    }),
    { maxLength: 8 },
  );

  it('are those that were added last without a hole, of any range', async () => {
    let files = 0;
    await fc.assert(
      fc.asyncProperty(added, fc.nat(30), fc.nat(30), async (parts, from, length) => {
        const file = await RecordFile.create(join(folder, String((files += 1))));
        try {
          const kept = new KeptRecords(file);
          const all = new Map<number, unknown>();
          let next = 0;
          for (const { skipped, records } of parts) {
            if (skipped > 0) all.clear();
            next += skipped;
            await kept.add(next, records);
            for (const each of records) all.set(next++, each);
          }
          const wanted: unknown[] = [];
          for (let n = from; n < from + length && all.has(n); n += 1) wanted.push(all.get(n));
          const found: unknown[] = [];
          for await (const some of kept.read(from, from + length)) found.push(...some);
          expect(found).toEqual(wanted);
        } finally {
          await file.close();
        }
      }),
      { numRuns: rounds(300) },
    );
  });
});
