import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { partitionOf } from '#event-log';
import { murmur2 } from '../../libs/event-log/src/partition.js';

describe('the partition of a table', () => {
  it.each([
    // Values from the tests of Apache Kafka's own clients.
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('hashes %s as Kafka does', (key, hash) => {
    expect(murmur2(new TextEncoder().encode(key))).toBe(hash);
  });

  it('is always the same, and one of the partitions', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 1000 }), (key, partitions) => {
        const partition = partitionOf(key, partitions);
        expect(partition).toBeGreaterThanOrEqual(0);
        expect(partition).toBeLessThan(partitions);
        expect(partitionOf(key, partitions)).toBe(partition);
      }),
    );
  });
});
