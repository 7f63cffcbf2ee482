import { TimedOut, within } from '#process';
import { errorText } from '#server';
import type { FollowedPartition, OwnedPartitions } from '../partitions/owned-partition.js';
import type { AuditorParts } from '../parts.js';

/** How long the log may take to answer for a head. After that the lag stays as it was measured. */
const HEAD_MS = 5_000;

/** Measures how far the rows are behind the log, and counts what is owned, parked, unsure and stopped. */
export class Lag {
  /** The partitions whose head the log was asked for and has not answered. */
  private readonly asked = new Set<number>();
  private isMissing = false;

  constructor(
    private readonly parts: Pick<AuditorParts, 'metrics' | 'log' | 'rows' | 'journal'>,
    private readonly partitions: OwnedPartitions,
  ) {}

  /** Measures everything. What the log does not answer for stays as it was, and is counted. */
  async measure(): Promise<void> {
    const { metrics, rows, log } = this.parts;
    const all = this.partitions.all();
    metrics.owned.set(all.length);
    metrics.unsure.set(log.unsure.length);
    metrics.parked.set(all.reduce((sum, { fold }) => sum + (fold?.parked.size ?? 0), 0));
    const stopped = rows.positions().then((positions) => {
      metrics.stopped.set(positions.filter(({ stopped: at }) => at !== null).length);
    });
    await Promise.all([stopped, this.measureLags()]);
  }

  private async measureLags(): Promise<void> {
    const misses: { readonly partition: number; readonly why: unknown }[] = [];
    const measuring = this.partitions.followed().map(async (followed) => {
      const { partition } = followed.owned;
      await this.measureLag(followed).catch((why: unknown) => misses.push({ partition, why }));
    });
    await Promise.all(measuring);
    this.report(misses);
  }

  private async measureLag({ owned, fold }: FollowedPartition): Promise<void> {
    const { metrics } = this.parts;
    const head = await this.headOf(owned.partition);
    if (!this.partitions.holds(owned)) return;
    const events = Math.max(0, head - fold.written);
    const labels = { partition: String(owned.partition) };
    metrics.lagEvents.set(labels, events);
    metrics.lagSeconds.set(labels, events > 0 ? ageSeconds(fold.lastReceived) : 0);
  }

  /** Asks the log for a head, unless it still owes an answer. */
  private async headOf(partition: number): Promise<number> {
    if (this.asked.has(partition)) throw new TimedOut(HEAD_MS);
    this.asked.add(partition);
    const asking = this.parts.log.head(partition).finally(() => this.asked.delete(partition));
    return within(HEAD_MS, asking);
  }

  /** Counts every miss, and logs when they begin and when they end. */
  private report(misses: readonly { readonly partition: number; readonly why: unknown }[]): void {
    const { metrics, journal } = this.parts;
    metrics.lagMisses.inc(misses.length);
    const [first] = misses;
    if (first && !this.isMissing)
      journal.error('lag not measured: the log did not answer', {
        partitions: misses.map(({ partition }) => partition),
        error: errorText(first.why),
      });
    if (!first && this.isMissing) journal.info('lag measured again');
    this.isMissing = first !== undefined;
  }
}

/** Returns how long ago an event was received, in seconds, or 0 if that is unknown. */
function ageSeconds(received: string | null): number {
  const ms = Date.now() - Date.parse(received ?? '');
  return Number.isNaN(ms) ? 0 : Math.max(0, ms / 1000);
}
