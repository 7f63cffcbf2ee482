import { expect, it } from '@jest/globals';
import { warmUp } from '#auditor';
import { installedRules } from '#rule-folder';

it.each(['on', 'off'] as const)(
  'what folds lawful play is compiled before the first record (the lane is %s)',
  (lanes) => {
    const book = installedRules();
    const before = [...book.keys()];
    const { lane, events } = warmUp(book, lanes);
    expect(events).toBeGreaterThan(3_000);
    expect(lane / events).toBeGreaterThan(lanes === 'on' ? 0.99 : -1);
    expect([...book.keys()]).toEqual(before);
  },
);
