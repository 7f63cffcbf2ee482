import { afterEach, describe, expect, it } from '@jest/globals';
import { OtherFold, OtherLog, RowStore } from '#read-model';
import { eventually } from '../kit/eventually.js';
import { eachOnFreshRows, type Rows } from './looking.js';
import { evening, findingRow, move, NOTHING } from './rows.js';

let rows: Rows;
let anna: RowStore;
let berta: RowStore;

eachOnFreshRows(async (fresh, url) => {
  rows = fresh;
  [anna, berta] = [RowStore.open(url), RowStore.open(url)];
  await anna.prepare('log-1', 4, 1);
});
afterEach(async () => {
  await Promise.all([anna.close(), berta.close()]);
});

const LONG = 60_000;
/** A stop that is the fault of the log. */
const HOLE = { offset: 8, line: null, reason: 'a hole' };
const partitions = (claimed: readonly { readonly partition: number }[]): number[] =>
  claimed.map(({ partition }) => partition).sort();
/** Ends all leases by the database's clock, which is the only one that counts. */
const endLeases = (): Promise<unknown> =>
  rows.ask(`update rows.position set lease_until = clock_timestamp() - interval '1 ms'`);

describe('positions', () => {
  it('are created once, at 0, if several processes prepare them together', async () => {
    await rows.ask('truncate rows.position');
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => (i % 2 ? anna : berta).prepare('log-1', 4, 1)),
    );
    expect(await anna.positions()).toEqual(
      [0, 1, 2, 3].map((partition) => ({
        partition,
        next: 0,
        events: 0,
        generation: 0,
        lastDigest: null,
        logId: 'log-1',
        foldVersion: 1,
        owner: null,
        owned: false,
        stopped: null,
        committedAt: null,
      })),
    );
  });

  it('are refused for another log, another number of partitions or another fold version', async () => {
    await expect(anna.prepare('log-2', 4, 1)).rejects.toThrow(OtherLog);
    await expect(anna.prepare('log-1', 5, 1)).rejects.toThrow(/4 partitions, but this log has 5/);
    await expect(anna.prepare('log-1', 4, 2)).rejects.toThrow(OtherFold);
    await expect(anna.prepare('log-1', 4, 1)).resolves.toBeUndefined();
  });
});

