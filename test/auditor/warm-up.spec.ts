import { expect, it } from '@jest/globals';
import { warmUp } from '#auditor';
import { installedRules } from '#rule-folder';

it.each(['on', 'off'] as const)(
  'what folds lawful play runs before the first record (the lane is %s)',
  (lanes) => {
    const { lane, events } = warmUp(installedRules(), lanes);
    expect(events).toBeGreaterThan(3_000);
    if (lanes === 'on') expect(lane / events).toBeGreaterThan(0.99);
    else expect(lane).toBe(0);
  },
);
