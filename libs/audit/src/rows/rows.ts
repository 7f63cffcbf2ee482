import type { Changes, ChangedShoe } from '../take-changes.js';
import type { Found, RaisedWhen, Unjudgeable } from '../findings/finding.js';
import { ledgerOf, ledgerRow } from '../ledger/commission.js';
import { UNCHANGED, type Coup, type FindingChange, type LedgerLine, type Shoe } from '../state.js';
import { auditedCoup, dealerOf, goneCoup, type AuditedCoup } from './audited-coup.js';
import { auditedShoe, whenRaised, type AuditedShoe } from './audited-shoe.js';
import { shoeSums, type ShoeSums } from './shoe-sums.js';

/** The mark of the event that changed a row last, from its `Receipt`. */
interface Marked {
  readonly mark: number;
}

/** A finding that was raised, amended or withdrawn. */
export type AuditedFinding = Readonly<ReturnType<typeof auditedFinding>>;

/** An entry of what could not be judged, which is new, longer, or gone. */
export interface AuditedUnjudgeable extends Marked {
  /** Identifies the entry within its shoe. */
  readonly key: string;
  readonly coupRef: string | null;
  /** Null if it can be judged now. */
  readonly entry: Unjudgeable | null;
}

/**
 * A shoe that changed, with its changed rows. Each is made on request, from the shoe as it then
 * is.
 */
export class ShoeRows {
  /** The reference of the shoe's opening. */
  readonly ref: string;
  readonly table: string;
  /** The shoe's own name. */
  readonly name: string;
  /** The mark of its opening; null if it was open before. */
  readonly opened: number | null;
  /** Null if only other rows of the shoe changed. */
  readonly mark: number | null;

  constructor(private readonly changed: ChangedShoe) {
    const { ref, table, name } = changed.shoe;
    this.ref = ref;
    this.table = table;
    this.name = name;
    this.opened = changed.opened === UNCHANGED ? null : changed.opened;
    this.mark = changed.mark === UNCHANGED ? null : changed.mark;
  }

  /** Returns the shoe. */
  get shoe(): AuditedShoe {
    return auditedShoe(this.changed.shoe);
  }

  /** Returns the coups that changed; with `wanted`, only those of these references. */
  coups(wanted?: ReadonlySet<string>): (AuditedCoup & Marked)[] {
    const { shoe, coups, ahead, gone } = this.changed;
    const isWanted = (ref: string): boolean => wanted?.has(ref) ?? true;
    const unseen = ahead?.play.changedIn(ahead.from, ahead.to) ?? [];
    return [
      ...coups
        .filter(({ coup }) => isWanted(coup.ref))
        .map(({ coup, mark }) => ({ mark, ...auditedCoup(shoe, coup) })),
      ...unseen
        .filter(({ ref }) => isWanted(ref))
        .map((coup) => ({ mark: coup.mark, ...coup.row() })),
      ...[...gone.values()]
        .filter(({ coup }) => isWanted(coup.ref))
        .map(({ coup, mark }) => ({ mark, ...goneCoup(shoe, coup) })),
    ];
  }

  /** Returns the findings that changed, in the order in which they were raised. */
  findings(): AuditedFinding[] {
    const { findings, shoe } = this.changed;
    if (findings.size === 0) return [];
    // of coups that a source opened with one id the first counts: the lane may hold the others
    const coups = new Map(shoe.coups.toReversed().map((coup) => [coup.ref, coup]));
    return [...findings.values()].map((change) => {
      const { coup, admitted } = change.found;
      // with `admitted`, it is listed here because its event names this shoe
      return auditedFinding(
        change,
        admitted === undefined ? shoe : null,
        coup === null ? undefined : coups.get(coup),
      );
    });
  }

  /** Returns the entries of what could not be judged that changed. */
  unjudgeable(): AuditedUnjudgeable[] {
    const { shoe, unjudgeable } = this.changed;
    return [...unjudgeable].map(([key, mark]) => {
      const known = shoe.unjudgeable.get(key);
      return { key, coupRef: known?.coup ?? null, entry: known?.entry ?? null, mark };
    });
  }

  /**
   * Returns the sums of the shoe if they changed. `dayOf` returns the gaming day of an event's
   * time.
   */
  sums(dayOf: (time: string) => string): ShoeSums | null {
    return this.changed.sums ? shoeSums(this.changed.shoe, dayOf) : null;
  }

  /** Returns the ledger, by seat. */
  ledger(): LedgerLine[] {
    const { shoe } = this.changed;
    return [...ledgerOf(shoe)]
      .sort(([a], [b]) => a - b)
      .map(([seat, account]) => ledgerRow(shoe, seat, account));
  }
}

/** The rows of a table that changed. */
export interface Rows {
  readonly shoes: readonly ShoeRows[];
  /** Findings about no shoe within reach. */
  readonly outside: readonly AuditedFinding[];
}

/** Returns the rows of what changed. */
export const rowsOf = ({ shoes, outside }: Changes): Rows => ({
  shoes: shoes.map((changed) => new ShoeRows(changed)),
  outside: outside.map((change) => auditedFinding(change, null)),
});

/**
 * Returns a finding as it is now. `shoe` is null if it is about none within reach, and `coup` is
 * not set if it is about none of the shoe.
 */
function auditedFinding(
  { found, withdrawnBecause, received, mark }: FindingChange,
  shoe: Shoe | null,
  coup?: Coup,
) {
  return {
    finding: found.finding,
    /**
     * The shoe and the coup that it is about, by the references of their openings; null if it is
     * about none within reach.
     */
    shoeRef: shoe && shoe.ref,
    coupRef: shoe && found.coup,
    /** The reference of the event that withdrew it; null while it is in force. */
    withdrawnBecause,
    /** When the event was received that raised it; null if it was only amended. */
    received,
    /** Returns the time of its coup's opening, else of the event that raised it, and the dealer then. */
    raised: raisedOf(found, shoe, coup),
    mark,
  };
}

function raisedOf(found: Found, shoe: Shoe | null, coup?: Coup): () => RaisedWhen {
  if (coup) return () => ({ time: coup.opening.time, dealer: dealerOf(coup) });
  const { raised } = found;
  if (raised) return () => raised;
  if (shoe) return () => whenRaised(shoe, found);
  throw new Error(`finding ${found.finding.id} belongs to no shoe and no time`);
}
