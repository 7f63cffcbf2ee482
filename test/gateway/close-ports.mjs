// Opens and closes ports in every state, for a test that waits for the end of this process:
// `node close-ports.mjs [DEVICE FILE]`. It ends by itself only if nothing stays open.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import net from 'node:net';
import { openPort } from '#built/apps/gateway/src/ports/port';

const [serial = ''] = process.argv.slice(2);
const say = (/** @type {string} */ text) => void process.stdout.write(`${text}\n`);

/** Opens a port and waits for its first word, if one is asked for.
 * @type {(configuration: import('../../apps/gateway/src/configuration/configuration.js').PortConfiguration, word?: 'opened' | 'lost', then?: () => void) => Promise<import('../../apps/gateway/src/ports/port.js').Port>} */
async function opened(configuration, word, then = () => undefined) {
  /** @type {(value: string) => void} */
  let tell = () => undefined;
  /** @type {Promise<string>} */
  const first = new Promise((resolve) => (tell = resolve));
  const port = await openPort(
    configuration,
    { writes: true },
    { opened: () => tell('opened'), lost: () => tell('lost'), bytes: () => undefined },
  );
  then();
  if (word) assert.equal(await first, word);
  return port;
}

const server = net.createServer((socket) => socket.on('error', () => undefined));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port: number } = /** @type {net.AddressInfo} */ (server.address());
const served = { connect: `127.0.0.1:${number}` };
const free = net.createServer().listen(0, '127.0.0.1');
await once(free, 'listening');
const { port: freeNumber } = /** @type {net.AddressInfo} */ (free.address());
await new Promise((resolve) => free.close(resolve));
const listened = { listen: `127.0.0.1:${freeNumber}` };
const connect = () => {
  net.connect(freeNumber, '127.0.0.1').on('error', () => undefined);
};

say('while it connects');
await (await opened(served)).close();
say('while it is connected');
await (await opened(served, 'opened')).close();
say('twice, while it is connected');
const twice = await opened(served, 'opened');
await Promise.all([twice.close(), twice.close()]);
say('while it waits to connect again');
await (await opened({ connect: `127.0.0.1:${freeNumber}` }, 'lost')).close();
say('with bytes that nobody read');
const paused = await opened(served, 'opened');
paused.pause();
paused.write('x'.repeat(60_000));
await paused.close();
say('while it listens');
await (await opened(listened)).close();
say('while it listens and has a connection');
await (await opened(listened, 'opened', connect)).close();
say('while it listens and has had two connections');
const listening = await opened(listened, 'opened', connect);
connect();
await listening.close();
say('while it waits to listen');
await (await opened({ listen: '192.0.2.1:7301' }, 'lost')).close();

const { cache } = createRequire(import.meta.url);
const isLoaded = () => Object.keys(cache).some((file) => file.includes('/serialport/'));
assert.ok(!isLoaded(), 'serialport is loaded without a serial port');
say('while it waits for a device');
await (await opened({ serial: '/dev/no-such-device', baud: 4_800 }, 'lost')).close();
assert.ok(isLoaded(), 'serialport is not found where it was loaded');
if (serial !== '') {
  say('before the device is heard');
  await (await opened({ serial, baud: 4_800 })).close();
  say('while the device is open');
  await (await opened({ serial, baud: 4_800 }, 'opened')).close();
  say('while the device is open and paused');
  const line = await opened({ serial, baud: 4_800 }, 'opened');
  line.pause();
  line.write('x');
  await line.close();
}
server.close();
say('all are closed');
