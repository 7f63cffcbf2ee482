import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulate } from '#audit';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { freePort } from '../kit/processes.js';
import {
  databaseOf,
  endAll,
  postgresOf,
  query,
  signedIn,
  type Serving,
  START_MS,
  Started,
} from './serving.js';
import { built } from './shoeprint.js';

const data = mkdtempSync(join(tmpdir(), 'shoeprint-again-'));
const BATCH = 50;
let port = 0;
const serve = (): Started => Started.shoeprint(['serve', '--data', data, '--port', String(port)]);

beforeAll(async () => {
  built();
  port = await freePort();
});
afterAll(async () => {
  await endAll();
  rmSync(data, { recursive: true, force: true });
});

/** The events of one table, and how many of them were acknowledged so far. */
class Load {
  acknowledged = 0;
  readonly lines: readonly string[];

  constructor(readonly table: string) {
    this.lines = [...simulate({ rules: RULES, seed: table, shoes: 3, table, bets: true }).lines];
  }

  /** Sends all events in their order, each batch again until it is acknowledged. */
  async deliver(send: Serving['send']): Promise<void> {
    for (let at = 0; at < this.lines.length; at += BATCH) {
      const batch = this.lines.slice(at, at + BATCH);
      await eventually('a batch acknowledged', async () => Boolean(await send(batch)), START_MS);
      this.acknowledged += batch.length;
    }
  }
}
const RULES = BOOK.get('punto-banco@1') as never;

/** Ends the server in some way while events are sent, and counts the events of the table. */
async function underLoad(
  { ask, send }: Serving,
  { table, end }: { readonly table: string; readonly end: () => void },
): Promise<void> {
  const load = new Load(table);
  const delivering = load.deliver(send);
  await eventually('a part of the load', () => load.acknowledged > load.lines.length / 4);
  end();
  await delivering;
  await eventually(
    'every event judged once',
    async () => {
      const { lines } = (await (await ask('/v1/tables')).json()) as {
        lines: { table: string; events: { admitted: number } }[];
      };
      return lines.find((line) => line.table === table)?.events.admitted === load.lines.length;
    },
    START_MS,
  );
}

describe('shoeprint serve, if the server ends by itself', () => {
  let server: Started;
  let serving: Serving;

  it(
    'answers on the same address again after the server was killed under load, with every event',
    async () => {
      server = serve();
      serving = await signedIn(server);
      const [program, postgres] = [server.programPid, postgresOf(data)];
      await underLoad(serving, { table: 'B01', end: () => process.kill(program, 'SIGKILL') });
      expect(server.said).toContain('the server was killed by SIGKILL. Starting it again in 1 s.');
      expect(server.programPid).not.toBe(program);
      expect(postgresOf(data)).toBe(postgres); // the one that was left behind
    },
    2 * START_MS,
  );

  it(
    'comes back after its PostgreSQL was killed under load, with every event',
    async () => {
      const postgres = postgresOf(data) as number;
      await underLoad(serving, { table: 'B02', end: () => process.kill(postgres, 'SIGKILL') });
      expect(server.said).toMatch(/"exiting, to be restarted".*"PostgreSQL ended, or/);
      expect(server.said).toContain('the server ended with code 75. Starting it again in');
      expect(postgresOf(data)).not.toBe(postgres);
    },
    2 * START_MS,
  );

  it(
    'comes back after a session of PostgreSQL crashed, and holds the folder again',
    async () => {
      const postgres = postgresOf(data);
      const [session] = await query<{ pid: number }>(
        databaseOf(data),
        `select pid from pg_stat_activity where application_name = 'shoeprint-standalone'`,
      );
      const ends = server.said.split('ended with code 75').length;
      process.kill(session?.pid as number, 'SIGKILL');
      await eventually(
        'the end of the program',
        () => server.said.split('ended with code 75').length > ends,
      );
      await eventually(
        'the answer of the next one',
        async () => (await serving.ask('/v1/tables')).status === 200,
        START_MS,
      );
      expect(postgresOf(data)).toBe(postgres);
      expect(await serve().ended).toBe(2);
    },
    START_MS,
  );

  it(
    'ends at once when it is stopped while it waits to start the server again',
    async () => {
      process.kill(server.programPid, 'SIGKILL');
      await server.saying(/killed by SIGKILL[^]*killed by SIGKILL\. Starting it again/);
      expect(await server.stop()).toBe(0);
    },
    START_MS,
  );

  it(
    'stops at once while it waits for a PostgreSQL that does not answer',
    async () => {
      const left = postgresOf(data);
      if (left !== undefined) process.kill(left, 'SIGINT');
      await eventually('the end of PostgreSQL', () => postgresOf(data) === undefined);
      let connections = 0;
      const silent = createServer((socket) => {
        connections += 1;
        socket.on('error', () => undefined); // the program ends without a goodbye
      }).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port: silentPort } = silent.address() as AddressInfo;
      const pgdata = join(data, 'pgdata');
      const pidFile = join(pgdata, 'postmaster.pid');
      writeFileSync(pidFile, [process.pid, pgdata, 0, silentPort, ''].join('\n'));
      server = serve();
      await eventually('a question to the silent server', () => connections > 0, START_MS);
      const askedAt = performance.now();
      expect(await server.stop()).toBe(0);
      expect(performance.now() - askedAt).toBeLessThan(2_000);
      silent.close();
      rmSync(pidFile);
    },
    START_MS,
  );
});
