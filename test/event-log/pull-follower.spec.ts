import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { StoredRecord } from '#event-log';
import { PullFollower, type Wanted } from '../../libs/event-log/src/pull-follower.js';
import { eventually } from '../kit/eventually.js';
import { Collector } from './collector.js';

/** The least time between two fetches: five milliseconds, and a timer may come one early. */
const GAP_MS = 4;
const PARTITIONS = 4;

/** A log of four partitions to follow, which counts how often it is asked. */
class Source {
  readonly partitions = PARTITIONS;
  readonly pollMs = 60_000;
  fetches = 0;
  private readonly records = Array.from({ length: PARTITIONS }, (): StoredRecord[] => []);
  private wake = (): void => undefined;

  append(partition: number): void {
    const own = this.records[partition] as StoredRecord[];
    own.push({ partition, offset: own.length, key: 'T1', value: Buffer.from('x') });
    this.wake();
  }

  onAppended(wake: () => void): () => void {
    this.wake = wake;
    return () => undefined;
  }

  async fetch(wanted: readonly Wanted[]): Promise<StoredRecord[][]> {
    this.fetches += 1;
    return wanted.map(({ partition, from }) => this.records[partition]?.slice(from) ?? []);
  }
}

describe('a follower that fetches', () => {
  it('fetches once for all that comes within five milliseconds', async () => {
    const source = new Source();
    const taker = new Collector();
    const follower = new PullFollower(source, taker);
    const since = performance.now();
    for (let partition = 0; partition < PARTITIONS; partition += 1) follower.add(partition, 0);
    for (let appended = 0; appended < 2_000; appended += 1) {
      source.append(appended % PARTITIONS);
      await turn();
    }
    const all = (): boolean => taker.texts(PARTITIONS - 1).length === 2_000 / PARTITIONS;
    await eventually('the last record', all);
    const { fetches } = source;
    expect(fetches).toBeLessThanOrEqual((performance.now() - since) / GAP_MS + 1);
    await follower.close();
  });
});
