import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy between clients and a server on the loopback that simulates network faults. */
export class TcpProxy {
  readonly #server: Server;
  #pairs = new Set<readonly [Socket, Socket]>();
  #held = false;

  protected constructor(private readonly serverPort: number) {
    this.#server = createServer((client) => this.#join(client));
  }

  /** Listens on a free port for a server, whose port need not be open yet. */
  static async before(serverPort: number): Promise<TcpProxy> {
    return new TcpProxy(serverPort).listening();
  }

  /** Resolves with this proxy once it has a port. */
  protected async listening(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every connection, once. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Holds requests back, those of new connections too. */
  hold(): () => void {
    this.#held = true;
    for (const [client] of this.#pairs) client.pause();
    return () => {
      this.#held = false;
      for (const [client] of this.#pairs) client.resume();
    };
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Forwards a connection. `lose` ends it. */
  protected forward(client: Socket, server: Socket, _lose: () => void): void {
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => client.write(bytes));
  }

  #join(client: Socket): void {
    const server = connect({ host: '127.0.0.1', port: this.serverPort, noDelay: true });
    client.setNoDelay(true);
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    const end = () => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    this.forward(client, server, end);
    if (this.#held) client.pause();
  }
}
