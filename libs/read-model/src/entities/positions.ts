import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BYTES, COUNT, INTEGER, maybe, TEXT, TIME } from './kinds.js';
import { tableOf } from './table.js';

/**
 * How far a partition of the log is folded, by which owner, and whether it is stopped. All other
 * rows are as of these positions.
 */
@Entity('position')
export class PositionRow {
  @PrimaryColumn(INTEGER) readonly partition!: number;
  @Column(TEXT) readonly logId!: string;
  /** The offset of the first record that is not in the rows. */
  @Column(COUNT) readonly next!: number;
  /** SHA-256 of the value of record `next - 1`; null at 0. */
  @Column(maybe(BYTES)) readonly lastDigest!: Uint8Array | null;
  @Column(INTEGER) readonly foldVersion!: number;
  /** Incremented at every change of owner. A write under another generation is refused. */
  @Column(COUNT) readonly generation!: number;
  @Column(maybe(TEXT)) readonly owner!: string | null;
  @Column(maybe(INTEGER)) readonly leaseMs!: number | null;
  @Column(maybe(TIME)) readonly leaseUntil!: string | null;
  @Column(maybe(TEXT)) readonly stoppedReason!: string | null;
  @Column(maybe(COUNT)) readonly stoppedOffset!: number | null;
  @Column(maybe(TIME)) readonly stoppedAt!: string | null;
  /** Events in all records before `next`. */
  @Column(COUNT) readonly events!: number;
  @Column(maybe(TIME)) readonly committedAt!: string | null;
}
/** The table of positions. */
export const POSITION = tableOf(PositionRow);

/** A process that folds. Each process that was seen lately gets a fair share of the partitions. */
@Entity('member')
export class MemberRow {
  @PrimaryColumn(TEXT) readonly owner!: string;
  @Column(TIME) readonly seenAt!: string;
}
