import { DESK_MAX, SEVERITIES } from '#audit';
import type { OwnedPartitions } from '../partitions/owned-partition.js';
import type { AuditorParts } from '../parts.js';

const STATES = ['open', 'proposed'] as const;

/** Measures how many findings wait for a ruling, for how long, and how full the desks are. */
export class FindingsWaiting {
  constructor(
    private readonly parts: Pick<AuditorParts, 'metrics' | 'rows'>,
    private readonly partitions: OwnedPartitions,
  ) {}

  async measure(): Promise<void> {
    const { metrics, rows } = this.parts;
    const partitions = this.partitions.followed().map(({ fold }) => fold.partition);
    const counted = await rows.waiting(partitions);
    for (const severity of SEVERITIES) {
      const of = counted.filter((each) => each.severity === severity);
      for (const state of STATES) {
        const count = of.find(({ review }) => review === state)?.count ?? 0;
        metrics.waiting.set({ severity: String(severity), state }, count);
      }
      const oldest = of.flatMap((each) => (each.oldest ? Date.parse(each.oldest) : []));
      const age = oldest.length > 0 ? Math.max(0, Date.now() - Math.min(...oldest)) / 1000 : 0;
      metrics.oldest.set({ severity: String(severity) }, age);
    }
    metrics.fullest.set((await rows.mostWaiting(partitions)) / DESK_MAX);
  }
}
