import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Changed } from './changed.js';
import {
  apart,
  BYTES,
  COUNT,
  FLAG,
  INTEGER,
  KEY,
  maybe,
  MILLISECONDS,
  oneOf,
  TEXT,
  TIME,
} from './kinds.js';
import { tableOf } from './table.js';

/**
 * The current state of a table, with the fold's last saved snapshot. The counts are the fold's own.
 */
@Entity('table_state')
@Index('table_state_changed', ['partition', 'changed', 'table'])
export class TableRow extends Changed {
  @PrimaryColumn(KEY) readonly table!: string;
  /** The id in full, where `table` may be shortened. */
  @Column(TEXT) readonly name!: string;
  @Column(maybe(KEY)) readonly shoeRef!: string | null;
  @Column(maybe(KEY)) readonly dealer!: string | null;
  @Column(TIME) readonly lastEventTime!: string;
  /** The highest `receivedtime` of its events: the time of review (contract section 7). Null if no event was stamped. */
  @Column(maybe(TIME)) readonly lastReceived!: string | null;
  @Column(COUNT) readonly read!: number;
  @Column(COUNT) readonly admitted!: number;
  @Column(COUNT) readonly duplicates!: number;
  @Column(COUNT) readonly equivocal!: number;
  @Column(COUNT) readonly late!: number;
  @Column(COUNT) readonly stray!: number;
  /** The saved state of the fold. It may be a megabyte. */
  @Column({ ...apart(maybe(BYTES)), select: false }) readonly snapshot!: Uint8Array | null;
  /** The snapshot includes everything before this offset. */
  @Column(apart(maybe(COUNT))) readonly snapshotNext!: number | null;
  /** Whether the table waited for missing numbers then. Null if an earlier version saved it. */
  @Column(apart(maybe(FLAG))) readonly snapshotWaits!: boolean | null;
}
/** The table of the states of tables. */
export const TABLE_STATE = tableOf(TableRow);

/** A device at a table. Its gaps and unread cards are findings. */
@Entity('device')
@Index('device_source', ['source'])
export class DeviceRow extends Changed {
  @PrimaryColumn(KEY) readonly table!: string;
  @PrimaryColumn(KEY) readonly source!: string;
  @Column(COUNT) readonly events!: number;
  @Column(maybe(TEXT)) readonly session!: string | null;
  @Column(maybe(COUNT)) readonly lastSequence!: number | null;
  /** The time of its last event, by its own clock. */
  @Column(TIME) readonly lastTime!: string;
  /** When its last stamped event was received; null if none was stamped. */
  @Column(maybe(TIME)) readonly lastReceived!: string | null;
  /**
   * Time of receipt minus the device's own time, in milliseconds: the last, the least and the most.
   * Null if no event was stamped.
   */
  @Column(maybe(MILLISECONDS)) readonly clockOffsetLast!: number | null;
  @Column(maybe(MILLISECONDS)) readonly clockOffsetLeast!: number | null;
  @Column(maybe(MILLISECONDS)) readonly clockOffsetMost!: number | null;
  /** Whether it last reported to be online; null if it never did. */
  @Column(maybe(FLAG)) readonly online!: boolean | null;
}
/** The table of devices. */
export const DEVICE = tableOf(DeviceRow);

/** What one sender, by the stamp `receivedfrom`, delivered for one source at a table. */
@Entity('delivery')
@Index('delivery_sender', ['sender'])
export class DeliveryRow extends Changed {
  @PrimaryColumn(KEY) readonly table!: string;
  /** `device/<key name>` or `person/<name>`. */
  @PrimaryColumn(KEY) readonly sender!: string;
  @PrimaryColumn(KEY) readonly source!: string;
  @Column(COUNT) readonly events!: number;
  /** Repeats with the same content, known when they came. */
  @Column(COUNT) readonly duplicates!: number;
  /** Cards that were drawn and not read. */
  @Column(COUNT) readonly unread!: number;
  @Column(TIME) readonly lastReceived!: string;
}
/** The table of deliveries. */
export const DELIVERY = tableOf(DeliveryRow);

/**
 * A parked table: it is not judged further until somebody decides about the event that it stopped
 * at.
 */
@Entity('parked')
@Index('parked_partition', ['partition'])
export class ParkedRow {
  @PrimaryColumn(KEY) readonly table!: string;
  /** The id in full, where `table` may be shortened. */
  @Column(TEXT) readonly name!: string;
  @Column(INTEGER) readonly partition!: number;
  @Column(COUNT) readonly offset!: number;
  @Column(INTEGER) readonly line!: number;
  @Column(TEXT) readonly reason!: string;
  @Column(apart(TIME)) readonly parkedAt!: string;
  @Column(apart(maybe(oneOf(['retry', 'release'])))) readonly asked!: 'retry' | 'release' | null;
  @Column(apart(maybe(TEXT))) readonly askedBy!: string | null;
  @Column(apart(maybe(TIME))) readonly askedAt!: string | null;
}
/** The table of parked tables. */
export const PARKED = tableOf(ParkedRow);

/** A released event, which judging skips by decision. A rebuild skips it too. */
@Entity('released')
export class ReleasedRow {
  @PrimaryColumn(INTEGER) readonly partition!: number;
  @PrimaryColumn(COUNT) readonly offset!: number;
  @PrimaryColumn(INTEGER) readonly line!: number;
  /** The table's id in full. */
  @Column(TEXT) readonly table!: string;
  @Column(TEXT) readonly reason!: string;
  @Column(TEXT) readonly releasedBy!: string;
  @Column(TIME) readonly releasedAt!: string;
}
/** The table of released events. */
export const RELEASED = tableOf(ReleasedRow);
