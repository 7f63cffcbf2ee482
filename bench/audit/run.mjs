// Compares the whole path of `audit`, from the bytes of a file to findings with every check on,
// with the public package baccarat-engine fed from the same log by JSON.parse. Both run by turns in
// one process; the result is the median of the rounds' ratios. Counts what the lane takes, and
// compares a log full of faults with the lane and without it. Then measures two workers beside one
// program, and peak memory at one and ten times the length, in a fresh process each. `npm run
// bench:audit`; about six minutes.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedRules } from '#rule-folder';
import { spread } from '../measure.mjs';
import { auditor, baccaratEngine, decodeOnly, shoeprint } from './contestants.mjs';

const ROUNDS = 9;
const SHOES = 200;
const folder = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
const cli = fileURLToPath(new URL('../../apps/cli/bin/shoeprint.js', import.meta.url));

/**
 * Deals a log with the simulator, in its own process, so that what is timed here does not inherit
 * its heap.
 * @param {string} name
 * @param {number} shoes
 * @param {boolean} bets
 * @param {readonly string[]} options
 */
function log(name, shoes, bets, options = []) {
  const file = join(folder, `${name}.ndjson`);
  const asked = ['--shoes', String(shoes), '--seed', 'bench', ...(bets ? ['--bets'] : [])];
  execFileSync(process.execPath, [cli, 'simulate', ...asked, ...options, '--out', file]);
  return file;
}

/** @typedef {import('./contestants.mjs').Counted} Counted */
/** @typedef {Counted & { ms: number }} Timed */

/** @type {(values: import('../measure.mjs').Spread, digits?: number) => string} */
const shown = ({ median, min, max }, digits = 2) =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;

/** @type {(run: (file: string) => Counted, file: string) => Timed} */
function timed(run, file) {
  const from = performance.now();
  const result = run(file);
  return { ms: performance.now() - from, ...result };
}

/**
 * Prints how fast the contestants are, by turns.
 * @param {string} name
 * @param {string} file
 */
function compare(name, file) {
  for (const run of [baccaratEngine, decodeOnly]) run(file); // warm up
  const ours = [];
  const theirs = [];
  const ratios = [];
  const decoding = [];
  const explained = [];
  const counted = shoeprint(file);
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % 2 === 0 ? timed(shoeprint, file) : undefined;
    const b = timed(baccaratEngine, file);
    const a = first ?? timed(shoeprint, file);
    if (a.findings + b.findings > 0 || a.coups !== b.coups)
      throw new Error(`the two disagree: ${JSON.stringify([a, b])}`);
    ours.push(a.ms);
    ratios.push(b.ms / a.ms);
    theirs.push(b.ms);
    decoding.push(timed(decodeOnly, file).ms);
    explained.push(timed((each) => shoeprint(each, 'off'), file).ms / a.ms);
  }
  /** @type {(runs: number[], count: number) => import('../measure.mjs').Spread} */
  const rate = (runs, count) => spread(runs.map((ms) => count / ms / 1000));
  const { events, coups } = counted;
  console.log(
    `\n${name}: ${events} events, ${coups} coups, ${(statSync(file).size / 1e6).toFixed(0)} MB`,
  );
  console.log(
    `  shoeprint         ${shown(rate(ours, events))} M events/s, ${shown(rate(ours, coups), 3)} M coups/s`,
  );
  console.log(`  of it, decoding   ${shown(rate(decoding, events))} M events/s`);
  console.log(
    `  baccarat-engine   ${shown(rate(theirs, events))} M events/s, ${shown(rate(theirs, coups), 3)} M coups/s`,
  );
  console.log(`  ratio             ${shown(spread(ratios))}`);
  console.log(`  beside LANE=off   ${shown(spread(explained))}`);
}

/** The most that may be stepped through again of lawful play. */
const AGAIN_MAX = 0.03;
/** Its hands may choose to draw, so it is explained whole. */
const EXPLAINED_WHOLE = 'chemin-de-fer@1';

