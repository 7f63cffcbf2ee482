import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** Interval between checks that npm, which started the program, is still running. */
const LOOK_MS = 500;

/**
 * Runs a Node program in the foreground in its own process and resolves with its exit code. If a
 * signal killed it, the code is 128 plus the signal's number, as in a shell. The program shuts down
 * cleanly however its parent ends:
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
 * The processes that npm put above this one, read at load time: the parent, and its parent if npm
 * runs the script in a shell. npm passes SIGTERM to that shell alone, and a killed npm sends no
 * signal. Undefined without npm: a program may outlive the shell that started it.
 */
const npm = process.env.npm_command === undefined ? undefined : ancestors();

function ancestors(): { readonly parent: number; readonly grandparent: number | undefined } {
  const parent = process.ppid;
  const status = statusOf(parent);
  const isShell = status !== undefined && SHELL.test(status.name);
  return { parent, grandparent: isShell ? status.parent : undefined };
}

/**
 * Returns whether npm started this process and has ended since: the system assigns an orphan to
 * another parent.
 */
function isOrphaned(): boolean {
  if (npm === undefined) return false;
  if (process.ppid !== npm.parent) return true;
  return npm.grandparent !== undefined && statusOf(npm.parent)?.parent !== npm.grandparent;
}

/**
 * Returns the name of a process and its parent. Works on Linux only; on other systems npm's shell
 * replaces itself with the program that it runs.
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
