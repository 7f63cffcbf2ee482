import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import net, { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { PortConfiguration } from '../../apps/gateway/src/configuration/configuration.js';
import { type Link, Links } from '../../apps/gateway/src/ports/links.js';
import { openPort, type Port } from '../../apps/gateway/src/ports/port.js';
import { built } from '../cli/shoeprint.js';
import { eventually } from '../kit/eventually.js';
import { freePort } from '../kit/processes.js';
import { Heard } from './heard.js';
import { SerialLine, terminals } from './serial-line.js';

const pty = await terminals();
const RETRY = { first: 5, most: 20 };

/** The device's side of a port of some kind. */
interface Device {
  readonly configuration: PortConfiguration;
  /** Everything that was ever written to the device. */
  readonly heard: string;
  /** Plugs the device in, and waits until it can say something. */
  plugIn(): Promise<void>;
  say(text: string): void;
  unplug(): void;
  /** Waits until everything that was written has reached the unplugged device, and frees all. */
  close(): Promise<void>;
}

/** A device on TCP, which connects or is connected to. */
abstract class TcpDevice implements Device {
  heard = '';
  protected socket: Socket | undefined;
  private readonly gone: Promise<unknown>[] = [];

  constructor(protected readonly number: number) {}

  abstract readonly configuration: PortConfiguration;
  abstract plugIn(): Promise<void>;

  protected use(socket: Socket): void {
    this.socket = socket;
    socket.on('data', (bytes) => (this.heard += bytes.toString('latin1')));
    socket.on('error', () => undefined); // the gateway may break it off
    this.gone.push(new Promise((resolve) => socket.once('close', resolve)));
  }

  say(text: string): void {
    this.socket?.write(text);
  }

  unplug(): void {
    this.socket?.end();
    this.socket = undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.gone);
  }
}

class ConnectingDevice extends TcpDevice {
  readonly configuration = { listen: `127.0.0.1:${this.number}` };

  async plugIn(): Promise<void> {
    const socket = net.connect(this.number, '127.0.0.1');
    this.use(socket);
    await once(socket, 'connect');
  }
}

class ListeningDevice extends TcpDevice {
  readonly configuration = { connect: `127.0.0.1:${this.number}` };
  private server: Server | undefined;

  async plugIn(): Promise<void> {
    const server = createServer((socket) => this.use(socket));
    this.server = server;
    server.listen(this.number, '127.0.0.1');
    await eventually('the gateway', () => this.socket !== undefined);
  }

  override unplug(): void {
    super.unplug();
    this.server?.close();
  }
}

class SerialDevice implements Device {
  private readonly folder = mkdtempSync(join(tmpdir(), 'shoeprint-ports-'));
  private readonly path = join(this.folder, 'shoe');
  readonly configuration = { serial: this.path, baud: 4_800 };
  private readonly lines: SerialLine[] = [];
  private readonly gone: Promise<void>[] = [];

  get heard(): string {
    return this.lines.map(({ heard }) => heard).join('');
  }

  async plugIn(): Promise<void> {
    if (!pty) throw new Error('there are no terminals');
    const line = await SerialLine.open(pty);
    this.lines.push(line);
    symlinkSync(line.path, this.path);
  }

  say(text: string): void {
    this.lines.at(-1)?.say(text);
  }

  unplug(): void {
    const line = this.lines.at(-1);
    if (line) this.gone.push(line.unplug());
    unlinkSync(this.path);
  }

  async close(): Promise<void> {
    await Promise.all(this.gone);
    rmSync(this.folder, { recursive: true });
  }
}

const KINDS: [string, () => Promise<Device>][] = [
  ['that connects', async () => new ListeningDevice(await freePort())],
  ['that listens', async () => new ConnectingDevice(await freePort())],
  ...(pty
    ? [['on a serial line', async () => new SerialDevice()] as [string, () => Promise<Device>]]
    : []),
];

let port: Port | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  await port?.close();
  port = undefined;
  for (const socket of sockets.splice(0)) socket.destroy();
});

