import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net, { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { PortConfiguration } from '../../apps/gateway/src/configuration/configuration.js';
import { openPort, type Port, PortHeld } from '../../apps/gateway/src/ports/port.js';
import { eventually } from '../kit/eventually.js';
import { freePort } from '../kit/processes.js';
import { Heard } from './heard.js';

const RETRY = { first: 5, most: 20 };

const ports: Port[] = [];
const sockets: Socket[] = [];
const servers: Server[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(ports.splice(0).map((port) => port.close()));
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function open(configuration: PortConfiguration, heard: Heard, retryMs = RETRY) {
  const port = await openPort(configuration, { writes: true, retryMs }, heard);
  ports.push(port);
  return port;
}

/** Connects from an address of this machine. */
function connected(port: number, localAddress = '127.0.0.1', host = '127.0.0.1'): Socket {
  const socket = net.connect({ port, host, localAddress });
  socket.on('error', () => undefined); // the port may close it at any time
  sockets.push(socket);
  return socket;
}

/** A device server: it keeps its clients and what they wrote. */
async function deviceServer(port: number) {
  const clients: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
    clients.push(socket);
  });
  servers.push(server);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, clients };
}

describe('a port that connects to a device server', () => {
  it('says once that nobody is there, connects when it can, and passes bytes on both ways', async () => {
    const number = await freePort();
    const heard = new Heard();
    const port = await open({ connect: `127.0.0.1:${number}` }, heard);
    await heard.until(1, /^lost 127\.0\.0\.1:\d+: the connection was refused$/);
    const { clients } = await deviceServer(number);
    await heard.until(2, new RegExp(`^opened 127.0.0.1:${number}$`));
    const client = await eventually('a client', () => clients[0]);
    const written = once(client, 'data');
    client.write('card');
    await eventually('the bytes', () => heard.text === 'card');
    port.write('$Q*CE6E8EEF\r\n');
    expect(String((await written)[0])).toBe('$Q*CE6E8EEF\r\n');
    expect(heard.changes).toHaveLength(2);
  });

  it('says that a connection was closed or broken off, and connects again', async () => {
    const number = await freePort();
    const { clients } = await deviceServer(number);
    const heard = new Heard();
    await open({ connect: `localhost:${number}` }, heard);
    (await eventually('a client', () => clients[0])).end('last words');
    await heard.until(2, /^lost localhost:\d+: the other side closed the connection$/);
    expect(heard.text).toBe('last words');
    (await eventually('a second client', () => clients[1])).resetAndDestroy();
    await heard.until(4, /^lost localhost:\d+: the other side broke the connection off$/);
    await heard.until(5, /^opened/);
  });

  it('doubles the pause between its tries up to the longest one', async () => {
    const number = await freePort();
    const times: number[] = [];
    const server = createServer((socket) => {
      times.push(performance.now());
      socket.resetAndDestroy();
    });
    servers.push(server);
    server.listen(number, '127.0.0.1');
    await open({ connect: `127.0.0.1:${number}` }, new Heard(), { first: 40, most: 150 });
    // Without a longest pause, the last of these would come after more than a minute.
    await eventually('twelve tries', () => times.length >= 12);
    const gaps = times.slice(1, 6).map((time, at) => time - (times[at] ?? 0));
    // A timer of Node may fire a millisecond early.
    [40, 80, 150, 150, 150].forEach((ms, at) => expect(gaps[at]).toBeGreaterThan(ms - 3));
  });

  it('gives up a connection that is not accepted within 5 seconds, and tries again', async () => {
    const program = `
      const server = require('node:net').createServer();
      server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
        console.log(server.address().port);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); // it never accepts
      });`;
    const child = spawn(process.execPath, ['-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [number] = await once(createInterface({ input: child.stdout }), 'line');
    // The kernel accepts two connections for a program that sleeps, and no third.
    await Promise.all([1, 2].map(() => once(connected(Number(number)), 'connect')));
    const heard = new Heard();
    const since = performance.now();
    const port = await open({ connect: `127.0.0.1:${number}` }, heard);
    expect(performance.now() - since).toBeLessThan(1_000); // the start does not wait for it
    await heard.until(1, /^lost 127\.0\.0\.1:\d+: no answer within 5 s$/);
    const stopped = new Heard();
    const other = await open({ connect: `127.0.0.1:${number}` }, stopped);
    await turn(); // its first try begins
    await turn();
    await Promise.all([port.close(), other.close()]);
    expect(heard.changes).toHaveLength(1);
    expect(stopped.changes).toEqual([]);
  });

  const proc = process.platform === 'linux' ? it : it.skip;
  proc('asks the kernel to notice a machine that is gone', async () => {
    const number = await freePort();
    await deviceServer(number);
    const heard = new Heard();
    await open({ connect: `127.0.0.1:${number}` }, heard);
    await heard.until(1, /^opened/);
    const remote = `0100007F:${number.toString(16).toUpperCase().padStart(4, '0')}`;
    const row = readFileSync('/proc/net/tcp', 'latin1')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .find(([, , to]) => to === remote);
    const [timer, ticks = ''] = (row?.[5] ?? '').split(':');
    expect(timer).toBe('02'); // keep-alive
    expect(parseInt(ticks, 16)).toBeLessThanOrEqual(1_000); // of 10 ms
  });
});

describe('a port at which a device connects', () => {
  it('takes the newest connection, and no byte of the former after that', async () => {
    const number = await freePort();
    const heard = new Heard();
    const port = await open({ listen: `127.0.0.1:${number}` }, heard);
    const former = connected(number);
    former.write('former');
    await eventually('the former', () => heard.text === 'former');
    const { localPort } = former;
    port.pause(); // so that bytes of the former lie here when the newer one comes
    former.write('too late');
    const newer = connected(number);
    newer.write('newer');
    await heard.until(3, /^opened/);
    port.resume();
    await eventually('the newer', () => heard.text.endsWith('newer'));
    expect(heard.text).toBe('formernewer');
    expect(heard.changes).toEqual([
      `opened 127.0.0.1:${localPort}`,
      `lost 127.0.0.1:${newer.localPort} connected in its place`,
      `opened 127.0.0.1:${newer.localPort}`,
    ]);
    const written = once(newer, 'data');
    port.write('$Q*CE6E8EEF\r\n');
    expect(String((await written)[0])).toBe('$Q*CE6E8EEF\r\n');
    await eventually('the end of the former', () => former.destroyed);
  });

  it('says that its device has gone, and takes the next one', async () => {
    const number = await freePort();
    const heard = new Heard();
    await open({ listen: `127.0.0.1:${number}` }, heard);
    connected(number).end('bye');
    await heard.until(2, /^lost 127\.0\.0\.1:\d+: the other side closed the connection$/);
    expect(heard.text).toBe('bye');
    connected(number);
    await heard.until(3, /^opened/);
  });

  it.each([
    ['an address', ['127.0.0.2']],
    ['a network', ['10.0.7.0/28', '127.0.0.2/31']],
    ['addresses of both kinds', ['::1', '2001:db8::/32', '127.0.0.2']],
  ])('takes devices from %s only, and says who was refused', async (_, from) => {
    const number = await freePort();
    const heard = new Heard();
    await open({ listen: `127.0.0.1:${number}`, from }, heard);
    const stranger = connected(number, '127.0.0.4');
    stranger.write('card');
    await heard.until(1, /^refused 127\.0\.0\.4:\d+ its address is not in "from"$/);
    await eventually('the end of the stranger', () => stranger.destroyed);
    const device = connected(number, '127.0.0.2');
    device.write('card');
    await eventually('the bytes', () => heard.text === 'card');
    connected(number, '127.0.0.1');
    await heard.until(3, /^refused 127\.0\.0\.1:\d+ /);
    device.write('s');
    await eventually('more bytes of the same device', () => heard.text === 'cards');
  });

  it('knows an address of IPv4 that reaches a listener on IPv6', async () => {
    const number = await freePort();
    const heard = new Heard();
    await open({ listen: `[::]:${number}`, from: ['127.0.0.2'] }, heard);
    connected(number, '127.0.0.1');
    await heard.until(1, /^refused 127\.0\.0\.1:\d+ /);
    connected(number, '127.0.0.2');
    await heard.until(2, /^opened 127\.0\.0\.2:\d+$/);
  });

  it('refuses an address at which another process listens', async () => {
    const number = await freePort();
    await deviceServer(number);
    const refused = open({ listen: `127.0.0.1:${number}` }, new Heard());
    await expect(refused).rejects.toThrow(PortHeld);
    await expect(refused).rejects.toThrow(`127.0.0.1:${number}: another process listens there`);
  });

  it('waits for an address that this machine does not have yet', async () => {
    const heard = new Heard();
    await open({ listen: '192.0.2.1:7301', from: ['192.0.2.0/24'] }, heard); // for documents only
    await heard.until(1, /^lost 192\.0\.2\.1:7301: this machine does not have the address$/);
  });

  it('drops a device that reads nothing of what is written', async () => {
    const number = await freePort();
    const heard = new Heard();
    const port = await open({ listen: `127.0.0.1:${number}` }, heard);
    connected(number).pause();
    await heard.until(1, /^opened/);
    for (let written = 0; heard.changes.length === 1 && written < 1e8; written += 8_192) {
      port.write('x'.repeat(8_192));
      await turn();
    }
    const unsent = /^lost the other side does not read: (\d+) bytes unsent$/.exec(
      heard.changes[1] ?? '',
    )?.[1];
    expect(Number(unsent)).toBeGreaterThan(65_536 - 8_192);
    expect(Number(unsent)).toBeLessThanOrEqual(65_536);
    port.write('after that nothing is written');
  });
});
