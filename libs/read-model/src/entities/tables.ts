import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { BYTES, COUNT, FLAG, maybe, PARTITION, TEXT, TIME } from './columns.js';

/** A table as it stands, and now and then the fold's state of it. */
@Entity('table_state')
@Index('table_state_changed', ['partition', 'changed', 'table'])
export class TableStateEntity {
  /** The table's key: `keyOf` its id, which is the id itself unless that is very long. */
  @PrimaryColumn(TEXT) table!: string;
  /** The id in full. */
  @Column(TEXT) name!: string;
  @Column(PARTITION) partition!: number;
  @Column(maybe(TEXT)) shoeRef!: string | null;
  @Column(maybe(TEXT)) dealer!: string | null;
  @Column(TIME) lastEventTime!: Date;
  @Column(maybe(TIME)) lastReceived!: Date | null;
  @Column(COUNT) read!: number;
  @Column(COUNT) admitted!: number;
  @Column(COUNT) duplicates!: number;
  @Column(COUNT) equivocal!: number;
  @Column(COUNT) late!: number;
  @Column(COUNT) stray!: number;
  /** Never selected with the rest: it may be a megabyte. */
  @Column({ ...maybe(BYTES), select: false }) snapshot!: Buffer | null;
  /** Everything before this offset is in the snapshot. */
  @Column(maybe(COUNT)) snapshotNext!: number | null;
  @Column(COUNT) changed!: number;
}

/** A device at a table. */
@Entity('device')
@Index('device_changed', ['partition', 'changed'])
@Index('device_source', ['source'])
export class DeviceEntity {
  @PrimaryColumn(TEXT) table!: string;
  @PrimaryColumn(TEXT) source!: string;
  @Column(COUNT) events!: number;
  @Column(maybe(TEXT)) session!: string | null;
  @Column(maybe(COUNT)) lastSequence!: number | null;
  @Column(TIME) lastTime!: Date;
  @Column(maybe(TIME)) lastReceived!: Date | null;
  /** Milliseconds, received minus its own clock. */
  @Column(maybe(COUNT)) clockOffsetLast!: number | null;
  @Column(maybe(COUNT)) clockOffsetLeast!: number | null;
  @Column(maybe(COUNT)) clockOffsetMost!: number | null;
  @Column(maybe(FLAG)) online!: boolean | null;
  @Column(PARTITION) partition!: number;
  @Column(COUNT) changed!: number;
}

/** A table that is judged no further until somebody decides. */
@Entity('parked')
@Index('parked_partition', ['partition'])
export class ParkedEntity {
  @PrimaryColumn(TEXT) table!: string;
  @Column(TEXT) name!: string;
  @Column(PARTITION) partition!: number;
  /** Where the event lies that it stopped at. */
  @Column(COUNT) offset!: number;
  @Column({ type: 'integer' }) line!: number;
  @Column(TEXT) reason!: string;
  @Column(TIME) parkedAt!: Date;
  @Column(maybe(TEXT)) asked!: 'retry' | 'release' | null;
  @Column(maybe(TEXT)) askedBy!: string | null;
  @Column(maybe(TIME)) askedAt!: Date | null;
}

/** An event that somebody decided to go on without. A rebuild leaves it out too. */
@Entity('released')
export class ReleasedEntity {
  @PrimaryColumn(PARTITION) partition!: number;
  @PrimaryColumn(COUNT) offset!: number;
  @PrimaryColumn({ type: 'integer' }) line!: number;
  @Column(TEXT) table!: string;
  @Column(TEXT) reason!: string;
  @Column(TEXT) releasedBy!: string;
  @Column(TIME) releasedAt!: Date;
}
