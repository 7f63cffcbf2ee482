import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SpoolFull, type SpoolSettings } from '#spool';
import { preambleBytes } from '../../libs/spool/src/segments/line.js';
import { Spool } from '../../libs/spool/src/spool.js';
import { eventually } from '../kit/eventually.js';
import { Chance } from './chance.js';
import { CountingOwner, numbered, numberOf } from './counting-owner.js';
import { SimulatedDisk } from './simulated-disk.js';

const LIMITS = { contents: 100, bytes: 1_000_000 };
const SOON = (): AbortSignal => AbortSignal.timeout(20_000);
const disk = (): SimulatedDisk => new SimulatedDisk(new Chance(1));

/** Opens a spool with an owner of its own. */
async function opened(on: SimulatedDisk, settings: Partial<SpoolSettings> = {}) {
  const owner = new CountingOwner();
  return { owner, spool: await Spool.open(on, owner, settings) };
}

/** Appends a frame in a turn of its own for each number, as one line each. */
async function fill(spool: Spool, from: number, to: number, padding = 0): Promise<void> {
  for (let id = from; id <= to; id += 1) await spool.append([numbered(id, padding)]);
}

/** Returns the numbers of the contents after the cursor. */
const idsAfter = async (spool: Spool, after: number): Promise<number[]> =>
  (await spool.read(after, LIMITS, SOON())).flatMap(({ made }) => made.map(numberOf));

const names = async (on: SimulatedDisk): Promise<string[]> =>
  (await on.list()).map(({ name }) => name).sort();

