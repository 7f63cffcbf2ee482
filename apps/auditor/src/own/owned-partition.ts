import type { Claimed } from '#read-model';
import type { PartitionFold } from '../fold/partition-fold.js';

/** A partition that this process owns. What is done to it is done in turn. */
export class OwnedPartition {
  /** Null until the partition has been taken over. */
  fold: PartitionFold | null = null;
  isTakingOver = false;
  /** It is being given back. */
  isLeaving = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(readonly claimed: Claimed) {}

  get partition(): number {
    return this.claimed.partition;
  }

  /** Does `work` after all that was begun before it. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.last;
    let done!: () => void;
    this.last = new Promise<void>((resolve) => (done = resolve));
    await before;
    try {
      return await work();
    } finally {
      done();
    }
  }
}
