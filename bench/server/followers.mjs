// Follows the stream with every token, as screens do. Each message from the parent lets them come
// or go: the first answer comes once all are connected, the second says what they received, and how
// long after its receipt by the server a table's newest event was seen by some of them.
import { connect } from 'node:net';
import { quantile } from '../measure.mjs';

/** One of so many readers looks at the time of what it gets. */
const LOOKING = 20;
const RECEIVED = '"lastReceived":"';

/** @typedef {{ port: number, tokens: readonly string[] }} ReadersOrder */
/** What readers found, in words. @typedef {{ found: string }} Found */

/** @typedef {{ socket: import('node:net').Socket, opened: Promise<boolean> }} Follower */

/** What readers received, and how long after its receipt by the server the newest event was seen. */
class Received {
  #bytes = 0;
  /** @type {number[]} */
  #late = [];
  #cutOff = 0;
  /**
   * How many streams were not opened, by the status of the answer, '' if none came.
   * @type {Map<string, number>}
   */
  #refused = new Map();
  /** After how many milliseconds all streams were answered. */
  openedMs = NaN;

  /**
   * Counts a stream that the server ended.
   * @param {string} status
   */
  ended(status) {
    if (status === '200') this.#cutOff += 1;
    else this.#refused.set(status, (this.#refused.get(status) ?? 0) + 1);
  }

  /** @param {Buffer} chunk */
  take(chunk) {
    this.#bytes += chunk.length;
  }

  /** @param {Buffer} chunk */
  look(chunk) {
    const text = chunk.toString('latin1');
    const from = text.lastIndexOf(RECEIVED) + RECEIVED.length;
    const ms = Date.now() - Date.parse(text.slice(from, text.indexOf('"', from)));
    if (from >= RECEIVED.length && !Number.isNaN(ms)) this.#late.push(ms);
  }

  /** @param {number} readers */
  words(readers) {
    const late = Float64Array.from(this.#late).sort();
    const seen = `seen after ${quantile(late, 0.5)} ms (p50), ${quantile(late, 0.99)} (p99)`;
    const refused = [...this.#refused].map(([answer, count]) => ` ${count} refused (${answer}),`);
    const opened = `opened in ${(this.openedMs / 1000).toFixed(1)} s`;
    return `${readers} followers, ${opened},${refused.join('')} ${this.#cutOff} cut off, ${(this.#bytes / 1e6).toFixed(1)} MB received, ${seen}`;
  }
}

/**
 * Whether the stream was opened; says at its end with which status it had been answered, '' if not
 * at all.
 * @param {import('node:net').Socket} socket
 * @param {(status: string) => void} ended
 * @returns {Promise<boolean>}
 */
function answered(socket, ended) {
  return new Promise((resolve) => {
    let status = '';
    socket.once('data', (head) => {
      status = head.toString('latin1', 9, 12);
      if (status !== '200') socket.destroy();
      resolve(status === '200');
    });
    socket.once('close', () => {
      ended(status);
      resolve(false);
    });
  });
}

/** @param {ReadersOrder} order */
function follow({ port, tokens }) {
  let received = new Received();
  /** @type {Follower[]} */
  let open = [];
  let isClosing = false;
  /** @type {(token: string, n: number) => Follower} */
  const one = (token, n) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(
      `GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    socket.on('error', () => undefined);
    const opened = answered(socket, (status) => {
      if (!isClosing) received.ended(status);
    });
    socket.on('data', (chunk) => received.take(chunk));
    if (n % LOOKING === 0) socket.on('data', (chunk) => received.look(chunk));
    return { socket, opened };
  };
  process.on('message', () => {
    if (open.length === 0) {
      [received, isClosing] = [new Received(), false];
      const from = Date.now();
      open = tokens.map(one);
      void Promise.all(open.map(({ opened }) => opened)).then((all) => {
        received.openedMs = Date.now() - from;
        process.send?.({ found: `${all.filter(Boolean).length} connected` });
      });
    } else {
      isClosing = true;
      for (const { socket } of open) socket.destroy();
      process.send?.({ found: received.words(open.length) });
      open = [];
    }
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}

process.once('message', (/** @type {ReadersOrder} */ order) => follow(order));
