// Measures reviews: `npm run bench:review [-- part...]`.
// Parts: commands, take-next, reads, fold (or of it compare, rulings, desk, memory). Without a
// part, all run, one after another. Each is a program of its own that is ended when its time is up.
// Options: --log standalone|postgres|kafka
//   --findings n (how many are ruled on beside nothing, taken or read)
//   --rate n --seconds n (live play) --rounds n --before revision (fold)
//   --profile folder (for .cpuprofile files)
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { logNamed } from '../server/stack.mjs';
import { FOLD, LIMITS_S, OPTIONS } from './options.mjs';

/** How long the programs of a part may take to end once they are asked to. */
const ENDING_MS_MAX = 20_000;

/** @typedef {keyof typeof LIMITS_S} Part */
/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
logNamed(values.log);
const all = /** @type {Part[]} */ (Object.keys(LIMITS_S));
const asked = positionals.flatMap((name) =>
  name === 'fold' ? FOLD : [/** @type {Part} */ (name)],
);
const unknown = asked.find((name) => !all.includes(name));
if (unknown !== undefined) throw new Error(`"${unknown}" is not one of ${all.join(', ')}, fold`);
const options = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);

/**
 * Sends a signal to a process, or to a group if `pid` is negative, unless it has ended.
 * @type {(pid: number, name: NodeJS.Signals) => void}
 */
function send(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/**
 * Sends a signal to a program and to those that it started.
 * @type {(child: ChildProcess, name: NodeJS.Signals) => void}
 */
const signal = ({ pid }, name) => send(-(pid ?? NaN), name);

/**
 * Stops the PostgreSQL servers whose data lies below a folder. They are in no group of ours.
 * @param {string} dir
 */
function stopDatabases(dir) {
  for (const name of readdirSync(dir)) {
    const pgdata = join(dir, name, 'pgdata');
    const file = join(pgdata, 'postmaster.pid');
    if (!existsSync(file)) continue;
    const [pid, data] = readFileSync(file, 'utf8').split('\n');
    // a file that is being written, or was copied with another folder's data, is not believed
    if (Number(pid) > 1 && data && existsSync(data) && realpathSync(data) === realpathSync(pgdata))
      send(Number(pid), 'SIGQUIT');
  }
}

/**
 * Runs a part with a folder of its own, of which nothing is left. Ends it when its time is up.
 * Resolves with the problem, if there is one.
 * @param {Part} part
 */
async function run(part) {
  const dir = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
  chmodSync(dir, 0o711); // PostgreSQL may run as another user
  const limitS = LIMITS_S[part];
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('part.mjs', import.meta.url)), ...options, part, dir, String(limitS)],
    {
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, TMPDIR: dir },
    },
  );
  const stop = () => signal(child, 'SIGTERM');
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, stop);
  /** @type {Promise<number | NodeJS.Signals>} */
  const ended = new Promise((resolve) =>
    child.once('exit', (code, by) => resolve(code ?? by ?? 1)),
  );
  const late = new AbortController();
  const inTime = await Promise.race([
    ended,
    pause(limitS * 1000, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
  stop();
  await Promise.race([ended, pause(ENDING_MS_MAX, undefined, { ref: false })]);
  signal(child, 'SIGKILL');
  stopDatabases(dir);
  for (const name of ['SIGINT', 'SIGTERM']) process.off(name, stop);
  rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  spawnSync('git', ['worktree', 'prune'], { cwd: fileURLToPath(new URL('.', import.meta.url)) });
  if (inTime === undefined) return `not done after ${limitS} s`;
  return inTime === 0 ? undefined : `failed (${inTime})`;
}

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupted.abort());
for (const part of asked.length > 0 ? asked : all) {
  if (interrupted.signal.aborted) break;
  const problem = await run(part);
  if (problem === undefined) continue;
  console.log(`${part} | ${problem}: ended`);
  process.exitCode = 1;
}
