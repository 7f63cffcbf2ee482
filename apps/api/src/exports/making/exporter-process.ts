import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { EXPORTER_START, type ExporterWord, type ExportTask } from '#export';
import { packageFolder, within } from '#process';

/** The longest that a package may take. One of ten million records takes minutes. */
const MAKING_MS_MAX = 6 * 3_600_000;
/** How long a process may take to leave nothing behind after it was asked to end. */
const END_MS_MAX = 3_000;

/** How long the last message of a process that has ended may be on its way. */
const WORD_MS_MAX = 1_000;

/** How the process that makes a package ended: with its last word, or with none. */
export type MakingEnd = Exclude<ExporterWord, { readonly is: 'step' }> | { readonly is: 'died' };

/** A process that makes one package, below the priority of this one. */
export class ExporterProcess {
  private readonly child: ChildProcess;
  private word: MakingEnd = { is: 'died' };
  private readonly exited: Promise<unknown>;
  private readonly late: NodeJS.Timeout;

  /** Starts it. `hear` is called with each step. */
  constructor(task: ExportTask, hear: (step: Extract<ExporterWord, { is: 'step' }>) => void) {
    const main = join(packageFolder(), 'dist', 'apps', 'exporter', 'src', 'main.js');
    this.child = fork(main, [], {
      execArgv: [...EXPORTER_START.flags],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.child.on('message', (word: ExporterWord) => {
      if (word.is === 'step') hear(word);
      else this.word = word;
    });
    this.exited = new Promise((resolve) => {
      this.child.once('exit', resolve).once('error', resolve); // one that never started has no exit
    });
    if (this.child.pid !== undefined) lowerPriority(this.child.pid);
    this.child.send(task, () => undefined); // a child that has ended is seen by its end
    this.late = setTimeout(() => this.child.kill('SIGKILL'), MAKING_MS_MAX);
  }

  /** Resolves with how it ended. */
  async ended(): Promise<MakingEnd> {
    await this.exited;
    clearTimeout(this.late);
    // its last word may still be on the way
    if (this.child.connected)
      await within(WORD_MS_MAX, once(this.child, 'disconnect')).catch(() => undefined);
    return this.word;
  }

  /** Asks it to end and to leave no file, and kills it if that takes long. */
  async end(): Promise<void> {
    const killing = setTimeout(() => this.child.kill('SIGKILL'), END_MS_MAX);
    if (this.child.connected) this.child.disconnect();
    await this.ended();
    clearTimeout(killing);
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, EXPORTER_START.priority);
  } catch {
    // the system does not let this user, or the process has ended
  }
}
