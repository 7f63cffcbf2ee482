import type { CoupKind, CoupReport } from '#audit';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Changed } from './changed.js';
import {
  choicesOf,
  COUNT,
  DAY,
  first,
  FLAG,
  INTEGER,
  JSON_TEXT,
  KEY,
  maybe,
  oneOf,
  TEXT,
  TIME,
} from './kinds.js';
import { tableOf } from './table.js';

/**
 * A shoe, by the reference of its opening. The table is part of the key, because nothing stops the senders of two tables from
 * using the same reference.
 */
@Entity('shoe')
@Index('shoe_order', ['table', 'openedOffset', 'openedLine'])
@Index('shoe_name', ['table', 'shoe'])
@Index('shoe_day', ['gamingDay', 'table'])
@Index('shoe_changed', ['partition', 'changed'])
export class ShoeRow extends Changed {
  @PrimaryColumn(KEY) readonly ref!: string;
  @PrimaryColumn(KEY) readonly table!: string;
  @Column(KEY) readonly shoe!: string;
  @Column(TEXT) readonly rules!: string;
  @Column(COUNT) readonly decks!: number;
  @Column(oneOf(choicesOf('shoe-opened', 'kind'))) readonly kind!: string;
  @Column(TEXT) readonly currency!: string;
  @Column(COUNT) readonly coups!: number;
  @Column(COUNT) readonly cards!: number;
  @Column(COUNT) readonly unread!: number;
  @Column(FLAG) readonly closed!: boolean;
  @Column(maybe(oneOf(choicesOf('shoe-closed', 'reason')))) readonly closeReason!: string | null;
  /** Cards said to remain when it was closed; null if nobody said. */
  @Column(maybe(COUNT)) readonly remaining!: number | null;
  @Column(TIME) readonly openedAt!: string;
  @Column(maybe(TIME)) readonly closedAt!: string | null;
  @Column(DAY) readonly gamingDay!: string;
  /** Where in the log it was opened: the order of shoes. */
  @Column(first(COUNT)) readonly openedOffset!: number;
  @Column(first(INTEGER)) readonly openedLine!: number;
}
export const SHOE = tableOf(ShoeRow);

/** Cards, declarations, bets and commission of a coup, as `GET /coups/:id` shows them. */
export type CoupDetail = CoupReport['detail'];
/** A seat's bet in a coup, and what was done about it. */
export type CoupBet = CoupDetail['bets'][number];
/** A seat's commission of one coup. */
export type CoupCommission = CoupDetail['commission'][number];

/**
 * A coup, by the reference of its opening and its table. In a shoe coups are in order of (coup, ref), at a table and in lists of
 * (gaming_day, opened_at, ref).
 */
@Entity('coup')
@Index('coup_order', ['shoeRef', 'coup', 'ref'])
@Index('coup_time', ['table', 'gamingDay', 'openedAt', 'ref'])
@Index('coup_day', ['gamingDay', 'openedAt', 'ref'])
@Index('coup_changed', ['partition', 'changed'])
export class CoupRow extends Changed {
  @PrimaryColumn(KEY) readonly ref!: string;
  @Column(KEY) readonly shoeRef!: string;
  @PrimaryColumn(KEY) readonly table!: string;
  @Column(KEY) readonly shoe!: string;
  @Column(COUNT) readonly coup!: number;
  @Column(oneOf(choicesOf('coup-opened', 'kind'))) readonly kind!: CoupKind;
  @Column(oneOf(['open', 'over', 'void'])) readonly state!: 'open' | 'over' | 'void';
  /** Who won by the cards as they lie; null if they do not tell. */
  @Column(maybe(TEXT)) readonly outcome!: string | null;
  /** Who dealt last in it; null if nobody had signed on. */
  @Column(maybe(KEY)) readonly dealer!: string | null;
  @Column(TIME) readonly openedAt!: string;
  @Column(maybe(TIME)) readonly endedAt!: string | null;
  @Column(DAY) readonly gamingDay!: string;
  @Column(JSON_TEXT) readonly detail!: CoupDetail;
}
export const COUP = tableOf(CoupRow);
