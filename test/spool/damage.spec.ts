import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { lineBytes } from '../../libs/spool/src/segments/line.js';
import { Spool } from '../../libs/spool/src/spool.js';
import { Chance } from './chance.js';
import { CountingOwner, numbered, numberOf } from './counting-owner.js';
import { SimulatedDisk } from './simulated-disk.js';

const FIRST = '000000000001.spool';
const LIMITS = { contents: 1_000, bytes: 1e6 };

/** Returns a disk with one line for each number from 1, in segments of this size. */
async function written(lines: number, segmentBytes = 1e6): Promise<SimulatedDisk> {
  const on = new SimulatedDisk(new Chance(1));
  const spool = await Spool.open(on, new CountingOwner(), { segmentBytes, keepMs: 1e12 });
  for (let id = 1; id <= lines; id += 1) await spool.append([numbered(id)]);
  await spool.close();
  return on;
}

/** Opens the spool, and returns what a start finds. */
async function started(on: SimulatedDisk) {
  const owner = new CountingOwner();
  const spool = await Spool.open(on, owner, { keepMs: 1e12 });
  const damage = (): unknown[] => owner.of('damaged').map((notice) => notice.damage);
  const readable = async (): Promise<number[]> => {
    const lines = await spool.read(spool.figures.sent, LIMITS, AbortSignal.timeout(20_000));
    return lines.flatMap(({ made }) => made.map(numberOf));
  };
  return { owner, spool, damage, readable };
}

const bytesOf = async (on: SimulatedDisk, name: string): Promise<Buffer> =>
  on.read(name, 0, Number.MAX_SAFE_INTEGER);

/** Returns where each line of a file begins. The first one is the preamble. */
function beginnings(bytes: Buffer): number[] {
  const found = [0];
  for (let at = bytes.indexOf('\n'); at >= 0; at = bytes.indexOf('\n', at + 1)) found.push(at + 1);
  return found;
}

/** Turns one bit in the middle of a line, the preamble being line 0. */
async function spoilLine(on: SimulatedDisk, line: number, name = FIRST): Promise<void> {
  const [from = 0, to = 0] = beginnings(await bytesOf(on, name)).slice(line, line + 2);
  on.spoil(name, (bytes) => {
    bytes.writeUInt8(bytes.readUInt8((from + to) >> 1) ^ 1, (from + to) >> 1);
    return bytes;
  });
}

describe('a line that was not written whole', () => {
  it.each([1, 20, 60])(
    'is cut off %i bytes from its end, and reported to nobody',
    async (missing) => {
      const on = await written(5);
      on.spoil(FIRST, (bytes) => bytes.subarray(0, bytes.length - missing));
      const { owner, spool, readable } = await started(on);
      expect(owner.ids).toEqual([1, 2, 3, 4]);
      expect(owner.notices).toEqual([]);
      expect(await spool.append([numbered(9)])).toMatchObject({ n: 5 });
      expect(await readable()).toEqual([1, 2, 3, 4, 9]);
      await spool.close();
    },
  );

  it('is cut off if its end is there and something before it is not', async () => {
    const on = await written(5);
    await spoilLine(on, 5);
    const { owner, spool } = await started(on);
    expect(owner.ids).toEqual([1, 2, 3, 4]);
    expect(owner.notices).toEqual([]);
    await spool.close();
  });

  it('takes its segment with it if it is the first one', async () => {
    const on = await written(1);
    on.spoil(FIRST, (bytes) => bytes.subarray(0, bytes.length - 1));
    const { owner, spool } = await started(on);
    expect(await on.list()).toEqual([]);
    expect(owner.restored).toBeNull();
    expect(await spool.append([numbered(1)])).toMatchObject({ n: 1 });
    await spool.close();
  });
});

describe('a wrong line before valid ones', () => {
  it('is set aside and reported, and the spool goes on in a new segment', async () => {
    const on = await written(5);
    await spoilLine(on, 3);
    const bytes = await bytesOf(on, FIRST);
    const [from = 0, to = 0] = beginnings(bytes).slice(3, 5);
    const { owner, spool, damage, readable } = await started(on);
    const file = `damaged-000000000001-${from}.bytes`;
    const wrong = bytes.subarray(from, to);
    const crc = crc32(wrong).toString(16).padStart(8, '0');
    expect(damage()).toEqual([
      { segment: FIRST, at: from, bytes: to - from, from: 3, to: 3, crc, file },
    ]);
    expect(await bytesOf(on, file)).toEqual(wrong);
    expect(owner.ids).toEqual([1, 2, 4, 5]);
    expect(await readable()).toEqual([1, 2, 4, 5]);
    expect(owner.notices).toHaveLength(1);
    await spool.append([numbered(6)]);
    expect((await on.list()).map(({ name }) => name)).toContain('000000000006.spool');
    await spool.close();
    expect(await bytesOf(on, FIRST)).toEqual(bytes);
  });

  it('is reported by every start until frames are appended, and set aside once', async () => {
    const on = await written(5);
    await spoilLine(on, 2);
    for (let start = 0; start < 3; start += 1) {
      const { spool, damage } = await started(on);
      expect(damage()).toHaveLength(1);
      if (start === 2) await spool.append([numbered(6)]);
      await spool.close();
    }
    const { spool, owner } = await started(on);
    expect(owner.notices).toEqual([]);
    expect(owner.ids).toEqual([1, 3, 4, 5, 6]);
    await spool.close();
    expect(await on.list()).toHaveLength(3);
  });

  it('is reported without a copy if the disk takes none, and with the reason', async () => {
    const on = await written(5);
    await spoilLine(on, 2);
    on.fault = (operation) => (operation === 'create' ? new Error('ENOSPC') : undefined);
    const { spool, damage } = await started(on);
    expect(damage()).toMatchObject([{ from: 2, to: 2, file: null, error: new Error('ENOSPC') }]);
    await spool.close();
  });

  it('is found in an older segment when its line is to be delivered, and reported once', async () => {
    const on = await written(20, 1_000);
    await spoilLine(on, 2);
    const { owner, spool, readable, damage } = await started(on);
    expect(owner.notices).toEqual([]);
    const all = Array.from({ length: 20 }, (_, at) => at + 1);
    expect(await readable()).toEqual(all.filter((id) => id !== 2));
    expect(await readable()).toHaveLength(19);
    expect(damage()).toMatchObject([{ segment: FIRST, from: 2, to: 2 }]);
    await spool.close();
  });
});

