import type { CoupKind, AuditedCoup, AuditedShoe } from '#audit';
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
 * A shoe, by the reference of its opening. The table is part of the key, because senders of two
 * tables can use the same reference.
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
  /**
   * Cards left of each rank, ace to king, without regard to unread ones; negative if more came than
   * the decks hold. Null in rows of before the column.
   */
  @Column(maybe(JSON_TEXT)) readonly leftByRank!: readonly number[] | null;
  /** Null if its devices do not report burns and none was seen, and in rows of before the column. */
  @Column(maybe(JSON_TEXT)) readonly burn!: AuditedShoe['burn'];
  /** Null if it has not shown, and in rows of before the column. */
  @Column(maybe(JSON_TEXT)) readonly cutCard!: AuditedShoe['cutCard'];
  @Column(FLAG) readonly closed!: boolean;
  @Column(maybe(oneOf(choicesOf('shoe-closed', 'reason')))) readonly closeReason!: string | null;
  /** Cards declared to remain at the closing; null if the closing does not say. */
  @Column(maybe(COUNT)) readonly remaining!: number | null;
  @Column(TIME) readonly openedAt!: string;
  @Column(maybe(TIME)) readonly closedAt!: string | null;
  @Column(DAY) readonly gamingDay!: string;
  /** The offset of its opening. Shoes are in the order of offset and line. */
  @Column(first(COUNT)) readonly openedOffset!: number;
  @Column(first(INTEGER)) readonly openedLine!: number;
}
/** The table of shoes. */
export const SHOE = tableOf(ShoeRow);

/** Cards, declarations, bets and commission of a coup, as `GET /coups/:id` shows them. */
export type CoupDetail = AuditedCoup['detail'];
/** A seat's bet in a coup and its settlement. */
export type CoupBet = CoupDetail['bets'][number];
/** A seat's commission of one coup. */
export type CoupCommission = CoupDetail['commission'][number];

/**
 * A coup, by the reference of its opening and its table. Coups of a shoe are in order of (coup,
 * ref). Coups of a table and in lists are in order of (gaming_day, opened_at, ref). `changed` is 0
 * as long as the coup is open, so that each card changes the row in its place.
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
  /** The outcome by the cards as they lie; null if they do not determine it. */
  @Column(maybe(TEXT)) readonly outcome!: string | null;
  /** The last dealer of the coup; null if no dealer was signed on. */
  @Column(maybe(KEY)) readonly dealer!: string | null;
  @Column(TIME) readonly openedAt!: string;
  @Column(maybe(TIME)) readonly endedAt!: string | null;
  @Column(DAY) readonly gamingDay!: string;
  @Column(JSON_TEXT) readonly detail!: CoupDetail;
}
/** The table of coups. */
export const COUP = tableOf(CoupRow);
