import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

/** A server whose work has stood still for so long. It stops by itself once it was looked at. */
const server = (ms: number): string => `
  import { jsonLogger, runProgram, runServer } from '#server';
  const logger = jsonLogger('test');
  await runProgram(logger, async () => {
    const standstill = async () => {
      setImmediate(() => process.kill(process.pid, 'SIGTERM'));
      return { ms: ${ms}, what: 'appends are not answered' };
    };
    await runServer(logger, async () => {
      const open = setInterval(() => undefined, 1_000);
      return { close: async () => clearInterval(open), standstill };
    });
    return 0;
  });`;

const run = (ms: number) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', server(ms)], {
    encoding: 'utf8',
    timeout: 50_000,
  });

it('a server whose work has stood still for a minute ends with 75 and says why', () => {
  const { status, stderr } = run(60_000);
  expect(status).toBe(75);
  expect(JSON.parse(stderr.trim())).toMatchObject({
    level: 'fatal',
    message: {
      message: 'exiting: its work made no progress',
      what: 'appends are not answered',
      ms: 60_000,
    },
  });
});

it('a server whose work has stood still for less goes on until it is stopped', () => {
  const { status, stderr } = run(59_999);
  expect([status, stderr]).toEqual([0, '']);
});
