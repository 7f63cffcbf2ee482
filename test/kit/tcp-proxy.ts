import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** One direction of a connection, and the bytes that are delayed on it. */
interface Lane {
  readonly to: Socket;
  readonly waiting: Buffer[];
  due: number;
}

/** A client's connection and the one to the server that belongs to it. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Whether bytes are swallowed, in both directions and for ever. */
  isSilent: boolean;
  /** Whether the answers of this connection are worth losing. */
  isAwaited: boolean;
}

/**
 * A proxy between clients and a server on the loopback that simulates network faults: connections
 * that are cut, held back, refused, slow or half-open, and answers that are lost.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #port = 0;
  #isHeld = false;
  #isSilent = false;
  #isLosing = false;
  #delayMs = 0;
  #joined = 0;

  protected constructor(private readonly serverPort: number) {
    this.#server = createServer((client) => this.#join(client));
  }

  /** Listens on a free port for a server, whose port need not be open yet. */
  static async before(serverPort: number): Promise<TcpProxy> {
    return new TcpProxy(serverPort).listening();
  }

  /** Resolves with this proxy once it has a port. */
  protected async listening(): Promise<this> {
    for (;;) {
      // Below the ports of outgoing connections and of servers that tests start, so that none takes
      // it while this proxy refuses.
      const port = 12_000 + Math.floor(Math.random() * 8_000);
      try {
        await this.#listen(port);
        return this;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
    }
  }

  get port(): number {
    return this.#port;
  }

  /** The number of connections that were ever made through it. */
  get joined(): number {
    return this.#joined;
  }

  /** Cuts every connection, once. */
  cut(): void {
    for (const { client, server } of this.#pairs) for (const end of [client, server]) end.destroy();
  }

  /** Holds back what either side sends, on new connections too, until it is undone. */
  hold(): () => void {
    this.#isHeld = true;
    for (const { client, server } of this.#pairs) for (const end of [client, server]) end.pause();
    return () => {
      this.#isHeld = false;
      for (const { client, server } of this.#pairs)
        for (const end of [client, server]) end.resume();
    };
  }

  /**
   * Makes every connection half-open, for ever: what either side sends is swallowed, and the client
   * does not see that the server closes. Until it is undone, new connections are accepted and get
   * the same fate. Afterwards new ones are served.
   */
  silence(): () => void {
    this.#isSilent = true;
    for (const pair of this.#pairs) pair.isSilent = true;
    return () => void (this.#isSilent = false);
  }

  /** Cuts every connection and refuses new ones until it is undone. */
  async refuse(): Promise<() => Promise<void>> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
    return () => this.#listen(this.#port);
  }

  /** Forwards requests, and loses their answers and the connection, until it is undone. */
  loseAnswers(): () => void {
    this.#isLosing = true;
    return () => void (this.#isLosing = false);
  }

  /** Delays what either side sends by `ms`, in order, until it is undone. */
  slow(ms: number): () => void {
    this.#delayMs = ms;
    return () => void (this.#delayMs = 0);
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Returns whether `loseAnswers` loses the answers of a connection on which this was sent. */
  protected isWorthLosing(_sent: Buffer): boolean {
    return true;
  }

  /** Returns what passes on of what came. Bytes of one connection come with the same `of`. */
  protected passedOn(bytes: Buffer, _of: object, _isAnswer: boolean): Buffer {
    return bytes;
  }

  async #listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  #join(client: Socket): void {
    const server = connect({ host: '127.0.0.1', port: this.serverPort, noDelay: true });
    client.setNoDelay(true);
    const pair: Pair = { client, server, isSilent: this.#isSilent, isAwaited: false };
    this.#pairs.add(pair);
    this.#joined += 1;
    const end = () => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    const serverEnd = () => {
      if (!pair.isSilent) end();
    };
    client.on('error', end).on('close', end);
    server.on('error', serverEnd).on('close', serverEnd);
    this.#forward(pair, end);
    if (this.#isHeld) for (const each of [client, server]) each.pause();
  }

  /** Forwards a connection. `lose` ends it. */
  #forward(pair: Pair, lose: () => void): void {
    const { client, server } = pair;
    const [there, back] = [server, client].map((to): Lane => ({ to, waiting: [], due: 0 })) as [
      Lane,
      Lane,
    ];
    client.on('data', (bytes) => {
      if (pair.isSilent) return;
      pair.isAwaited ||= this.isWorthLosing(bytes);
      this.#pass(pair, there, this.passedOn(bytes, pair, false));
    });
    server.on('data', (bytes) => {
      if (pair.isSilent) return;
      if (this.#isLosing && pair.isAwaited) lose();
      else this.#pass(pair, back, this.passedOn(bytes, pair, true));
    });
  }

  /** Writes bytes at once, or after the delay and after those that wait before them. */
  #pass(pair: Pair, lane: Lane, bytes: Buffer): void {
    const now = performance.now();
    if (this.#delayMs === 0 && lane.waiting.length === 0) return void lane.to.write(bytes);
    lane.due = Math.max(lane.due, now + this.#delayMs);
    lane.waiting.push(bytes);
    setTimeout(() => {
      const next = lane.waiting.shift() as Buffer;
      if (!pair.isSilent && !lane.to.destroyed) lane.to.write(next);
    }, lane.due - now);
  }
}
