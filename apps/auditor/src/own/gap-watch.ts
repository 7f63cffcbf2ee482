import { createHash } from 'node:crypto';
import { canonicalLine, fullName, holeOf, stamped, type Hole, type TableState } from '#audit';
import type { EventLog } from '#event-log';
import { asError } from '#process';
import type { PartitionFold } from '../fold/partition-fold.js';

/** The source of gap declarations. */
const AUDITOR_SOURCE = 'system/auditor';

/** How long a table waits for a hole before the hole is declared a gap. */
const GAP_AFTER_MS = 2_000;
/**
 * How long after a declaration it is repeated if the hole is still open: nothing shows whether the
 * append succeeded.
 */
const AGAIN_AFTER_MS = 10_000;

interface Waiting {
  readonly hole: string;
  readonly since: number;
  /**
   * The log's head when the hole was due. The missing events may be in records before it that are
   * not folded yet.
   */
  head: number | null;
  declaredAt: number | null;
}

/**
 * Declares holes in devices' numbers to be gaps (contract section 3), once a table has waited for
 * the same numbers for two seconds of a monotonic clock and the log is folded to its head. The
 * content of a declaration depends only on the hole, so a second one, even by another owner, is a
 * duplicate.
 */
export class GapWatch {
  private readonly waiting = new Map<string, Waiting>();

  constructor(
    private readonly log: EventLog,
    private readonly failed: (why: Error) => void,
    private readonly afterMs = GAP_AFTER_MS,
  ) {}

  /**
   * Checks all tables of the owned partitions. `now` is monotonic, in milliseconds. Returns how
   * many declarations were appended.
   */
  async look(folds: Iterable<PartitionFold>, now: number): Promise<number> {
    const seen = new Set<string>();
    let declared = 0;
    for (const fold of folds) {
      const due: TableState[] = [];
      for (const { state } of fold.tables.values()) {
        const hole = holeOf(state);
        if (!hole) continue;
        const name = `${fold.partition} ${state.table}`;
        seen.add(name);
        if (this.isDue(name, hole, now)) due.push(state);
      }
      if (due.length > 0) declared += await this.declare(fold, due, now);
    }
    for (const name of this.waiting.keys()) if (!seen.has(name)) this.waiting.delete(name);
    return declared;
  }

  private isDue(name: string, hole: Hole, now: number): boolean {
    const about = JSON.stringify([hole.source, hole.session, hole.time]);
    let waiting = this.waiting.get(name);
    if (waiting?.hole !== about)
      this.waiting.set(name, (waiting = { hole: about, since: now, head: null, declaredAt: null }));
    return (
      now - waiting.since >= this.afterMs &&
      (waiting.declaredAt === null || now - waiting.declaredAt >= AGAIN_AFTER_MS)
    );
  }

  private async declare(
    fold: PartitionFold,
    states: readonly TableState[],
    now: number,
  ): Promise<number> {
    let declared = 0;
    try {
      for (const state of states) {
        const waiting = this.waiting.get(`${fold.partition} ${state.table}`);
        if (!waiting) continue;
        waiting.head ??= await this.log.head(fold.partition);
        const hole = holeOf(state);
        if (!hole || fold.next < waiting.head) continue;
        waiting.declaredAt = now;
        const records = gapLines(state.table, hole, new Date().toISOString()).map((line) => ({
          key: state.table,
          value: Buffer.from(line),
        }));
        await this.log.append({ partition: fold.partition, records, urgency: 'live' });
        declared += records.length;
      }
    } catch (error) {
      this.failed(asError(error));
    }
    return declared;
  }
}

/** Returns the stamped lines that declare a hole a gap, one for each run of missing numbers. */
export function gapLines(
  table: string,
  { source, session, missing, time }: Hole,
  received: string,
): string[] {
  return missing.map(([from, to]) => {
    const id = `gap/${createHash('sha256')
      .update(JSON.stringify([table, source, session, from, to, time]))
      .digest('hex')
      .slice(0, 32)}`;
    const event = {
      specversion: '1.0',
      type: fullName('gap-declared'),
      source: AUDITOR_SOURCE,
      id,
      time,
      table,
      data: { source, session, from, to },
    };
    return stamped(canonicalLine(JSON.stringify(event), event), AUDITOR_SOURCE, received);
  });
}