describe.each(KINDS)('a port %s', (_, make) => {
  it('writes no byte in a whole session if it is receive-only', async () => {
    const device = await make();
    const heard = new Heard();
    port = await openPort(device.configuration, { writes: false, retryMs: RETRY }, heard);
    const refuses = (): void =>
      expect(() => port?.write('$Q*CE6E8EEF\r\n')).toThrow('this port is receive-only');
    refuses();
    for (const round of [1, 2, 3]) {
      await device.plugIn();
      await eventually('the link', () => heard.changes.at(-1)?.startsWith('opened'));
      device.say('\x05\x15$Q*CE6E8EEF\r\n');
      await eventually('the first bytes', () => heard.text.length === 30 * round - 15);
      refuses();
      port.pause();
      device.say('\x05\x15$Q*CE6E8EEF\r\n');
      refuses();
      port.resume();
      await eventually('more bytes', () => heard.text.length === 30 * round);
      device.unplug();
      await eventually('the loss', () => heard.changes.at(-1)?.startsWith('lost'));
      refuses();
    }
    await port.close();
    refuses();
    await device.close();
    expect(device.heard).toBe('');
  });

  it('writes what it is asked to while the link is there, and forgets it otherwise', async () => {
    const device = await make();
    const heard = new Heard();
    port = await openPort(device.configuration, { writes: true, retryMs: RETRY }, heard);
    port.write('before ');
    await device.plugIn();
    await eventually('the link', () => heard.changes.at(-1)?.startsWith('opened'));
    port.write('first ');
    await eventually('the first text', () => device.heard === 'first ');
    device.unplug();
    await eventually('the loss', () => heard.changes.at(-1)?.startsWith('lost'));
    port.write('between ');
    await device.plugIn();
    await eventually('the link', () => heard.changes.at(-1)?.startsWith('opened'));
    port.write('second');
    await eventually('the second text', () => device.heard === 'first second');
    await port.close();
    port.write(' after');
    device.unplug();
    await device.close();
    expect(device.heard).toBe('first second');
  });

  it('reads nothing while it is paused, on a new link either', async () => {
    const device = await make();
    const heard = new Heard();
    port = await openPort(device.configuration, { writes: false, retryMs: RETRY }, heard);
    port.pause();
    await device.plugIn();
    await eventually('the link', () => heard.changes.at(-1)?.startsWith('opened'));
    device.say('card');
    // A second port of the same kind hears its device, so bytes had the time to come.
    const other = await make();
    const otherHeard = new Heard();
    const otherPort = await openPort(other.configuration, { writes: false }, otherHeard);
    await other.plugIn();
    await eventually('the other link', () => otherHeard.changes.at(-1)?.startsWith('opened'));
    other.say('card');
    await eventually('the other bytes', () => otherHeard.text === 'card');
    await otherPort.close();
    other.unplug();
    await other.close();
    expect(heard.text).toBe('');
    port.resume();
    await eventually('the bytes', () => heard.text === 'card');
    await port.close();
    device.unplug();
    await device.close();
  });

  it('calls its listener only after it was handed out, and never after it was closed', async () => {
    const device = await make();
    const early = 'listen' in device.configuration ? undefined : device.plugIn();
    if ('serial' in device.configuration) await early;
    const heard = new Heard();
    port = await openPort(device.configuration, { writes: false, retryMs: RETRY }, heard);
    expect(heard.changes).toEqual([]);
    await (early ?? device.plugIn());
    await eventually('the link', () => heard.changes.at(-1)?.startsWith('opened'));
    const before = heard.changes.length;
    device.say('card');
    await port.close();
    const { count } = heard;
    device.say('card');
    device.unplug();
    await device.close();
    expect(heard.changes).toHaveLength(before);
    expect(heard.count).toBe(count);
  });
});

