// Kills the gateway, the api and the auditor, and cuts the links between them, while a shoe is
// dealt, in many rounds (test/gateway/kill-rounds.spec.ts), and counts what came of it.
//   npm run faults:gateway [-- --rounds 200] [--first 1] [--seed 2026] [--report FILE]
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
    rounds: { type: 'string', default: '200' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string', default: '2026' },
    report: { type: 'string' },
  },
});
for (const name of /** @type {const} */ (['rounds', 'first', 'seed']))
  if (!/^[1-9]\d{0,6}$/.test(values[name])) {
    console.error(`--${name} must be a whole number from 1, not ${values[name]}`);
    process.exit(2);
  }

const dir = mkdtempSync(join(tmpdir(), 'shoeprint-gateway-rounds-'));
const report = values.report ?? join(dir, 'rounds.jsonl');
const env = {
  ...process.env,
  SHOEPRINT_GATEWAY_ROUNDS: values.rounds,
  SHOEPRINT_GATEWAY_FIRST: values.first,
  SHOEPRINT_GATEWAY_SEED: values.seed,
  SHOEPRINT_GATEWAY_REPORT: report,
};
const jest = [
  '--disable-warning=ExperimentalWarning',
  '--experimental-vm-modules',
  join(root, 'node_modules/jest/bin/jest.js'),
  '--runInBand',
  '--verbose',
  'test/gateway/kill-rounds',
];
const { status } = spawnSync(process.execPath, jest, { cwd: root, env, stdio: ['ignore', 2, 2] });

/**
 * A round as the test reports it.
 * @typedef {object} Round
 * @property {string} protocol
 * @property {readonly string[]} targets
 * @property {string} [failed]
 * @property {readonly string[]} [wrong]
 * @property {number} [copies]
 * @property {number} [cards]
 * @property {number} [missed]
 */
/** @type {Round[]} */
const rounds = existsSync(report)
  ? readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => /** @type {Round} */ (JSON.parse(line)))
  : [];
rmSync(dir, { recursive: true, force: true });

/** @type {(of: readonly Round[], field: 'copies' | 'cards' | 'missed') => number} */
const sum = (of, field) => of.reduce((total, round) => total + (round[field] ?? 0), 0);

const table = new Table({
  head: ['device', 'rounds', 'strikes', 'wrong', 'cards', 'not heard', 'sent again'],
  style: { head: [], border: [] },
});
for (const protocol of new Set(rounds.map((round) => round.protocol))) {
  const of = rounds.filter((round) => round.protocol === protocol);
  const strikes = of.reduce((total, { targets }) => total + targets.length, 0);
  const wrong = of.filter((round) => round.failed !== undefined || round.wrong?.length !== 0);
  const counts = /** @type {const} */ (['cards', 'missed', 'copies']).map((field) =>
    sum(of, field),
  );
  table.push([protocol, of.length, strikes, wrong.length, ...counts]);
}
console.log(table.toString());
process.exit(status ?? 1);
