import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { madeOnce } from '../kit/made-once.js';

const MS_MAX = 10_000;
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'shoeprint-once-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('makes a folder once for all who ask, and each gets it whole', async () => {
  let made = 0;
  const make = async (empty: string): Promise<void> => {
    made += 1;
    await Promise.resolve();
    writeFileSync(join(empty, 'day'), 'whole');
  };
  const got = await Promise.all([1, 2, 3].map(() => madeOnce(folder, make, MS_MAX)));
  got.push(await madeOnce(folder, make, MS_MAX));
  expect(made).toBe(1);
  for (const path of got) expect(readFileSync(join(path, 'day'), 'utf8')).toBe('whole');
});

it('throws at once for all others if the first could not make it', async () => {
  const make = (): Promise<void> => Promise.reject(new Error('no port is free'));
  await expect(madeOnce(folder, make, MS_MAX)).rejects.toThrow('no port is free');
  const begun = performance.now();
  await expect(madeOnce(folder, make, MS_MAX)).rejects.toThrow(
    /another process could not make .*no port is free/,
  );
  expect(performance.now() - begun).toBeLessThan(MS_MAX / 2);
});

it('throws at once if nobody can make a folder there', async () => {
  const make = (empty: string): Promise<void> => Promise.reject(new Error(`made ${empty}`));
  const nowhere = join(folder, 'missing', 'deeper');
  await expect(madeOnce(nowhere, make, MS_MAX)).rejects.toThrow('ENOENT');
  expect(existsSync(nowhere)).toBe(false);
});
