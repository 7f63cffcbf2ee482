import { setTimeout as pause } from 'node:timers/promises';
import { SkippedRecord, type Tables } from './tables.js';
import { BrokenLog, type Follower, type StoredRecord } from '#event-log';
import { asError } from '#process';
import { LeaseLost, type Lease } from '#seal-store';
import { alarmOf } from '../monitoring/alarms.js';
import { BeginAgain } from './begin-again.js';
import { SealIntake, type ReadRecords, type StoppedFollowing } from './intake.js';
import { faultsOfPositions, type PartitionFault } from './partition-checks.js';
import type { SealerParts } from './parts.js';
import type { SiteLog } from './site-log.js';

/** How often the session looks whether something is due. */
const LOOK_MS = 100;
/** How often to check whether a stopped partition was resumed. */
const RESUMED_LOOK_MS = 2_000;
/** How often the lease is renewed while it lasts. */
const RENEWALS_A_LEASE = 3;

/**
 * The time in which this sealer is the active one. Follows all partitions, commits what it reads,
 * and seals. Everything happens one after the other in one loop, under one lease, so nothing is
 * sealed that is not committed. Any failure ends the session, and the next one begins with what the
 * database holds.
 */
export class SealingSession {
  private readonly intake = new SealIntake(() => this.wakeUp?.());
  private readonly follower: Follower;
  private wakeUp: (() => void) | undefined;
  private readonly stopped = new Set<number>();
  private lookedAt = performance.now();
  private renewedAt = performance.now();
  private isEnding = false;

  private constructor(
    private readonly parts: SealerParts,
    private readonly lease: Lease,
    private readonly tables: Tables,
    private readonly siteLog: SiteLog,
  ) {
    this.follower = parts.log.follow(this.intake);
  }

  /**
   * Runs a session until `stopping` is aborted, or it fails: with `LeaseLost` if another sealer has
   * claimed the site, else with what failed.
   */
  static async run(
    parts: SealerParts,
    lease: Lease,
    loaded: { readonly tables: Tables; readonly siteLog: SiteLog },
    stopping: AbortSignal,
  ): Promise<void> {
    const session = new SealingSession(parts, lease, loaded.tables, loaded.siteLog);
    const end = (): void => session.end();
    stopping.addEventListener('abort', end, { once: true });
    if (stopping.aborted) end();
    try {
      await session.begin();
      while (!session.isEnding) await session.turn();
      await session.commit();
    } finally {
      stopping.removeEventListener('abort', end);
      session.intake.close(new LeaseLost('the session has ended'));
      await session.follower.close();
    }
  }

  private end(): void {
    this.isEnding = true;
    this.wakeUp?.();
  }

  /** Finds the partitions whose log is another one, and follows the others. */
  private async begin(): Promise<void> {
    const { log, store, sha256, metrics, sealedLogId: logId } = this.parts;
    const positions = await store.positions();
    for (const fault of await faultsOfPositions(log, sha256, { logId, positions }))
      await this.stop(fault);
    const standing = await store.positions();
    for (const { partition, next, stopped } of standing)
      if (stopped === null) this.follower.add(partition, next);
      else this.stopped.add(partition);
    metrics.stopped.set(this.stopped.size);
  }

  private async turn(): Promise<void> {
    await this.rest();
    if (this.intake.isDue) await this.commit();
    for (const stopped of this.intake.drainStops()) await this.stopFollowing(stopped);
    await this.siteLog.advance(this.lease, () => this.commit());
    await this.renewIfDue();
    await this.lookForResumed();
    this.parts.metrics.unsealed.set(this.tables.unsealed);
  }

  private async rest(): Promise<void> {
    if (this.isEnding) return;
    const waking = new AbortController();
    this.wakeUp = () => waking.abort();
    await pause(LOOK_MS, undefined, { signal: waking.signal }).catch(() => undefined); // woken
    this.wakeUp = undefined;
  }

  /** Commits everything that waits. */
  private async commit(): Promise<void> {
    const deliveries = this.intake.drain();
    if (deliveries.length === 0) return;
    const admitted: StoredRecord[] = [];
    const refused = new Map<ReadRecords, SkippedRecord>();
    try {
      for (const delivery of deliveries) {
        const { records, fault } = this.tables.admit(delivery.partition, delivery.records);
        admitted.push(...records);
        if (fault) refused.set(delivery, fault);
      }
      await this.write(admitted);
    } catch (error) {
      for (const { failed } of deliveries) failed(asError(error));
      throw error;
    }
    for (const delivery of deliveries) {
      const fault = refused.get(delivery);
      if (fault) delivery.failed(fault);
      else delivery.done();
    }
  }

  private async write(records: readonly StoredRecord[]): Promise<void> {
    if (records.length === 0) return;
    await this.parts.store.commit(this.lease, this.tables.grow(records));
    this.renewedAt = performance.now();
    this.parts.metrics.records.inc(records.length);
  }

  /** A partition that cannot be read is stopped; any other failure ends the session. */
  private async stopFollowing({ partition, why }: StoppedFollowing): Promise<void> {
    const isFault = why instanceof BrokenLog || why instanceof SkippedRecord;
    if (!isFault) throw why;
    await this.commit();
    const offset = why.offset ?? this.tables.positions[partition] ?? 0;
    await this.stop({ partition, offset, alarm: 'missing', reason: why.message });
    this.stopped.add(partition);
    this.parts.metrics.stopped.set(this.stopped.size);
  }

  private async stop(fault: PartitionFault): Promise<void> {
    const { store, alarms } = this.parts;
    const alarm = alarmOf(fault.alarm, {
      detail: `partition ${fault.partition} is sealed no further: ${fault.reason}`,
      partition: fault.partition,
      offset: fault.offset,
    });
    await store.stopPartition(this.lease, fault, alarm.line);
    alarms.kept(alarm);
  }

  /** Throws `BeginAgain` once somebody has resumed a stopped partition. */
  private async lookForResumed(): Promise<void> {
    if (this.stopped.size === 0 || performance.now() - this.lookedAt < RESUMED_LOOK_MS) return;
    this.lookedAt = performance.now();
    for (const { partition, stopped } of await this.parts.store.positions())
      if (stopped === null && this.stopped.has(partition))
        throw new BeginAgain(`partition ${partition} was resumed`);
  }

  private async renewIfDue(): Promise<void> {
    if (performance.now() - this.renewedAt < this.lease.ms / RENEWALS_A_LEASE) return;
    await this.parts.store.renew(this.lease);
    this.renewedAt = performance.now();
  }
}
