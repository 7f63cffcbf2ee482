import { describe, expect, it } from '@jest/globals';
import { IS_LONG } from '../kit/rounds.js';
import { faultsOf, wrongOf } from './line-1-invariants.js';
import { LineModel } from './line-1-model.js';

/** Runs in `npm run test:long`, and in `npm test`. */
const RUNS = IS_LONG ? 2000 : 40;

describe('both sides of line protocol 1', () => {
  it('bring each event to the disk once and in order, over a damaged line, power cuts and busy times', () => {
    const totals = { lines: 0, events: 0, cuts: 0 };
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const model = new LineModel(seed, faultsOf(seed));
      const isDone = model.run();
      expect({ seed, wrong: wrongOf(model, isDone) }).toEqual({ seed, wrong: [] });
      totals.lines += model.lines;
      totals.events += model.made.length;
      totals.cuts += Math.max(...model.made.map(({ boot }) => boot)) - 1;
    }
    expect(totals.events).toBeGreaterThan(40 * RUNS);
    expect(totals.cuts).toBeGreaterThan(RUNS);
    // Under 4 is promised. A device that ignores `N` needs 3.9.
    expect(totals.lines / totals.events).toBeLessThan(3.6);
  });

  it('write two lines for an event where nothing fails', () => {
    const none = { bytes: 0, deviceCuts: 0, gatewayCuts: 0, linkLosses: 0, busyTimes: 0 };
    const model = new LineModel(1, { ...none, keepsMemory: true });
    expect(wrongOf(model, model.run())).toEqual([]);
    expect(model.lines / model.made.length).toBeLessThan(2.5);
  });
});
