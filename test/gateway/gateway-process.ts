import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  asciiBytes,
  encodeAngelEye,
  feedDevice,
  powerUp,
  recordEvent,
  type AngelEyeReport,
  type Line1DeviceState,
  type Line1DeviceTurn,
  type ReportedEvent,
} from '#devices';
import type { GatewayConfiguration } from '#gateway';
import type { GatewaySnapshot } from '../../apps/gateway/src/health/snapshot.js';
import { eventually } from '../kit/eventually.js';
import { freePort } from '../kit/processes.js';

const MAIN = fileURLToPath(new URL('../../dist/apps/gateway/src/main.js', import.meta.url));
const EXAMPLE = JSON.parse(
  readFileSync(new URL('../../examples/gateway.json', import.meta.url), 'utf8'),
) as GatewayConfiguration;
const TICK_MS = 50;

/** The port of a table's shoe, without which it has a line, and what is said of its shoes. */
export interface GatewayPorts extends Partial<GatewayConfiguration['opens']> {
  /** The TCP port of a shoe, or the device file of one. */
  readonly shoe?: number;
  readonly serial?: string;
  /** The device file of a line, which listens at a TCP port otherwise. */
  readonly serialLine?: string;
}

/** A gateway in a process of its own, with its configuration and its spool in a folder of its own. */
export class GatewayProcess {
  readonly folder = mkdtempSync(join(tmpdir(), 'gateway-run-'));
  readonly file = join(this.folder, 'gateway.json');
  said = '';
  private child: ChildProcess | undefined;

  private constructor(readonly configuration: GatewayConfiguration) {}

  /** Writes the configuration of a table. Its shoe is a TCP server, and its line listens. */
  static async of(
    api: { readonly url: string; readonly key: string },
    table: string,
    { shoe, serial, serialLine, ...opens }: GatewayPorts = {},
  ): Promise<GatewayProcess> {
    const hasShoe = shoe !== undefined || serial !== undefined;
    const gateway = new GatewayProcess({
      ...EXAMPLE,
      ...{
        table,
        opens: { ...EXAMPLE.opens, ...opens },
        coups: hasShoe ? 'shoe' : 'line',
      },
      api: { url: api.url, keyFile: '' },
      devices: !hasShoe
        ? [
            {
              ...{ name: `${table}-line`, protocol: 'line-1' },
              port:
                serialLine === undefined
                  ? { listen: `127.0.0.1:${await freePort()}` }
                  : { serial: serialLine, baud: 115_200 },
            },
          ]
        : [
            {
              ...{ name: `${table}-shoe`, protocol: 'angel-eye-ii-ex' },
              port:
                serial === undefined ? { connect: `127.0.0.1:${shoe}` } : { serial, baud: 4800 },
            },
          ],
      health: { listen: `127.0.0.1:${await freePort()}` },
    });
    const { folder } = gateway;
    writeFileSync(gateway.api.keyFile, `${api.key}\n`, { mode: 0o600 });
    const spool = { folder: join(folder, 'spool') };
    const whole = { ...gateway.configuration, spool, api: gateway.api };
    writeFileSync(gateway.file, JSON.stringify(whole));
    return gateway;
  }

  /** Where its api is, as its file says. */
  get api(): GatewayConfiguration['api'] {
    return { url: this.configuration.api.url, keyFile: join(this.folder, 'key') };
  }

  /** Where its device on line protocol 1 connects. */
  get lineAddress(): string {
    const [device] = this.configuration.devices;
    if (device === undefined || !('listen' in device.port)) throw new Error('no device connects');
    return device.port.listen;
  }

