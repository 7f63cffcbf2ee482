// Kills, stops and disconnects everything that Shoeprint depends on, many times under load, and
// counts lost and wrong events afterwards (test/faults).
//   npm run faults [-- --rounds 20] [--only "auditor"] [--lease-ms 3000] [--report FILE]
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
    rounds: { type: 'string', default: '20' },
    only: { type: 'string' },
    'lease-ms': { type: 'string', default: '3000' },
    report: { type: 'string' },
  },
});
if (!/^[1-9]\d{0,3}$/.test(values.rounds)) {
  console.error(`--rounds must be a whole number from 1, not ${values.rounds}`);
  process.exit(2);
}

const dir = mkdtempSync(join(tmpdir(), 'shoeprint-faults-report-'));
const report = values.report ?? join(dir, 'rounds.jsonl');
/** @type {NodeJS.ProcessEnv} */
const env = {
  ...process.env,
  SHOEPRINT_FAULTS_ROUNDS: values.rounds,
  SHOEPRINT_FAULTS_REPORT: report,
  SHOEPRINT_FAULTS_LEASE_MS: values['lease-ms'],
};
if (values.only !== undefined) env.SHOEPRINT_FAULTS_ONLY = values.only;
const jest = [
  '--disable-warning=ExperimentalWarning',
  '--experimental-vm-modules',
  join(root, 'node_modules/jest/bin/jest.js'),
  '--runInBand',
  '--verbose',
  'test/faults',
];
const { status } = spawnSync(process.execPath, jest, { cwd: root, env, stdio: ['ignore', 2, 2] });

/**
 * A line of the report that test/faults writes: one round of one scenario. Times are in
 * milliseconds.
 * @typedef {object} Round
 * @property {string} scenario
 * @property {number} acknowledged
 * @property {number} lost
 * @property {number} twice
 * @property {number} copies
 * @property {readonly unknown[]} wrong
 * @property {number} acknowledgedAfter
 * @property {number} visibleAfter
 * @property {number} allVisibleAfter
 */

/** @type {Round[]} */
const rounds = existsSync(report)
  ? readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => /** @type {Round} */ (JSON.parse(line)))
  : [];
rmSync(dir, { recursive: true, force: true });
if (rounds.length === 0) {
  console.error(
    values.only === undefined
      ? 'no round was played'
      : `no scenario has a name that contains ${JSON.stringify(values.only)}`,
  );
  process.exit(status || 2);
}
const table = new Table({
  head: [
    'what was done under load',
    'rounds',
    'acknowledged',
    'lost',
    'twice',
    'wrong',
    'copies in the log',
    'taken again after',
    'in the rows after',
    'of every partition after',
  ],
  style: { head: [], border: [] },
  colAligns: ['left', ...Array.from({ length: 9 }, () => /** @type {const} */ ('right'))],
});
for (const [scenario, played] of grouped(rounds)) {
  /** @param {(round: Round) => number} of */
  const sum = (of) => played.reduce((total, round) => total + of(round), 0).toLocaleString('en');
  table.push([
    scenario,
    played.length,
    sum((round) => round.acknowledged),
    sum((round) => round.lost),
    sum((round) => round.twice),
    sum((round) => round.wrong.length),
    sum((round) => round.copies),
    times(played.map((round) => round.acknowledgedAfter)),
    times(played.map((round) => round.visibleAfter)),
    times(played.map((round) => round.allVisibleAfter)),
  ]);
}
console.log(table.toString());
console.log(
  'times: median / longest, in seconds, from the moment of the fault; copies in the log are allowed, each is admitted once',
);
process.exit(status ?? 1);

/** @param {readonly Round[]} all */
function grouped(all) {
  /** @type {Map<string, Round[]>} */
  const groups = new Map();
  for (const round of all)
    groups.set(round.scenario, [...(groups.get(round.scenario) ?? []), round]);
  return groups;
}

/**
 * Returns the median and the longest, in seconds.
 * @param {readonly number[]} list
 */
function times(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const seconds = (/** @type {number} */ at) => (Number(sorted[at]) / 1000).toFixed(2);
  return `${seconds(Math.floor((sorted.length - 1) / 2))} / ${seconds(sorted.length - 1)}`;
}