describe('a spool', () => {
  it('writes all frames of one turn as one line, and those that come meanwhile as the next', async () => {
    const { spool } = await opened(disk());
    const first = [spool.append([numbered(1), numbered(2)]), spool.append([numbered(3)])];
    await turn();
    const second = [spool.append([numbered(4)]), spool.append([numbered(5)])];
    const lines = (await Promise.all([...first, ...second])).map(({ n }) => n);
    expect(lines).toEqual([1, 1, 2, 2]);
    const read = await spool.read(0, LIMITS, SOON());
    expect(read.map(({ made }) => made.map(numberOf))).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    await spool.close();
  });

  it('syncs each line once before it acknowledges it', async () => {
    const on = disk();
    const { spool } = await opened(on);
    await fill(spool, 1, 1);
    const calls: string[] = [];
    on.fault = (operation) => void calls.push(operation);
    await spool.append([numbered(2)]).then(() => calls.push('acknowledged'));
    expect(calls).toEqual(['append', 'sync', 'acknowledged']);
    await spool.close();
  });

  it('keeps a frame exactly as it was handed in', async () => {
    const on = disk();
    const frame = {
      ...numbered(1),
      port: 'Schuh "1"\u2028',
      made: ['{"a":"\ud83c\udccf\\n"}', ''],
    };
    const lines: unknown[] = [];
    const owner = new CountingOwner();
    owner.apply = (line) => void lines.push(line);
    const spool = await Spool.open(on, owner);
    await spool.append([frame]);
    await spool.close();
    await (await Spool.open(on, owner)).close();
    const line = { n: 1, sent: 0, frames: [frame] };
    expect(lines).toEqual([line, line]);
  });

  it.each([
    [{ at: NaN }, 'at must be a number of milliseconds'],
    [{ up: Infinity }, 'up must be a number of seconds'],
    [{ raw: 'A0' }, 'raw must be pairs of hexadecimal digits in lower case'],
    [{ made: ['{}\n'] }, 'made must be a list of texts without newlines'],
    [{ integrity: 'good' as 'ok' }, 'integrity must be "ok", "damaged" or "none"'],
  ])('rejects a frame with %j, and names the field', async (field, why) => {
    const { spool } = await opened(disk());
    const frames = [numbered(1), { ...numbered(2), ...field }];
    await expect(spool.append(frames)).rejects.toThrow(new RangeError(`/frames/1: ${why}`));
    expect(spool.figures.last).toBe(0);
    await spool.close();
  });

  it('rejects frames of more than 1 MiB, and no frames', async () => {
    const { spool } = await opened(disk());
    const large = numbered(1, 1024 * 1024);
    await expect(spool.append([large])).rejects.toThrow(/bytes \(expected at most 1048576\)/);
    await expect(spool.append([])).rejects.toThrow('frames must not be empty');
    await spool.close();
  });

  it('rejects frames once 1 MiB waits for the disk, and keeps what waits', async () => {
    const { spool } = await opened(disk());
    const waiting = [1, 2].map((id) => spool.append([numbered(id, 500_000)]));
    await expect(spool.append([numbered(3, 100_000)])).rejects.toThrow(SpoolFull);
    await Promise.all(waiting);
    await fill(spool, 4, 4, 100_000);
    expect(await idsAfter(spool, 0)).toEqual([1, 2]);
    await spool.close();
  });

  it('restores the state of its owner from the preamble of the last segment and the lines after it', async () => {
    const on = disk();
    const before = await opened(on, { segmentBytes: 1_000 });
    await fill(before.spool, 1, 30);
    await before.spool.close();
    const { owner, spool } = await opened(on);
    expect(owner.ids).toEqual(before.owner.ids);
    const restored = (owner.restored as { ids: number[] }).ids.length;
    expect(restored).toBeGreaterThan(20);
    expect(restored).toBeLessThan(30);
    await spool.close();
  });

  it('begins a new segment only when one is full', async () => {
    const on = disk();
    const { spool } = await opened(on, { segmentBytes: 2_000 });
    await fill(spool, 1, 20);
    const files = await on.list();
    expect(files.length).toBeGreaterThan(1);
    for (const { bytes } of files.slice(0, -1)) expect(bytes).toBeGreaterThanOrEqual(2_000);
    await spool.close();
  });

  it('refuses a spool of a newer version by name, and changes nothing', async () => {
    const on = disk();
    const { spool } = await opened(on);
    await fill(spool, 1, 1);
    await spool.close();
    const preamble = preambleBytes({ spool: 2, n: 2, sent: 0, owner: null });
    await on.create('000000000002.spool');
    await on.append('000000000002.spool', preamble);
    const before = on.operations;
    await expect(opened(on)).rejects.toThrow(
      '000000000002.spool: a newer program wrote version 2 of the spool, ' +
        'and this one reads version 1',
    );
    expect(on.operations).toBe(before);
  });

  it('stops at an owner that throws, rejects what waits, and takes nothing more', async () => {
    const { owner, spool } = await opened(disk());
    owner.apply = () => {
      throw new Error('a bug of the desk');
    };
    await expect(spool.append([numbered(1)])).rejects.toThrow('a bug of the desk');
    await expect(spool.append([numbered(2)])).rejects.toThrow('a bug of the desk');
    await spool.close();
  });
});

