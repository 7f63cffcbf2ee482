import { TcpProxy } from './tcp-proxy.js';

/**
 * The request's kind follows its length. A client that waits for each answer begins a chunk with
 * each request.
 */
const PRODUCE = 0;

/** A proxy between clients and a broker that simulates network faults. It loses answers to appends. */
export class KafkaProxy extends TcpProxy {
  /** Listens on a free port for a broker, whose port need not be open yet. */
  static async listen(brokerPort: number): Promise<KafkaProxy> {
    return new KafkaProxy(brokerPort).listening();
  }

  protected override isWorthLosing(sent: Buffer): boolean {
    return sent.length > 6 && sent.readInt16BE(4) === PRODUCE;
  }
}