describe('ownership', () => {
  it('belongs to one owner at a time, even if many claim together', async () => {
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 ? anna : berta).claim(`owner-${i}`, LONG, 2)),
    );
    expect(partitions(claims.flat())).toEqual([0, 1, 2, 3]);
    expect(Math.max(...claims.map((claim) => claim.length))).toBeLessThanOrEqual(2);
  });

  it('covers at most the requested number of partitions, and none that has an owner', async () => {
    expect(partitions(await anna.claim('anna', LONG, 3))).toEqual([0, 1, 2]);
    expect(partitions(await berta.claim('berta', LONG, 9))).toEqual([3]);
    expect(await berta.claim('berta', LONG, 0)).toEqual([]);
  });

  it('comes with the position and the digest to continue from', async () => {
    const [mine] = await anna.claim('anna', LONG, 1);
    await anna.write(evening(mine?.generation as number, 0, 7));
    await endLeases();
    expect(await berta.claim('berta', LONG, 1)).toEqual([
      {
        partition: 0,
        generation: (mine?.generation as number) + 1,
        next: 7,
        lastDigest: Buffer.alloc(32, 7),
        events: 7,
        committedAt: expect.any(String),
      },
    ]);
  });

  it('passes to another when the lease ends, and the writes of the former owner change nothing', async () => {
    const [mine] = await anna.claim('anna', LONG, 1);
    const generation = mine?.generation as number;
    await anna.write(evening(generation, 0, 7));
    await endLeases();
    const [hers] = await berta.claim('berta', LONG, 1);
    await berta.write({ ...NOTHING, moves: [move(0, hers?.generation as number, 7, 9)] });
    const before = await rows.all();
    expect(
      await anna.write({
        ...NOTHING,
        moves: [move(0, generation, 7, 8)],
        findings: [findingRow('late')],
      }),
    ).toEqual({ fenced: [0] });
    expect(
      await anna.write({
        ...NOTHING,
        moves: [move(0, generation, 9, 10)],
        findings: [findingRow('late')],
      }),
    ).toEqual({ fenced: [0] });
    expect(await anna.renew('anna', LONG, [{ partition: 0, generation }])).toEqual([0]);
    expect(await anna.stopPartition({ partition: 0, generation }, HOLE)).toBe(false);
    await anna.release('anna', [{ partition: 0, generation }]);
    expect(await rows.all()).toEqual(before);
    expect((await anna.positions())[0]).toMatchObject({
      next: 9,
      owner: 'berta',
      owned: true,
      stopped: null,
    });
  });

  it('ownership that was lost for some partitions stops the whole write, which names them', async () => {
    const held = await anna.claim('anna', LONG, 3);
    await rows.ask(
      'update rows.position set generation = generation + 1 where partition in (0, 2)',
    );
    expect(
      await anna.write({
        ...NOTHING,
        moves: held.map(({ partition, generation }) => move(partition, generation, 0, 5)),
      }),
    ).toEqual({ fenced: [0, 2] });
    expect((await anna.positions()).map(({ next }) => next)).toEqual([0, 0, 0, 0]);
    expect(await anna.renew('anna', LONG, held)).toEqual([0, 2]);
  });

  it('fences a write that waits for its position while another owner claims it', async () => {
    const [mine] = await anna.claim('anna', LONG, 1);
    const other = await rows.session();
    await other.query('begin');
    await other.query(
      'update rows.position set generation = generation + 1, owner = $1 where partition = 0',
      ['berta'],
    );
    const late = anna.write(evening(mine?.generation as number, 0, 7));
    await rows.waiting('with wanted');
    await other.query('commit');
    expect(await late).toEqual({ fenced: [0] });
    expect(await rows.counts()).toMatchObject({ coup: 0, finding: 0 });
  });

  it('is extended by renewing and by writing', async () => {
    const [mine] = await anna.claim('anna', LONG, 1);
    const generation = mine?.generation as number;
    const left = async (): Promise<number> =>
      (
        await rows.ask<{ ms: number }>(
          'select extract(epoch from lease_until - clock_timestamp())::float8 * 1000 as ms from rows.position where partition = 0',
        )
      )[0]?.ms as number;
    await endLeases();
    expect(await anna.renew('anna', LONG, [{ partition: 0, generation }])).toEqual([]);
    expect(await left()).toBeGreaterThan(LONG / 2);
    await endLeases();
    await anna.write({ ...NOTHING, moves: [move(0, generation, 0, 1)] });
    expect(await left()).toBeGreaterThan(LONG / 2);
    expect(await berta.claim('berta', LONG, 4)).toHaveLength(3);
  });

  it('is renewed while another transaction holds a position, which does not delay the others', async () => {
    const held = await anna.claim('anna', LONG, 4);
    const letGo = await rows.holding('select from rows.position where partition = 1 for update');
    await anna.renew('anna', 2 * LONG, held);
    const renewed = await rows.ask('select partition from rows.position where lease_ms = $1', [
      2 * LONG,
    ]);
    expect(partitions(renewed as { partition: number }[])).toEqual([0, 2, 3]);
    expect(await anna.renew('anna', LONG, held)).toEqual([]);
    await letGo();
  });

  it('is renewed while every connection that loads and writes is in use', async () => {
    const held = await anna.claim('anna', LONG, 4);
    const letGo = await rows.holding('lock table rows.table_state in access exclusive mode');
    const loading = Array.from({ length: 6 }, (_, i) => anna.savedTable(`T${i}`));
    await rows.waiting('select t."snapshot"');
    expect(await anna.renew('anna', 2 * LONG, held)).toEqual([]);
    expect(await anna.heartbeat('anna', LONG)).toBe(1);
    await letGo();
    expect(await Promise.all(loading)).toHaveLength(6);
  });

  it('lasts its time after a write that took longer than it', async () => {
    const lease = 1_000;
    const [mine] = await anna.claim('anna', lease, 1);
    const letGo = await rows.holding('lock table rows.bet_total in access exclusive mode');
    const [began] = await rows.ask<{ at: string }>('select clock_timestamp()::text as at');
    const writing = anna.write(evening(mine?.generation as number, 0, 7));
    await rows.waiting('delete from "rows".bet_total');
    await eventually('the end of the lease that the write began with', async () => {
      const [{ over } = { over: false }] = await rows.ask<{ over: boolean }>(
        `select clock_timestamp() > $1::timestamptz + 2 * $2 * interval '1 ms' as over`,
        [began?.at, lease],
      );
      return over;
    });
    await letGo();
    await writing;
    expect((await berta.positions())[0]).toMatchObject({ next: 7, owner: 'anna', owned: true });
  });

  it('ends by itself when its owner goes silent', async () => {
    await anna.claim('anna', 50, 4);
    const taken: number[] = [];
    await eventually('the partitions of a dead owner', async () => {
      taken.push(...partitions(await berta.claim('berta', LONG, 4)));
      return taken.length === 4;
    });
    expect(taken.sort()).toEqual([0, 1, 2, 3]);
  });

  it('is free at once after a release, and the former owner cannot write any more', async () => {
    const held = await anna.claim('anna', LONG, 4);
    await anna.release('anna', held);
    expect(
      await anna.write({ ...NOTHING, moves: [move(1, held[1]?.generation as number, 0, 1)] }),
    ).toEqual({ fenced: [1] });
    expect(await berta.claim('berta', LONG, 4)).toHaveLength(4);
    await anna.release('anna', held);
    expect((await berta.positions()).map(({ owner }) => owner)).toEqual([
      'berta',
      'berta',
      'berta',
      'berta',
    ]);
  });

  it('does not pass to another during a write', async () => {
    const [mine] = await anna.claim('anna', LONG, 1);
    const letGo = await rows.holding('lock table rows.bet_total in access exclusive mode');
    await endLeases();
    const writing = anna.write(evening(mine?.generation as number, 0, 7));
    await rows.waiting('delete from "rows".bet_total');
    expect(partitions(await berta.claim('berta', LONG, 4))).toEqual([1, 2, 3]);
    await letGo();
    expect(await writing).toEqual({ fenced: [] });
  });

  it('allows many concurrent writes of many partitions without a deadlock', async () => {
    const held = await anna.claim('anna', LONG, 4);
    const next = new Map(held.map(({ partition }) => [partition, 0]));
    const moves = (order: readonly number[]) =>
      order
        .map((i) => held[i])
        .map(
          (one) =>
            one &&
            move(
              one.partition,
              one.generation,
              next.get(one.partition) as number,
              next.get(one.partition) as number,
            ),
        );
    const told = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        anna.write({
          ...NOTHING,
          moves: moves(i % 2 ? [3, 1, 0, 2] : [0, 1, 2, 3]).filter((each) => each !== undefined),
        }),
      ),
    );
    expect(told.every(({ fenced }) => fenced.length === 0)).toBe(true);
  });
});

