import type {
  BetTotalRow,
  Changed,
  CommissionRow,
  CoupRow,
  DealtRow,
  DeliveryRow,
  DeviceRow,
  FindingRow,
  ReviewEventRow,
  HouseEventRow,
  LedgerRow,
  ParkedRow,
  ShoeRow,
  TableRow,
  UnderReview,
  UnjudgeableRow,
} from '../entities/index.js';

/** A table as the fold projects it. Its snapshot is written separately. */
export type TableAsFolded = Omit<TableRow, 'snapshot' | 'snapshotNext' | 'snapshotWaits'>;

/**
 * An unjudgeable entry to write, or with a null `body` one to delete because it can now be judged.
 */
export type UnjudgeableChange =
  | UnjudgeableRow
  | (Pick<UnjudgeableRow, 'table' | 'shoeRef' | 'key' | 'partition' | 'changed'> & {
      readonly body: null;
    });

/** A finding as the fold projects it. Its review is written separately. */
export type FindingAsFolded = Omit<FindingRow, Exclude<keyof UnderReview, keyof Changed>>;

/** Where the review of a finding stands. */
export type ReviewOfFinding = Pick<FindingRow, 'id'> & Omit<UnderReview, 'people' | 'lines'>;

/** What a finding rests on. */
export type BasisOfFinding = Pick<FindingRow, 'id' | 'people' | 'lines' | 'partition' | 'changed'>;

/** A table to park at an event. `table` is its id in full. */
export type ParkedEvent = Pick<ParkedRow, 'table' | 'partition' | 'offset' | 'line' | 'reason'>;

/** The fields that all lines of a shoe's totals have. */
interface OfShoe {
  readonly shoeRef: string;
  readonly table: string;
  readonly shoe: string;
  readonly currency: string;
}

/** The totals of a shoe. The report of the same name adds up each list. */
export interface ShoeTotals extends OfShoe {
  /** `true` replaces all lines of this shoe. `false` upserts these lines by key. */
  readonly whole: boolean;
  readonly ledger: readonly Omit<LedgerRow, keyof OfShoe>[];
  readonly commission: readonly Omit<CommissionRow, keyof OfShoe>[];
  readonly dealt: readonly Omit<DealtRow, keyof OfShoe>[];
  readonly bets: readonly Omit<BetTotalRow, keyof OfShoe>[];
}

/** A table's state as `saveTable` encodes it. It includes everything before the offset `next`. */
export interface SnapshotRow {
  readonly table: string;
  readonly partition: number;
  readonly next: number;
  readonly state: Uint8Array;
  /** Whether the table waits for missing numbers, so that something is due without an event. */
  readonly waits: boolean;
}

/** Moves a partition's position. Refused unless the position is `from` under `generation`. */
export interface PositionMove {
  readonly partition: number;
  readonly generation: number;
  readonly from: number;
  readonly next: number;
  /** SHA-256 of the value of record `next - 1`. */
  readonly lastDigest: Uint8Array;
  /** Events in the records from `from` to `next`. */
  readonly events: number;
}

/** The rows that one transaction writes. */
export interface RowBatch {
  readonly moves: readonly PositionMove[];
  readonly tables: readonly TableAsFolded[];
  readonly shoes: readonly ShoeRow[];
  readonly coups: readonly CoupRow[];
  readonly findings: readonly FindingAsFolded[];
  readonly reviews: readonly ReviewOfFinding[];
  readonly bases: readonly BasisOfFinding[];
  readonly reviewEvents: readonly ReviewEventRow[];
  readonly unjudgeable: readonly UnjudgeableChange[];
  readonly totals: readonly ShoeTotals[];
  readonly devices: readonly DeviceRow[];
  readonly houseEvents: readonly HouseEventRow[];
  readonly deliveries: readonly DeliveryRow[];
  readonly snapshots: readonly SnapshotRow[];
  readonly parked: readonly ParkedEvent[];
}
