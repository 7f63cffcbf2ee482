import { TcpProxy } from './tcp-proxy.js';

/**
 * The request's kind follows its length. A client that waits for each answer begins a chunk with
 * each request.
 */
const PRODUCE = 0;
const DESCRIBE_CONFIGS = 32;

/** A proxy between clients and a broker that simulates network faults. It loses answers to appends. */
export class KafkaProxy extends TcpProxy {
  #hidden: string | undefined;
  #leftToHide = 0;

  /** Listens on a free port for a broker, whose port need not be open yet. */
  static async listen(brokerPort: number): Promise<KafkaProxy> {
    return new KafkaProxy(brokerPort).listening();
  }

  /**
   * Makes the broker answer the next `times` questions for the settings of a topic as one that does
   * not know it yet: it is asked for another topic.
   */
  hideSettings(topic: string, times: number): void {
    this.#hidden = topic;
    this.#leftToHide = times;
  }

  /** How many questions for the settings of the topic are still to be answered so. */
  get leftToHide(): number {
    return this.#leftToHide;
  }

  protected override isWorthLosing(sent: Buffer): boolean {
    return kindOf(sent) === PRODUCE;
  }

  protected override passedOn(bytes: Buffer, _of: object, isAnswer: boolean): Buffer {
    if (isAnswer || this.#leftToHide === 0 || kindOf(bytes) !== DESCRIBE_CONFIGS) return bytes;
    const at = bytes.indexOf(this.#hidden as string);
    if (at === -1) return bytes;
    this.#leftToHide -= 1;
    const other = Buffer.from(bytes);
    other.fill('x', at, at + (this.#hidden as string).length);
    return other;
  }
}

const kindOf = (request: Buffer): number | undefined =>
  request.length > 6 ? request.readInt16BE(4) : undefined;
