import type {
  Consequence,
  CoupRow,
  Finding,
  LedgerRow,
  ShoeRow,
  TableState,
  Unjudgeable,
} from '#audit';

/**
 * The sort key of a record in the report: shoes (0) before what belongs to no shoe (1); then the
 * line that opened the shoe, the table's first line, and the order within the table. It depends
 * only on the log.
 */
export type Order = readonly [kind: 0 | 1, line: number, tableFirst: number, serial: number];

/** Compares two sort keys, for `Array.sort`. */
export const byOrder = (a: Order, b: Order): number => {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
};

/**
 * Everything reported about a shoe. If `row` is `null`, everything about a table that belongs to no
 * shoe within reach.
 */
export interface ShoeRecord {
  readonly order: Order;
  readonly row: ShoeRow | null;
  /** ISO 4217; empty if unknown. */
  readonly currency: string;
  /** In the order raised. */
  readonly findings: readonly Finding[];
  /** The coups that have a finding. */
  readonly coups: readonly CoupRow[];
  readonly unjudgeable: readonly Unjudgeable[];
  /** By seat. */
  readonly ledger: readonly LedgerRow[];
}

/** A shoe within reach, of which anything can still change. */
export class ShoeInReach {
  private currency = '';
  private readonly findings = new Map<string, Finding>();
  /** Every coup. Its row is computed only for the report, because most shoes are clean. */
  private readonly coups = new Map<string, Extract<Consequence, { readonly is: 'coup' }>>();
  private readonly doubts = new Map<string, Unjudgeable>();
  private readonly ledger = new Map<number, LedgerRow>();
  private row: ShoeRow | null = null;

  constructor(
    private readonly order: Order,
    readonly name: string | null,
  ) {}

  /** Returns whether it holds the finding or the unjudgeable entry that changes. */
  has(change: Consequence): boolean {
    switch (change.is) {
      case 'amended':
      case 'withdrawn':
        return this.findings.has(change.finding.id);
      case 'judgeable':
        return this.doubts.has(change.key);
      case 'raised':
      case 'unjudgeable':
      case 'coup':
      case 'ledger':
      case 'shoe':
        return false;
    }
  }

  take(consequence: Consequence, state: TableState): void {
    switch (consequence.is) {
      case 'raised':
      case 'amended':
        this.findings.set(consequence.finding.id, consequence.finding);
        break;
      case 'withdrawn':
        this.findings.delete(consequence.finding.id);
        break;
      case 'unjudgeable':
        this.doubts.set(consequence.key, consequence.entry);
        break;
      case 'judgeable':
        this.doubts.delete(consequence.key);
        break;
      case 'coup':
        this.coups.set(consequence.ref, consequence);
        break;
      case 'ledger':
        this.ledger.set(consequence.row.seat, consequence.row);
        break;
      case 'shoe':
        this.row = consequence.row;
        this.currency =
          [state.open, state.before].find((shoe) => shoe?.name === this.name)?.currency ??
          this.currency;
    }
  }

  get size(): number {
    return this.findings.size + this.doubts.size;
  }

  /** Returns what is kept of the shoe for the report. */
  record(): ShoeRecord {
    const findings = [...this.findings.values()];
    const found = new Set(findings.flatMap(({ coup }) => coup ?? []));
    const coups =
      found.size === 0
        ? []
        : [...this.coups.values()].map(({ row }) => row).filter(({ coup }) => found.has(coup));
    return {
      order: this.order,
      row: this.row,
      currency: this.currency,
      findings,
      coups,
      unjudgeable: [...this.doubts.values()],
      ledger: [...this.ledger.values()].sort((a, b) => a.seat - b.seat),
    };
  }
}
