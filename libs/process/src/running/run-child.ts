import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** Interval between checks that npm, which started the program, is still running. */
const LOOK_MS = 500;

/** How a child process ended. */
export interface Ended {
  /** The exit code. If a signal killed it, 128 plus the signal's number, as in a shell. */
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  /** For how long it had been ready (`reportReady`), in milliseconds. Undefined: it never was. */
  readonly readyMs: number | undefined;
}

/** What a program sends to the process that started it. Other process managers know it, too. */
const READY = 'ready';

/** Reports to the process that started this one, if that waits for it, that this one is ready. */
export function reportReady(): void {
  if (process.connected) process.send?.(READY, undefined, undefined, () => undefined);
}

/**
 * Runs Node programs in the foreground, one at a time, each in its own process. A program shuts
 * down cleanly however its parent ends:
 * - Ctrl-C reaches both processes, so this one only waits. SIGTERM and SIGHUP are passed on.
 * - If this process is killed, the channel between them closes, and the program receives
 *   `disconnect`.
 * - If npm started this process and is killed, the program receives SIGTERM.
 */
export class Foreground {
  private child: ChildProcess | undefined;
  private readonly asked = new AbortController();

  constructor() {
    const pass = (signal: NodeJS.Signals): void => this.stop(signal);
    // The handlers stay until this process ends: a late signal must not change the exit code.
    process
      .on('SIGTERM', pass)
      .on('SIGHUP', pass)
      .on('SIGINT', () => this.asked.abort());
    const looking = setInterval(() => {
      if (!isOrphaned()) return;
      clearInterval(looking);
      this.stop('SIGTERM');
    }, LOOK_MS).unref();
  }

  /** Is aborted once this process was asked to stop. */
  get stopping(): AbortSignal {
    return this.asked.signal;
  }

  /** Runs a program and resolves with how it ended. */
  run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const child = spawn(process.execPath, args, {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env,
    });
    this.child = child;
    let readyAt: number | undefined;
    child.on('message', (message) => {
      if (message === READY) readyAt = performance.now();
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject).once('exit', (code, signal) =>
        resolve({
          code: signal === null ? (code ?? 1) : 128 + constants.signals[signal],
          signal,
          readyMs: readyAt === undefined ? undefined : performance.now() - readyAt,
        }),
      );
    });
  }

  private stop(signal: NodeJS.Signals): void {
    this.asked.abort();
    this.child?.kill(signal);
  }
}

/** Runs a Node program in the foreground and resolves with its exit code. See `Foreground`. */
export async function runChild(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  return (await new Foreground().run(args, env)).code;
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
