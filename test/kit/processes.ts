import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EmbeddedCluster } from '../../apps/standalone/src/postgres/embedded-cluster.js';
import { serverEnvironment } from './answers.js';
import { eventually } from './eventually.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const START_MS_MAX = 60_000;
const CLOCK = pathToFileURL(join(root, 'test/setup/stepped-clock.mjs')).href;

/** One of the built programs and its settings. */
export interface Program {
  readonly name: string;
  /** Its main file under `dist`. */
  readonly main: string;
  readonly env: Readonly<Record<string, string>>;
  /** The address that answers 200 once the program runs. */
  readonly livez: string;
  /** Whether `setClock` can set its clock. */
  readonly hasOwnClock?: boolean;
}

/**
 * A test's own processes in their own folder. `close` stops all of them and removes the folder. If
 * this process dies, a warden at the other end of a pipe does the same.
 */
export class Processes {
  private readonly warden: ChildProcess;
  private readonly started: (() => Promise<void>)[] = [];

  private constructor(readonly dir: string) {
    this.warden = spawn(process.execPath, [join(root, 'scripts/kafka/warden.mjs'), dir], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    this.warden.stdin?.on('error', () => undefined); // the warden has exited
    this.warden.unref();
    (this.warden.stdin as unknown as { unref(): void }).unref();
  }

  static async open(): Promise<Processes> {
    return new Processes(await mkdtemp(join(tmpdir(), 'shoeprint-faults-')));
  }

  /** Starts a program and resolves once it answers. */
  async run(program: Program): Promise<Running> {
    const running = new Running(program, join(this.dir, `${program.name}.log`), (line) =>
      this.report(line),
    );
    this.started.push(() => running.end('SIGKILL'));
    await running.start();
    return running;
  }

  /** Starts a PostgreSQL with fsync on, on a port that stays the same. */
  async postgres(): Promise<PostgresProcess> {
    const postgres = new PostgresProcess(join(this.dir, 'postgres'), await freePort(), (line) =>
      this.report(line),
    );
    this.started.push(() => postgres.kill());
    await postgres.start();
    return postgres;
  }

  /** Stops everything at once and removes the folder. */
  async close(): Promise<void> {
    await Promise.all(this.started.map((end) => end()));
    const gone = new Promise((resolve) => this.warden.once('exit', resolve));
    this.warden.ref();
    this.warden.stdin?.end();
    await gone;
  }

  private report(line: string): void {
    if (this.warden.stdin?.writable) this.warden.stdin.write(`${line}\n`);
  }
}

/** A program that runs, was stopped, or runs again. Its output goes to a file. */
export class Running {
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private isAsked = false;
  private pauses = 0;
  private paused = false;
  private fate: string | undefined;

  constructor(
    private readonly program: Program,
    private readonly file: string,
    private readonly report: (line: string) => void,
  ) {}

  get name(): string {
    return this.program.name;
  }

  get isRunning(): boolean {
    return this.child !== undefined;
  }

  /** Returns its process id. Throws if it does not run. */
  get pid(): number {
    return this.running().pid as number;
  }

  /** Returns how often it was paused so far. */
  get pauseCount(): number {
    return this.pauses;
  }

  get isPaused(): boolean {
    return this.paused;
  }

  /** Returns the address that answers 200 while the program runs. */
  get livez(): string {
    return this.program.livez;
  }

  /** Returns the address that answers 200 while the program is ready. */
  get readyz(): string {
    return new URL('readyz', this.program.livez).href;
  }

  /** Returns how it ended if nobody asked for it, or undefined. */
  get endedByItself(): string | undefined {
    return this.fate;
  }

  /**
   * Starts it (again) with the same settings and resolves once it has started and answers. Rejects
   * with its last output if it exits instead.
   */
  async start(): Promise<void> {
    if (this.child) throw new Error(`${this.name} is running`);
    const log = openSync(this.file, 'a');
    const child = spawn(
      process.execPath,
      ['--enable-source-maps', join(root, 'dist', this.program.main)],
      {
        cwd: root,
        env: this.environment(),
        stdio: ['ignore', log, log],
        detached: true,
      },
    );
    closeSync(log);
    const pid = child.pid as number;
    this.child = child;
    this.isAsked = false;
    this.paused = false;
    this.fate = undefined;
    this.report(`+${pid}`);
    this.ended = new Promise<void>((resolve) =>
      child.once('exit', (code, signal) => {
        if (!this.isAsked) this.fate = `${this.name} ended by itself: ${signal ?? code}`;
        resolve();
      }),
    ).then(() => {
      this.report(`-${pid}`);
      this.child = undefined;
    });
    await eventually(
      `${this.name} answers`,
      async () => {
        if (this.child !== child) return 'ended';
        if (!(await fetch(this.program.livez)).ok || (await this.isStarting())) return undefined;
        return 'answers';
      },
      START_MS_MAX,
    ).then((seen) => {
      if (seen === 'ended') throw new Error(`${this.name} ended at its start: ${this.lastWords()}`);
    });
  }

