import { errorText } from '#server';
import type { AuditorParts } from '../parts.js';

/** Counts and logs the failures that an auditor recovers from. */
export class Reports {
  constructor(private readonly parts: Pick<AuditorParts, 'journal' | 'metrics'>) {}

  writeFailed(why: Error): void {
    this.parts.metrics.failures.inc();
    this.parts.journal.error('retrying write', { error: errorText(why) });
  }

  heartbeatFailed(why: unknown): void {
    this.parts.metrics.failures.inc();
    this.parts.journal.error('heartbeat failed', {
      error: errorText(why),
    });
  }

  snapshotUnusable(table: string, why: Error): void {
    this.parts.metrics.failures.inc();
    this.parts.journal.error('snapshot unusable: the table is folded from the log again', {
      ...{ table, error: errorText(why) },
    });
  }

  tableNotLoaded(table: string, why: Error): void {
    this.parts.metrics.failures.inc();
    this.parts.journal.error('retrying table load', {
      table,
      error: errorText(why),
    });
  }

  tableParked(row: { readonly table: string }): void {
    this.parts.journal.error('table parked: not judged further until retried or released', {
      ...row,
    });
  }

  notGivenBack(why: unknown): void {
    this.parts.journal.error(
      'could not release partitions; other auditors claim them when the leases expire',
      { error: errorText(why) },
    );
  }

  taskFailed(why: unknown): void {
    this.parts.journal.error('task failed', { error: errorText(why) });
  }
}
