import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * The request's kind follows its length. A client that waits for each answer begins a chunk with
 * each request.
 */
const PRODUCE = 0;

/** A proxy between a client and a broker that simulates network faults. */
export class KafkaProxy {
  #server: Server;
  #pairs = new Set<readonly [Socket, Socket]>();
  #losing = false;
  #held = false;

  private constructor(private readonly brokerPort: number) {
    this.#server = createServer((client) => this.#join(client));
  }

  /** Listens on a free port for a broker, whose port need not be open yet. */
  static async listen(brokerPort: number): Promise<KafkaProxy> {
    const proxy = new KafkaProxy(brokerPort);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every connection, once. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Forwards appends to the broker, and loses their answers and the connection. */
  loseAnswers(): () => void {
    this.#losing = true;
    return () => void (this.#losing = false);
  }

  /** Holds requests back. */
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

  #join(client: Socket): void {
    const broker = connect({ host: '127.0.0.1', port: this.brokerPort, noDelay: true });
    client.setNoDelay(true);
    const pair = [client, broker] as const;
    this.#pairs.add(pair);
    const end = () => {
      this.#pairs.delete(pair);
      client.destroy();
      broker.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    let appended = false;
    client.on('data', (bytes) => {
      appended ||= bytes.length > 6 && bytes.readInt16BE(4) === PRODUCE;
      broker.write(bytes);
    });
    broker.on('data', (bytes) => (this.#losing && appended ? end() : client.write(bytes)));
    if (this.#held) client.pause();
  }
}
