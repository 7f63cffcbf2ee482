import type { CoupKind, Finding, Unjudgeable } from '#audit';

/**
 * What the auditor writes, a row a thing. Times are RFC 3339 UTC texts, gaming days `YYYY-MM-DD`, amounts whole minor units
 * of `currency`. `partition` and `changed` say after which record of the log a row last changed: the row is visible to
 * whoever waits for position `partition:changed`.
 */
export interface Changed {
  readonly partition: number;
  /** The offset after the record that changed it. */
  readonly changed: number;
}

/** A table as it stands: what `GET /tables` shows. The counts are the fold's own. */
export interface TableRow extends Changed {
  readonly table: string;
  readonly shoeRef: string | null;
  readonly dealer: string | null;
  readonly lastEventTime: string;
  /** The highest `receivedtime` of its events: the time of review (contract section 7); null where no event was stamped. */
  readonly lastReceived: string | null;
  readonly read: number;
  readonly admitted: number;
  readonly duplicates: number;
  readonly equivocal: number;
  readonly late: number;
  readonly stray: number;
}

/** A shoe, by the reference of its opening. */
export interface ShoeRowOut extends Changed {
  readonly ref: string;
  readonly table: string;
  readonly shoe: string;
  readonly rules: string;
  readonly decks: number;
  readonly kind: string;
  readonly currency: string;
  readonly coups: number;
  readonly cards: number;
  readonly unread: number;
  readonly closed: boolean;
  readonly closeReason: string | null;
  /** Cards said to remain when it was closed; null where nobody said. */
  readonly remaining: number | null;
  readonly openedAt: string;
  readonly closedAt: string | null;
  readonly gamingDay: string;
  /** Where in the log it was opened: the order of shoes. */
  readonly openedOffset: number;
  readonly openedLine: number;
}

/** A seat's bet in a coup, and what was done about it. */
export interface CoupBet {
  readonly seat: number;
  readonly bet: string;
  readonly stands: number;
  /** Staked too late to count. */
  readonly late: number;
  /** Null while it is not settled. */
  readonly settled: {
    readonly stake: 'returned' | 'taken';
    readonly paid: number;
    readonly commissionTaken: number;
    readonly commissionMarked: number;
  } | null;
}

/** A seat's commission of one coup. */
export interface CoupCommission {
  readonly seat: number;
  readonly due: number;
  readonly taken: number;
  readonly marked: number;
}

/** A coup, by the reference of its opening; the open one of a table too. */
export interface CoupRowOut extends Changed {
  readonly ref: string;
  readonly shoeRef: string;
  readonly table: string;
  readonly shoe: string;
  readonly coup: number;
  readonly kind: CoupKind;
  readonly state: 'open' | 'over' | 'void';
  readonly outcome: string | null;
  /** Who dealt last in it; null where nobody had signed on. */
  readonly dealer: string | null;
  readonly openedAt: string;
  readonly endedAt: string | null;
  readonly gamingDay: string;
  /** Cards, declarations, bets and commission, as `GET /coups/:id` shows them. */
  readonly detail: CoupDetail;
}

export interface CoupDetail {
  readonly cards: readonly {
    readonly ref: string;
    readonly card: string | null;
    readonly to: string | null;
    readonly moved: boolean;
    readonly exposed: boolean;
    readonly carried: boolean;
  }[];
  readonly declared: readonly { readonly outcome: string; readonly by: string }[];
  readonly bets: readonly CoupBet[];
  readonly commission: readonly CoupCommission[];
}

/** A finding, with what it is looked up by besides its own fields. A withdrawn one stays, and says why. */
export interface FindingRow extends Changed {
  readonly finding: Finding;
  readonly shoeRef: string | null;
  readonly coupRef: string | null;
  readonly dealer: string | null;
  /** The time of the coup's opening, else of the event that raised it. */
  readonly at: string;
  readonly gamingDay: string;
  /** The reference of the event that took it back; null while it stands. */
  readonly withdrawnBecause: string | null;
}

/** What could not be judged; `entry` null takes it back. */
export interface UnjudgeableRow extends Changed {
  readonly table: string;
  readonly shoeRef: string;
  readonly key: string;
  readonly entry: Unjudgeable | null;
}

/** Amounts of commission. outstanding = marked - collected - waived. */
export interface CommissionAmounts {
  readonly due: number;
  readonly taken: number;
  readonly marked: number;
  readonly collected: number;
  readonly waived: number;
}

/**
 * What a shoe comes to: all its lines, or those that changed. Each list is what the report of its name adds up; the
 * lines of a seat in `commission` add up to the seat's line in `ledger`.
 */
export interface ShoeTotals {
  /** These are all: any other that was written of the shoe goes. Else these are put in the place of those with the same key, and the rest stays. */
  readonly whole: boolean;
  readonly shoeRef: string;
  readonly table: string;
  readonly shoe: string;
  readonly currency: string;
  /** The fold's own ledger, a line a seat, as `shoeprint audit` prints it. */
  readonly ledger: readonly (CommissionAmounts & { readonly seat: number })[];
  readonly commission: readonly (CommissionAmounts & {
    readonly seat: number;
    readonly dealer: string;
    readonly gamingDay: string;
  })[];
  /** Coups and game cards by dealer and gaming day; dealer '' where nobody had signed on. */
  readonly dealt: readonly {
    readonly dealer: string;
    readonly gamingDay: string;
    readonly coups: number;
    readonly cards: number;
  }[];
  /** Settled bets by bet, dealer and gaming day: how many, staked, gross winnings paid, stakes taken. */
  readonly bets: readonly {
    readonly bet: string;
    readonly dealer: string;
    readonly gamingDay: string;
    readonly bets: number;
    readonly staked: number;
    readonly paid: number;
    readonly taken: number;
  }[];
}

/** A device at a table. Gaps and unread cards are findings; what they do not tell is here. */
export interface DeviceRow extends Changed {
  readonly table: string;
  readonly source: string;
  readonly events: number;
  readonly session: string | null;
  readonly lastSequence: number | null;
  readonly lastTime: string;
  readonly lastReceived: string | null;
  /** Received minus its own clock, in milliseconds: the last, and the extremes; null where nothing was stamped. */
  readonly clockOffset: {
    readonly last: number;
    readonly least: number;
    readonly most: number;
  } | null;
  readonly online: boolean | null;
}

/** The state of a table as `saveTable` writes it, and the offset before which everything is in it. */
export interface SnapshotRow {
  readonly table: string;
  readonly partition: number;
  readonly next: number;
  readonly state: Uint8Array;
}

/** A table that is judged no further until somebody decides, and the event that it stopped at. */
export interface ParkedRow {
  readonly table: string;
  readonly partition: number;
  readonly offset: number;
  readonly line: number;
  readonly reason: string;
}

/** A partition moves on: refused unless it stands at `from` under `generation`. */
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
  readonly tables: readonly TableRow[];
  readonly shoes: readonly ShoeRowOut[];
  readonly coups: readonly CoupRowOut[];
  readonly findings: readonly FindingRow[];
  readonly unjudgeable: readonly UnjudgeableRow[];
  readonly totals: readonly ShoeTotals[];
  readonly devices: readonly DeviceRow[];
  readonly snapshots: readonly SnapshotRow[];
  readonly parked: readonly ParkedRow[];
}
