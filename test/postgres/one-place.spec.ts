import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const sources = ['apps', 'libs'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\bsrc\/.*\.ts$/.test(name))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(folder, name), 'utf8') })),
);

/** Returns the files outside libs/postgres whose text matches. */
const filesWith = (pattern: RegExp): string[] =>
  sources
    .filter(({ file, text }) => !file.startsWith('libs/postgres/') && pattern.test(text))
    .map(({ file }) => file);

it('every connection to PostgreSQL is made with the limits of libs/postgres', () => {
  expect(filesWith(/new (pg\.)?Client\(/)).toEqual([]);
  const pools = /new (pg\.)?Pool\((?!\{\s*connectionString: \w+,\s*\.\.\.connectionOptions\()/;
  expect(filesWith(pools)).toEqual([]);
  expect(filesWith(/type: 'postgres',(?![^]*extra: connectionOptions\()/)).toEqual([]);
  // the renewal of a lease has less time than other statements
  expect(filesWith(/query_timeout|connectTimeoutMS|connectionTimeoutMillis/)).toEqual([
    'libs/read-model/src/writing/pool.ts',
  ]);
});

it('the limits of libs/postgres are on the page of time limits, with their values', () => {
  const page = readFileSync('docs/operating/time-limits.md', 'utf8');
  const limits = sources
    .filter(({ file }) => file.startsWith('libs/postgres/'))
    .flatMap(({ text }) => [...text.matchAll(/^const (\w+_MS(?:_MAX)?) = (\d+);/gm)]);
  expect(limits.length).toBeGreaterThan(4);
  for (const [, name, ms] of limits)
    if (name !== 'LOOK_MS') expect(page).toContain(`\`${name}\`, ${Number(ms) / 1000} s |`);
});
