import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SeatLedger } from '../../libs/audit/src/ledger/seat-ledger.js';
import type { SeatAccount } from '../../libs/audit/src/state.js';

/** Seats that share digits, lie at the edges of the tree, or are as great as an event may say. */
const seats = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.constantFrom(15, 16, 255, 256, 4095, 4096, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
);
type Act = readonly [is: 'add' | 'drop' | 'copy' | 'go', seat: number, amount: number];
const acts = fc.array(
  fc.tuple(
    fc.constantFrom<Act[0]>('add', 'add', 'add', 'drop', 'copy', 'go'),
    seats,
    fc.integer({ min: -5, max: 5 }),
  ),
  { maxLength: 60 },
);

/** A ledger, and the same accounts as a plain map. */
interface Twin {
  readonly ledger: SeatLedger;
  readonly map: Map<number, SeatAccount>;
}
const copyOf = ({ ledger, map }: Twin): Twin => ({
  ledger: ledger.copy(),
  map: new Map([...map].map(([seat, account]) => [seat, { ...account }])),
});
const sorted = (map: Twin['map']): [number, SeatAccount][] => [...map].sort(([a], [b]) => a - b);

describe('the ledger of a shoe', () => {
  it('is a map by seat of which every copy stays as it was, and so does the original', () => {
    fc.assert(
      fc.property(acts, (done) => {
        const twins: Twin[] = [{ ledger: new SeatLedger(), map: new Map() }];
        let at = 0;
        for (const [is, seat, amount] of done) {
          const twin = twins[at] as Twin;
          if (is === 'copy') twins.push(copyOf(twin));
          else if (is === 'go') at = seat % twins.length;
          else if (is === 'drop') {
            twin.ledger.delete(seat);
            twin.map.delete(seat);
          } else {
            const none = { due: 0, taken: 0, marked: 0, collected: 0, waived: 0 };
            const account = twin.map.get(seat) ?? none;
            twin.map.set(seat, { ...account, due: account.due + amount });
            twin.ledger.own(seat).due += amount;
          }
        }
        for (const { ledger, map } of twins) {
          expect([...ledger]).toEqual(sorted(map));
          expect([...ledger.keys()]).toEqual(sorted(map).map(([seat]) => seat));
          expect(ledger.size).toBe(map.size);
          for (const [, seat] of done) {
            expect(ledger.get(seat)).toEqual(map.get(seat));
            expect(ledger.has(seat)).toBe(map.has(seat));
          }
          for (const other of twins)
            expect(ledger.isSame(other.ledger)).toBe(
              JSON.stringify(sorted(map)) === JSON.stringify(sorted(other.map)),
            );
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('takes memory for what changed between copies, however many seats there are', () => {
    const ledger = new SeatLedger();
    for (let seat = 1; seat <= 4_000; seat += 1) ledger.own(seat).collected = 1;
    const copies: SeatLedger[] = [];
    const before = process.memoryUsage().heapUsed;
    for (let coup = 0; coup < 4_000; coup += 1) {
      ledger.own(1).collected += 1;
      copies.push(ledger.copy());
    }
    expect(copies).toHaveLength(4_000);
    // a map for each copy would take a gigabyte
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 2 ** 20);
  });
});
