// Somebody who reviews findings, as an HTTP client that keeps its connection and keeps within the
// commands that a session may send.
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** A session may send 10 commands a second; this is a little slower. */
const PACE_MS = 110;
/** For how long a command is repeated that the rows do not have yet. */
const PENDING_MS_MAX = 30_000;

/**
 * What this benchmark reads of answers.
 * @typedef {object} Body
 * @property {string} ref
 * @property {string} finding
 * @property {string | null} next
 * @property {{ state: string, evidence: string }} review
 */
/**
 * What a request was answered, and how long that took, from before it was sent to the end of its
 * answer.
 * @typedef {{ status: number, body: Body, ms: number }} Answer
 */

/** A person with one session. One request is under way at a time. */
export class Person {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #port;
  #token;
  #commands = 0;
  #next = 0;

  /**
   * @param {number} port
   * @param {string} token
   */
  constructor(port, token) {
    this.#port = port;
    this.#token = token;
  }

  /**
   * Sends a command under a key of its own, once the pace of the session allows it. The wait for
   * that is not counted. Repeats a command that the rows do not have yet, unless `allowed` has 202,
   * and counts the time of every repeat. Throws on an answer with another status than `allowed`.
   * @param {string} path after `/v1/findings/`
   * @param {object | undefined} body
   * @param {readonly number[]} [allowed]
   */
  async command(path, body, allowed = [200]) {
    const key = `bench-${(this.#commands += 1)}`;
    for (let ms = 0; ;) {
      await this.#turn();
      const answer = await this.#send('POST', `/v1/findings/${path}`, body, key);
      ms += answer.ms;
      if (allowed.includes(answer.status)) return { ...answer, ms };
      if (answer.status !== 202 || ms > PENDING_MS_MAX)
        throw new Error(`${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }

  /** Waits until the session may send its next command. */
  async #turn() {
    const wait = this.#next - performance.now();
    if (wait > 0) await pause(wait);
    this.#next = performance.now() + PACE_MS;
  }

  /**
   * Reads. Throws on another answer than 200.
   * @param {string} path
   */
  async get(path) {
    const answer = await this.#send('GET', path, undefined, undefined);
    if (answer.status !== 200)
      throw new Error(`${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  close() {
    this.#agent.destroy();
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object | undefined} body
   * @param {string | undefined} key
   * @returns {Promise<Answer>}
   */
  #send(method, path, body, key) {
    const from = performance.now();
    return new Promise((resolve, reject) => {
      const asked = request(
        { port: this.#port, host: '127.0.0.1', path, method, agent: this.#agent },
        (response) => {
          /** @type {Buffer[]} */
          const chunks = [];
          response.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const ms = performance.now() - from;
            const text = Buffer.concat(chunks).toString();
            const answered = /** @type {Body} */ (JSON.parse(text || '{}'));
            resolve({ status: response.statusCode ?? 0, body: answered, ms });
          });
        },
      );
      asked.setHeader('authorization', `Bearer ${this.#token}`);
      if (key !== undefined) asked.setHeader('idempotency-key', key);
      if (body !== undefined) asked.setHeader('content-type', 'application/json');
      asked.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
