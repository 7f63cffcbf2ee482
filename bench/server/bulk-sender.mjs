// Sends files of events as `shoeprint send` does: requests of 2 MiB of lines, each after the answer
// to the one before, with one connection a file.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { positionsFrom } from '#read-model';
import { clock } from '../measure.mjs';
import { Connection, request } from './connection.mjs';

const REQUEST_BYTES = 2 * 1024 * 1024;
const AGAIN_MS = 250;

/** @typedef {{ port: number, token: string, files: readonly string[] }} BulkOrder */
/**
 * When the sending began and ended, and the heads of the log that the answers named.
 * @typedef {object} BulkSent
 * @property {number} began
 * @property {number} ended
 * @property {Map<number, number>} heads
 * @property {number} again
 * @property {number} cpuMs
 */

/** @type {(file: string, token: string) => Buffer[]} */
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

/**
 * Sends a request until it is accepted. Returns the positions of its events, and how often it was
 * sent again.
 * @param {Connection} connection
 * @param {Buffer} bytes
 */
async function accepted(connection, bytes) {
  for (let again = 0; ; again += 1) {
    const { status, position, why } = await connection.post(bytes);
    if (status === 202) return { positions: positionsFrom(position), again };
    if (status !== 503 && status !== 504) throw new Error(`answered ${status} ${why}`);
    await pause(AGAIN_MS);
  }
}

/** @param {BulkOrder} order */
async function prepare({ port, token, files }) {
  const senders = files.map((file) => ({
    queue: requests(file, token),
    connection: new Connection(port),
  }));
  await Promise.all(senders.map(({ connection }) => connection.opened));
  /** @type {Map<number, number>} */
  const heads = new Map();
  let again = 0;
  const send = async () => {
    const cpu = process.cpuUsage();
    const began = clock();
    await Promise.all(
      senders.map(async ({ queue, connection }) => {
        for (const bytes of queue) {
          const answer = await accepted(connection, bytes);
          again += answer.again;
          for (const [partition, next] of answer.positions)
            heads.set(partition, Math.max(heads.get(partition) ?? 0, next));
        }
      }),
    );
    const { user, system } = process.cpuUsage(cpu);
    /** @type {BulkSent} */
    const sent = { began, ended: clock(), heads, again, cpuMs: (user + system) / 1000 };
    process.send?.(sent);
    for (const { connection } of senders) connection.close();
  };
  process.once('message', () => void send());
  process.send?.('ready');
}

process.once('message', (/** @type {BulkOrder} */ order) => void prepare(order));
