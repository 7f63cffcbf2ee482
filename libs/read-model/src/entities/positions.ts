import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BYTES, COUNT, maybe, PARTITION, TEXT, TIME } from './columns.js';

/** How far a partition of the log is folded, by whom, and whether it goes on. Everything else in the schema is as of these. */
@Entity('position')
export class PositionEntity {
  @PrimaryColumn(PARTITION) partition!: number;
  @Column(TEXT) logId!: string;
  /** The offset of the first record that is not in the rows. */
  @Column(COUNT) next!: number;
  /** SHA-256 of the value of record `next - 1`; null at 0. */
  @Column(maybe(BYTES)) lastDigest!: Buffer | null;
  @Column({ type: 'integer' }) foldVersion!: number;
  /** Turned with every change of owner; a write under another one is refused. */
  @Column(COUNT) generation!: number;
  @Column(maybe(TEXT)) owner!: string | null;
  @Column(maybe({ type: 'integer' })) leaseMs!: number | null;
  @Column(maybe(TIME)) leaseUntil!: Date | null;
  @Column(maybe(TEXT)) stoppedReason!: string | null;
  @Column(maybe(COUNT)) stoppedOffset!: number | null;
  @Column(maybe(TIME)) stoppedAt!: Date | null;
  /** Events in all records before `next`. */
  @Column(COUNT) events!: number;
  @Column(maybe(TIME)) committedAt!: Date | null;
}

/** A process that folds: seen lately it counts for a fair share of the partitions. */
@Entity('member')
export class MemberEntity {
  @PrimaryColumn(TEXT) owner!: string;
  @Column(TIME) seenAt!: Date;
}
