// A kept-alive HTTP/1.1 connection that costs the sender next to nothing: one request under way,
// with bytes made beforehand.
import { connect } from 'node:net';

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** Returns the bytes of `POST /v1/events`. */
export function request(token, type, body) {
  const head = `POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** Parses a Log-Position header: the offset that a reader waits for, by partition. */
export const positionsOf = (header) =>
  header.split(',').map((part) => {
    const [partition, next] = part.split(':').map(Number);
    return { partition, next };
  });

/** One connection. `post` resolves with status and Log-Position, one request at a time. */
export class Connection {
  #socket;
  #pending;
  #answered;

  constructor(port) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#came(chunk));
    this.#socket.on('error', (error) => this.#failed(error));
    this.#socket.on('close', () => this.#failed(new Error('the connection was closed')));
    this.opened = new Promise((resolve) => this.#socket.once('connect', resolve));
  }

  /**
   * Calls `answered(status, logPosition, why)` once the answer is complete. A failed connection is
   * status 0.
   */
  send(bytes, answered) {
    this.#answered = answered;
    this.#socket.write(bytes);
  }

  post(bytes) {
    return new Promise((resolve) =>
      this.send(bytes, (status, position, why) => resolve({ status, position, why })),
    );
  }

  close() {
    this.#socket.destroy();
  }

  #failed(error) {
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(0, '', error.message);
  }

  #came(chunk) {
    const buffer = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]);
    const end = buffer.indexOf(END_OF_HEAD);
    const head = end < 0 ? '' : buffer.latin1Slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (end < 0 || buffer.length < end + 4 + length) {
      this.#pending = buffer;
      return;
    }
    this.#pending = undefined;
    const answered = this.#answered;
    this.#answered = undefined;
    const status = Number(head.slice(9, 12));
    answered(
      status,
      /log-position: ([\d:,]+)/i.exec(head)?.[1] ?? '',
      status === 202 ? '' : buffer.latin1Slice(0, 600),
    );
  }
}
