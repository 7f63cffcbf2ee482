// Follows the stream with every token, as screens do. Each message from the parent lets them come
// or go: the first answer comes once all are connected, the second says what they received.
import { connect } from 'node:net';

/** @typedef {{ port: number, tokens: readonly string[] }} ReadersOrder */
/** What readers found, in words. @typedef {{ found: string }} Found */

/** @typedef {{ socket: import('node:net').Socket, opened: Promise<boolean> }} Follower */

/** @param {ReadersOrder} order */
function follow({ port, tokens }) {
  let bytes = 0;
  let lost = 0;
  /** @type {Follower[]} */
  let open = [];
  let isClosing = false;
  /** @type {(token: string) => Follower} */
  const one = (token) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(
      `GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!isClosing) lost += 1;
    });
    const opened = new Promise((/** @type {(is: boolean) => void} */ resolve) => {
      socket.once('data', (head) => resolve(head.toString('latin1', 9, 12) === '200'));
      socket.once('close', () => resolve(false));
    });
    socket.on('data', (chunk) => (bytes += chunk.length));
    return { socket, opened };
  };
  process.on('message', () => {
    if (open.length === 0) {
      [bytes, lost, isClosing] = [0, 0, false];
      open = tokens.map(one);
      void Promise.all(open.map(({ opened }) => opened)).then((all) =>
        process.send?.({ found: `${all.filter(Boolean).length} connected` }),
      );
    } else {
      isClosing = true;
      for (const { socket } of open) socket.destroy();
      process.send?.({
        found: `${open.length} followers, ${lost} cut off, ${(bytes / 1e6).toFixed(1)} MB received`,
      });
      open = [];
    }
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}

process.once('message', (/** @type {ReadersOrder} */ order) => follow(order));
