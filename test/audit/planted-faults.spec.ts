import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { PLANTED_FAULTS } from '../../scripts/lanes/planted-faults.mjs';

it('the faults that `npm run lanes:faults` plants in the lane can each be planted in one place', () => {
  const places = PLANTED_FAULTS.map(({ file, text, rule }) => {
    const source = readFileSync(join('libs/audit/src/lane', file), 'utf8');
    return { rule, places: source.split(text).length - 1 };
  });
  expect(places.filter((each) => each.places !== 1)).toEqual([]);
  expect(new Set(places.map(({ rule }) => rule)).size).toBe(places.length);
});