describe('reading for delivery', () => {
  it.each([
    ['that were just written', false],
    ['of a spool that was opened again', true],
  ])('returns as many lines as fit, and a line that is too large alone, %s', async (_, again) => {
    const on = disk();
    let { spool } = await opened(on);
    await fill(spool, 1, 3);
    await spool.append([numbered(4, 5_000), numbered(5, 5_000)]);
    await fill(spool, 6, 9);
    if (again) {
      await spool.close();
      ({ spool } = await opened(on));
    }
    const limits = { contents: 2, bytes: 4_000 };
    const batches: number[][] = [];
    for (let after = 0; after < spool.figures.last;) {
      const lines = await spool.read(after, limits, SOON());
      batches.push(lines.flatMap(({ made }) => made.map(numberOf)));
      after = lines.at(-1)?.n ?? Infinity;
    }
    expect(batches).toEqual([[1, 2], [3], [4, 5], [6, 7], [8, 9]]);
    await spool.close();
  });

  it('does not read a line that was just written from the disk', async () => {
    const on = disk();
    const { spool } = await opened(on, { cursorMs: 1 });
    let reads = 0;
    const read = on.read.bind(on);
    on.read = (...asked) => {
      reads += 1;
      return read(...asked);
    };
    await fill(spool, 1, 3);
    expect([await idsAfter(spool, 0), reads]).toEqual([[1, 2, 3], 0]);
    spool.delivered(3);
    await eventually('a line with the cursor', () => spool.figures.last === 4);
    await fill(spool, 4, 4);
    expect([await idsAfter(spool, 3), reads]).toEqual([[4], 0]);
    await spool.close();
  });

  it('reads from the disk what memory has no longer, and goes on from there', async () => {
    const { spool } = await opened(disk(), { segmentBytes: 500_000 });
    await fill(spool, 1, 20, 40_000);
    const ids: number[] = [];
    for (let after = 0, next = 21; after < 40; next += 2) {
      const lines = await spool.read(after, { contents: 3, bytes: 1e6 }, SOON());
      ids.push(...lines.flatMap(({ made }) => made.map(numberOf)));
      after = lines.at(-1)?.n ?? Infinity;
      if (next <= 40) await fill(spool, next, next + 1, 40_000);
    }
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, at) => at + 1));
    expect(ids.length).toBeGreaterThanOrEqual(40);
    await spool.close();
  });

  it('returns the same lines again until they are delivered', async () => {
    const { spool } = await opened(disk(), { segmentBytes: 1_000 });
    await fill(spool, 1, 12);
    const limits = { contents: 5, bytes: 1e6 };
    const first = await spool.read(0, limits, SOON());
    await spool.read(5, limits, SOON());
    expect(await spool.read(0, limits, SOON())).toEqual(first);
    spool.delivered(5);
    await expect(spool.read(4, limits, SOON())).rejects.toThrow('after must be at least 5, not 4');
    expect(await idsAfter(spool, 5)).toEqual([6, 7, 8, 9, 10, 11, 12]);
    await spool.close();
  });

  it('holds at most 4 MiB of lines', async () => {
    const { spool } = await opened(disk());
    await fill(spool, 1, 8, 900_000);
    const lines = await spool.read(0, { contents: 5_000, bytes: 1e9 }, SOON());
    expect(lines.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5]);
    await spool.close();
  });

  it('waits for the next line with frames, and returns it as soon as it is durable', async () => {
    const on = disk();
    const { spool } = await opened(on, { cursorMs: 1 });
    await fill(spool, 1, 1);
    const next = idsAfter(spool, 1);
    spool.delivered(1);
    await eventually('a line with the cursor', () => spool.figures.last === 2);
    await fill(spool, 2, 2);
    expect(await next).toEqual([2]);
    await spool.close();
  });

  it('rejects with the reason once its signal is aborted or the spool is closed', async () => {
    const { spool } = await opened(disk());
    const stop = new AbortController();
    const stopped = spool.read(0, LIMITS, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    const closed = spool.read(0, LIMITS, SOON());
    void spool.close();
    await expect(closed).rejects.toThrow('the spool is closed');
  });
});

describe('the cursor', () => {
  it('is in the next line with frames, and goes on from there after a start', async () => {
    const on = disk();
    const { spool } = await opened(on, { cursorMs: 1e6 });
    await fill(spool, 1, 3);
    spool.delivered(2);
    await fill(spool, 4, 4);
    on.cutAt = 0;
    await spool.close();
    const again = await opened(on.restarted());
    expect(again.spool.figures).toMatchObject({ last: 4, sent: 2 });
    await again.spool.close();
  });

  it('has a line of its own once nothing is heard, and no second one while it stands', async () => {
    const on = disk();
    const { spool } = await opened(on, { cursorMs: 1 });
    await fill(spool, 1, 1);
    spool.delivered(1);
    await eventually('a line with the cursor', () => spool.figures.last === 2);
    const { operations } = on;
    spool.delivered(2);
    await eventually('another line', () => spool.figures.last === 3);
    expect(on.operations).toBe(operations + 2);
    expect(spool.figures.sent).toBe(3);
    await fill(spool, 2, 2);
    expect(spool.figures).toMatchObject({ last: 4, sent: 2 });
    await spool.close();
  });

  it('refuses a line that is not there, or before the cursor', async () => {
    const { spool } = await opened(disk());
    await fill(spool, 1, 3);
    spool.delivered(2);
    expect(() => spool.delivered(4)).toThrow('n must be a line from 2 to 3, not 4');
    expect(() => spool.delivered(1)).toThrow('n must be a line from 2 to 3, not 1');
    await spool.close();
  });

  it('is written by a spool that closes', async () => {
    const on = disk();
    const { spool } = await opened(on);
    await fill(spool, 1, 2);
    spool.delivered(2);
    await spool.close();
    expect((await opened(on)).spool.figures.sent).toBe(2);
  });
});

