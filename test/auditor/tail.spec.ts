import { expect, it } from '@jest/globals';
import { Decoder, houseFrom } from '#audit';
import { PartitionFold } from '../../apps/auditor/src/fold/partition-fold.js';
import { judgingBy } from '../../apps/auditor/src/fold/table-run.js';
import { BOOK } from '../kit/house.js';

const MIB = 1024 * 1024;
const call = (table: string, nth: number, reason: string): string =>
  JSON.stringify({
    specversion: '1.0',
    type: 'shoeprint.supervisor-called.v1',
    source: 'person/sam',
    id: `call/${nth}`,
    time: '2026-11-20T12:00:00.000Z',
    table,
    data: { reason },
  });
/** A block of three events of nearly the greatest length. */
const BLOCK = Buffer.from([1, 2, 3].map((nth) => call('T1', nth, 'x'.repeat(16_000))).join('\n'));
const TABLES = 20;
const EVENTS = 16_000;
const EVENTS_AT_REST_MAX = 10_000;

it('a takeover folds a bounded number of bytes again, even if they are few events', () => {
  const fold = new PartitionFold(
    { partition: 0, generation: 1, next: 0, lastDigest: null },
    judgingBy(BOOK),
  );
  const decoder = new Decoder(houseFrom(BOOK));
  let saved = 0;
  let longest = 0;
  let savings = 0;
  for (let offset = 0; offset * BLOCK.length < 150 * MIB; offset += 1) {
    fold.take({ partition: 0, offset, key: 'T1', value: BLOCK }, decoder);
    if (offset % 20 !== 0) continue;
    // as in live play: one snapshot per transaction
    const { rows } = fold.project(() => '2026-11-20', 1);
    for (const { next } of rows.snapshots) [saved, savings] = [next, savings + 1];
    longest = Math.max(longest, (offset - saved) * BLOCK.length);
  }
  expect(longest / MIB).toBeLessThan(130);
  expect(savings).toBeLessThan(4); // not saved more often than needed
});

it('a takeover folds fewer events again after a pause, in which the oldest states were saved', () => {
  const fold = new PartitionFold(
    { partition: 0, generation: 1, next: 0, lastDigest: null },
    judgingBy(BOOK),
  );
  const decoder = new Decoder(houseFrom(BOOK));
  for (let offset = 0; offset < EVENTS; offset += 1) {
    const key = `T${offset % TABLES}`;
    fold.take({ partition: 0, offset, key, value: Buffer.from(call(key, offset, 'x')) }, decoder);
  }
  expect(fold.projectAtRest(MIB)).toBeUndefined(); // something else is to be written
  const from = new Map(
    fold.project(() => '2026-11-20', 1).rows.snapshots.map(({ table, next }) => [table, next]),
  );
  expect(EVENTS - Math.min(...from.values())).toBeGreaterThan(EVENTS_AT_REST_MAX);
  let pieces = 0;
  for (let piece = fold.projectAtRest(1); piece; piece = fold.projectAtRest(1)) {
    expect(piece.rows.snapshots).toHaveLength(1);
    for (const { table, next } of piece.rows.snapshots) from.set(table, next);
    pieces += 1;
  }
  expect(pieces).toBe(TABLES);
  expect(EVENTS - Math.min(...from.values())).toBeLessThan(EVENTS_AT_REST_MAX);
});
