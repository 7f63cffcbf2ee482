// Sends files of events as `shoeprint send` does: requests of 2 MiB of lines, each after the answer
// to the one before, with one connection a file.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection, positionsOf, request } from './connection.mjs';

const REQUEST_BYTES = 2 * 1024 * 1024;
const AGAIN_MS = 250;
const clock = () => Number(process.hrtime.bigint()) / 1e6;

function requests(file, token) {
  const bytes = readFileSync(file);
  const made = [];
  for (let at = 0; at < bytes.length;) {
    const end =
      at + REQUEST_BYTES >= bytes.length
        ? bytes.length
        : bytes.lastIndexOf(0x0a, at + REQUEST_BYTES) + 1;
    made.push(request(token, 'application/x-ndjson', bytes.subarray(at, end)));
    at = end;
  }
  return made;
}

process.once('message', async ({ port, token, files }) => {
  const queues = files.map((file) => requests(file, token));
  const connections = files.map(() => new Connection(port));
  await Promise.all(connections.map(({ opened }) => opened));
  const heads = {};
  let again = 0;
  process.once('message', async () => {
    const cpu = process.cpuUsage();
    const began = clock();
    await Promise.all(
      queues.map(async (queue, i) => {
        for (const bytes of queue) {
          for (;;) {
            const { status, position, why } = await connections[i].post(bytes);
            if (status === 202) {
              for (const { partition, next } of positionsOf(position))
                heads[partition] = Math.max(heads[partition] ?? 0, next);
              break;
            }
            if (status !== 503 && status !== 504) throw new Error(`answered ${status} ${why}`);
            again += 1;
            await pause(AGAIN_MS);
          }
        }
      }),
    );
    const { user, system } = process.cpuUsage(cpu);
    process.send({
      began,
      ended: clock(),
      heads,
      again,
      requests: queues.flat().length,
      cpuMs: (user + system) / 1000,
    });
    for (const connection of connections) connection.close();
  });
  process.send('ready');
});
