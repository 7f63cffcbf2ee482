import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** What became of a process. A zombie has ended, and nobody has reaped it yet. */
export type ProcessState = 'alive' | 'zombie' | 'gone';

/**
 * Returns what became of a process. `kill(pid, 0)` also succeeds for a zombie, so on Linux this
 * reads its state.
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
 * Whether a process works in this folder, as each process of PostgreSQL does in its data. Only
 * Linux says.
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
 * Asks every `everyMs` until the answer is not undefined. Returns undefined if there is none within
 * `ms`.
 */
export async function poll<T>(
  ms: number,
  everyMs: number,
  ask: () => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  for (const until = performance.now() + ms; performance.now() < until; await pause(everyMs)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
  return undefined;
}
