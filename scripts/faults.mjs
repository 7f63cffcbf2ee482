// Kills, stops and disconnects everything that Shoeprint depends on, many times under load, and
// counts lost and wrong events afterwards (test/faults).
//   npm run faults [-- --rounds 20] [--only "auditor"] [--lease-ms 3000] [--backlog 10000000]
//     [--partitions 4] [--large] [--report FILE]
// With --large, all scenarios are played behind 250,000 events.
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
    backlog: { type: 'string', default: '10000000' },
    partitions: { type: 'string', default: '4' },
    large: { type: 'boolean', default: false },
    report: { type: 'string' },
  },
});
for (const name of /** @type {const} */ (['rounds', 'partitions']))
  if (!/^[1-9]\d{0,3}$/.test(values[name])) {
    console.error(`--${name} must be a whole number from 1, not ${values[name]}`);
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
  SHOEPRINT_FAULTS_BACKLOG: values.backlog,
  SHOEPRINT_FAULTS_PARTITIONS: values.partitions,
};
if (values.large) env.SHOEPRINT_FAULTS_LARGE = '1';
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
 * What was counted in a round. Times are in milliseconds: from the fault, and, for a recovery, from
 * when a client of the tests' own was served again. People's rounds have no recovery.
 * @typedef {object} Counted
 * @property {number} acknowledged
 * @property {number} lost
 * @property {number} twice
 * @property {number} copies
 * @property {readonly unknown[]} wrong
 * @property {number} acknowledgedAfter
 * @property {number} visibleAfter
 * @property {number} allVisibleAfter
 * @property {number} [hung] requests without any answer within 15 seconds
 * @property {number} [writesRecovery]
 * @property {number} [rowsRecovery]
 * @property {number} [readsRecovery]
 */
/**
 * A line of the report that test/faults writes: one round of one scenario, counted or `failed`.
 * @typedef {{ scenario: string, stopped: number, failed?: string } & Partial<Counted>} Round
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
const head = [
  'what was done under load',
  'rounds',
  'failed',
  'acknowledged',
  'lost',
  'twice',
  'wrong',
  'stopped',
  'no answer',
  'copies in the log',
  'taken again after',
  'in the rows after',
  'of every partition after',
  'recovery of writes',
  'recovery of rows',
  'recovery of reads',
];
const table = new Table({
  head,
  style: { head: [], border: [] },
  colAligns: head.map((_, at) => (at === 0 ? 'left' : 'right')),
});
for (const [scenario, played] of grouped(rounds)) {
  const counted = played.flatMap((round) => (round.failed === undefined ? [round] : []));
  /** @param {(round: Round) => number | undefined} of */
  const sum = (of) =>
    played.reduce((total, round) => total + (of(round) ?? 0), 0).toLocaleString('en');
  /** @param {(round: Round) => number | undefined} of */
  const all = (of) => counted.flatMap((round) => of(round) ?? []);
  table.push([
    scenario,
    played.length,
    played.length - counted.length,
    sum((round) => round.acknowledged),
    sum((round) => round.lost),
    sum((round) => round.twice),
    sum((round) => round.wrong?.length),
    sum((round) => round.stopped),
    sum((round) => round.hung),
    sum((round) => round.copies),
    times(
      all((round) => round.acknowledgedAfter),
      [0.5, 1],
    ),
    times(
      all((round) => round.visibleAfter),
      [0.5, 1],
    ),
    times(
      all((round) => round.allVisibleAfter),
      [0.5, 1],
    ),
    times(all((round) => round.writesRecovery)),
    times(all((round) => round.rowsRecovery)),
    times(all((round) => round.readsRecovery)),
  ]);
}
console.log(table.toString());
console.log(
  'times: median / longest, in seconds, from the moment of the fault; recovery: median / 90 % / longest, from when a client of the tests was served again by what was away; copies in the log are allowed, each is admitted once',
);
for (const { scenario, failed } of rounds)
  if (failed !== undefined) console.log(`failed: ${scenario}: ${failed.split('\n')[0]}`);
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
 * Returns shares of a list of times in seconds: by default the median, 90 % and the longest.
 * @param {readonly number[]} list
 */
function times(list, shares = [0.5, 0.9, 1]) {
  const sorted = [...list].sort((a, b) => a - b);
  const seconds = (/** @type {number} */ share) =>
    (Number(sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)]) / 1000).toFixed(2);
  return sorted.length === 0 ? '' : shares.map(seconds).join(' / ');
}
