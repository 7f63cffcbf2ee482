import {
  FINDING_CODES,
  type Finding,
  type FindingCode,
  type Severity,
  type Slip,
  type Unjudgeable,
} from '#audit';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Changed } from './changed.js';
import { UnderReview } from './review.js';
import {
  COUNT,
  DAY,
  first,
  FLAG,
  JSON_TEXT,
  KEY,
  maybe,
  oneOf,
  SEVERITY,
  TEXT,
  TIME,
} from './kinds.js';
import { tableOf } from './table.js';

/**
 * A finding: all of it as `body`, and the columns that lists filter by and reports add up. A
 * withdrawn finding stays and names the event that withdrew it. Lists are in order of (at, id).
 */
@Entity('finding')
@Index('finding_time', ['at', 'id'])
@Index('finding_code', ['code', 'at', 'id'])
@Index('finding_severity', ['severity', 'at', 'id'])
@Index('finding_table', ['table', 'at', 'id'])
@Index('finding_dealer', ['dealer', 'at', 'id'])
@Index('finding_day', ['gamingDay', 'code', 'table'])
@Index('finding_shoe', ['shoeRef'])
@Index('finding_coup', ['coupRef'])
@Index('finding_withdrawn', ['at', 'id'], { where: '(withdrawn_because IS NOT NULL)' })
@Index('finding_changed', ['partition', 'changed'])
@Index('finding_queue', ['severity', 'raisedAt', 'id'], {
  where: `((withdrawn_because IS NULL) AND (review <> 'ruled'::text) AND (NOT lapsed))`,
})
export class FindingRow extends UnderReview {
  @PrimaryColumn(TEXT) readonly id!: string;
  @Column(oneOf(FINDING_CODES)) readonly code!: FindingCode;
  @Column(SEVERITY) readonly severity!: Severity;
  @Column(KEY) readonly table!: string;
  @Column(KEY) readonly shoe!: string;
  @Column(maybe(KEY)) readonly shoeRef!: string | null;
  @Column(maybe(COUNT)) readonly coup!: number | null;
  @Column(maybe(KEY)) readonly coupRef!: string | null;
  @Column(maybe(COUNT)) readonly seat!: number | null;
  @Column(maybe(KEY)) readonly bet!: string | null;
  @Column(maybe(TEXT)) readonly hand!: string | null;
  @Column(TEXT) readonly rules!: string;
  @Column(maybe(TEXT)) readonly explainedBy!: Slip | null;
  @Column(maybe(COUNT)) readonly impactAmount!: number | null;
  @Column(maybe(TEXT)) readonly impactCurrency!: string | null;
  @Column(maybe(oneOf(['house', 'patron']))) readonly impactFavours!: 'house' | 'patron' | null;
  @Column(FLAG) readonly void!: boolean;
  @Column(FLAG) readonly remedied!: boolean;
  /** The dealer; null if no dealer was signed on. */
  @Column(maybe(KEY)) readonly dealer!: string | null;
  /** The time of the coup's opening, else of the event that raised it. */
  @Column(TIME) readonly at!: string;
  @Column(DAY) readonly gamingDay!: string;
  /**
   * When the event that first raised it was received; null if that event has no stamp. It never
   * changes.
   */
  @Column(first(maybe(TIME))) readonly raisedAt!: string | null;
  /** The reference of the event that withdrew it; null while it stands. */
  @Column(maybe(TEXT)) readonly withdrawnBecause!: string | null;
  @Column(JSON_TEXT) readonly body!: Finding;
}
/** The table of findings. */
export const FINDING = tableOf(FindingRow);

/** Returns the columns that repeat fields of the finding. */
export const findingColumns = (body: Finding) => ({
  id: body.id,
  code: body.code,
  severity: body.severity,
  table: body.table,
  shoe: body.shoe,
  coup: body.coup ?? null,
  seat: body.seat ?? null,
  bet: body.bet ?? null,
  hand: body.hand ?? null,
  rules: body.rules,
  explainedBy: body.explainedBy ?? null,
  impactAmount: body.impact?.amount ?? null,
  impactCurrency: body.impact?.currency ?? null,
  impactFavours: body.impact?.favours ?? null,
  void: body.void,
  remedied: body.remedied,
  body,
});

/** An entry that says what could not be judged. */
@Entity('unjudgeable')
@Index('unjudgeable_shoe', ['shoeRef'])
export class UnjudgeableRow extends Changed {
  @PrimaryColumn(KEY) readonly table!: string;
  @PrimaryColumn(KEY) readonly shoeRef!: string;
  @PrimaryColumn(KEY) readonly key!: string;
  @Column(KEY) readonly shoe!: string;
  @Column(maybe(COUNT)) readonly coup!: number | null;
  /** The coup, by the reference of its opening; null if it is about the shoe as a whole. */
  @Column(maybe(KEY)) readonly coupRef!: string | null;
  @Column(JSON_TEXT) readonly body!: Unjudgeable;
}
/** The table of unjudgeable entries. */
export const UNJUDGEABLE = tableOf(UnjudgeableRow);
