// Makes packages in a process of their own, as the api does.
import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXPORTER_START } from '#export';
import { megabytes, ownCpuMs } from '../server/children.mjs';
import { DAYS } from './sealed-server.mjs';

/** The longest that a package may take to be made. */
const MADE_MS_MAX = 30 * 60_000;
const LOOK_MS = 250;

const EXPORTER = fileURLToPath(new URL('../../dist/apps/exporter/src/main.js', import.meta.url));

/**
 * The table whose package is made, and the server that has it. Its files are made in `folder`.
 * @typedef {object} SealedTable
 * @property {string} table
 * @property {string} databaseUrl
 * @property {number} partitions
 * @property {string} folder
 * @property {Readonly<Record<'exports', import('#seal-store').KeyFile>>} keyFiles
 */

/**
 * Makes the package of a whole table, as the api lets it be made. Returns the processor time of the
 * process in seconds, how long it took, its memory at most in MB, and the size of the package.
 * @param {SealedTable} sealed
 * @param {string} file
 */
export async function made({ table, databaseUrl, partitions, folder, keyFiles }, file) {
  /** @type {import('#export').ExportTask} */
  const task = {
    asked: { scope: { kind: 'table', table }, since: [], formats: [], asItIs: false },
    log: { kind: 'postgres', url: databaseUrl, partitions },
    databaseUrl,
    rules: [],
    gamingDays: DAYS,
    key: keyFiles.exports,
    ...{ file, work: join(folder, 'work') },
  };
  const began = performance.now();
  const child = fork(EXPORTER, [], { execArgv: [...EXPORTER_START.flags] });
  setPriority(child.pid ?? 0, EXPORTER_START.priority);
  const late = setTimeout(() => child.kill('SIGKILL'), MADE_MS_MAX);
  const seen = { cpu: NaN, peak: NaN };
  // it ends with its last word, so it is looked at before, and with each word
  const look = () => {
    if (child.exitCode !== null) return;
    const pid = child.pid ?? 0;
    const now = { cpu: ownCpuMs(pid) / 1_000, peak: megabytes(pid, 'VmHWM') };
    if (now.peak > 0) Object.assign(seen, now);
  };
  const looking = setInterval(look, LOOK_MS);
  /** @type {import('#export').ExporterWord | undefined} */
  let last;
  child.on('message', (/** @type {import('#export').ExporterWord} */ word) => {
    last = word;
    look();
  });
  child.send(task);
  await new Promise((resolve) => child.once('close', resolve)).finally(() => {
    clearInterval(looking);
    clearTimeout(late);
  });
  if (last?.is !== 'made') throw new Error(`no package was made: ${JSON.stringify(last)}`);
  return { ...seen, ms: performance.now() - began, size: last.made.size };
}
