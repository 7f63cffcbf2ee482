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
  readonly #states = new WeakMap<object, Asked>();
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

  protected override passedOn(bytes: Buffer, of: object, isAnswer: boolean): Buffer {
    const { asked, rests } = this.#stateOf(of);
    const frames = rests[isAnswer ? 1 : 0]?.whole(bytes) ?? [];
    for (const frame of frames) {
      const id = frame.readInt32BE(isAnswer ? LENGTH_BYTES : LENGTH_BYTES + 4);
      if (!isAnswer && frame.readInt16BE(LENGTH_BYTES) === LIST_OFFSETS) asked.add(id);
      if (!isAnswer || !asked.delete(id) || this.#head === undefined) continue;
      frame.writeBigInt64BE(BigInt(this.#head), frame.length - OFFSET_BYTES);
      this.answered += 1;
    }
    return Buffer.concat(frames);
  }

  #stateOf(of: object): Asked {
    const known = this.#states.get(of);
    if (known) return known;
    const state = { asked: new Set<number>(), rests: [new Frames(), new Frames()] };
    this.#states.set(of, state);
    return state;
  }
}

/** The requests for heads that wait for an answer, and what came of unfinished frames each way. */
interface Asked {
  readonly asked: Set<number>;
  readonly rests: readonly Frames[];
}

/** Cuts what comes into whole frames: a length in four bytes, and as many bytes. */
class Frames {
  #rest = Buffer.alloc(0);

  whole(bytes: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const frames: Buffer[] = [];
    while (this.#rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + this.#rest.readInt32BE(0);
      if (this.#rest.length < end) break;
      frames.push(Buffer.from(this.#rest.subarray(0, end)));
      this.#rest = this.#rest.subarray(end);
    }
    return frames;
  }
}
