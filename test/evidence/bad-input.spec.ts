import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasPython } from './second-verifier.js';

/** How many bad files the long and the short form make. */
const COUNT = process.env.SHOEPRINT_TEST_LONG === undefined ? 2_000 : 100_000;
const MOST_BYTES = 200 * 1024 * 1024;
const MOST_MS = 10_000;
const LONGEST_MS = 1_800_000;
const here = fileURLToPath(new URL('.', import.meta.url));
/** Beside the packages that the program imports. */
const folder = mkdtempSync(join(here, '../../node_modules/.bad-input-'));
const program = join(folder, 'bad-input.mjs');
beforeAll(async () => {
  await build({
    entryPoints: [join(here, 'bad-input.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    packages: 'external',
    logLevel: 'warning',
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program that reads bad input, and returns what it printed. */
function outcome(command: string, args: readonly string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: here,
    encoding: 'utf8',
    timeout: LONGEST_MS,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as Outcome;
}

interface Outcome {
  readonly seen: Readonly<Record<string, number>>;
  readonly crashes?: readonly string[];
  readonly slowest: number;
  readonly peak: number;
}

describe('bad input', () => {
  test(
    'is refused by every reader, soon and in little memory',
    () => {
      const { seen, crashes, slowest, peak } = outcome(process.execPath, [program, String(COUNT)]);
      expect(crashes).toEqual([]);
      expect(slowest).toBeLessThan(MOST_MS);
      expect(peak).toBeLessThan(MOST_BYTES);
      expect(seen).toMatchObject({ ALTERED: expect.any(Number), Unreadable: expect.any(Number) });
    },
    LONGEST_MS,
  );

  (hasPython ? test : test.skip)(
    'gets a verdict of verify.py, soon and in little memory',
    () => {
      const { seen, slowest, peak } = outcome('python3', [
        '-W',
        'ignore',
        'bad_input.py',
        String(COUNT / 4),
      ]);
      expect(slowest * 1_000).toBeLessThan(MOST_MS);
      expect(peak).toBeLessThan(MOST_BYTES);
      expect(seen).toMatchObject({ ALTERED: expect.any(Number), UNREADABLE: expect.any(Number) });
    },
    LONGEST_MS,
  );
});
