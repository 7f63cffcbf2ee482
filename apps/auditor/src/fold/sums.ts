import type { Shoe, ShoeSums } from '#audit';
import type { ShoeTotals } from '#read-model';

/** What was last drawn of a shoe's sums, and the name and currency that stand on each of their lines. */
interface Drawn {
  readonly shoe: string;
  readonly currency: string;
  readonly sums: ShoeSums;
}

/**
 * The sums of a table's shoes as they were last drawn, so that only lines that changed are drawn again: a coup changes a
 * few of a shoe's hundred. Where that is not known, as after a takeover, or where a line went, a shoe's lines are drawn whole.
 */
export class DrawnSums {
  private readonly last = new Map<string, Drawn>();

  /** The lines to write of a shoe that now comes to `sums`. */
  totals({ ref, table, name, currency }: Shoe, sums: ShoeSums): ShoeTotals {
    const was = this.last.get(ref);
    this.last.set(ref, { shoe: name, currency, sums });
    const changed =
      was && was.shoe === name && was.currency === currency
        ? changedLines(was.sums, sums)
        : undefined;
    return {
      whole: changed === undefined,
      shoeRef: ref,
      table,
      shoe: name,
      currency,
      ...(changed ?? sums),
    };
  }

  /** Forgets shoes that can change no more. */
  keep(shoes: readonly Shoe[]): void {
    if (this.last.size <= shoes.length) return;
    const refs = new Set(shoes.map(({ ref }) => ref));
    for (const ref of this.last.keys()) if (!refs.has(ref)) this.last.delete(ref);
  }
}

/** The lines that are new or otherwise than before; undefined where one is no more. */
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

/** Lines of a list have the same fields, in the same order, and only texts and numbers in them. */
function isSame<Line extends object>(one: Line, other: Line): boolean {
  for (const name in one) if (one[name] !== other[name]) return false;
  return true;
}
