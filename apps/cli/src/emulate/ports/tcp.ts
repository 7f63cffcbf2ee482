import { once } from 'node:events';
import net from 'node:net';
import { asError, within } from '#process';
import { Refusal } from '../../refusal.js';
import type { Address } from '../address.js';
import { Arrival, LINGER_MS, WAITING_BYTES_MAX } from './port.js';
import type { DevicePort, PortEvents } from './port.js';

/** Between two tries to connect, and how long one may take. */
const AGAIN_MS = 500;
const CONNECT_MS_MAX = 3_000;

/** What both directions share: one peer, whose bytes are heard. */
class Peer {
  socket: net.Socket | undefined;
  readonly arrival = new Arrival();

  constructor(private readonly events: PortEvents) {}

  /** Takes a new peer. It replaces the former one, because a power cut closes no connection. */
  take(socket: net.Socket): void {
    this.drop();
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.events.heard(bytes));
    // A peer that resets the connection is gone, as the close that follows says.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      this.arrival.left();
    });
    this.arrival.came();
  }

  write(bytes: Uint8Array): void {
    if (this.socket !== undefined && this.socket.writableLength < WAITING_BYTES_MAX)
      this.socket.write(bytes);
  }

  drop(): void {
    this.arrival.left();
    this.socket?.destroy();
    this.socket = undefined;
  }

  /** Ends the connection once everything is sent, or after `LINGER_MS`. */
  async end(): Promise<void> {
    const { socket } = this;
    this.arrival.left();
    if (socket === undefined) return;
    const closed = once(socket, 'close');
    socket.end();
    await within(LINGER_MS, closed).catch(() => socket.destroy());
  }
}

/** Waits for a gateway to connect. Throws `Refusal` if it cannot listen there. */
export async function listeningPort(asked: Address, events: PortEvents): Promise<DevicePort> {
  const peer = new Peer(events);
  const server = net.createServer((socket) => peer.take(socket));
  const listen = async (at: Address): Promise<void> => {
    server.listen(at);
    await once(server, 'listening');
  };
  await listen(asked).catch((error: unknown) => {
    throw new Refusal(`--listen: ${asError(error).message}`);
  });
  const { address, port, family } = server.address() as net.AddressInfo;
  return {
    address: family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`,
    opened: peer.arrival.stayed,
    write: (bytes) => peer.write(bytes),
    setCable(isIn) {
      if (isIn === server.listening) return;
      if (isIn) listen({ ...asked, port }).catch((error: unknown) => events.failed(asError(error)));
      else {
        server.close();
        peer.drop();
      }
    },
    async close() {
      server.close();
      await peer.end();
    },
  };
}

/** Connects to a gateway, and again when the connection is lost, until it is closed. */
export class ConnectingPort implements DevicePort {
  readonly address: string;
  private readonly peer: Peer;
  private isIn = true;
  private again: NodeJS.Timeout | undefined;
  /** The number of the last try: an earlier one that ends does not begin another. */
  private tries = 0;

  constructor(
    private readonly to: Address,
    events: PortEvents,
  ) {
    this.address = to.text;
    this.peer = new Peer(events);
    this.connect();
  }

  get opened(): Promise<void> {
    return this.peer.arrival.stayed;
  }

  write(bytes: Uint8Array): void {
    this.peer.write(bytes);
  }

  setCable(isIn: boolean): void {
    if (isIn === this.isIn) return;
    this.pull();
    this.peer.drop();
    this.isIn = isIn;
    if (isIn) this.connect();
  }

  async close(): Promise<void> {
    this.pull();
    await this.peer.end();
  }

  private pull(): void {
    this.isIn = false;
    clearTimeout(this.again);
  }

  private connect(): void {
    this.tries += 1;
    const now = this.tries;
    const socket = net.connect({ ...this.to, timeout: CONNECT_MS_MAX });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!this.isIn || now !== this.tries) return;
      this.again = setTimeout(() => this.connect(), AGAIN_MS);
    });
    socket.once('timeout', () => socket.destroy());
    socket.once('connect', () => {
      socket.setTimeout(0);
      if (this.isIn && now === this.tries) this.peer.take(socket);
      else socket.destroy();
    });
  }
}