  /** Starts it and resolves once it says that it hears. */
  async start(): Promise<this> {
    this.said = '';
    const child = spawn(process.execPath, [MAIN, 'run', this.file], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'], // as the command line starts it
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (this.said += String(text)));
    await eventually('a gateway that hears', () => {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${this.said}`);
      return this.said.includes(': hearing ');
    });
    return this;
  }

  /** Runs a command beside it. Returns its exit code and what it said. */
  async command(name: string, ...rest: readonly string[]): Promise<readonly [number, string]> {
    return this.commandUntil(() => false, name, ...rest);
  }

  /** Runs a command and stops it as Ctrl-C does once it has said enough. */
  async commandUntil(
    isEnough: (said: string) => boolean,
    name: string,
    ...rest: readonly string[]
  ): Promise<readonly [number, string]> {
    const child = spawn(process.execPath, [MAIN, name, this.file, ...rest]);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        said += String(text);
        if (isEnough(said)) child.kill('SIGINT');
      });
    const code = await new Promise<number>((done) => child.once('close', (is) => done(is ?? -1)));
    return [code, said];
  }

  async status(): Promise<GatewaySnapshot> {
    const [, said] = await this.command('status', '--json');
    return JSON.parse(said) as GatewaySnapshot;
  }

  /** Returns the code and the body of `/readyz`. */
  async readyz(): Promise<readonly [number, { readonly delivery: string }]> {
    const answer = await fetch(`http://${this.configuration.health?.listen}/readyz`);
    return [answer.status, (await answer.json()) as { delivery: string }];
  }

  /** Ends it with a signal. Returns its exit code, or null if the signal ended it. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    child.kill(signal);
    return ended;
  }

  async close(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true });
  }
}

/** A shoe behind a device server: who is connected hears what it sends, and nobody else. */
export class ShoeOverTcp {
  private readonly peers = new Set<Socket>();
  /** What somebody wrote to it. */
  written = 0;
  private sequence = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {
    server.on('connection', (peer) => {
      this.peers.add(peer);
      peer.on('data', (bytes) => (this.written += bytes.length));
      peer.on('error', () => undefined).on('close', () => this.peers.delete(peer));
    });
  }

  static async open(): Promise<ShoeOverTcp> {
    const server = createServer();
    const port = await freePort();
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
    return new ShoeOverTcp(server, port);
  }

  get isHeard(): boolean {
    return this.peers.size > 0;
  }

  says(...reports: readonly AngelEyeReport[]): void {
    for (const report of reports) {
      this.sequence = (this.sequence + 1) % 10;
      const sequence = `${this.sequence}`;
      for (const peer of this.peers)
        peer.write(encodeAngelEye(report, { sequence, bcc: 'from-sequence' }));
    }
  }

  /** Breaks the link. */
  cut(): void {
    for (const peer of this.peers) peer.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((done) => this.server.close(done));
  }
}

/** A device on line protocol 1 that connects again whenever its link is lost. */
export class Line1OverTcp {
  private state: Line1DeviceState;
  private socket: Socket | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly address: string) {
    const device = { unit: 'U1', firmware: '2.0', boot: 1, memory: [], missed: 0 };
    const { state } = powerUp(device, this.up());
    this.state = state;
    this.timer = setInterval(() => this.tick(), TICK_MS);
  }

  /** Whether the gateway has acknowledged everything. */
  get isDone(): boolean {
    return this.state.boots.every(({ events }) => events.length === 0);
  }

  says(event: ReportedEvent): void {
    this.took(recordEvent(this.state, event, this.up()));
  }

  cut(): void {
    this.socket?.destroy();
  }

  close(): void {
    clearInterval(this.timer);
    this.cut();
  }

  private tick(): void {
    if (this.socket === undefined) {
      const [host = '', port] = this.address.split(':');
      const socket = connect(Number(port), host);
      this.socket = socket;
      socket.on('data', (bytes) => this.took(feedDevice(this.state, bytes, this.up())));
      socket.on('error', () => undefined).on('close', () => (this.socket = undefined));
    }
    this.took(feedDevice(this.state, asciiBytes(''), this.up()));
  }

  private took({ state, write }: Line1DeviceTurn): void {
    this.state = state;
    if (this.socket?.writable) for (const line of write) this.socket.write(line);
  }

  private up(): number {
    return performance.now() / 1_000;
  }
}
