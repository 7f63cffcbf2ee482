// `npm run lanes:faults [-- part of a rule]`: plants each fault of planted-faults.mjs in a copy of
// the lane, and looks whether the tests that compare the lane with the explaining path find it.
// Exits 1 with the names of those that they do not find. Minutes; it uses one processor.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLANTED_FAULTS } from './planted-faults.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['apps', 'libs', 'test', 'rules', 'examples', 'scripts', 'docs'];
const FILES = ['package.json', 'jest.config.mjs'];
/** The tests, the quick ones first. A fault that the first find is not searched for by the others. */
const TESTS = ['lane-edges', 'lanes', 'lanes.properties'];
const TEST_MS_MAX = 600_000;
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

const asked = process.argv[2] ?? '';
const faults = PLANTED_FAULTS.filter(({ rule }) => rule.includes(asked));
if (faults.length === 0) {
  process.stderr.write(`no fault is about ${JSON.stringify(asked)}\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'shoeprint-lane-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const name of [...COPIED, ...FILES])
  cpSync(join(root, name), join(folder, name), { recursive: true });
for (const name of ['node_modules', 'dist']) symlinkSync(join(root, name), join(folder, name));

/**
 * Returns how a test ended: `failed` if a test did, `broken` if it could not run.
 * @param {string} test
 * @returns {'passed' | 'failed' | 'broken'}
 */
function ended(test) {
  const { stderr } = spawnSync(
    process.execPath,
    [
      ...['--disable-warning=ExperimentalWarning', '--experimental-vm-modules'],
      ...[join(root, 'node_modules/jest/bin/jest.js'), '--runInBand', '--silent'],
      ...['--runTestsByPath', `test/audit/${test}.spec.ts`],
    ],
    {
      cwd: folder,
      env: { ...process.env, SHOEPRINT_TEST_QUICK: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES_MAX,
      timeout: TEST_MS_MAX,
    },
  );
  // jest makes no report in JSON of an error that refers to itself, as `LanesDiffer` does
  const [, counts] = /^Tests: +(.*)$/m.exec(stderr) ?? [];
  if (counts === undefined || stderr.includes('Test suite failed to run')) return 'broken';
  return counts.includes('failed') ? 'failed' : 'passed';
}

for (const test of TESTS)
  if (ended(test) !== 'passed') throw new Error(`${test} does not pass without any fault`);

let missed = 0;
for (const { file, text, planted, rule } of faults) {
  const path = join(folder, 'libs/audit/src/lane', file);
  const source = readFileSync(path, 'utf8');
  const parts = source.split(text);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${text}`);
  writeFileSync(path, parts.join(planted));
  let found;
  for (const test of TESTS) {
    const end = ended(test);
    if (end === 'broken') throw new Error(`${test} cannot run with: ${rule}`);
    if (end === 'failed') {
      found = test;
      break;
    }
  }
  writeFileSync(path, source);
  if (found === undefined) missed += 1;
  process.stdout.write(`${found === undefined ? 'MISSED' : `found by ${found}`}: ${rule}\n`);
}
process.stdout.write(`${faults.length - missed} of ${faults.length} faults found\n`);
process.exit(missed > 0 ? 1 : 0);
