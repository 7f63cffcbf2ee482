// What reviews cost the fold: against the version before them, by turns; how many rulings it takes
// in a second; how large a full desk is and how long it loads; and the memory of `audit`.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, statSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  blockOf,
  Decoder,
  fold,
  houseFrom,
  loadTable,
  newTable,
  saveTable,
  simulate,
} from '#audit';
import { installedRules, rulesNamed } from '#rule-folder';
import { spread } from '../measure.mjs';
import { load } from '../server/children.mjs';
import { rulingsOn } from './rulings.mjs';

/** How long each program that is measured, and the build of the version before, may take. */
const TURN_MS_MAX = 60_000;
const BUILD_MS_MAX = 240_000;
const SHOES = 120;
/** About as many coups as a shoe has. */
const COUPS_A_SHOE = 81;
const here = fileURLToPath(new URL('../..', import.meta.url));
const book = installedRules();
const rules = rulesNamed(book, 'punto-banco@1');
const [policy] = [...book.policies.values()];
if (!policy) throw new Error('no review policy is installed');

/** @type {(values: readonly number[], digits?: number) => string} */
const shown = (values, digits = 2) => {
  const { min, median, max } = spread(values);
  return `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;
};

/**
 * Writes lines to a file.
 * @param {string} file
 * @param {Iterable<string>} lines
 */
function write(file, lines) {
  const fd = openSync(file, 'w');
  /** @type {string[]} */
  let piece = [];
  for (const line of lines) {
    piece.push(line, '\n');
    if (piece.length < 8000) continue;
    writeSync(fd, piece.join(''));
    piece = [];
  }
  writeSync(fd, piece.join(''));
  closeSync(fd);
  return file;
}

/** @type {(round: number, rounds: number, until: number) => boolean} */
const isDue = (round, rounds, until) => round < rounds && (round < 2 || performance.now() < until);

/** One fault in every hundredth coup: in a coup of four of five shoes. */
const everyHundredth = () =>
  Array.from({ length: SHOES }, (_, n) => n + 1)
    .filter(
      (shoe) =>
        Math.floor((shoe * COUPS_A_SHOE) / 100) > Math.floor(((shoe - 1) * COUPS_A_SHOE) / 100),
    )
    .map((shoe) => `RS-01@${shoe}/${((shoe * 17) % 55) + 1}`);

/**
 * Builds a revision in a folder of its own.
 * @param {string} dir
 * @param {string} revision
 */
function built(dir, revision) {
  const root = join(dir, 'before');
  const quiet = {
    stdio: /** @type {import('node:child_process').StdioOptions} */ (['ignore', 'ignore', 'pipe']),
  };
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', root, revision], {
    cwd: here,
    ...quiet,
  });
  symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'));
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    timeout: BUILD_MS_MAX,
    ...quiet,
  });
  return {
    root,
    end: () => execFileSync('git', ['worktree', 'remove', '--force', root], { cwd: here }),
  };
}

/** @type {(root: string, file: string) => { ms: number, findings: number }} */
const turn = (root, file) =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [fileURLToPath(new URL('fold-turn.mjs', import.meta.url)), root, file],
      { encoding: 'utf8', timeout: TURN_MS_MAX },
    ),
  );

/**
 * Compares this build with the one before reviews, by turns. Begins no turn after `until`, on the
 * monotonic clock, but two of each log.
 * @param {string} dir for files
 * @param {{ revision: string, rounds: number, until: number }} asked
 */
export function compare(dir, { revision, rounds, until }) {
  const before = built(dir, revision);
  try {
    const from = performance.now();
    for (const [name, faults, aim, share] of /** @type {const} */ ([
      ['no faults', [], 1.03, 0.5],
      ['a fault in every hundredth coup', everyHundredth(), 1.05, 1],
    ])) {
      const end = from + (until - from) * share;
      const { lines } = simulate({ rules, seed: 'bench', shoes: SHOES, bets: true, faults });
      const file = write(join(dir, 'log.ndjson'), lines);
      const ratios = [];
      const times = [];
      let found = 0;
      for (let round = 0; isDue(round, rounds, end); round += 1) {
        const first = round % 2 === 0 ? turn(here, file) : undefined;
        const old = turn(before.root, file);
        const now = first ?? turn(here, file);
        found = now.findings;
        ratios.push(now.ms / old.ms);
        times.push(now.ms);
      }
      const { median } = spread(ratios);
      console.log(
        `fold | ${name} | ${SHOES} shoes, ${(statSync(file).size / 1e6).toFixed(0)} MB, ${found} findings | ${shown(times, 0)} ms of processor | ${shown(ratios)} times the version before reviews, ${ratios.length} rounds | aim ${aim}: ${median <= aim ? 'reached' : 'not reached'} | load ${load()}`,
      );
    }
  } finally {
    before.end();
  }
}

/**
 * Prints how many findings are ruled on in a second: claimed, proposed and signed, from the lines.
 * @param {number} rounds
 * @param {number} until begins no round after it, on the monotonic clock, but two of each kind
 */
export function rulings(rounds, until) {
  for (const [name, isWithin] of /** @type {const} */ ([
    ['of the open shoe', true],
    ['of shoes out of reach', false],
  ])) {
    const perSecond = [];
    let acts = 0;
    for (let round = 0; isDue(round, rounds + 1, until); round += 1) {
      const { states, lines } = rulingsOn({ book, rules, tables: 20, faults: 50, isWithin });
      const decoder = new Decoder(houseFrom(book));
      const blocks = lines.map(({ table, text }) => ({ table, bytes: Buffer.from(text) }));
      const from = process.cpuUsage();
      for (const [n, { table, bytes }] of blocks.entries()) {
        const block = blockOf(bytes, bytes.toString('latin1'));
        const state = /** @type {import('#audit').TableState} */ (states.get(table));
        fold(state, { decoder, block, from: 0, to: bytes.length }, book, {
          mark: n,
          received: null,
        });
      }
      const { user, system } = process.cpuUsage(from);
      const ruled = [...states.values()].flatMap(({ desk }) => [...desk.items.values()]);
      acts = ruled.filter(({ state }) => state === 'ruled').length;
      if (acts * 3 !== lines.length) throw new Error(`${acts} of ${lines.length / 3} are ruled`);
      if (round > 0) perSecond.push(acts / ((user + system) / 1e6)); // the first warms up
    }
    const { median } = spread(perSecond);
    console.log(
      `rulings | ${name} | ${acts} findings claimed, proposed and signed, from the lines | ${shown(perSecond, 0)} a second of processor, ${perSecond.length} rounds | aim 3000: ${median >= 3000 ? 'reached' : 'not reached'} | load ${load()}`,
    );
  }
}

/**
 * Prints the size of a full desk, and how long it loads.
 * @param {number} rounds
 * @param {number} until begins no round after it, on the monotonic clock, but two
 */
export function desk(rounds, until) {
  const { states, lines } = rulingsOn({
    book,
    rules,
    tables: 1,
    faults: 55,
    isWithin: false,
    shoes: 75,
  });
  const decoder = new Decoder(houseFrom(book));
  for (const { table, text } of lines) {
    const bytes = Buffer.from(text);
    const state = /** @type {import('#audit').TableState} */ (states.get(table));
    fold(state, { decoder, block: blockOf(bytes, text), from: 0, to: bytes.length }, book);
  }
  const [state] = states.values();
  if (!state) throw new Error('no table');
  const full = saveTable(state);
  const empty = saveTable({ ...state, desk: { ...newTable('x').desk } });
  const [saving, loading, without] = [[], [], []].map(() => /** @type {number[]} */ ([]));
  for (let round = 0; isDue(round, rounds, until); round += 1) {
    for (const [text, times] of /** @type {const} */ ([
      [full, loading],
      [empty, without],
    ])) {
      const from = process.cpuUsage();
      loadTable(text, book);
      times?.push(process.cpuUsage(from).user / 1000);
    }
    const from = process.cpuUsage();
    saveTable(state);
    saving?.push(process.cpuUsage(from).user / 1000);
  }
  const own = (full.length - empty.length) / 1e6;
  const ms = (loading ?? []).map((each, n) => each - (without?.[n] ?? NaN));
  const { items, acts } = state.desk;
  console.log(
    `desk | ${items.size} items, ${acts.size} acts | ${own.toFixed(2)} MB of a state of ${(full.length / 1e6).toFixed(2)} MB, aim 4: ${own <= 4 ? 'reached' : 'not reached'} | saves in ${shown(saving ?? [], 0)} ms, loads in ${shown(loading ?? [], 0)} ms, ${shown(ms, 0)} more than the same table without its desk, aim 50: ${spread(ms).median <= 50 ? 'reached' : 'not reached'} | load ${load()}`,
  );
}

/**
 * Returns the peak memory of `audit` over a file, in MB. It exits with a failure if it finds
 * anything, which does not matter here.
 * @param {string} file
 */
function peak(file) {
  const program = fileURLToPath(new URL('../audit/peak.mjs', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [program, file], {
    encoding: 'utf8',
    timeout: TURN_MS_MAX,
  });
  const kib = Number(stdout);
  if (!(kib > 0)) throw new Error(`audit of ${file} failed: ${stderr}`);
  return kib / 1024;
}

/**
 * Prints the peak memory of `audit` over a log with reviews and over one with ten times the acts.
 * @param {string} dir
 */
export function memory(dir) {
  const asked = { book, rules, tables: 1, faults: 50, isWithin: true, shoes: 20 };
  const sizes = [1, 10].map((times) => {
    const { whole, lines } = rulingsOn({ ...asked, comments: times === 1 ? 0 : 27 });
    const file = write(join(dir, `reviews-${times}.ndjson`), whole);
    return {
      acts: lines.length,
      mb: statSync(file).size / 1e6,
      peak: spread([1, 2, 3].map(() => peak(file))).median,
    };
  });
  const [one, ten] = sizes;
  if (!one || !ten) return;
  const ratio = ten.peak / one.peak;
  console.log(
    `memory | ${one.peak.toFixed(0)} MB with ${one.acts} acts (${one.mb.toFixed(0)} MB), ${ten.peak.toFixed(0)} MB with ${ten.acts} (${ten.mb.toFixed(0)} MB): ${ratio.toFixed(2)} times, median of 3 each | aim 1.05: ${ratio <= 1.05 ? 'reached' : 'not reached'}`,
  );
}
