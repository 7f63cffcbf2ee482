import type { KeptCheckpoint, SealReader, SealStore } from '#seal-store';
import { errorText, type Journal } from '#server';
import type { Alarms } from '../monitoring/alarms.js';
import type { SealerMetrics } from '../monitoring/sealer-metrics.js';
import { Witness, WitnessKnowsMore, type WitnessSettings } from './witness.js';

/** What asking witnesses works with. */
export interface WitnessesParts {
  readonly reader: SealReader;
  readonly store: SealStore;
  readonly alarms: Alarms;
  readonly journal: Journal;
  readonly metrics: SealerMetrics;
  /** How many must cosign for a checkpoint to count as witnessed. */
  readonly quorum: number;
  /** Called with a checkpoint that has one more cosignature. */
  readonly onCosigned: (checkpoint: KeptCheckpoint) => Promise<void>;
}

/** A witness, and what it is asked next. */
interface Asked {
  readonly witness: Witness;
  waiting: KeptCheckpoint | undefined;
  asking: Promise<void> | undefined;
  isAway: boolean;
}

/**
 * Asks all witnesses for cosignatures, each on its own: one that is slow or away delays neither
 * seals nor the others. A witness that is busy is asked for the newest checkpoint next.
 */
export class Witnesses {
  private readonly stopping = new AbortController();

  private constructor(
    private readonly parts: WitnessesParts,
    private readonly all: readonly Asked[],
  ) {}

  /** Continues from what each witness has cosigned. */
  static async of(settings: readonly WitnessSettings[], parts: WitnessesParts): Promise<Witnesses> {
    const all: Asked[] = [];
    for (const witness of settings) {
      const known = await parts.store.cosignatures.lastBy(witness.vkey);
      const asked = new Witness(witness, parts.reader, known);
      all.push({ witness: asked, waiting: undefined, asking: undefined, isAway: false });
    }
    const since =
      all.length > 0 ? await parts.store.cosignatures.witnessedAt(parts.quorum) : undefined;
    if (all.length > 0)
      parts.metrics.witnessedAt(since === undefined ? Date.now() : Date.parse(since));
    return new Witnesses(parts, all);
  }

  /** Asks for cosignatures of a checkpoint. Returns at once. */
  ask(checkpoint: KeptCheckpoint): void {
    for (const asked of this.all) {
      asked.waiting = checkpoint;
      asked.asking ??= this.askAll(asked).finally(() => (asked.asking = undefined));
    }
  }

  /** Stops asking witnesses, and waits for no answer. */
  async close(): Promise<void> {
    for (const asked of this.all) asked.waiting = undefined;
    this.stopping.abort();
    for (const { asking } of this.all) await asking;
  }

  private async askAll(asked: Asked): Promise<void> {
    for (let next = asked.waiting; next; next = asked.waiting) {
      asked.waiting = undefined;
      try {
        await this.askOne(asked.witness, next);
        if (asked.isAway) this.parts.journal.info('witness cosigns again', nameOf(asked));
        asked.isAway = false;
      } catch (error) {
        this.failed(asked, error);
      }
    }
  }

  private async askOne(witness: Witness, { size, note }: KeptCheckpoint): Promise<void> {
    const { store, reader, metrics, quorum, onCosigned } = this.parts;
    const line = await witness.cosign({ size, note }, this.stopping.signal);
    if (line === undefined) return;
    const count = await store.cosignatures.keep(size, witness.key, line);
    if (count >= quorum) metrics.witnessedAt(Date.now());
    const cosigned = await reader.checkpoint(size);
    if (cosigned) await onCosigned(cosigned);
  }

  private failed(asked: Asked, error: unknown): void {
    if (this.stopping.signal.aborted) return;
    const { metrics, journal, alarms } = this.parts;
    metrics.failed('witness');
    if (error instanceof WitnessKnowsMore) alarms.raise('fork', { detail: error.message });
    else if (!asked.isAway)
      journal.error('witness does not cosign', { ...nameOf(asked), error: errorText(error) });
    asked.isAway = true;
  }
}

const nameOf = ({ witness }: Asked): { readonly witness: string } => ({
  witness: witness.key.name,
});
