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
  /** The line that cannot be read, of the record that stopped it; null if its log is at fault. */
  @Column(maybe(INTEGER)) readonly stoppedLine!: number | null;
  @Column(maybe(TIME)) readonly stoppedAt!: string | null;
  /** Events in all records before `next`. */
  @Column(COUNT) readonly events!: number;
  @Column(maybe(TIME)) readonly committedAt!: string | null;
}
/** The table of positions. */
export const POSITION = tableOf(PositionRow);

/**
 * A record that cannot be read and that nobody judges, by decision of an administrator. A rebuild
 * leaves it out too.
 */
@Entity('passed_record')
export class PassedRecordRow {
  @PrimaryColumn(INTEGER) readonly partition!: number;
  @PrimaryColumn(COUNT) readonly offset!: number;
  /** The SHA-256 of its value, in lowercase hexadecimal digits. */
  @Column(TEXT) readonly sha256!: string;
  /** The bytes of its value. */
  @Column(COUNT) readonly size!: number;
  /** Its key, which is the id of a table unless another program wrote it. */
  @Column(TEXT) readonly key!: string;
  /** Why it cannot be read, as the auditor says. */
  @Column(TEXT) readonly fault!: string;
  /** Why it was passed, as the administrator says. */
  @Column(TEXT) readonly reason!: string;
  /** Who passed it: `person/<name>`. */
  @Column(TEXT) readonly passedBy!: string;
  @Column(TIME) readonly passedAt!: string;
}
/** The table of passed records. */
export const PASSED_RECORD = tableOf(PassedRecordRow);

/** A process that folds. Each process that was seen lately gets a fair share of the partitions. */
@Entity('member')
export class MemberRow {
  @PrimaryColumn(TEXT) readonly owner!: string;
  @Column(TIME) readonly seenAt!: string;
}
