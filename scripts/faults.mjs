// Kills, stops and refuses everything that Shoeprint needs, many times under load, and counts afterwards (test/faults).
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

const rounds = existsSync(report)
  ? readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
rmSync(dir, { recursive: true, force: true });
if (rounds.length === 0) {
  console.error(
    values.only === undefined
      ? 'no round was played'
      : `no scenario was played whose name holds ${JSON.stringify(values.only)}`,
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
  colAligns: ['left', ...Array(9).fill('right')],
});
for (const [scenario, played] of grouped(rounds)) {
  const sum = (of) => played.reduce((total, round) => total + of(round), 0).toLocaleString('en');
  table.push([
    scenario,
    played.length,
    sum((round) => round.acknowledged),
    sum((round) => round.lost),
    sum((round) => round.twice),
    sum((round) => round.wrong.length),
    sum((round) => round.copies),
    ...['acknowledgedAfter', 'visibleAfter', 'allVisibleAfter'].map((name) =>
      times(played.map((round) => round[name])),
    ),
  ]);
}
console.log(table.toString());
console.log(
  'times: median / longest, in seconds, from the moment of the stroke; copies in the log are allowed, each is admitted once',
);
process.exit(status ?? 1);

function grouped(all) {
  const groups = new Map();
  for (const round of all)
    groups.set(round.scenario, [...(groups.get(round.scenario) ?? []), round]);
  return groups;
}

function times(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return `${(sorted[Math.floor((sorted.length - 1) / 2)] / 1000).toFixed(2)} / ${(sorted.at(-1) / 1000).toFixed(2)}`;
}
