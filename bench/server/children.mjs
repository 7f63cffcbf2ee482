// Child processes of a measurement, their processor time, and the machine's load.
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';

const TICK_MS = 10;

/** Returns the next message of a child. Rejects if it exits first. */
export const heard = (child) =>
  new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`${child.spawnargs.at(-1)} ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });

/**
 * Starts a file of this folder as a process, passes it `given`, and resolves with its first
 * message.
 */
export async function started(file, given) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    serialization: 'advanced',
  });
  child.send(given);
  return { child, first: await heard(child) };
}

/** Sends a request to a child and resolves with its next message. */
export function asked(child, what) {
  const answer = heard(child);
  child.send(what);
  return answer;
}

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
 * Returns the processor time in ms of a process, of its children, and of those of them that exited.
 */
export function cpuMs(pid) {
  let sum = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const each = stat(name);
    if (Number(name) === pid) sum += (each?.own ?? 0) + (each?.ended ?? 0);
    else if (each?.parent === pid) sum += each.own;
  }
  return sum;
}

/**
 * Starts counting the processor time of `pids`. Returns a function that returns how much was used
 * since.
 */
export function cpuFrom(pids) {
  const before = Object.entries(pids).map(([name, pid]) => [name, pid, cpuMs(pid)]);
  return () => Object.fromEntries(before.map(([name, pid, ms]) => [name, cpuMs(pid) - ms]));
}

/** Returns the busy and total processor time of the machine so far, in ms. */
function machineMs() {
  const [user, nice, system, idle, iowait, ...rest] = readFileSync('/proc/stat', 'latin1')
    .split('\n')[0]
    .split(/\s+/)
    .slice(1, 9)
    .map((ticks) => Number(ticks) * TICK_MS);
  const busy = user + nice + system + rest.reduce((sum, each) => sum + each, 0);
  return { busy, all: busy + idle + iowait };
}

/**
 * Returns how much of the machine other processes used since this call, in percent: the busy time
 * without `ours`, in ms. A figure measured beside others is lower than the machine's own.
 */
export function othersFrom() {
  const before = machineMs();
  return (ours) => {
    const now = machineMs();
    return Math.max(
      0,
      Math.round((100 * (now.busy - before.busy - ours)) / (now.all - before.all)),
    );
  };
}

/** Returns the processor time of this process so far, in ms. */
export const ownMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;

/** Returns the process id of the program whose command line contains a text. */
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

export const load = () => loadavg()[0].toFixed(1);
export const clock = () => Number(process.hrtime.bigint()) / 1e6;

export function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return { min: sorted[0], median: sorted[sorted.length >> 1], max: sorted.at(-1) };
}

/** Lets a child exit. It may already have exited by itself. */
export const letGo = (child) => child.connected && child.disconnect();
