import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { quietRequestQueue } from '../../libs/event-log/src/kafka/request-queue.js';
import { eventually } from '../kit/eventually.js';

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/**
 * Starts the warden and a process that keeps running, as the launcher starts brokers, and prints
 * its process id.
 */
const LAUNCHER = `
const { spawn } = require('node:child_process');
const [dir] = process.argv.slice(1);
const started = (args, stdio) => spawn(process.execPath, args, { stdio, detached: true });
const warden = started(['scripts/kafka/warden.mjs', dir], ['pipe', 'ignore', 'inherit']);
const broker = started(['-e', 'setInterval(() => undefined, 1000)'], 'ignore');
warden.stdin.write('+' + broker.pid + '\\n');
console.log(broker.pid);
`;

it('stops the brokers of a launcher that was killed with kill -9, and deletes their data', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'shoeprint-warden-'));
  const launcher = spawn(process.execPath, ['-e', LAUNCHER, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const broker = Number(
    await new Promise<Buffer>((resolve) => launcher.stdout.once('data', resolve)),
  );
  expect(isRunning(broker)).toBe(true);
  launcher.kill('SIGKILL');
  await eventually('the end of the broker', () => !isRunning(broker));
  await eventually('the end of its data', () => !existsSync(dir));
});

interface Queue {
  throttledUntil: number;
  throttleCheckTimeoutId: unknown;
  checkPendingRequests(): void;
  push(request: object): void;
  destroy(): void;
}

it('sets no timer for an empty request queue of kafkajs', () => {
  quietRequestQueue();
  const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as new (
    options: object,
  ) => Queue;
  const queue = new RequestQueue({
    requestTimeout: 1000,
    enforceRequestTimeout: false,
    logger: { debug: () => undefined },
  });
  queue.checkPendingRequests();
  expect(queue.throttleCheckTimeoutId).toBeNull();
  queue.throttledUntil = Date.now() + 1000;
  queue.push({ entry: { correlationId: 1 }, expectResponse: true, sendRequest: () => undefined });
  expect(queue.throttleCheckTimeoutId).not.toBeNull();
  queue.destroy();
});