  /** Returns whether it is alive and still starts. */
  private async isStarting(): Promise<boolean> {
    const said = await (await fetch(this.readyz)).text();
    return said.includes('the server is starting') || said.includes('"waitsFor"');
  }

  /** Sets its clock to so many milliseconds after the true time, or before it. */
  setClock(offsetMs: number): void {
    if (!this.program.hasOwnClock) throw new Error(`${this.name} has no clock of its own`);
    writeFileSync(this.clockFile, String(offsetMs));
    this.running().kill('SIGUSR2');
  }

  /** Sends a signal that pauses or resumes it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.paused = signal === 'SIGSTOP';
    if (this.paused) this.pauses += 1;
    this.running().kill(signal);
  }

  /** Sends a signal that stops it, and resolves once it has exited, at once if it does not run. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.isAsked = true;
    this.child?.kill(signal);
    await this.ended;
  }

  /** Returns its last lines of output, without the list of routes. */
  lastWords(): string {
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .filter((line) => !/RouterExplorer|RoutesResolver|InstanceLoader/.test(line))
      .slice(-15)
      .join('\n');
  }

  private get clockFile(): string {
    return `${this.file}.clock`;
  }

  private environment(): NodeJS.ProcessEnv {
    const { env, hasOwnClock } = this.program;
    const all = serverEnvironment(env);
    if (!hasOwnClock) return all;
    const options = `${all.NODE_OPTIONS ?? ''} --import=${CLOCK}`;
    return { ...all, NODE_OPTIONS: options, TEST_CLOCK: this.clockFile };
  }

  private running(): ChildProcess {
    if (!this.child) throw new Error(`${this.name} does not run: ${this.lastWords()}`);
    return this.child;
  }
}

/** A test's own PostgreSQL server, which it may kill. */
export class PostgresProcess {
  private readonly cluster: EmbeddedCluster;
  private pid: number | undefined;

  constructor(
    private readonly dir: string,
    port: number,
    private readonly report: (line: string) => void,
  ) {
    this.cluster = new EmbeddedCluster({ dir, database: 'shoeprint', port });
  }

  get url(): string {
    return this.cluster.url;
  }

  /** Starts it (again) on its port and its data, and resolves once it answers. */
  async start(): Promise<void> {
    await this.cluster.start();
    this.pid = Number(
      readFileSync(join(this.dir, 'pgdata', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
    this.report(`+${this.pid}`);
  }

  /**
   * Kills it as a crash does: without a checkpoint or a goodbye. The processes of its sessions exit
   * by themselves.
   */
  async kill(): Promise<void> {
    if (this.pid === undefined) return;
    process.kill(this.pid, 'SIGKILL');
    this.forget();
  }

  /**
   * Stops it as an administrator does: cuts sessions off, rolls open transactions back, writes a
   * checkpoint.
   */
  async stop(): Promise<void> {
    await this.cluster.stop();
    this.forget();
  }

  /**
   * Pauses or resumes it with the processes of its sessions: it accepts connections and answers
   * nothing.
   */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.pid === undefined) throw new Error('PostgreSQL does not run');
    process.kill(this.pid, signal); // first, so that it starts no further process
    for (const pid of childrenOf(this.pid))
      try {
        process.kill(pid, signal);
      } catch {
        // already exited
      }
  }

  private forget(): void {
    this.report(`-${this.pid}`);
    this.pid = undefined;
  }
}

/** Returns the processes that a process started. */
const childrenOf = (parent: number): number[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
    .filter(([, ppid]) => ppid === parent)
    .map(([pid]) => pid);

/**
 * Returns a free port on the loopback, below those of outgoing connections, so that it is still
 * free when its owner restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
