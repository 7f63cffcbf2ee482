import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** How often a program that npm started looks whether npm is still there. */
const LOOK_MS = 500;

/**
 * Runs a Node program in the foreground, in a process of its own, and resolves with its exit code;
 * one that was killed leaves 128 and the signal's number, as in a shell. The program ends in order
 * however its parent ends:
 * - Ctrl-C reaches both processes, so this one only waits. SIGTERM and SIGHUP are passed on.
 * - If this process is killed, the channel between them closes, and the program receives
 *   `disconnect`.
 * - If npm started this process and is killed, the program receives SIGTERM.
 */
export async function runChild(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const child = spawn(process.execPath, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  const wait = (): void => undefined;
  // The handlers stay until this process ends: a late signal must not change the exit code.
  process.on('SIGTERM', pass).on('SIGHUP', pass).on('SIGINT', wait);
  const looking = setInterval(() => {
    if (!isOrphaned()) return;
    clearInterval(looking);
    child.kill('SIGTERM');
  }, LOOK_MS).unref();
  return new Promise((resolve, reject) => {
    child
      .once('error', reject)
      .once('exit', (code, signal) =>
        resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]),
      );
  });
}

const SHELL = /^(sh|dash|ash|bash|zsh)$/;

/**
 * Those that npm put above this process when it was loaded: the parent, and the parent's parent
 * where npm runs the script in a shell. npm passes SIGTERM to that shell alone, and a killed npm
 * tells nobody. Without npm there is nobody to follow: a program may outlive the shell that started
 * it.
 */
const npm = process.env.npm_command === undefined ? undefined : ancestors();

function ancestors(): { readonly parent: number; readonly grandparent: number | undefined } {
  const parent = process.ppid;
  const status = statusOf(parent);
  const isShell = status !== undefined && SHELL.test(status.name);
  return { parent, grandparent: isShell ? status.parent : undefined };
}

/**
 * Whether npm started this process and has ended since: the system gives an orphan another parent.
 */
function isOrphaned(): boolean {
  if (npm === undefined) return false;
  if (process.ppid !== npm.parent) return true;
  return npm.grandparent !== undefined && statusOf(npm.parent)?.parent !== npm.grandparent;
}

/**
 * The name of a process and its parent. Only Linux says; elsewhere the shell of npm makes way for
 * the program that it runs.
 */
function statusOf(pid: number): { readonly name: string; readonly parent: number } | undefined {
  try {
    const [, name = '', parent] =
      /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
