import type { BackgroundTasks } from '../background-tasks.js';
import type { Follower } from '#event-log';
import type { AuditorParts } from '../parts.js';
import type { Writer } from '../writer.js';
import type { OwnedPartition, OwnedPartitions } from './owned-partition.js';
import type { Takeovers } from './takeovers.js';

/** The parts that membership works with. */
export interface MembershipParts extends Pick<
  AuditorParts,
  'log' | 'rows' | 'owner' | 'leaseMs' | 'journal' | 'metrics'
> {
  readonly partitions: OwnedPartitions;
  readonly takeovers: Takeovers;
  readonly writer: Writer;
  readonly follower: Follower;
  readonly tasks: BackgroundTasks;
}

/**
 * This auditor's membership among those that share the partitions. Renews its leases, claims its
 * share and releases the excess. Waits for nothing but PostgreSQL.
 */
export class Membership {
  /** When the database took the last heartbeat, and whether it refused one since then. */
  private answeredAt = 0;
  private isAway = false;
  /** Until then, others may come back from an outage that this auditor had, too. */
  private backUntil = 0;

  constructor(private readonly parts: MembershipParts) {}

  /** Renews the leases, and forgets the partitions that another auditor owns by now. */
  async renew(): Promise<void> {
    const { rows, owner, leaseMs, partitions } = this.parts;
    const held = partitions.all();
    const claims = held.map(({ claimed }) => claimed);
    const lost = new Set(await rows.renew(owner, leaseMs, claims));
    for (const owned of held) if (lost.has(owned.partition)) this.lose(owned);
  }

  /**
   * Reports that this auditor is alive, and claims or releases partitions until every auditor has
   * its share. Claims nothing for one lease after an outage of the database that lasted for one: it
   * ended the leases of all auditors, who renew them as soon as they are back. A partition that
   * another one claims first would be loaded again, although its owner has it in memory.
   */
  async share(): Promise<void> {
    const { rows, owner, leaseMs, log, partitions, tasks, takeovers } = this.parts;
    const members = await rows.heartbeat(owner, leaseMs).catch((error: unknown) => {
      this.isAway = true;
      throw error;
    });
    const mayClaim = this.hasWaited(performance.now());
    const share = Math.ceil(log.partitions / members);
    const staying = partitions.all().filter(({ isLeaving }) => !isLeaving);
    for (const owned of excessOf(staying, share)) tasks.track(this.giveBack(owned));
    takeovers.forgetOld();
    if (partitions.isClosing || staying.length >= share || !mayClaim) return;
    for (const claimed of await rows.claim(owner, leaseMs, share - staying.length))
      takeovers.begin(partitions.add(claimed));
  }

  /** Notes that the database answered. Returns whether the last outage was a lease ago. */
  private hasWaited(now: number): boolean {
    const { leaseMs } = this.parts;
    if (this.isAway && now - this.answeredAt > leaseMs) this.backUntil = now + leaseMs;
    this.answeredAt = now;
    this.isAway = false;
    return now >= this.backUntil;
  }

  /** Forgets a partition that another auditor now owns, if it is still owned under this claim. */
  lose(owned: OwnedPartition): void {
    const { partitions, metrics, journal } = this.parts;
    const { partition } = owned;
    if (partitions.get(partition) !== owned) return;
    metrics.fenced.inc();
    journal.info('partition lost to another auditor', { partition });
    partitions.drop(owned);
  }

  /** Releases all partitions, so that other auditors need not wait for a lease to expire. */
  async leave(): Promise<void> {
    const { rows, owner, partitions } = this.parts;
    const claims = partitions.all().map(({ claimed }) => claimed);
    await rows.release(owner, claims);
    await rows.leave(owner);
  }

  /** Releases a partition once its rows and the states of its tables are written. */
  private async giveBack(owned: OwnedPartition): Promise<void> {
    const { rows, owner, journal, partitions, writer, follower } = this.parts;
    const { partition, claimed } = owned;
    owned.leave();
    await follower.remove(partition);
    await owned.inTurn(async () => {
      if (owned.fold) await writer.handOver(owned.fold);
    });
    partitions.drop(owned);
    await rows.release(owner, [claimed]);
    journal.info('partition released to another auditor', { partition });
  }
}

/**
 * Returns the partitions to release so that `share` stay: first those that are not open, then those
 * with the fewest tables loaded. One that is being loaded stays until that is done, or the work on
 * it would be lost.
 */
function excessOf(staying: readonly OwnedPartition[], share: number): OwnedPartition[] {
  const loaded = ({ fold }: OwnedPartition): number => fold?.tables.size ?? -1;
  return staying
    .filter(({ isLoading }) => !isLoading)
    .sort((one, other) => loaded(one) - loaded(other))
    .slice(0, Math.max(0, staying.length - share));
}
