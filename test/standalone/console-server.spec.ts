import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { API_ROLE } from '#read-model';
import { processState } from '../../apps/standalone/src/postgres/processes.js';
import { START_MS } from '../cli/serving.js';
import { built } from '../cli/shoeprint.js';
import { startConsoleServer, type ConsoleServer } from '../kit/console-server.js';
import { eventually } from '../kit/eventually.js';

beforeAll(() => built());

it(
  'leaves neither the program nor its PostgreSQL behind once a console server is closed',
  async () => {
    const server = await startConsoleServer();
    const [pid] = readFileSync(join(server.data, 'pgdata', 'postmaster.pid'), 'utf8').split('\n');
    expect(processState(Number(pid))).toBe('alive');
    await server.close();
    expect(server.program.isRunning).toBe(false);
    expect(processState(Number(pid))).not.toBe('alive');
  },
  3 * START_MS,
);

it.each([
  ['every connection of its api', 0],
  ['all but one connection of its api', 1],
])(
  'starts once its PostgreSQL takes connections, if it refuses %s at first',
  async (_, limit) => {
    const server = await startConsoleServer();
    try {
      await limitConnections(server, limit);
      await server.stop();
      const started = server.program.start();
      started.catch(() => undefined);
      await eventually(
        'a start that says what it waits for',
        () =>
          /retrying start: PostgreSQL cannot be reached.*too many connections/.test(
            server.program.lastWords(),
          ),
        START_MS,
      );
      await limitConnections(server, -1);
      await started;
    } finally {
      await server.close();
    }
  },
  3 * START_MS,
);

/** Limits how many connections the api may have. -1 takes the limit away. */
async function limitConnections(server: ConsoleServer, limit: number): Promise<void> {
  const database = await server.database();
  await database
    .query(`alter role ${API_ROLE} connection limit ${limit}`)
    .finally(() => database.end());
}