describe('members', () => {
  it('count while they send heartbeats', async () => {
    expect(await anna.heartbeat('anna', LONG)).toBe(1);
    expect(await berta.heartbeat('berta', LONG)).toBe(2);
    expect(await anna.heartbeat('anna', LONG)).toBe(2);
    await rows.ask(
      `update rows.member set seen_at = seen_at - interval '61 s' where owner = 'berta'`,
    );
    expect(await anna.heartbeat('anna', LONG)).toBe(1);
    expect(await berta.heartbeat('berta', LONG)).toBe(2);
    await anna.leave('anna');
    expect(await berta.heartbeat('berta', LONG)).toBe(1);
  });

  it('are forgotten after a long silence', async () => {
    await anna.heartbeat('anna', LONG);
    await rows.ask(`update rows.member set seen_at = seen_at - interval '11 min'`);
    await berta.heartbeat('berta', LONG);
    expect(await rows.ask('select owner from rows.member')).toEqual([{ owner: 'berta' }]);
  });
});

describe('a stopped partition', () => {
  it('has no owner, shows its offset and reason, and continues once it is resumed', async () => {
    const [mine] = await anna.claim('anna', LONG, 1);
    const held = { partition: 0, generation: mine?.generation as number };
    const stop = { offset: 12, line: 3, reason: 'line 3 is not UTF-8\0' };
    expect(await anna.stopPartition(held, stop)).toBe(true);
    expect((await berta.positions())[0]).toMatchObject({
      owner: null,
      stopped: {
        offset: 12,
        line: 3,
        reason: 'line 3 is not UTF-8\uFFFD',
        at: expect.stringMatching(/Z$/),
      },
    });
    expect(await anna.write({ ...NOTHING, moves: [move(0, held.generation, 0, 1)] })).toEqual({
      fenced: [0],
    });
    expect(partitions(await berta.claim('berta', LONG, 4))).toEqual([1, 2, 3]);
    expect(await berta.resumePartition(0)).toBe(true);
    expect(await berta.resumePartition(0)).toBe(false);
    expect(await berta.claim('berta', LONG, 4)).toMatchObject([{ partition: 0, next: 0 }]);
    expect((await berta.positions())[0]?.stopped).toBeNull();
  });

  it('continues without the record that stopped it, once that is passed by its offset', async () => {
    const [mine] = await anna.claim('anna', LONG, 1);
    const held = { partition: 0, generation: mine?.generation as number };
    const record = {
      ...{ partition: 0, offset: 12, sha256: 'ab'.repeat(32), size: 7, key: 'B07' },
      ...{ reason: 'written by a test', passedBy: 'person/ann' },
    };
    const passes = async (of = record): Promise<number> => {
      const { text, values } = berta.passing(of);
      return (await rows.ask(text, values)).length;
    };
    expect(await passes()).toBe(0);
    await anna.stopPartition(held, { offset: 12, line: 0, reason: 'line 0 cannot be read' });
    expect(await passes({ ...record, offset: 11 })).toBe(0);
    expect(await passes({ ...record, partition: 1 })).toBe(0);
    expect((await berta.positions())[0]?.stopped).not.toBeNull();
    expect(await passes()).toBe(1);
    expect(await passes()).toBe(0);
    expect((await berta.positions())[0]?.stopped).toBeNull();
    expect(await berta.passed(0)).toEqual([{ offset: 12, sha256: record.sha256 }]);
    expect(await berta.passed(1)).toEqual([]);
    expect(await rows.ask('select key, fault, passed_by from rows.passed_record')).toEqual([
      { key: 'B07', fault: 'line 0 cannot be read', passed_by: 'person/ann' },
    ]);
    expect(await berta.claim('berta', LONG, 4)).toMatchObject([
      ...[{ partition: 0, next: 0 }, { partition: 1 }, { partition: 2 }, { partition: 3 }],
    ]);
  });

  it('cannot be passed if its log is at fault', async () => {
    const [mine] = await anna.claim('anna', LONG, 1);
    const held = { partition: 0, generation: mine?.generation as number };
    await anna.stopPartition(held, HOLE);
    const { text, values } = berta.passing({
      ...{ partition: 0, offset: HOLE.offset, sha256: 'ab'.repeat(32), size: 7, key: 'B07' },
      ...{ reason: 'written by a test', passedBy: 'person/ann' },
    });
    expect(await rows.ask(text, values)).toEqual([]);
    expect((await berta.positions())[0]?.stopped).toMatchObject(HOLE);
  });
});
