// Exports all coups, again and again, with every token but the last, and waits in 200 requests for
// a position that never comes. Each message from the parent lets the readers come or go; the second
// answer says what they received.
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {import('./followers.mjs').ReadersOrder} ReadersOrder */

const WAITERS = 200;
/** A refused export asks again after this time, sooner than the answer says. */
const AGAIN_MS = 500;

/** Ten people who export, and one who waits. */
class Readers {
  #port;
  #tokens;
  #agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  /** @type {Map<string, number>} */
  #answers = new Map();
  #bytes = 0;
  #isReading = false;

  /** @param {ReadersOrder} order */
  constructor({ port, tokens }) {
    this.#port = port;
    this.#tokens = tokens;
  }

  /** Lets them come or go. Returns what they received until then. */
  turn() {
    const all = [...this.#answers].map(([what, times]) => `${what}: ${times}`).sort();
    const found = `${all.join(', ')}, ${(this.#bytes / 1e6).toFixed(1)} MB received`;
    this.#isReading = !this.#isReading;
    if (this.#isReading) {
      this.#answers.clear();
      this.#bytes = 0;
      for (const token of this.#tokens.slice(0, -1)) void this.#export(token);
      for (let n = 0; n < WAITERS; n += 1) void this.#wait(this.#tokens.at(-1) ?? '');
    }
    return found;
  }

  /** @param {string} token */
  async #export(token) {
    while (this.#isReading) {
      const status = await this.#ask('/v1/coups?format=csv', token);
      this.#count(`export ${status}`);
      if (status !== 200) await pause(AGAIN_MS);
    }
  }

  /** @param {string} token */
  async #wait(token) {
    const headers = { 'min-position': '0:999999999999' };
    while (this.#isReading)
      this.#count(`wait ${await this.#ask('/v1/tables?limit=1', token, headers)}`);
  }

  /** @param {string} what */
  #count(what) {
    this.#answers.set(what, (this.#answers.get(what) ?? 0) + 1);
  }

  /** @type {(path: string, token: string, headers?: Record<string, string>) => Promise<number>} */
  #ask(path, token, headers = {}) {
    return new Promise((resolve) => {
      const failed = () => resolve(0);
      const about = { port: this.#port, host: '127.0.0.1', path, agent: this.#agent };
      get({ ...about, headers: { authorization: `Bearer ${token}`, ...headers } }, (response) => {
        response
          .on('data', (/** @type {Buffer} */ chunk) => (this.#bytes += chunk.length))
          .on('error', failed)
          .on('end', () => resolve(response.statusCode ?? 0));
      }).on('error', failed);
    });
  }
}

process.once('message', (/** @type {ReadersOrder} */ order) => {
  const readers = new Readers(order);
  process.on('message', () => process.send?.({ found: readers.turn() }));
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
});
