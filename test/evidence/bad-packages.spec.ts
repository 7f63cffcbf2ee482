import { expect, test } from '@jest/globals';
import { giveBadPackages } from '../../scripts/bad-packages.mjs';
import { hasPython } from './second-verifier.js';

/** `npm run bad:packages` gives 100,000. */
const COUNT = 400;
const LONGEST_MS = 300_000;

test(
  'a bad package is refused by the command of the verifier, and verify.py says the same',
  async () => {
    const { rows, list, complaints, processes, python, slowest } = await giveBadPackages({
      count: COUNT,
      seed: Number(process.env.SHOEPRINT_TEST_SEED ?? 1),
    });
    expect(list).toEqual([]);
    expect(complaints).toBe(0);
    expect(slowest).toBeLessThan(10_000);
    expect([processes, python]).toEqual([COUNT / 100, hasPython ? COUNT : 0]);
    const exits = Object.values(rows).flatMap((row) => Object.entries(row.exits));
    expect(exits.reduce((sum, [, count]) => sum + count, 0)).toBe(COUNT);
    expect(exits.map(([exit]) => exit)).toEqual(expect.arrayContaining(['1', '3']));
  },
  LONGEST_MS,
);