describe('a damaged spool', () => {
  it('has the state of the segment before, if the preamble of the last one is wrong', async () => {
    const on = await written(20, 1_000);
    const last = (await on.list())
      .map(({ name }) => name)
      .sort()
      .at(-1) as string;
    await spoilLine(on, 0, last);
    const { owner, spool, damage } = await started(on);
    expect(owner.ids).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    expect(owner.restored).not.toBeNull();
    expect(damage()).toMatchObject([{ segment: last, at: 0 }]);
    await spool.close();
  });

  it('begins with an empty state if no preamble can be read', async () => {
    const on = await written(3);
    await spoilLine(on, 0);
    const { owner, spool, damage } = await started(on);
    expect(owner.restored).toBeNull();
    expect(owner.ids).toEqual([1, 2, 3]);
    expect(damage()).toMatchObject([{ at: 0, from: 1, to: 0 }]);
    await spool.close();
  });

  it('loses more than one line at its end only with a report', async () => {
    const on = await written(6);
    await spoilLine(on, 5);
    await spoilLine(on, 6);
    const { owner, spool, damage, readable } = await started(on);
    expect(owner.ids).toEqual([1, 2, 3, 4]);
    expect(damage()).toMatchObject([{ segment: FIRST, from: 5, to: null }]);
    await spool.append([numbered(7)]);
    expect(await readable()).toEqual([1, 2, 3, 4, 7]);
    await spool.close();
  });

  it('keeps a copy of a last segment without a single valid line', async () => {
    const on = await written(20, 1_000);
    const last = (await on.list())
      .map(({ name }) => name)
      .sort()
      .at(-1) as string;
    on.spoil(last, (bytes) => bytes.fill('\n'));
    const { owner, spool, damage } = await started(on);
    const n = Number(last.slice(0, 12));
    expect(owner.ids).toEqual(Array.from({ length: n - 1 }, (_, at) => at + 1));
    expect(damage()).toMatchObject([{ segment: last, from: n, to: null }]);
    await spool.close();
  });

  it('reports lines whose segment is gone', async () => {
    const on = await written(20, 1_000);
    const [first, second = '', third = ''] = (await on.list()).map(({ name }) => name).sort();
    await on.remove(second);
    const { spool, damage, readable } = await started(on);
    const [from = 0, next = 0] = [second, third].map((name) => Number(name.slice(0, 12)));
    expect(await readable()).toHaveLength(20 - (next - from));
    expect(damage()).toMatchObject([{ segment: first, bytes: 0, from, to: next - 1, file: null }]);
    await spool.close();
  });

  it('takes a line from the newer of two segments that have it', async () => {
    const on = await written(20, 1_000);
    const [, second = ''] = (await on.list()).map(({ name }) => name).sort();
    const n = Number(second.slice(0, 12));
    const refused = lineBytes(n, 0, [JSON.stringify(numbered(99))]);
    on.spoil(FIRST, (bytes) => Buffer.concat([bytes, refused]));
    const { owner, spool, readable } = await started(on);
    expect(await readable()).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    expect(owner.notices).toEqual([]);
    await spool.close();
  });

  it('loses the page of a sector that cannot be read, and nothing else', async () => {
    const on = await written(200);
    const page = 4_096;
    const read = on.read.bind(on);
    on.read = (name, from, bytes) =>
      from < 3 * page && from + bytes > 2 * page
        ? Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }))
        : read(name, from, bytes);
    const { owner, spool, damage } = await started(on);
    const [{ at, bytes, from, to }] = damage() as [Record<string, number>];
    expect(Number(at) <= 2 * page && Number(at) + Number(bytes) >= 3 * page).toBe(true);
    expect(bytes).toBeLessThan(2 * page);
    const lost = owner.ids.filter((id) => id >= Number(from) && id <= Number(to));
    expect(lost).toEqual([]);
    expect(owner.ids).toHaveLength(200 - (Number(to) - Number(from) + 1));
    await spool.close();
  });

  it('takes any bytes at all, and starts', async () => {
    const chance = new Chance(7);
    for (let round = 0; round < 300; round += 1) {
      const on = await written(12, 700);
      for (const { name } of await on.list())
        for (let spots = chance.below(4); spots > 0; spots -= 1)
          on.spoil(name, (bytes) => {
            const from = chance.below(bytes.length);
            const to = Math.min(bytes.length, from + chance.below(300));
            if (chance.below(3) > 0) return bytes.fill(chance.below(256), from, to);
            return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
          });
      const { owner, spool, readable } = await started(on);
      await spool.append([numbered(100)]);
      expect(owner.ids.at(-1)).toBe(100);
      const ids = await readable();
      expect(ids.at(-1)).toBe(100);
      expect(new Set(ids).size).toBe(ids.length);
      await spool.close();
    }
  });
});
