import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { newToken } from '../../apps/api/src/identity/credentials/bearer-token.js';
import { credentialsIn, startSampleServer } from '../../scripts/sample-server.mjs';
import { serverEnvironment } from './answers.js';
import { eventually } from './eventually.js';
import { madeOnce } from './made-once.js';
import { freePort, Processes, type Running } from './processes.js';

const SAMPLE_MS_MAX = 300_000;
const STOP_MS_MAX = 40_000;

/** A standalone server with the sample day, in a data folder of its own, that serves the console. */
export interface ConsoleServer {
  /** Its address, with the base path. */
  readonly url: string;
  /** Its data folder. */
  readonly data: string;
  readonly program: Running;
  /** Returns the password of one of the people of the sample day. */
  passwordOf(person: string): string;
  /**
   * Returns the token of a new session of one of the people of the sample day. It costs no hash of
   * a password, which takes a quarter of a second of the processor.
   */
  tokenOf(person: string): Promise<string>;
  /** Opens a connection to its database, for what no request can do. End it. */
  database(): Promise<pg.Client>;
  /** Stops the program, and keeps its data folder. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** Starts such a server on a copy of the sample day. The first call of a run deals it. */
export async function startConsoleServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<ConsoleServer> {
  const sample = await sampleFolder();
  const processes = await Processes.open();
  const data = join(processes.dir, 'data');
  await cp(sample, data, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}${settings['SHOEPRINT_BASE_PATH'] ?? ''}`;
  const program = await processes.run({
    name: 'standalone',
    main: 'apps/standalone/src/main.js',
    env: { SHOEPRINT_DATA: data, SHOEPRINT_PORT: String(port), ...settings },
    livez: `${url}/readyz`,
  });
  const signIn = join(data, 'sign-in.json');
  return {
    url,
    data,
    program,
    passwordOf: (person) => credentialsIn(signIn, person).password,
    tokenOf: (person) => newSession(data, person),
    database: () => connected(data),
    stop: () => stopped(program),
    close: () => stopped(program).finally(() => processes.close()),
  };
}

/**
 * Asks the program to stop, so that it stops its PostgreSQL too, which would outlive it otherwise.
 */
async function stopped(program: Running): Promise<void> {
  void program.end('SIGTERM');
  await eventually(`${program.name} has stopped`, () => !program.isRunning, STOP_MS_MAX);
}

/**
 * Returns the data folder with the sample day, dealt by the first process that asks. Start servers
 * on copies of it. Throws if it could not be dealt.
 */
export async function sampleFolder(): Promise<string> {
  const folder = process.env['SHOEPRINT_CONSOLE_SAMPLE'];
  if (folder === undefined) throw new Error('the setup of the tests has not run');
  const deal = async (data: string): Promise<void> => {
    const server = await startSampleServer(serverEnvironment(), data);
    await server.stop();
  };
  return madeOnce(folder, deal, SAMPLE_MS_MAX);
}

async function newSession(data: string, person: string): Promise<string> {
  const { id, text, hash } = newToken('sps');
  const database = await connected(data);
  await database
    .query(
      `insert into access.session (id, account_name, token_hash, expires_at)
       values ($1, $2, $3, now() + interval '12 hours')`,
      [id, person, hash],
    )
    .finally(() => database.end());
  return text;
}

async function connected(data: string): Promise<pg.Client> {
  const read = (name: string): string => readFileSync(join(data, name), 'utf8').trim();
  const client = new pg.Client({
    connectionString: `postgres://app:${read('password')}@127.0.0.1:${read('port')}/shoeprint`,
  });
  await client.connect();
  return client;
}
