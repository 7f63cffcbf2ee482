// Times steps 1 to 6 of the verifier, the proof that a package is whole and unaltered, beside
// `sha256sum` of the same records, by turns in one run. Compares its memory with that of a tenth of
// the package. Records of one event each, then of 150.
//   npm run bench:evidence -- [EVENTS]        1,000,000 by default; about four minutes
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spread } from '../measure.mjs';

const ROUNDS = 5;
const RECORDS = 'data/tables/0/events.ndjson';
const events = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'shoeprint-bench-evidence-'));

/** @type {(name: string, ...args: string[]) => string} */
const run = (name, ...args) =>
  execFileSync(process.execPath, [fileURLToPath(new URL(name, import.meta.url)), ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  }).trim();

/** @type {(count: number, lines: number) => { path: string, vkey: string }} */
function packageOf(count, lines) {
  const path = join(folder, `${count}-${lines}`);
  return { path, vkey: run('large-package.mjs', path, String(count), String(lines)) };
}

/** @type {(made: { path: string, vkey: string }) => { cpu: number, maxRSS: number }} */
function proof({ path, vkey }) {
  /** @type {{ early: unknown[], counts: { events: number }, cpu: number, maxRSS: number }} */
  const seen = JSON.parse(run('proof-once.mjs', path, vkey));
  const { early, counts, cpu, maxRSS } = seen;
  if (early.length > 0) throw new Error(`a fault in an intact package: ${JSON.stringify(early)}`);
  if (!(counts.events > 0)) throw new Error('nothing was verified');
  return { cpu, maxRSS };
}

/** The processor time of `sha256sum` over the records, in seconds. @param {string} path */
function sum(path) {
  const timed = 'TIMEFORMAT="%U %S"; time sha256sum "$1" > /dev/null';
  const said = execFileSync('bash', ['-c', `{ ${timed}; } 2>&1`, 'sum', join(path, RECORDS)], {
    encoding: 'utf8',
  });
  const [user = NaN, system = NaN] = said.trim().split(' ').map(Number);
  return user + system;
}

/** @type {(values: number[], digits?: number) => string} */
function shown(values, digits = 2) {
  const { median, min, max } = spread(values);
  return `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;
}

try {
  for (const lines of [1, 150]) {
    const whole = packageOf(events, lines);
    const tenth = packageOf(events / 10, lines);
    const rounds = Array.from({ length: ROUNDS }, () => {
      const sha256sum = sum(whole.path);
      return { sha256sum, ...proof(whole), small: proof(tenth).maxRSS };
    });
    const ratios = rounds.map(({ cpu, sha256sum }) => cpu / sha256sum);
    const memory = rounds.map(({ maxRSS, small }) => maxRSS / small);
    console.log(`\n${events} events, ${lines} a record`);
    console.log(`  sha256sum         ${shown(rounds.map((each) => each.sha256sum))} CPU s`);
    console.log(`  proof             ${shown(rounds.map(({ cpu }) => cpu))} CPU s`);
    console.log(`  ratio             ${shown(ratios)}`);
    console.log(
      `  peak memory       ${shown(
        rounds.map((each) => each.maxRSS / 1024),
        0,
      )} MB`,
    );
    console.log(`  of a tenth        × ${shown(memory)}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
