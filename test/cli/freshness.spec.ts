import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { isStale } from '../../scripts/freshness.mjs';

const SOURCES = [
  'apps/api/src/main.ts',
  'apps/console/index.html',
  'apps/console/vite.config.mjs',
  'apps/console/public/before-paint.js',
  'apps/console/public/icon.svg',
  'apps/console/src/app/frame.css',
  'libs/baccarat/src/index.ts',
];
const OUTPUTS = [
  'dist/apps/standalone/src/main.js',
  'dist/apps/console/index.html',
  'dist/shoeprint-verify.mjs',
  'dist/api-types.d.ts',
];

let folder: string;

/** Writes a file as if it were that many seconds after an hour. */
function written(name: string, second: number): void {
  const path = join(folder, name);
  const at = new Date(Date.UTC(2026, 10, 20, 12, 0, second));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  utimesSync(path, at, at);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shoeprint-freshness-'));
  for (const name of SOURCES) written(name, 1);
  for (const name of OUTPUTS) written(name, 2);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('finds nothing stale after a build', () => {
  expect(isStale(folder)).toBe(false);
});

it.each(SOURCES)('asks for a build after a change of %s', (source) => {
  written(source, 3);
  expect(isStale(folder)).toBe(true);
});

it.each(OUTPUTS)('asks for a build if the last one did not write %s', (output) => {
  for (const name of SOURCES) written(name, 3);
  for (const name of OUTPUTS) written(name, name === output ? 2 : 4);
  expect(isStale(folder)).toBe(true);
});

it.each(OUTPUTS)('asks for a build without %s', (output) => {
  rmSync(join(folder, output));
  expect(isStale(folder)).toBe(true);
});
