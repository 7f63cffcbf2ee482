import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { serverEnvironment } from '../kit/answers.js';
import { eventually } from '../kit/eventually.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The time in which a loaded machine creates a database and starts a whole server. */
export const START_MS = 120_000;

const SHOEPRINT = join(root, 'apps/cli/bin/shoeprint.js');

/** A long-running command in a process of its own. */
export class Started {
  said = '';
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;

  private constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (piece: string) => (this.said += piece));
    this.ended = new Promise((resolve) =>
      child.on('close', (code, signal) => resolve(code ?? signal)),
    );
    all.add(this);
    void this.ended.then(() => all.delete(this));
  }

  /** Starts `shoeprint` with these arguments and only the environment `env`. */
  static shoeprint(args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
    return Started.program([process.execPath, SHOEPRINT, ...args], env);
  }

  /** Starts `shoeprint` on a terminal of its own. */
  static onTerminal(args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
    const words = [process.execPath, SHOEPRINT, ...args].map((word) => `'${word}'`);
    return Started.onTerminalOf(words.join(' '), env);
  }

  /** Starts any command with only the environment `env`. */
  static program([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
    return new Started(
      spawn(file, args, {
        cwd: root,
        env: serverEnvironment(env),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  /**
   * Starts a shell command line on a terminal of its own, made by script(1). What is written to it
   * is typed.
   */
  static onTerminalOf(line: string, env: NodeJS.ProcessEnv = {}): Started {
    return new Started(
      spawn('script', ['-qefc', `exec ${line}`, '/dev/null'], {
        cwd: root,
        env: serverEnvironment({ TERM: 'xterm', ...env }),
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    );
  }

  /** Returns what matches in its output, once it appears. Throws if the command ends before. */
  async saying(pattern: RegExp): Promise<RegExpExecArray> {
    let ended = false;
    void this.ended.then(() => (ended = true));
    const found = await eventually(
      String(pattern),
      () => pattern.exec(this.said) ?? (ended ? 'ended' : undefined),
      START_MS,
    );
    if (found === 'ended') throw new Error(`it ended without ${pattern}: ${this.said}`);
    return found;
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals | null> {
    this.child.kill(signal);
    return this.ended;
  }

  /** The process id of the program that the command runs. */
  get programPid(): number {
    const [pid] = childrenOf(this.child.pid as number);
    if (pid === undefined) throw new Error(`it runs no program: ${this.said}`);
    return pid;
  }
}

const all = new Set<Started>();

/** Ends what a test left running, in order, so that what has a database stops it. */
export async function endAll(): Promise<void> {
  await Promise.all([...all].map((started) => started.stop()));
}

/** Returns the process ids of the children of a process. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);

/** A server that `shoeprint serve` runs, and an administrator of it. */
export interface Serving {
  readonly started: Started;
  readonly url: string;
  readonly token: string;
  readonly ask: (path: string, body?: object) => Promise<Response>;
  /** Records these lines and returns their positions, for `Min-Position`. */
  readonly send: (lines: readonly string[]) => Promise<string>;
}

/** Waits until a started server answers, and signs in. */
export async function signedIn(started: Started): Promise<Serving> {
  const { url, name, password } = await doorOf(started);
  const post = (
    path: string,
    token: string | undefined,
    body: object | string,
  ): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const { token } = (await (await post('/v1/sign-in', undefined, { name, password })).json()) as {
    token: string;
  };
  let key: string | undefined;
  return {
    started,
    url,
    token,
    ask: (path, body) =>
      body
        ? post(path, token, body)
        : fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } }),
    send: async (lines) => {
      key ??= (
        (await (
          await post('/v1/keys', token, {
            name: `test-${Date.now()}`,
            sources: ['device/*', 'virtual/*', 'person/*'],
            tables: ['*'],
            types: ['*'],
          })
        ).json()) as { token: string }
      ).token;
      const answer = await post('/v1/events', key, lines.join('\n'));
      if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
      return answer.headers.get('log-position') as string;
    },
  };
}

/**
 * Returns a server's address and a sign-in. A terminal shows both; a log, and a terminal once the
 * password was used, names the file of the sign-in.
 */
export async function doorOf(
  started: Pick<Started, 'saying'>,
): Promise<{ readonly url: string; readonly name: string; readonly password: string }> {
  const [line] = await started.saying(
    /^.*"message":"listening".*\}$|Sign in\s.*(?:password|as in) [^\r\n]+[\r\n]/m,
  );
  if (line.startsWith('{')) {
    const { message } = JSON.parse(line) as { message: { url: string; signIn: string } };
    const signIn = JSON.parse(readFileSync(message.signIn, 'utf8')) as SignIn;
    return { url: message.url, ...signIn };
  }
  const [, url = ''] = await started.saying(/Api\s+(\S+)\/docs/);
  const [, file] = /as in ([^\r\n]+)/.exec(line) ?? [];
  if (file !== undefined) return { url, ...(JSON.parse(readFileSync(file, 'utf8')) as SignIn) };
  const [, name = '', password = ''] = await started.saying(
    /Sign in\s+(\S+), password (\S+)[\r\n]/,
  );
  return { url, name, password };
}

interface SignIn {
  readonly name: string;
  readonly password: string;
}

/** Returns the process id of the PostgreSQL that runs on a data folder, if one does. */
export function postgresOf(data: string): number | undefined {
  const file = join(data, 'pgdata', 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined;
}

/** Returns the address of the PostgreSQL that runs on a data folder. */
export const databaseOf = (data: string): string =>
  `postgres://app:${readFileSync(join(data, 'password'), 'utf8').trim()}@127.0.0.1:${readFileSync(join(data, 'pgdata', 'postmaster.pid'), 'utf8').split('\n')[3]}/shoeprint`;

/** Queries a database once, in a session of its own. */
export async function query<Row extends pg.QueryResultRow>(
  databaseUrl: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  return client
    .query<Row>(sql, [...values])
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
