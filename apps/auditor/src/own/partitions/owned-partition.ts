import type { Claimed } from '#read-model';
import type { PartitionFold } from '../../fold/partition-fold.js';

/** A partition that this process owns. Runs the work on it one task at a time. */
export class OwnedPartition {
  private opened: PartitionFold | null = null;
  private isBusy = false;
  private leaving = false;
  private last: Promise<void> = Promise.resolve();

  constructor(readonly claimed: Claimed) {}

  get partition(): number {
    return this.claimed.partition;
  }

  /** Null until the partition has been opened. */
  get fold(): PartitionFold | null {
    return this.opened;
  }

  /** Whether it is being opened, or its tables are being loaded. */
  get isLoading(): boolean {
    return this.isBusy;
  }

  /** Whether it is being released. */
  get isLeaving(): boolean {
    return this.leaving;
  }

  /** Marks the partition as being loaded while `work` runs. */
  async loading<T>(work: () => Promise<T>): Promise<T> {
    this.isBusy = true;
    try {
      return await work();
    } finally {
      this.isBusy = false;
    }
  }

  /** Sets the fold, which can be followed. */
  open(fold: PartitionFold): void {
    this.opened = fold;
  }

  /** Marks the partition as being released. */
  leave(): void {
    this.leaving = true;
  }

  /** Runs `work` after all work that was queued before it. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => undefined); // the caller handles the failure of its turn
    return turn;
  }
}

/** A partition that was opened and is not being released. */
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

  /** Returns the partitions that were opened and are not being released. */
  followed(): FollowedPartition[] {
    return this.all().flatMap((owned) => {
      const { fold, isLeaving } = owned;
      return fold && !isLeaving ? [{ owned, fold }] : [];
    });
  }

  get(partition: number): OwnedPartition | undefined {
    return this.owned.get(partition);
  }

  /** Adds a claimed partition, in place of one that is still held under an earlier claim. */
  add(claimed: Claimed): OwnedPartition {
    const former = this.owned.get(claimed.partition);
    if (former) this.drop(former);
    const owned = new OwnedPartition(claimed);
    this.owned.set(claimed.partition, owned);
    return owned;
  }

  /** Returns whether the partition is still owned under this claim and its work continues. */
  holds(owned: OwnedPartition): boolean {
    return !this.closing && this.isOwned(owned);
  }

  /** Forgets a partition and stops following it. Ignores a partition not owned under this claim. */
  drop(owned: OwnedPartition): void {
    if (!this.isOwned(owned)) return;
    this.owned.delete(owned.partition);
    this.onDropped(owned);
  }

  /** Ends the work on all partitions, which stay owned. */
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