describe('a paused port', () => {
  it('makes a fast sender wait, and holds little of what it sent', async () => {
    const MIB = 1_048_576;
    const all = randomBytes(10 * MIB);
    const heard = new Heard();
    const hash = createHash('sha256');
    const number = await freePort();
    port = await openPort(
      { listen: `127.0.0.1:${number}` },
      { writes: false },
      {
        opened: (peer) => heard.opened(peer),
        lost: (reason) => heard.lost(reason),
        bytes: (bytes, up) => {
          hash.update(bytes);
          heard.bytes(bytes, up);
        },
      },
    );
    port.pause();
    const sender = net.connect(number, '127.0.0.1');
    sockets.push(sender);
    await heard.until(1, /^opened/);
    const before = process.memoryUsage().arrayBuffers;
    let sent = 0;
    const sendFrom = (at: number): unknown =>
      at === all.length ||
      sender.write(all.subarray(at, at + MIB / 16), () => {
        sent = at + MIB / 16;
        sendFrom(sent);
      });
    sendFrom(0);
    let looks = 0;
    let seen = 0;
    await eventually('the end of its progress', () => {
      looks = sent > 0 && sent === seen ? looks + 1 : 0;
      seen = sent;
      return looks > 20;
    });
    expect(sent).toBeLessThan(all.length); // the kernel holds some MiB
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MIB);
    expect(heard.count).toBe(0);
    port.resume();
    await eventually('all bytes', () => heard.count === all.length);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(all).digest('hex'));
  });
});

describe('the links of a port', () => {
  /** A link that goes on reading while it is closed, as a serial line may. */
  const slow = (peer: string): Link & { readonly stream: PassThrough } => ({
    stream: new PassThrough(),
    peer,
    ended: new Promise(() => undefined),
    close: async () => undefined,
  });

  it('pass on no byte of a link that was replaced or closed, even if one still comes', async () => {
    const heard = new Heard();
    const links = new Links(heard, false);
    const [former, newer] = [slow('former'), slow('newer')];
    links.take(former);
    former.stream.write('a');
    await eventually('a byte', () => heard.text === 'a');
    links.take(newer);
    former.stream.write('b');
    newer.stream.write('c');
    await eventually('a byte of the newer', () => heard.text.endsWith('c'));
    await links.close();
    newer.stream.write('d');
    await eventually('that the streams were read', () =>
      [former, newer].every(({ stream }) => stream.readableLength === 0),
    );
    expect(heard.text).toBe('ac');
    expect(heard.changes).toEqual([
      'opened former',
      'lost newer connected in its place',
      'opened newer',
    ]);
  });
});

describe('a machine without a binding to serial ports', () => {
  beforeAll(() => built());

  it('refuses a serial port with a reason, and has the other kinds of port', async () => {
    const program = `
      import { openPort } from '#built/apps/gateway/src/ports/port';
      const say = (text) => console.log(text);
      const refused = ({ name, message }) => say(name + ' ' + message);
      const listener = { opened: say, bytes: say, lost: say };
      const open = (port) => openPort(port, { writes: false }, listener);
      await open({ serial: '/dev/ttyS0', baud: 4800 }).catch(refused);
      await (await open({ listen: '127.0.0.1:${await freePort()}' })).close();
      say('closed');`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--no-addons', '--input-type=module', '-e', program],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^Refusal \/dev\/ttyS0: serial ports cannot be used on this machine \(.+\)\nclosed\n$/,
    );
  });
});

describe('a closed port', () => {
  beforeAll(() => built());

  it('leaves nothing open, in whichever state it was closed', async () => {
    const line = pty && (await SerialLine.open(pty));
    const child = spawn(process.execPath, ['test/gateway/close-ports.mjs', line?.path ?? ''], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (text) => (said += String(text)));
    const ended = once(child, 'exit');
    await eventually('the end of the process by itself', () => child.exitCode !== null).catch(
      (error: unknown) => {
        child.kill('SIGKILL');
        throw new Error(`${String(error)}: ${said}`);
      },
    );
    await ended;
    await line?.unplug();
    expect({ code: child.exitCode, said: said.split('\n').at(-2) }).toEqual({
      code: 0,
      said: 'all are closed',
    });
  });
});
