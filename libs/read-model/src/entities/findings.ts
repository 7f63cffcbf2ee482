import type { Finding, Unjudgeable } from '#audit';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { COUNT, DAY, FLAG, maybe, PARTITION, TEXT, TIME } from './columns.js';

/** A finding: what it is looked up and added up by, and whole as it was raised. Lists are in order of (at, id). */
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
export class FindingEntity {
  @PrimaryColumn(TEXT) id!: string;
  @Column(TEXT) code!: string;
  @Column({ type: 'smallint' }) severity!: number;
  @Column(TEXT) table!: string;
  @Column(TEXT) shoe!: string;
  @Column(maybe(TEXT)) shoeRef!: string | null;
  @Column(maybe(COUNT)) coup!: number | null;
  @Column(maybe(TEXT)) coupRef!: string | null;
  @Column(maybe(COUNT)) seat!: number | null;
  @Column(maybe(TEXT)) bet!: string | null;
  @Column(maybe(TEXT)) hand!: string | null;
  @Column(TEXT) rules!: string;
  @Column(maybe(TEXT)) explainedBy!: string | null;
  @Column(maybe(COUNT)) impactAmount!: number | null;
  @Column(maybe(TEXT)) impactCurrency!: string | null;
  @Column(maybe(TEXT)) impactFavours!: 'house' | 'patron' | null;
  @Column(FLAG) void!: boolean;
  @Column(FLAG) remedied!: boolean;
  @Column(maybe(TEXT)) dealer!: string | null;
  @Column(TIME) at!: Date;
  @Column(DAY) gamingDay!: string;
  @Column(maybe(TEXT)) withdrawnBecause!: string | null;
  /** `json`, not `jsonb`: it comes back with its fields in the order in which they went in. */
  @Column({ type: 'json' }) body!: Finding;
  @Column(PARTITION) partition!: number;
  @Column(COUNT) changed!: number;
}

/** What could not be judged. */
@Entity('unjudgeable')
@Index('unjudgeable_shoe', ['shoeRef'])
@Index('unjudgeable_changed', ['partition', 'changed'])
export class UnjudgeableEntity {
  @PrimaryColumn(TEXT) table!: string;
  @PrimaryColumn(TEXT) shoeRef!: string;
  @PrimaryColumn(TEXT) key!: string;
  @Column(TEXT) shoe!: string;
  @Column(maybe(COUNT)) coup!: number | null;
  @Column({ type: 'json' }) body!: Unjudgeable;
  @Column(PARTITION) partition!: number;
  @Column(COUNT) changed!: number;
}
