// Child processes of a measurement, their processor time, and the machine's load.
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';

const TICK_MS = 10;

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @import { BulkOrder, BulkSent } from './bulk-sender.mjs' */
/** @import { LiveOrder, LiveSent } from './live-sender.mjs' */
/** @import { Observed } from './observer.mjs' */
/** @import { Found, ReadersOrder } from './followers.mjs' */
/** @import { SlicesFound } from './slices.mjs' */
/** @import { SignInsOrder } from './sign-ins.mjs' */
/** @import { NaiveDone, NaiveOrder } from './naive.mjs' */
/** @import { RebuildDone, RebuildOrder } from './rebuilding.mjs' */

/**
 * The programs of this folder: what each is given at its start, and what it answers when it is
 * asked. `rebuilding.mjs`, `naive.mjs` and `slices.mjs` answer with their first message.
 * @typedef {object} Programs
 * @property {{ given: BulkOrder, answer: BulkSent }} bulk-sender
 * @property {{ given: LiveOrder, answer: LiveSent }} live-sender
 * @property {{ given: { databaseUrl: string }, answer: Observed }} observer
 * @property {{ given: ReadersOrder, answer: Found }} followers
 * @property {{ given: ReadersOrder, answer: Found }} exports
 * @property {{ given: SignInsOrder, answer: Found }} sign-ins
 * @property {{ given: { databaseUrl: string }, answer: SlicesFound }} slices
 * @property {{ given: NaiveOrder, answer: NaiveDone }} naive
 * @property {{ given: RebuildOrder, answer: RebuildDone }} rebuilding
 */

/**
 * A running program of this folder, and its first message.
 * @template {keyof Programs} Name
 * @typedef {{ name: Name, child: ChildProcess, first: unknown }} Program
 */

/**
 * Returns the next message of a child. Rejects if it exits first.
 * @param {ChildProcess} child
 * @returns {Promise<unknown>}
 */
const heard = (child) =>
  new Promise((resolve, reject) => {
    const ended = (/** @type {number | null} */ code) =>
      reject(new Error(`${child.spawnargs.at(-1)} ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });

/**
 * Starts a program of this folder, passes it `given`, and waits for its first message.
 * @template {keyof Programs} Name
 * @param {Name} name
 * @param {Programs[Name]['given']} given
 * @returns {Promise<Program<Name>>}
 */
export async function started(name, given) {
  const child = fork(fileURLToPath(new URL(`${name}.mjs`, import.meta.url)), [], {
    serialization: 'advanced',
  });
  child.send(given);
  return { name, child, first: await heard(child) };
}

/**
 * Asks a program for its answer.
 * @template {keyof Programs} Name
 * @param {Program<Name>} program
 */
export async function asked({ child }) {
  const answer = heard(child);
  child.send('go');
  return /** @type {Programs[Name]['answer']} */ (await answer);
}

/**
 * Runs a program that answers with its first message.
 * @template {'naive' | 'rebuilding' | 'slices'} Name
 * @param {Name} name
 * @param {Programs[Name]['given']} given
 */
export async function ran(name, given) {
  const program = await started(name, given);
  letGo(program);
  return /** @type {Programs[Name]['answer']} */ (program.first);
}

/** @type {(pid: number | string) => { parent: number, own: number, ended: number } | undefined} */
function stat(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /, '')
      .split(' ');
    return {
      parent: Number(fields[1]),
      own: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      ended: (Number(fields[13]) + Number(fields[14])) * TICK_MS,
    };
  } catch {
    return undefined;
  }
}

/**
 * Returns the processor time in ms of a process without its children, NaN once it is gone. Reads
 * one file, where `cpuMs` reads one of each process of the machine.
 * @param {number} pid
 */
export const ownCpuMs = (pid) => stat(pid)?.own ?? NaN;

/**
 * Returns the processor time in ms of a process, of its children, and of those of them that exited.
 * @param {number} pid
 */
export function cpuMs(pid) {
  let sum = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const each = stat(name);
    if (!each) continue;
    if (Number(name) === pid) sum += each.own + each.ended;
    else if (each.parent === pid) sum += each.own;
  }
  return sum;
}

/**
 * Starts counting the processor time of `pids`. Returns a function that returns how much was used
 * since.
 * @param {Readonly<Record<string, number>>} pids
 */
export function cpuFrom(pids) {
  const before = Object.entries(pids).map(([name, pid]) => ({ name, pid, ms: cpuMs(pid) }));
  return () => Object.fromEntries(before.map(({ name, pid, ms }) => [name, cpuMs(pid) - ms]));
}

/**
 * Returns the memory of a process in MB of 1,024 KiB: now, or at most so far.
 * @type {(pid: number | undefined, field: 'VmRSS' | 'VmHWM') => number}
 */
export const megabytes = (pid, field) =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) /
  1024;

/** Returns the busy and total processor time of the machine so far, in ms. */
function machineMs() {
  const [total = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
  const ticks = total.split(/\s+/).slice(1, 9).map(Number);
  const sumOf = (/** @type {number[]} */ each) => each.reduce((sum, n) => sum + n, 0) * TICK_MS;
  return { busy: sumOf(ticks) - sumOf(ticks.slice(3, 5)), all: sumOf(ticks) }; // idle and iowait
}

/**
 * Returns how much of the machine other processes used since this call, in percent: the busy time
 * without `ours`, in ms. A figure measured beside others is lower than the machine's own.
 */
export function othersFrom() {
  const before = machineMs();
  return (/** @type {number} */ ours) => {
    const now = machineMs();
    return Math.max(
      0,
      Math.round((100 * (now.busy - before.busy - ours)) / (now.all - before.all)),
    );
  };
}

/**
 * Returns the process id of the program whose command line contains a text.
 * @param {string} text
 */
export const pidOf = (text) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    });

export const load = () => loadavg().map((each) => each.toFixed(1))[0];

/**
 * Lets a program exit. It may already have exited by itself.
 * @param {{ child: ChildProcess }} program
 */
export function letGo({ child }) {
  if (child.connected) child.disconnect();
}
