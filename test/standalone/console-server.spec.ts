import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { processState } from '../../apps/standalone/src/postgres/processes.js';
import { START_MS } from '../cli/serving.js';
import { built } from '../cli/shoeprint.js';
import { startConsoleServer } from '../kit/console-server.js';

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