/** Prints how much of lawful play the lane takes under every rule document, and fails if it is less. */
function countLanes() {
  const installed = installedRules();
  console.log(
    '\nlawful play, with bets, as audit and as the auditor take it: share of the lane, and of what is stepped through again',
  );
  for (const rules of installed.keys()) {
    const file = log(`lawful-${rules}`, 20, true, ['--rules', rules]);
    const both = [shoeprint(file, 'on', installed), auditor(file, installed)];
    const shares = both.map(({ events, lane = 0, again = 0 }) => [lane / events, again / events]);
    const text = shares.map((each) =>
      each.map((share) => `${(share * 100).toFixed(1)} %`).join(', '),
    );
    console.log(`  ${rules.padEnd(22)} ${text.join('; ')}`);
    const isLane = rules !== EXPLAINED_WHOLE;
    const [one, other] = both;
    if (one?.findings !== 0 || other?.findings !== 0 || one.coups !== other.coups)
      throw new Error(`under ${rules}, the two disagree: ${JSON.stringify(both)}`);
    for (const [taken = 0, stepped = 0] of shares)
      if (stepped > AGAIN_MAX || taken > 0.98 !== isLane)
        throw new Error(`under ${rules}, lawful play is not for the lane alone`);
  }
}

const FAULTY_SHOES = 10;
/** The coups of a shoe in which a fault is injected: every second one. */
const FAULTY_COUPS = Array.from({ length: 25 }, (_, i) => 2 * i + 1);
const FAULTS = ['TC-05', 'PY-03', 'RS-02', 'PY-01', 'PY-02', 'CM-01'];

/** Compares a log with a fault in every second coup, with the lane and without it. */
function compareFaulty() {
  const faults = Array.from({ length: FAULTY_SHOES }, (_, shoe) =>
    FAULTY_COUPS.map((coup, i) => `${FAULTS[i % FAULTS.length]}@${shoe + 1}/${coup}`),
  ).flat();
  const file = log('faults', FAULTY_SHOES, true, ['--faults', faults.join(',')]);
  const [lane, off] = [shoeprint(file), shoeprint(file, 'off')];
  if (lane.findings !== off.findings || lane.findings < faults.length / 2)
    throw new Error(`the two disagree: ${JSON.stringify([lane, off])}`);
  const ratios = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % 2 === 0 ? timed((each) => shoeprint(each, 'off'), file) : undefined;
    const on = timed(shoeprint, file);
    ratios.push((first ?? timed((each) => shoeprint(each, 'off'), file)).ms / on.ms);
  }
  console.log(
    `\n${lane.findings} findings in ${lane.events} events: speed beside LANE=off ${shown(spread(ratios))}`,
  );
}

/** Compares `audit --workers 2` with `audit`, in processes of their own, by the clock. @param {string} file */
function compareWorkers(file) {
  /** @type {(options: readonly string[]) => { out: string, ms: number }} */
  const audited = (options) => {
    const from = performance.now();
    const out = execFileSync(process.execPath, [cli, 'audit', '--json', ...options, file], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    return { out, ms: performance.now() - from };
  };
  const ratios = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, two] = [audited([]), audited(['--workers', '2'])];
    if (one.out !== two.out) throw new Error('two workers print other bytes than one program');
    ratios.push(one.ms / two.ms);
  }
  console.log(`\ntwo workers, speed beside one: ${shown(spread(ratios))}; the same bytes`);
}

/** @type {(file: string) => number} */
function peak(file) {
  const out = execFileSync(
    process.execPath,
    [fileURLToPath(new URL('peak.mjs', import.meta.url)), file],
    { encoding: 'utf8' },
  );
  return Number(out) / 1024;
}

try {
  console.log(`node ${process.version}, ${ROUNDS} rounds`);
  const lean = log('cards', SHOES, false);
  const rich = log('bets', SHOES, true);
  const four = ['--tables', '4'];
  const mixed = log('mixed', SHOES / 4, true, four);
  countLanes();
  compare('cards, calls and outcomes', lean);
  compare('the same with bets, settlements and commission', rich);
  compare('four tables with bets, mixed', mixed);
  compareFaulty();
  compareWorkers(mixed);
  console.log('\npeak memory, at one and ten times the length:');
  for (const [name, file, tenfold] of [
    ['one table', lean, log('cards-10', SHOES * 10, false)],
    ['four tables with bets', mixed, log('mixed-10', SHOES * 2.5, true, four)],
  ]) {
    const [once, ten] = [peak(String(file)), peak(String(tenfold))];
    const [mb, more] = [file, tenfold].map((each) => statSync(String(each)).size / 1e6);
    console.log(
      `  ${name}: ${once.toFixed(0)} MB at ${mb?.toFixed(0)} MB of log, ${ten.toFixed(0)} MB at ${more?.toFixed(0)} MB (${(ten / once).toFixed(2)}x)`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
