import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CoupDetail } from '../writing/rows.js';
import { COUNT, DAY, FLAG, maybe, PARTITION, TEXT, TIME } from './columns.js';

/** A shoe, by the reference of its opening, which is one table's own: nothing keeps two tables' senders from using the same. */
@Entity('shoe')
@Index('shoe_order', ['table', 'openedOffset', 'openedLine'])
@Index('shoe_name', ['table', 'shoe'])
@Index('shoe_day', ['gamingDay', 'table'])
@Index('shoe_changed', ['partition', 'changed'])
export class ShoeEntity {
  @PrimaryColumn(TEXT) ref!: string;
  @PrimaryColumn(TEXT) table!: string;
  @Column(TEXT) shoe!: string;
  @Column(TEXT) rules!: string;
  @Column(COUNT) decks!: number;
  @Column(TEXT) kind!: string;
  @Column(TEXT) currency!: string;
  @Column(COUNT) coups!: number;
  @Column(COUNT) cards!: number;
  @Column(COUNT) unread!: number;
  @Column(FLAG) closed!: boolean;
  @Column(maybe(TEXT)) closeReason!: string | null;
  @Column(maybe(COUNT)) remaining!: number | null;
  @Column(TIME) openedAt!: Date;
  @Column(maybe(TIME)) closedAt!: Date | null;
  @Column(DAY) gamingDay!: string;
  @Column(COUNT) openedOffset!: number;
  @Column({ type: 'integer' }) openedLine!: number;
  @Column(PARTITION) partition!: number;
  @Column(COUNT) changed!: number;
}

/** A coup, by the reference of its opening, of its table. In a shoe they are in order of (coup, ref), at a table and in lists of (gaming_day, opened_at, ref). */
@Entity('coup')
@Index('coup_order', ['shoeRef', 'coup', 'ref'])
@Index('coup_time', ['table', 'gamingDay', 'openedAt', 'ref'])
@Index('coup_day', ['gamingDay', 'openedAt', 'ref'])
@Index('coup_changed', ['partition', 'changed'])
export class CoupEntity {
  @PrimaryColumn(TEXT) ref!: string;
  @Column(TEXT) shoeRef!: string;
  @PrimaryColumn(TEXT) table!: string;
  @Column(TEXT) shoe!: string;
  @Column(COUNT) coup!: number;
  @Column(TEXT) kind!: string;
  @Column(TEXT) state!: 'open' | 'over' | 'void';
  @Column(maybe(TEXT)) outcome!: string | null;
  @Column(maybe(TEXT)) dealer!: string | null;
  @Column(TIME) openedAt!: Date;
  @Column(maybe(TIME)) endedAt!: Date | null;
  @Column(DAY) gamingDay!: string;
  /** `json`, not `jsonb`: it is read whole, and taking it in costs half as much. */
  @Column({ type: 'json' }) detail!: CoupDetail;
  @Column(PARTITION) partition!: number;
  @Column(COUNT) changed!: number;
}
