// Exports all coups, again and again, with every token but the last, and waits in 200 requests for a
// position that never comes. Each message from the parent lets the readers come or go; the second
// answer says what they received.
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {import('./followers.mjs').ReadersOrder} ReadersOrder */

const WAITERS = 200;
/** A refused export asks again after this time, sooner than the answer says. */
const AGAIN_MS = 500;

/** @param {ReadersOrder} order */
function read({ port, tokens }) {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  /** @type {Map<string, number>} */
  const answers = new Map();
  let bytes = 0;
  let isReading = false;
  /** @type {(path: string, token: string, headers?: Record<string, string>) => Promise<number>} */
  const ask = (path, token, headers = {}) =>
    new Promise((resolve) => {
      const failed = () => resolve(0);
      get(
        {
          port,
          host: '127.0.0.1',
          path,
          agent,
          headers: { authorization: `Bearer ${token}`, ...headers },
        },
        (response) => {
          response
            .on('data', (/** @type {Buffer} */ chunk) => (bytes += chunk.length))
            .on('error', failed)
            .on('end', () => resolve(response.statusCode ?? 0));
        },
      ).on('error', failed);
    });
  const count = (/** @type {string} */ what) => answers.set(what, (answers.get(what) ?? 0) + 1);
  const exporting = async (/** @type {string} */ token) => {
    while (isReading) {
      const status = await ask('/v1/coups?format=csv', token);
      count(`export ${status}`);
      if (status !== 200) await pause(AGAIN_MS);
    }
  };
  const waiting = async (/** @type {string} */ token) => {
    while (isReading)
      count(`wait ${await ask('/v1/tables?limit=1', token, { 'min-position': '0:999999999999' })}`);
  };
  process.on('message', () => {
    isReading = !isReading;
    if (isReading) {
      answers.clear();
      bytes = 0;
      for (const token of tokens.slice(0, -1)) void exporting(token);
      for (let n = 0; n < WAITERS; n += 1) void waiting(tokens.at(-1) ?? '');
    }
    const all = [...answers].map(([what, times]) => `${what}: ${times}`).sort();
    process.send?.({ found: `${all.join(', ')}, ${(bytes / 1e6).toFixed(1)} MB received` });
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}

process.once('message', (/** @type {ReadersOrder} */ order) => read(order));
