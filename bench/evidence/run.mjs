// Times steps 1 to 6 of the verifier, the proof that a package is whole and unaltered, beside
// `sha256sum` of the same records, and the whole verifier beside that proof and `shoeprint audit`,
// by turns in one run. All three read a folder. The whole verifier reads the package as a zip too.
// Compares the memory with that of a tenth of the package. Records of one event each, then of 150:
// a package of one table, then that of a gaming day of 60.
//   npm run bench:evidence -- [EVENTS [TABLES]]
// 1,000,000 events by default. About six minutes for each number of tables.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shown } from '../measure.mjs';

const ROUNDS = 3;
const RECORDS = 'data/tables/*/events.ndjson';
const events = Number(process.argv[2] ?? 1_000_000);
const tablesAsked = process.argv[3] === undefined ? [1, 60] : [Number(process.argv[3])];
const folder = mkdtempSync(join(tmpdir(), 'shoeprint-bench-evidence-'));

/** @type {(name: string, ...args: string[]) => string} */
const run = (name, ...args) =>
  execFileSync(process.execPath, [fileURLToPath(new URL(name, import.meta.url)), ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  }).trim();

/** @type {(count: number, lines: number, tables: number) => { path: string, vkey: string }} */
function packageOf(count, lines, tables) {
  const path = join(folder, `${count}-${lines}-${tables}`);
  return { path, vkey: run('large-package.mjs', path, ...[count, lines, tables].map(String)) };
}

/** @type {(made: { path: string, vkey: string }) => { path: string, vkey: string }} */
const zipOf = ({ path, vkey }) => ({ path: `${path}.zip`, vkey });

/** @type {(made: { path: string, vkey: string }, how?: string) => { cpu: number, maxRSS: number }} */
function verified({ path, vkey }, how = 'proof') {
  /** @type {{ early: unknown[], counts: { events: number }, cpu: number, maxRSS: number }} */
  const seen = JSON.parse(run('proof-once.mjs', path, vkey, how));
  const { early, counts, cpu, maxRSS } = seen;
  if (early.length > 0) throw new Error(`a fault in an intact package: ${JSON.stringify(early)}`);
  if (!(counts.events > 0)) throw new Error('nothing was verified');
  return { cpu, maxRSS };
}

/** The processor time of a command over the records, in seconds. @type {(command: string, path: string) => number} */
function timed(command, path) {
  const line = `TIMEFORMAT="%U %S"; time ${command} "$1"/${RECORDS} > /dev/null`;
  const said = execFileSync('bash', ['-c', `{ ${line}; } 2>&1`, command, path], {
    encoding: 'utf8',
  });
  const [user = NaN, system = NaN] = said.trim().split(' ').map(Number);
  return user + system;
}

const AUDIT = `'${process.execPath}' '${fileURLToPath(new URL('../../apps/cli/bin/shoeprint.js', import.meta.url))}' audit`;

/**
 * @typedef {{ cpu: number, maxRSS: number }} Run
 * @typedef {{
 *   sha256sum: number, proof: Run, audit: number, verify: Run, zip: Run, small: Run,
 * }} Round
 */

/** What is shown of the rounds. @type {Record<string, (round: Round) => number>} */
const ROWS = {
  'sha256sum, CPU s': ({ sha256sum }) => sha256sum,
  'proof, CPU s': ({ proof }) => proof.cpu,
  'proof / sha256sum': ({ proof, sha256sum }) => proof.cpu / sha256sum,
  'audit, CPU s': ({ audit }) => audit,
  'verify, CPU s': ({ verify }) => verify.cpu,
  'verify / (proof + audit)': ({ verify, proof, audit }) => verify.cpu / (proof.cpu + audit),
  'verify of the zip, CPU s': ({ zip }) => zip.cpu,
  'verify of the zip / (proof + audit)': ({ zip, proof, audit }) => zip.cpu / (proof.cpu + audit),
  'peak memory of proof, MB': ({ proof }) => proof.maxRSS / 1024,
  'peak memory of verify, MB': ({ verify }) => verify.maxRSS / 1024,
  'peak memory with the zip, MB': ({ zip }) => zip.maxRSS / 1024,
  'memory with the zip / that of a tenth': ({ zip, small }) => zip.maxRSS / small.maxRSS,
};

try {
  const asked = tablesAsked.flatMap((tables) => [1, 150].map((lines) => ({ tables, lines })));
  for (const { tables, lines } of asked) {
    const whole = packageOf(events, lines, tables);
    const tenth = packageOf(events / 10, lines, tables);
    const rounds = Array.from({ length: ROUNDS }, () => ({
      sha256sum: timed('sha256sum', whole.path),
      proof: verified(whole),
      audit: timed(AUDIT, whole.path),
      verify: verified(whole, 'whole'),
      zip: verified(zipOf(whole), 'whole'),
      small: verified(zipOf(tenth), 'whole'),
    }));
    console.log(`\n${events} events, ${lines} a record, ${tables} tables`);
    for (const [name, value] of Object.entries(ROWS))
      console.log(`  ${name.padEnd(40)}${shown(rounds.map(value))}`);
    for (const { path } of [whole, tenth]) rmSync(path, { recursive: true });
    for (const { path } of [whole, tenth].map(zipOf)) rmSync(path);
  }
} finally {
  rmSync(folder, { recursive: true });
}
