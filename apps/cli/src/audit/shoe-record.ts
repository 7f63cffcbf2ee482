import type { AuditedCoup, AuditedShoe, Finding, LedgerLine, ShoeRows, Unjudgeable } from '#audit';

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
 * Everything reported about a shoe. If `shoe` is `null`, findings about a table that belong to no
 * shoe within reach.
 */
export interface ShoeRecord {
  readonly order: Order;
  readonly shoe: AuditedShoe | null;
  /** In the order raised. */
  readonly findings: readonly Finding[];
  /** The coups that have a finding. */
  readonly coups: readonly AuditedCoup[];
  readonly unjudgeable: readonly Unjudgeable[];
  /** By seat. */
  readonly ledger: readonly LedgerLine[];
}

/** Returns the record of a shoe that can no longer change. */
export function recordOf(rows: ShoeRows, order: Order): ShoeRecord {
  const findings = rows
    .findings()
    .filter(({ withdrawnBecause }) => withdrawnBecause === null)
    .map(({ finding }) => finding);
  const coupsFound = new Set(findings.flatMap(({ coupRef }) => coupRef ?? []));
  return {
    order,
    shoe: rows.shoe,
    findings,
    coups: coupsFound.size > 0 ? rows.coups(coupsFound) : [],
    unjudgeable: rows.unjudgeable().flatMap(({ entry }) => entry ?? []),
    ledger: rows.ledger(),
  };
}

/** Returns the record of findings that belong to no shoe. */
export const recordOutside = (findings: readonly Finding[], order: Order): ShoeRecord => ({
  order,
  shoe: null,
  findings,
  coups: [],
  unjudgeable: [],
  ledger: [],
});
