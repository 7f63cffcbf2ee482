// Gives random and changed packages to the command of the one-file verifier and to verify.py
// (test/evidence/bad-verify.ts), and prints how each kind was refused. Fails if any run crashed,
// printed a stack or took over 10 s, if changed evidence was called intact, or if the two differ.
//   npm run bad:packages [-- --count 100000] [--seed 1]
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { buildVerifier } from './build-verifier.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * How often packages of a kind ended with each exit code, and how many of them were intact.
 * @typedef {{ exits: Readonly<Record<string, number>>, unchanged: number }} Row
 */

/**
 * What came of all packages.
 * @typedef {object} Outcome
 * @property {Readonly<Record<string, Row>>} rows By kind.
 * @property {number} complaints
 * @property {readonly string[]} list The first complaints.
 * @property {number} processes How many were also given to a process of its own.
 * @property {number} python How many verify.py judged.
 * @property {number} slowest In milliseconds.
 */

/**
 * Gives so many packages to both verifiers. The same seed makes the same packages.
 * @param {{ count: number, seed: number }} asked
 * @returns {Promise<Outcome>}
 */
export async function giveBadPackages({ count, seed }) {
  // beside the packages that the program imports
  const folder = mkdtempSync(join(root, 'node_modules/.bad-packages-'));
  try {
    const [program, verifier] = [join(folder, 'bad-verify.mjs'), join(folder, 'verifier.mjs')];
    const packages = join(folder, 'packages');
    mkdirSync(join(packages, 'linked'), { recursive: true });
    symlinkSync(join('..', '..', 'x'), join(packages, 'linked', 'x'));
    await buildVerifier(verifier);
    await build({
      absWorkingDir: root,
      entryPoints: ['test/evidence/bad-verify.ts'],
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      conditions: ['source'],
      packages: 'external',
      logLevel: 'warning',
    });
    /** @type {Outcome} */
    const outcome = JSON.parse(
      await printedBy([program, packages, verifier, String(count), String(seed)]),
    );
    return outcome;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Runs the program and returns what it printed.
 * @param {readonly string[]} args
 * @returns {Promise<string>}
 */
function printedBy(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (said += String(text)));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(said) : reject(new Error(`it ended with ${code}`)),
    );
  });
}

/** @param {Outcome} outcome */
function print({ rows, complaints, list, processes, python, slowest }) {
  const words = ['INTACT (0)', 'ALTERED (1)', 'INCOMPLETE (2)', 'UNREADABLE (3)'];
  const table = new Table({ head: ['packages', ...words], style: { head: [], border: [] } });
  const kinds = Object.entries(rows).toSorted(([a], [b]) => (a < b ? -1 : 1));
  /** @type {(exits: Readonly<Record<string, number>>) => number[]} */
  const counted = (exits) => words.map((_, exit) => exits[exit] ?? 0);
  for (const [kind, { exits }] of kinds) table.push([kind, ...counted(exits)]);
  const all = words.map((_, exit) =>
    kinds.reduce((sum, [, { exits }]) => sum + (exits[exit] ?? 0), 0),
  );
  table.push(['all', ...all]);
  console.log(table.toString());
  console.log(
    `${processes} of them in a process of its own too, ${python} judged by verify.py, ` +
      `the slowest took ${Math.ceil(slowest)} ms, ${complaints} complaints`,
  );
  for (const complaint of list) console.log(complaint);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
    },
  });
  for (const name of /** @type {const} */ (['count', 'seed']))
    if (!/^[1-9]\d{0,8}$/.test(values[name])) {
      console.error(`--${name} must be a whole number from 1, not ${values[name]}`);
      process.exit(2);
    }
  const outcome = await giveBadPackages({
    count: Number(values.count),
    seed: Number(values.seed),
  });
  print(outcome);
  process.exitCode = outcome.complaints === 0 ? 0 : 1;
}