describe('a full spool', () => {
  const SMALL = { segmentBytes: 1_000, capBytes: 4_000, retryMs: 1, cursorMs: 1 };

  it('takes nothing at its cap, never removes what is not delivered, and takes frames once it is', async () => {
    const on = disk();
    const { owner, spool } = await opened(on, { ...SMALL, keepMs: 1e12 });
    let id = 1;
    while (spool.figures.full === undefined)
      await spool.append([numbered(id++)]).catch((error: unknown) => {
        expect(error).toEqual(new SpoolFull('the spool has reached its cap of 4000 bytes'));
      });
    const kept = id - 2;
    expect(owner.of('full')).toHaveLength(1);
    await expect(spool.append([numbered(999)])).rejects.toThrow('its cap of 4000 bytes');
    expect(await idsAfter(spool, 0)).toEqual(Array.from({ length: kept }, (_, at) => at + 1));
    const first = (await names(on))[0] as string;
    spool.delivered(kept);
    await eventually('room', () => owner.of('room').length === 1);
    expect(await names(on)).not.toContain(first);
    await fill(spool, 1_000, 1_000);
    expect(owner.ids.slice(-2)).toEqual([kept, 1_000]);
    await spool.close();
  });

  it('takes a line past its cap that lets delivery go on, and stays full for all others', async () => {
    const on = disk();
    const { owner, spool } = await opened(on, { ...SMALL, keepMs: 1e12, retryMs: 1e6 });
    let id = 1;
    while (spool.figures.full === undefined)
      await spool.append([numbered(id++)]).catch(() => undefined);
    const { last, bytes } = spool.figures;
    expect(await spool.append([numbered(5_000)], { isPastCap: true })).toMatchObject({
      n: last + 1,
    });
    expect(spool.figures.bytes).toBeGreaterThan(bytes);
    expect(spool.figures.full).toMatch(/its cap of 4000 bytes/);
    await expect(spool.append([numbered(999)])).rejects.toThrow('its cap of 4000 bytes');
    await spool.close();
    const again = await opened(on, { ...SMALL, keepMs: 1e12, retryMs: 1 });
    expect(again.owner.ids).toEqual(owner.ids);
    expect(again.owner.ids.at(-1)).toBe(5_000);
    await expect(again.spool.append([numbered(999)])).rejects.toThrow('its cap of 4000 bytes');
    await again.spool.append([numbered(5_001)], { isPastCap: true });
    again.spool.delivered(again.spool.figures.last);
    await eventually('room', () => again.owner.of('room').length === 1);
    await fill(again.spool, 6_000, 6_000);
    expect(again.owner.ids.slice(-3)).toEqual([5_000, 5_001, 6_000]);
    await again.spool.close();
  });

  it('removes delivered segments, the oldest first, before it counts as full', async () => {
    const on = disk();
    const { owner, spool } = await opened(on, { ...SMALL, keepMs: 1e12 });
    for (let id = 1; id <= 100; id += 1) {
      await fill(spool, id, id);
      spool.delivered(spool.figures.last);
      expect(spool.figures.bytes).toBeLessThan(4_500);
    }
    expect(owner.notices).toEqual([]);
    expect(owner.ids).toHaveLength(100);
    await spool.close();
  });

  it('removes delivered segments once they are older than `keepMs`, and no others', async () => {
    const on = disk();
    const { spool } = await opened(on, { segmentBytes: 1_000, keepMs: -1, cursorMs: 1e6 });
    await fill(spool, 1, 10);
    expect(await names(on)).toContain('000000000001.spool');
    spool.delivered(10);
    await fill(spool, 11, 20);
    const [oldest = ''] = await names(on);
    expect(Number(oldest.slice(0, 12))).toBeGreaterThan(5);
    expect(await idsAfter(spool, 10)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    await spool.close();
  });

  it('says that a delivered segment cannot be removed, and goes on', async () => {
    const on = disk();
    const { owner, spool } = await opened(on, { segmentBytes: 1_000, keepMs: -1 });
    on.fault = (operation) => (operation === 'remove' ? new Error('EPERM') : undefined);
    for (let id = 1; id <= 20; id += 1) {
      await fill(spool, id, id);
      spool.delivered(spool.figures.last);
    }
    expect(owner.of('not-removed')[0]).toMatchObject({
      segment: '000000000001.spool',
      error: new Error('EPERM'),
    });
    expect(owner.ids).toHaveLength(20);
    await spool.close();
  });
});

describe('a disk that refuses a write', () => {
  it.each(['append', 'sync'])(
    'makes the spool write the line to a new segment after a failed %s',
    async (failing) => {
      const on = disk();
      const { owner, spool } = await opened(on);
      await fill(spool, 1, 2);
      let left = 1;
      on.fault = (operation) =>
        operation === failing && left-- > 0 ? new Error(`EIO: ${operation}`) : undefined;
      await fill(spool, 3, 4);
      expect(owner.of('retrying')).toEqual([
        { kind: 'retrying', error: new Error(`EIO: ${failing}`) },
      ]);
      expect(await names(on)).toEqual(['000000000001.spool', '000000000003.spool']);
      await spool.close();
      const again = await opened(on.restarted());
      expect(again.owner.ids).toEqual([1, 2, 3, 4]);
      expect(await idsAfter(again.spool, 0)).toEqual([1, 2, 3, 4]);
      await again.spool.close();
    },
  );

  it('leaves nothing of a line that the spool refuses', async () => {
    const on = disk();
    const { spool } = await opened(on);
    await fill(spool, 1, 2);
    let syncs = 0;
    on.fault = (operation) =>
      operation === 'create' || (operation === 'sync' && (syncs += 1) === 1)
        ? new Error(`EIO: ${operation}`)
        : undefined;
    await expect(spool.append([numbered(3)])).rejects.toThrow('the disk refuses: EIO: create');
    await spool.close();
    on.fault = () => undefined;
    expect((await opened(on)).owner.ids).toEqual([1, 2]);
  });

  it('refuses a line past the cap too, and takes it as soon as the disk does', async () => {
    const on = disk();
    const { owner, spool } = await opened(on, { retryMs: 1e6 });
    await fill(spool, 1, 2);
    on.fault = () => new Error('EROFS: read-only file system');
    for (const id of [3, 4])
      await expect(spool.append([numbered(id)], { isPastCap: true })).rejects.toThrow(
        'the disk refuses: EROFS: read-only file system',
      );
    on.fault = () => undefined;
    await expect(spool.append([numbered(5)])).rejects.toThrow(SpoolFull);
    await spool.append([numbered(6)], { isPastCap: true });
    expect(owner.ids).toEqual([1, 2, 6]);
    await spool.close();
    expect((await opened(on.restarted())).owner.ids).toEqual([1, 2, 6]);
  });

  it('makes the spool full, which has recorded nothing of the line and takes the next one later', async () => {
    const on = disk();
    const { owner, spool } = await opened(on, { retryMs: 1 });
    await fill(spool, 1, 2);
    on.fault = () => new Error('EROFS: read-only file system');
    const refused = spool.append([numbered(3)]);
    await expect(refused).rejects.toThrow('the disk refuses: EROFS: read-only file system');
    await expect(spool.append([numbered(4)])).rejects.toThrow(SpoolFull);
    expect(spool.figures.full).toMatch(/EROFS/);
    on.fault = () => undefined;
    await eventually('room', () => owner.of('room').length === 1);
    await fill(spool, 5, 5);
    expect(await idsAfter(spool, 0)).toEqual([1, 2, 5]);
    await spool.close();
    expect((await opened(on)).owner.ids).toEqual([1, 2, 5]);
  });
});
