import { describe, expect, it } from '@jest/globals';
import { byCurrency, commissionOf } from '../../apps/console/src/reports/page/sums.js';

describe('the commission of coups', () => {
  it('has nothing due or marked for a coup that was voided, but what was taken of it', () => {
    expect(
      commissionOf([
        { state: 'over', due: 500, taken: 0, marked: 525 },
        { state: 'void', due: 300, taken: 40, marked: 300 },
        { state: 'open', due: 7, taken: 7, marked: 0 },
      ]),
    ).toEqual({ due: 507, taken: 47, marked: 525 });
  });
});

describe('lines by currency', () => {
  it('never have two currencies together, and come in order of their codes', () => {
    const [usd, mop, again] = [
      { currency: 'USD', won: 1 },
      { currency: 'MOP', won: 2 },
      { currency: 'USD', won: 3 },
    ] as const;
    expect(byCurrency([usd, mop, again])).toEqual([
      ['MOP', [mop]],
      ['USD', [usd, again]],
    ]);
  });
});
