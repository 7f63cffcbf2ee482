import { beforeAll, expect, it } from '@jest/globals';
import { type BuiltFile, builtFiles } from '../../scripts/console/first-load.mjs';
import { built } from '../cli/shoeprint.js';

/** What a browser loads, in bytes of gzip. */
const BUDGET = { scripts: 240_000, styles: 20_000, chunk: 90_000, catalogue: 20_000 };
const CATALOGUE = /\/(en|vi|zh-Hant|zh-Hans|pt)-[\w-]+\.js$/;

let files: readonly BuiltFile[];
let first: readonly BuiltFile[];

beforeAll(() => {
  built();
  files = builtFiles();
  first = files.filter(({ isFirst }) => isFirst);
});

/** Returns the sum and each file if the files are over a budget, else nothing. */
function overBudget(of: readonly BuiltFile[], budget: number): readonly string[] {
  const sum = of.reduce((total, { bytes }) => total + bytes, 0);
  if (sum <= budget) return [];
  return [`${sum} of ${budget} bytes`, ...of.map(({ name, bytes }) => `${name}: ${bytes}`)];
}

it('loads the queue first, within 240 kB of scripts and 20 kB of styles', () => {
  const ofFirst = (end: string): readonly BuiltFile[] =>
    first.filter(({ name }) => name.endsWith(end));
  for (const chunk of ['index', 'en', 'queue-screen', 'stream.worker'])
    expect([
      chunk,
      ofFirst('.js').filter(({ name }) => name.includes(`/${chunk}-`)).length,
    ]).toEqual([chunk, 1]);
  expect(first.some(({ name }) => name.includes('/finding-screen-'))).toBe(false);
  expect(overBudget(ofFirst('.js'), BUDGET.scripts)).toEqual([]);
  const styles = files.filter(({ name }) => name.endsWith('.css'));
  expect(overBudget(styles, BUDGET.styles)).toEqual([]);
});

it('has no other file over 90 kB, and no catalogue over 20 kB', () => {
  for (const file of files.filter(({ isFirst }) => !isFirst))
    expect(overBudget([file], BUDGET.chunk)).toEqual([]);
  const catalogues = files.filter(({ name }) => CATALOGUE.test(name));
  expect(catalogues.length).toBe(5);
  for (const catalogue of catalogues) expect(overBudget([catalogue], BUDGET.catalogue)).toEqual([]);
});
