import type { OwnedPartitions } from '../partitions/owned-partition.js';
import type { AuditorParts } from '../parts.js';

/** Measures how far the rows are behind the log, and counts what is owned, parked and stopped. */
export class Lag {
  constructor(
    private readonly parts: Pick<AuditorParts, 'metrics' | 'log' | 'rows'>,
    private readonly partitions: OwnedPartitions,
  ) {}

  async measure(): Promise<void> {
    const { metrics, log, rows } = this.parts;
    const all = this.partitions.all();
    let parked = 0;
    for (const { fold, partition } of all) {
      if (!fold) continue;
      parked += fold.parked.size;
      const events = Math.max(0, (await log.head(partition)) - fold.written);
      const labels = { partition: String(partition) };
      metrics.lagEvents.set(labels, events);
      metrics.lagSeconds.set(labels, events > 0 ? ageSeconds(fold.lastReceived) : 0);
    }
    metrics.owned.set(all.length);
    metrics.parked.set(parked);
    metrics.stopped.set((await rows.positions()).filter(({ stopped }) => stopped !== null).length);
  }
}

/** Returns how long ago an event was received, in seconds, or 0 if that is unknown. */
function ageSeconds(received: string | null): number {
  const ms = Date.now() - Date.parse(received ?? '');
  return Number.isNaN(ms) ? 0 : Math.max(0, ms / 1000);
}
