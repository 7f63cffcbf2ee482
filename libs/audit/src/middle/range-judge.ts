import { takeChanges, takeFinalChanges } from '../changes.js';
import type { AnyEvent } from '../events/events.js';
import type { Finding, Unjudgeable } from '../findings/finding.js';
import { fold, type Line } from '../fold.js';
import type { RuleBook } from '../history/replay.js';
import type { AuditedShoe } from '../rows/audited-shoe.js';
import { rowsOf, type AuditedFinding, type Rows, type ShoeRows } from '../rows/rows.js';
import type { ShoeSums } from '../rows/shoe-sums.js';
import type { LedgerLine, TableState } from '../state.js';

/** What is listed of a range that is judged. */
export interface Listed {
  /** The id of the one shoe that is listed; null lists every shoe from `from` on. */
  readonly shoe: string | null;
  /** The id of a finding about no shoe that is listed with that shoe; null if there is none. */
  readonly finding: string | null;
  /**
   * The record before which a shoe is not listed, unless it was the last one opened there. Findings
   * about no shoe are listed from there on.
   */
  readonly from: number;
}

/** A shoe that was judged, with what was found. */
export interface JudgedShoe {
  readonly shoe: AuditedShoe;
  /** Whether it left reach in the range, so that nothing can change it. */
  readonly leftReach: boolean;
  /** In the order raised. */
  readonly findings: readonly Finding[];
  readonly unjudgeable: readonly Unjudgeable[];
  /** By seat. */
  readonly ledger: readonly LedgerLine[];
  /** By gaming day; null if no coup of the shoe was played. */
  readonly sums: ShoeSums | null;
}

/** Takes what was judged, in an order that depends on the records alone. */
export interface JudgedTaker {
  shoe(judged: JudgedShoe): void;
  /** A finding about no shoe. */
  outside(finding: Finding): void;
}

/** What a range is judged by. */
export interface RangeJudging {
  readonly book: RuleBook;
  readonly listed: Listed;
  /** Returns the gaming day of an event's time. */
  readonly dayOf: (time: string) => string;
}

/**
 * Judges the records of a range, from the state that `tableFrom` or `newTable` returns. Passes on
 * each listed shoe once: when it leaves reach, or as it is at the end of the range. Memory does not
 * grow with the range.
 */
export class RangeJudge {
  private hasBegun = false;
  private unlisted: string | null = null;

  constructor(
    private readonly state: TableState,
    private readonly judging: RangeJudging,
    private readonly taker: JudgedTaker,
  ) {}

  /** Takes the next event, and the number of the record that holds it. */
  take(event: AnyEvent | Line, record: number): void {
    const { state, judging } = this;
    if (!this.hasBegun && record >= judging.listed.from) {
      this.hasBegun = true;
      this.unlisted = state.before?.ref ?? null;
    }
    fold(state, event, judging.book, { mark: record, received: null });
    const final = takeFinalChanges(state);
    if (final) this.pass(rowsOf(final), true);
  }

  /**
   * Passes on what can still change, as of the last event. Returns how many events the table holds
   * back: they are not judged, because a range does not end its table's log.
   */
  end(): number {
    this.pass(rowsOf(takeChanges(this.state)), false);
    const { wait } = this.state.admission;
    return wait ? wait.queue.length + wait.fill.length : 0;
  }

  private pass({ shoes, outside }: Rows, leftReach: boolean): void {
    for (const rows of shoes)
      if (this.isListed(rows.shoe)) this.taker.shoe(this.judged(rows, leftReach));
    for (const finding of outside)
      if (this.isListedOutside(finding)) this.taker.outside(finding.finding);
  }

  private isListed({ shoe, ref }: AuditedShoe): boolean {
    const { listed } = this.judging;
    return listed.shoe === null ? this.hasBegun && ref !== this.unlisted : shoe === listed.shoe;
  }

  private isListedOutside({ finding, withdrawnBecause, mark }: AuditedFinding): boolean {
    const { shoe, finding: listed, from } = this.judging.listed;
    if (withdrawnBecause !== null) return false;
    return shoe === null ? mark >= from : finding.id === listed;
  }

  private judged(rows: ShoeRows, leftReach: boolean): JudgedShoe {
    return {
      shoe: rows.shoe,
      leftReach,
      findings: rows
        .findings()
        .filter(({ withdrawnBecause }) => withdrawnBecause === null)
        .map(({ finding }) => finding),
      unjudgeable: rows.unjudgeable().flatMap(({ entry }) => entry ?? []),
      ledger: rows.ledger(),
      sums: rows.sums(this.judging.dayOf),
    };
  }
}
