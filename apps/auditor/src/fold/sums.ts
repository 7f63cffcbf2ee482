import type { AuditedShoe, ShoeSums } from '#audit';
import type { ShoeTotals } from '#read-model';

/** The last projected sums of a shoe, and the name and currency that each of their lines has. */
interface Projected {
  readonly shoe: string;
  readonly currency: string;
  readonly sums: ShoeSums;
}

/**
 * The last projected sums of a table's shoes, so that only changed lines are projected: a coup
 * changes a few of a shoe's hundred lines. All lines of a shoe are projected if its last sums are
 * unknown, as after a takeover, or if a line disappeared.
 */
export class ProjectedSums {
  private readonly last = new Map<string, Projected>();

  /** Returns the lines to write for a shoe whose sums are now `sums`. */
  totals({ ref, table, shoe, currency }: AuditedShoe, sums: ShoeSums): ShoeTotals {
    const was = this.last.get(ref);
    this.last.set(ref, { shoe, currency, sums });
    const changed =
      was && was.shoe === shoe && was.currency === currency
        ? changedLines(was.sums, sums)
        : undefined;
    return {
      whole: changed === undefined,
      shoeRef: ref,
      table,
      shoe,
      currency,
      ...(changed ?? sums),
    };
  }

  /** Forgets all shoes but these, which can still change. */
  keep(refs: readonly string[]): void {
    for (const ref of this.last.keys()) if (!refs.includes(ref)) this.last.delete(ref);
  }
}

/** Returns the new and changed lines, or undefined if a line disappeared. */
function changedLines(was: ShoeSums, now: ShoeSums): ShoeSums | undefined {
  const ledger = changed(was.ledger, now.ledger, ({ seat }) => seat);
  const commission = changed(
    was.commission,
    now.commission,
    ({ seat, gamingDay, dealer }) => `${seat} ${gamingDay} ${dealer}`,
  );
  const dealt = changed(was.dealt, now.dealt, ({ gamingDay, dealer }) => `${gamingDay} ${dealer}`);
  const bets = changed(
    was.bets,
    now.bets,
    ({ bet, gamingDay, dealer }) => `${bet} ${gamingDay} ${dealer}`,
  );
  return ledger && commission && dealt && bets && { ledger, commission, dealt, bets };
}

function changed<Line extends object>(
  was: readonly Line[],
  now: readonly Line[],
  keyOf: (line: Line) => string | number,
): Line[] | undefined {
  const before = new Map(was.map((line) => [keyOf(line), line]));
  let found = 0;
  const lines = now.filter((line) => {
    const former = before.get(keyOf(line));
    if (former) found += 1;
    return !former || !isSame(former, line);
  });
  return found < before.size ? undefined : lines;
}

/** Compares two lines of a list. They have the same fields, all of them strings or numbers. */
function isSame<Line extends object>(one: Line, other: Line): boolean {
  for (const name in one) if (one[name] !== other[name]) return false;
  return true;
}
