// Lets two apis and two auditors over three brokers run for long while something fails at random
// every 20 seconds (test/faults/soak.spec.ts), and prints what became of it. Ends with code 1 if an
// event was lost, counted twice or judged wrongly, a partition was stopped, or something did not
// come back.
//   npm run soak [-- --minutes 60] [--seed 7]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
  },
});
for (const name of /** @type {const} */ (['minutes', 'seed']))
  if (!/^[1-9]\d{0,5}$/.test(values[name])) {
    console.error(`--${name} must be a whole number from 1, not ${values[name]}`);
    process.exit(2);
  }
console.log(`${values.minutes} minutes, seed ${values.seed}`);

const dir = mkdtempSync(join(tmpdir(), 'shoeprint-soak-report-'));
const report = join(dir, 'soak.jsonl');
const jest = [
  '--disable-warning=ExperimentalWarning',
  '--experimental-vm-modules',
  join(root, 'node_modules/jest/bin/jest.js'),
  '--runInBand',
  'test/faults/soak',
];
const { status } = spawnSync(process.execPath, jest, {
  cwd: root,
  env: {
    ...process.env,
    SHOEPRINT_SOAK_MINUTES: values.minutes,
    SHOEPRINT_SOAK_SEED: values.seed,
    SHOEPRINT_SOAK_REPORT: report,
    SHOEPRINT_FAULTS_LEASE_MS: '3000', // the default of the programs
  },
  stdio: ['ignore', 2, 2],
});

/**
 * Lines that the soak writes. Times are in milliseconds, from when a client of the tests' own was
 * served again by what had failed.
 * @typedef {{
 *   is: 'fault', scenario: string, minute: number,
 *   writesRecovery: number, rowsRecovery: number, readsRecovery: number, hung: number,
 * }} Fault
 * @typedef {{
 *   is: 'count', acknowledged: number, lost: number, twice: number, wrong: readonly string[],
 *   copies: number,
 * }} Count
 * @typedef {{
 *   is: 'failure', scenario: string, minute: number, message: string, stopped: number,
 * }} Failure
 * @typedef {{ is: 'memory', program: string, minute: number, mb: number }} Memory
 */

/** @type {(Fault | Count | Failure | Memory)[]} */
const lines = existsSync(report)
  ? readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
rmSync(dir, { recursive: true, force: true });
const faults = lines.flatMap((line) => (line.is === 'fault' ? [line] : []));
const counts = lines.flatMap((line) => (line.is === 'count' ? [line] : []));
const failures = lines.flatMap((line) => (line.is === 'failure' ? [line] : []));
const memory = lines.flatMap((line) => (line.is === 'memory' ? [line] : []));

const recovery = new Table({
  head: ['fault', 'times', 'recovery of writes', 'recovery of rows', 'recovery of reads'],
  style: { head: [], border: [] },
});
const scenarios = [...new Set(faults.map(({ scenario }) => scenario))].sort();
for (const scenario of [...scenarios, 'all']) {
  const these = faults.filter((fault) => scenario === 'all' || fault.scenario === scenario);
  recovery.push([
    scenario,
    these.length,
    times(these.map(({ writesRecovery }) => writesRecovery)),
    times(these.map(({ rowsRecovery }) => rowsRecovery)),
    times(these.map(({ readsRecovery }) => readsRecovery)),
  ]);
}
console.log(recovery.toString());
console.log('recovery: median / 90 % / longest, in seconds, from when a client of the tests was');
console.log('served again by what was away');

const resident = new Table({
  head: ['program', 'MB at first', 'most', 'at the end'],
  style: { head: [], border: [] },
});
for (const program of [...new Set(memory.map((line) => line.program))].sort()) {
  const mb = memory.filter((line) => line.program === program).map((line) => line.mb);
  resident.push([program, ...[mb[0], Math.max(...mb), mb.at(-1)].map((each) => each?.toFixed(0))]);
}
console.log(resident.toString());

for (const { scenario, minute, message } of failures)
  console.log(`did not come back at minute ${minute.toFixed(1)}, ${scenario}: ${message}`);
for (const { wrong } of counts) for (const each of wrong) console.log(`wrong: ${each}`);

/** @param {(count: Count) => number} of */
const sum = (of) => counts.reduce((total, count) => total + of(count), 0);
const result = {
  acknowledged: sum((count) => count.acknowledged),
  copies: sum((count) => count.copies),
  lost: sum((count) => count.lost),
  twice: sum((count) => count.twice),
  wrong: sum((count) => count.wrong.length),
  stopped: failures.reduce((total, { stopped }) => total + stopped, 0),
  'no answer within 15 s': faults.reduce((total, { hung }) => total + hung, 0),
  'did not come back': failures.length,
};
for (const [name, number] of Object.entries(result)) console.log(`${name}: ${number}`);
const { acknowledged, copies: _, ...bad } = result;
const isGood = status === 0 && acknowledged > 0 && Object.values(bad).every((n) => n === 0);
process.exit(isGood ? 0 : 1);

/**
 * Returns the median, 90 % and the longest, in seconds.
 * @param {readonly number[]} list
 */
function times(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const seconds = (/** @type {number} */ share) =>
    (Number(sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)]) / 1000).toFixed(2);
  return sorted.length === 0 ? '' : [0.5, 0.9, 1].map(seconds).join(' / ');
}
