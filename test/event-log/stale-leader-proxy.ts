import type { Socket } from 'node:net';
import { TcpProxy } from '../kit/tcp-proxy.js';

const LIST_OFFSETS = 2;
const LENGTH_BYTES = 4;
const OFFSET_BYTES = 8;

/**
 * A proxy before a broker that can make it answer like a leader that has slept: when asked for the
 * head of a partition, it says the one that it had when it fell asleep. One partition is asked for
 * at a time, so the offset is the end of the answer.
 */
export class StaleLeaderProxy extends TcpProxy {
  #head: number | undefined;
  /** How often an old head was answered. */
  answered = 0;

  /** Listens on a free port for a broker, whose port need not be open yet. */
  static async listen(brokerPort: number): Promise<StaleLeaderProxy> {
    return new StaleLeaderProxy(brokerPort).listening();
  }

  /** Answers with an old head from now on, until the returned function is called. */
  remember(head: number): () => void {
    this.#head = head;
    return () => void (this.#head = undefined);
  }

  protected override forward(client: Socket, broker: Socket): void {
    const asked = new Set<number>();
    client.on(
      'data',
      framed((frame) => {
        if (frame.readInt16BE(LENGTH_BYTES) === LIST_OFFSETS)
          asked.add(frame.readInt32BE(LENGTH_BYTES + 4));
        broker.write(frame);
      }),
    );
    broker.on(
      'data',
      framed((frame) => {
        if (asked.delete(frame.readInt32BE(LENGTH_BYTES)) && this.#head !== undefined) {
          frame.writeBigInt64BE(BigInt(this.#head), frame.length - OFFSET_BYTES);
          this.answered += 1;
        }
        client.write(frame);
      }),
    );
  }
}

/** Calls back with each whole frame: its length in four bytes, and as many bytes. */
function framed(came: (frame: Buffer) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + rest.readInt32BE(0);
      if (rest.length < end) return;
      came(Buffer.from(rest.subarray(0, end)));
      rest = rest.subarray(end);
    }
  };
}
