import { inWords } from './journal.js';
import type { AuditorParts } from './parts.js';

/** Counts and logs the failures that an auditor recovers from. */
export class Reports {
  constructor(private readonly parts: Pick<AuditorParts, 'journal' | 'metrics'>) {}

  writeFailed(why: Error): void {
    this.parts.metrics.failures.inc();
    this.parts.journal.error('a write failed and is tried again', { error: inWords(why) });
  }

  heartbeatFailed(why: unknown): void {
    this.parts.metrics.failures.inc();
    this.parts.journal.error('the database could not be told that this auditor is alive', {
      error: inWords(why),
    });
  }

  tableNotLoaded(table: string, why: Error): void {
    this.parts.metrics.failures.inc();
    this.parts.journal.error('a table could not be loaded and is tried again', {
      table,
      error: inWords(why),
    });
  }

  tableParked(row: { readonly table: string }): void {
    this.parts.journal.error(
      'a table is parked: it is judged no further until it is retried or released',
      { ...row },
    );
  }

  notGivenBack(why: unknown): void {
    this.parts.journal.error(
      'the partitions could not be given back: others take them when their lease ends',
      { error: inWords(why) },
    );
  }

  taskFailed(why: unknown): void {
    this.parts.journal.error('failed', { error: inWords(why) });
  }
}
