import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** State of a process. A zombie has ended but was not reaped. */
export type ProcessState = 'alive' | 'zombie' | 'gone';

/**
 * Returns the state of a process. `kill(pid, 0)` also succeeds for a zombie, so on Linux this reads
 * the state from /proc.
 */
export function processState(pid: number): ProcessState {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) ? 'zombie' : 'alive';
  } catch {
    return process.platform === 'linux' ? 'gone' : 'alive';
  }
}

/**
 * Returns whether a process has this working folder, as each process of PostgreSQL has its data.
 * Works on Linux only; false on other systems.
 */
export function isWorkedIn(folder: string): boolean {
  if (process.platform !== 'linux') return false;
  const path = realpathSync(folder);
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && workingFolderOf(name) === path);
}

function workingFolderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/**
 * Calls `ask` every `everyMs` until it returns a value. Returns undefined if it returns none within
 * `ms`.
 */
export async function poll<T>(
  ms: number,
  everyMs: number,
  ask: () => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  for (const until = performance.now() + ms; performance.now() < until;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(everyMs);
  }
  return undefined;
}
