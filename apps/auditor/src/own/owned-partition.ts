import type { Claimed } from '#read-model';
import type { PartitionFold } from '../fold/partition-fold.js';

/** A partition that this process owns. Work on it is done one piece after the other. */
export class OwnedPartition {
  private loaded: PartitionFold | null = null;
  private leaving = false;
  private last: Promise<void> = Promise.resolve();

  constructor(readonly claimed: Claimed) {}

  get partition(): number {
    return this.claimed.partition;
  }

  /** Null until the partition has been taken over. */
  get fold(): PartitionFold | null {
    return this.loaded;
  }

  /** Whether it is being given back. */
  get isLeaving(): boolean {
    return this.leaving;
  }

  /** Starts folding it. */
  takenOver(fold: PartitionFold): void {
    this.loaded = fold;
  }

  /** Starts giving it back. */
  leave(): void {
    this.leaving = true;
  }

  /** Runs `work` after everything that was started before it. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => undefined); // whoever asked for the turn handles its failure
    return turn;
  }
}

/** A partition that is taken over and stays. */
export interface FollowedPartition {
  readonly owned: OwnedPartition;
  readonly fold: PartitionFold;
}

/** The partitions that this process owns. */
export class OwnedPartitions {
  private readonly owned = new Map<number, OwnedPartition>();
  private closing = false;

  constructor(private readonly onDropped: (owned: OwnedPartition) => void) {}

  get isClosing(): boolean {
    return this.closing;
  }

  all(): OwnedPartition[] {
    return [...this.owned.values()];
  }

  /** Returns the partitions that are taken over and not being given back. */
  followed(): FollowedPartition[] {
    return this.all().flatMap((owned) => {
      const { fold, isLeaving } = owned;
      return fold && !isLeaving ? [{ owned, fold }] : [];
    });
  }

  get(partition: number): OwnedPartition | undefined {
    return this.owned.get(partition);
  }

  add(claimed: Claimed): OwnedPartition {
    const owned = new OwnedPartition(claimed);
    this.owned.set(claimed.partition, owned);
    return owned;
  }

  /** Whether the partition is still owned, under this claim, and work on it goes on. */
  holds(owned: OwnedPartition): boolean {
    return !this.closing && this.isOwned(owned);
  }

  /** Forgets a partition and stops following it. Does nothing where it is not owned under this claim. */
  drop(owned: OwnedPartition): void {
    if (!this.isOwned(owned)) return;
    this.owned.delete(owned.partition);
    this.onDropped(owned);
  }

  /** Ends the work on all partitions. They are still owned. */
  close(): void {
    this.closing = true;
  }

  clear(): void {
    this.owned.clear();
  }

  private isOwned(owned: OwnedPartition): boolean {
    return this.owned.get(owned.partition) === owned;
  }
}
