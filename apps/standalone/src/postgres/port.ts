import { createServer, type AddressInfo } from 'node:net';

const LOOPBACK = '127.0.0.1';

/**
 * Returns `wanted` if it is free on the loopback interface, otherwise another free port. 0 is any
 * port.
 */
export async function freePort(wanted: number): Promise<number> {
  return (await listenOnce(wanted)) ?? (await listenOnce(0)) ?? Promise.reject(NO_PORT);
}

const NO_PORT = new Error('no port is free on 127.0.0.1: PostgreSQL needs one');

/** Returns the port that was bound, or undefined if it is in use. */
function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, LOOPBACK, () => {
      const { port: bound } = server.address() as AddressInfo;
      server.close(() => resolve(bound));
    });
  });
}
