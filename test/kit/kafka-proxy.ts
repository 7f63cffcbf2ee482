import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

/**
 * The request's kind follows its length. A client that waits for each answer begins a chunk with
 * each request.
 */
const PRODUCE = 0;

/** A proxy between a client and a broker that simulates network faults. */
export class KafkaProxy extends TcpProxy {
  #losing = false;

  /** Listens on a free port for a broker, whose port need not be open yet. */
  static async listen(brokerPort: number): Promise<KafkaProxy> {
    return new KafkaProxy(brokerPort).listening();
  }

  /** Forwards appends to the broker, and loses their answers and the connection. */
  loseAnswers(): () => void {
    this.#losing = true;
    return () => void (this.#losing = false);
  }

  protected override forward(client: Socket, broker: Socket, lose: () => void): void {
    let appended = false;
    client.on('data', (bytes) => {
      appended ||= bytes.length > 6 && bytes.readInt16BE(4) === PRODUCE;
      broker.write(bytes);
    });
    broker.on('data', (bytes) => (this.#losing && appended ? lose() : client.write(bytes)));
  }
}
