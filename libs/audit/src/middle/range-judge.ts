import { takeChanges, takeFinalChanges } from '../take-changes.js';
import type { Line } from '../decode/line.js';
import type { AnyEvent } from '../events/events.js';
import type { Finding, Unjudgeable } from '../findings/finding.js';
import { fold } from '../fold.js';
import type { RuleBook } from '../history/replay.js';
import type { AuditedShoe } from '../rows/audited-shoe.js';
import { rowsOf, type AuditedFinding, type Rows, type ShoeRows } from '../rows/rows.js';
import type { ShoeSums } from '../rows/shoe-sums.js';
import type { LedgerLine, TableState } from '../state.js';

/**
 * What is listed of a range that is judged:
 *
 * - one shoe, by its id, and with it one finding about no shoe, by its id;
 * - everything from the opening of a shoe on, or from the beginning (null).
 *
 * The shoes before are judged only because later ones need it. A correction or late money for a
 * shoe that the range does not hold can make findings in them that the whole log does not make.
 */
export type Listed =
  { readonly shoe: string; readonly finding: string | null } | { readonly since: string | null };

/** A shoe that was judged, with what was found. */
export interface RangeShoe {
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
  shoe(judged: RangeShoe): void;
  /** A finding about no shoe. */
  outside(finding: Finding): void;
  /** A finding that is not listed: of another shoe, or about none before the first one listed. */
  unlisted(finding: Finding): void;
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
  private events = 0;
  /** The event with which the listing began; infinite until then. */
  private begin = Infinity;
  private unlisted: string | null = null;

  constructor(
    private readonly state: TableState,
    private readonly judging: RangeJudging,
    private readonly taker: JudgedTaker,
  ) {
    const { listed } = judging;
    if ('since' in listed && listed.since === null) this.begin = 0;
    state.lane.addUp(judging.dayOf);
  }

  /** Takes the next event. */
  take(event: AnyEvent | Line): void {
    const { state, judging } = this;
    this.events += 1;
    fold(state, event, judging.book, { mark: this.events, received: null });
    // the shoe that left reach with the opening of the first one listed is not listed
    const final = takeFinalChanges(state);
    if (final) this.pass(rowsOf(final), true);
    const { listed } = judging;
    if (this.begin === Infinity && 'since' in listed && state.open?.name === listed.since) {
      this.begin = this.events;
      this.unlisted = state.before?.ref ?? null;
    }
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
      if (this.isListed(rows)) this.taker.shoe(this.judged(rows, leftReach));
      else for (const finding of inForce(rows.findings())) this.taker.unlisted(finding);
    for (const change of outside)
      for (const finding of inForce([change]))
        if (this.isListedOutside(change)) this.taker.outside(finding);
        else this.taker.unlisted(finding);
  }

  private isListed({ name, ref }: ShoeRows): boolean {
    const { listed } = this.judging;
    if ('shoe' in listed) return name === listed.shoe;
    return this.begin < Infinity && ref !== this.unlisted;
  }

  private isListedOutside({ finding, mark }: AuditedFinding): boolean {
    const { listed } = this.judging;
    return 'shoe' in listed ? finding.id === listed.finding : mark >= this.begin;
  }

  private judged(rows: ShoeRows, leftReach: boolean): RangeShoe {
    return {
      shoe: rows.shoe,
      leftReach,
      findings: inForce(rows.findings()),
      unjudgeable: rows.unjudgeable().flatMap(({ entry }) => entry ?? []),
      ledger: rows.ledger(),
      sums: rows.sums(this.judging.dayOf),
    };
  }
}

const inForce = (changes: readonly AuditedFinding[]): Finding[] =>
  changes.filter(({ withdrawnBecause }) => withdrawnBecause === null).map(({ finding }) => finding);
