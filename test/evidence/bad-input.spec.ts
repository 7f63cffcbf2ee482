import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildVerifier } from '../../scripts/build-verifier.mjs';
import { hasPython } from './second-verifier.js';
import { zipOf } from './zip-files.js';

/** How many bad packages, and as many bad texts, the short and the long form make. */
const COUNT = process.env.SHOEPRINT_TEST_LONG === undefined ? 500 : 100_000;
const MOST_BYTES = 200 * 1024 * 1024;
const MOST_MS = 10_000;
const LONGEST_MS = 3_600_000;
const here = fileURLToPath(new URL('.', import.meta.url));
/** Beside the packages that the program imports. */
const folder = mkdtempSync(join(here, '../../node_modules/.bad-input-'));
const program = join(folder, 'bad-input.mjs');
/** The only folder that may be written to. */
const packages = join(folder, 'packages');
const verifier = join(folder, 'shoeprint-verify.mjs');
/** Lets a program write to one folder, or to none. */
const permitted = (...written: readonly string[]): readonly string[] => [
  '--disable-warning=ExperimentalWarning',
  process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission',
  '--allow-fs-read=*',
  ...written.map((path) => `--allow-fs-write=${path}`),
];

beforeAll(async () => {
  mkdirSync(join(packages, 'linked'), { recursive: true });
  symlinkSync(join('..', '..', 'x'), join(packages, 'linked', 'x'));
  await buildVerifier(verifier);
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
      const args = [...permitted(packages), program, packages, String(COUNT)];
      const { seen, crashes, slowest, peak } = outcome(process.execPath, args);
      expect(crashes).toEqual([]);
      expect(slowest).toBeLessThan(MOST_MS);
      expect(peak).toBeLessThan(MOST_BYTES);
      expect(seen).toMatchObject({ ALTERED: expect.any(Number), UNREADABLE: expect.any(Number) });
      expect(readdirSync(packages).toSorted()).toEqual(['linked', 'package', 'package.zip']);
    },
    LONGEST_MS,
  );

  test.each(['../x', '/x', 'all/../../x', 'C:/x', 'all\\..\\x', 'all/x'])(
    'named %s in a zip is not written by the program, which writes nothing',
    (name) => {
      const path = join(packages, 'outside.zip');
      const entry = { name, content: 'x' };
      writeFileSync(path, zipOf([name === 'all/x' ? { ...entry, mode: 0o120777 } : entry]));
      const before = readdirSync(folder, { recursive: true }).toSorted();
      const args = [...permitted(), verifier, path];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd: packages,
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({ status: 3, stderr: '' });
      expect(stdout).toMatch(/^UNREADABLE /);
      expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual(before);
      rmSync(path);
    },
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
