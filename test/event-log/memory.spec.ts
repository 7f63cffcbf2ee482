import { describe, expect, it } from '@jest/globals';
import { BrokenLog, MemoryLog, MemoryStore } from '#event-log';
import { eventually } from '../kit/eventually.js';
import { Collector } from './collector.js';
import { describeEventLog, type LogStore } from './contract.js';

async function makeStore(): Promise<LogStore> {
  const store = new MemoryStore(4);
  const { faults } = store;
  const during = (fault: 'failBefore' | 'failAfter') => async () => {
    faults[fault] = true;
    return async () => void (faults[fault] = false);
  };
  return {
    open: async (options) => new MemoryLog({ store, ...options }),
    drop: async () => undefined,
    restart: async () => {
      faults.unreachable = true;
      const log = new MemoryLog({ store });
      await expect(
        log.append({
          partition: 3,
          records: [{ key: 'T1', value: new Uint8Array(1) }],
          urgency: 'live',
        }),
      ).rejects.toThrow('refuse');
      faults.unreachable = false;
    },
    hold: async () => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      faults.beforeSend = () => held;
      return async () => {
        delete faults.beforeSend;
        release();
      };
    },
    refuse: during('failBefore'),
    loseAnswers: during('failAfter'),
  };
}

describeEventLog('memory', makeStore, ['restart', 'hold', 'refuse', 'loseAnswers']);

describe('a memory log', () => {
  const one = {
    partition: 0,
    records: [{ key: 'T1', value: Buffer.from('a') }],
    urgency: 'live',
  } as const;

  it('stops a follower and a reader at a hole', async () => {
    const log = new MemoryLog();
    await log.append(one);
    await log.append(one);
    log.faults.hole = { partition: 0, offset: 0 };
    await expect(log.read(0, 0)).rejects.toBeInstanceOf(BrokenLog);
    const taker = new Collector();
    log.follow(taker).add(0, 0);
    const { why } = await eventually('the stop', () => taker.stops[0]);
    expect(why).toMatchObject({ name: 'BrokenLog', partition: 0, offset: 0 });
    await log.close();
  });

  it('stores and delivers records twice on request', async () => {
    const log = new MemoryLog();
    log.faults.storeTwice = true;
    log.faults.deliverTwice = true;
    await log.append(one);
    const taker = new Collector();
    log.follow(taker).add(0, 0);
    await eventually('four deliveries', () => taker.offsets(0).length === 4);
    expect(taker.offsets(0)).toEqual([0, 1, 0, 1]);
    await log.close();
  });

  it('reports that it is not power-safe', async () => {
    const log = new MemoryLog();
    expect(await log.health()).toMatchObject({
      reachable: true,
      powerSafe: false,
      notes: [expect.stringContaining('not power-safe')],
    });
    await log.close();
  });
});
