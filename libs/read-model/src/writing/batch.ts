import type {
  BetTotalRow,
  CommissionRow,
  CoupRow,
  DealtRow,
  DeviceRow,
  FindingRow,
  LedgerRow,
  ParkedRow,
  ShoeRow,
  TableRow,
  UnjudgeableRow,
} from '../entities/index.js';

/** A table as the fold projects it: its snapshot is written by itself. */
export type TableAsFolded = Omit<TableRow, 'snapshot' | 'snapshotNext'>;

/** What could not be judged, or with a null `body` that it now is. */
export type UnjudgeableChange =
  | UnjudgeableRow
  | (Pick<UnjudgeableRow, 'table' | 'shoeRef' | 'key' | 'partition' | 'changed'> & {
      readonly body: null;
    });

/** A table that stops being judged at an event. `table` is its id in full. */
export type ParkedEvent = Pick<ParkedRow, 'table' | 'partition' | 'offset' | 'line' | 'reason'>;

/** What the lines of a shoe's totals have in common. */
interface OfShoe {
  readonly shoeRef: string;
  readonly table: string;
  readonly shoe: string;
  readonly currency: string;
}

/** The totals of a shoe. Each list is what the report of its name adds up. */
export interface ShoeTotals extends OfShoe {
  /** `true` replaces all lines of this shoe. `false` upserts these lines by key. */
  readonly whole: boolean;
  readonly ledger: readonly Omit<LedgerRow, keyof OfShoe>[];
  readonly commission: readonly Omit<CommissionRow, keyof OfShoe>[];
  readonly dealt: readonly Omit<DealtRow, keyof OfShoe>[];
  readonly bets: readonly Omit<BetTotalRow, keyof OfShoe>[];
}

/** The state of a table as `saveTable` writes it, and the offset before which everything is in it. */
export interface SnapshotRow {
  readonly table: string;
  readonly partition: number;
  readonly next: number;
  readonly state: Uint8Array;
}

/** Moves a partition on. Refused unless it stands at `from` under `generation`. */
export interface PositionMove {
  readonly partition: number;
  readonly generation: number;
  readonly from: number;
  readonly next: number;
  /** SHA-256 of the value of record `next - 1`. */
  readonly lastDigest: Uint8Array;
  /** Events in the records moved over. */
  readonly events: number;
}

/** All that one transaction writes. */
export interface RowBatch {
  readonly moves: readonly PositionMove[];
  readonly tables: readonly TableAsFolded[];
  readonly shoes: readonly ShoeRow[];
  readonly coups: readonly CoupRow[];
  readonly findings: readonly FindingRow[];
  readonly unjudgeable: readonly UnjudgeableChange[];
  readonly totals: readonly ShoeTotals[];
  readonly devices: readonly DeviceRow[];
  readonly snapshots: readonly SnapshotRow[];
  readonly parked: readonly ParkedEvent[];
}
