// A kept-alive HTTP/1.1 connection that costs the sender next to nothing: one request under way,
// with bytes made beforehand.
import { connect } from 'node:net';

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Returns the bytes of `POST /v1/events`.
 * @param {string} token
 * @param {string} type
 * @param {Uint8Array} body
 */
export function request(token, type, body) {
  const head = `POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/**
 * What runs once an answer is complete. A failed connection is status 0.
 * @typedef {(status: number, position: string, why: string) => void} Answered
 */

/** One connection. `post` resolves with status and Log-Position, one request at a time. */
export class Connection {
  #port;
  #socket;
  /** @type {Buffer | undefined} */
  #pending;
  /** @type {Answered | undefined} */
  #answered;
  /** @type {Promise<void>} */
  opened;

  /** @param {number} port */
  constructor(port) {
    this.#port = port;
    this.#socket = this.#connect();
    this.opened = new Promise((resolve) => this.#socket.once('connect', () => resolve()));
  }

  #connect() {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    const failed = (/** @type {Error} */ error) => {
      if (socket === this.#socket) this.#failed(error);
    };
    return socket
      .on('data', (chunk) => this.#came(chunk))
      .on('error', failed)
      .on('close', () => failed(new Error('the connection was closed')));
  }

  /**
   * Sends a request, on a new connection if the server has closed this one while it was idle.
   * @param {Uint8Array} bytes
   * @param {Answered} answered
   */
  send(bytes, answered) {
    if (this.#socket.destroyed) this.#socket = this.#connect();
    this.#answered = answered;
    this.#socket.write(bytes);
  }

  /**
   * Sends a request and resolves with its answer.
   * @param {Uint8Array} bytes
   * @returns {Promise<{ status: number, position: string, why: string }>}
   */
  post(bytes) {
    return new Promise((resolve) =>
      this.send(bytes, (status, position, why) => resolve({ status, position, why })),
    );
  }

  close() {
    this.#socket.destroy();
  }

  /** @param {Error} error */
  #failed(error) {
    this.#finish(0, '', error.message);
  }

  /** @type {Answered} */
  #finish(status, position, why) {
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(status, position, why);
  }

  /** @param {Buffer} chunk */
  #came(chunk) {
    const buffer = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]);
    const end = buffer.indexOf(END_OF_HEAD);
    const head = end < 0 ? '' : buffer.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (end < 0 || buffer.length < end + 4 + length) {
      this.#pending = buffer;
      return;
    }
    this.#pending = undefined;
    const status = Number(head.slice(9, 12));
    this.#finish(
      status,
      /log-position: ([\d:,]+)/i.exec(head)?.[1] ?? '',
      status === 202 ? '' : buffer.toString('latin1', 0, 600),
    );
  }
}
