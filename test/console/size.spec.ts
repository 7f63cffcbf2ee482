import { readdirSync, readFileSync, statSync } from 'node:fs';
import { beforeAll, expect, it } from '@jest/globals';
import { built } from '../cli/shoeprint.js';

/** What a browser loads, in bytes of gzip. */
const BUDGET = { scripts: 240_000, styles: 20_000, chunk: 90_000, catalogue: 20_000 };
const folder = 'dist/apps/console';
const CATALOGUE = /^(en|vi|zh-Hant|zh-Hans|pt)-[\w-]+\.js$/;

const bytesOf = (file: string): number => statSync(`${folder}/${file}.gz`).size;
const sum = (files: readonly string[]): number =>
  files.reduce((total, file) => total + bytesOf(file), 0);

let first: readonly string[];
let assets: readonly string[];

beforeAll(() => {
  built();
  assets = readdirSync(`${folder}/assets`)
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => `assets/${name}`);
  const html = readFileSync(`${folder}/index.html`, 'utf8');
  first = [...html.matchAll(/(?:src|href)="(?:\.\/)?([^"]+\.(?:js|css))"/g)].map(
    ([, path]) => path as string,
  );
});

it('loads its first page within 240 kB of scripts and 20 kB of styles', () => {
  const scripts = first.filter((name) => name.endsWith('.js'));
  const english = assets.filter((name) => name.startsWith('assets/en-'));
  const queue = assets.filter((name) => name.startsWith('assets/queue-screen-'));
  expect([scripts.length > 1, english.length, queue.length > 0]).toEqual([true, 1, true]);
  expect(sum([...scripts, ...english])).toBeLessThanOrEqual(BUDGET.scripts);
  expect(sum(assets.filter((name) => name.endsWith('.css')))).toBeLessThanOrEqual(BUDGET.styles);
});

it('has no other file over 90 kB, and no catalogue over 20 kB', () => {
  for (const name of assets.filter((each) => !first.includes(each)))
    expect([name, bytesOf(name) <= BUDGET.chunk]).toEqual([name, true]);
  const catalogues = assets.filter((name) => CATALOGUE.test(name.slice('assets/'.length)));
  expect(catalogues.length).toBe(5);
  for (const name of catalogues)
    expect([name, bytesOf(name) <= BUDGET.catalogue]).toEqual([name, true]);
});
