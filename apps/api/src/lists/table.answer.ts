import type { Severity as Grade } from '#audit';
import {
  COUP,
  SHOE,
  type TableCoup,
  type TableEvents,
  type TableLine,
  type TableShoe,
} from '#read-model';
import {
  ColumnOf,
  Currency,
  findingsOnly,
  Part,
  Parts,
  Ref,
  RulesId,
  SeverityField,
  Text,
  Time,
  Whole,
} from '../docs/answer-fields.js';
import { CardAnswer, CoupBetAnswer } from './coup.answer.js';

/** The open shoe of a table, with its findings counted. */
export class TableShoeAnswer implements Required<TableShoe> {
  @Ref() ref!: string;
  @ColumnOf(SHOE) shoe!: string;
  @RulesId() rules!: string;
  @Whole({ minimum: 1 }) decks!: number;
  @ColumnOf(SHOE) kind!: string;
  @Currency() currency!: string;
  @Whole() coups!: number;
  @Whole() cards!: number;
  @Whole() unread!: number;
  @ColumnOf(SHOE) openedAt!: string;
  @ColumnOf(SHOE) gamingDay!: string;
  @Whole(findingsOnly('Standing findings')) findings!: number;
  @SeverityField({
    ...findingsOnly('The gravest severity of them, 1 is the gravest'),
    nullable: true,
  })
  worst!: Grade | null;
}

/** The open coup of a table, with its cards and bets so far. */
export class TableCoupAnswer implements Required<TableCoup> {
  @Ref() ref!: string;
  @Whole() coup!: number;
  @ColumnOf(COUP) kind!: TableCoup['kind'];
  @ColumnOf(COUP) openedAt!: string;
  @Parts(() => CardAnswer, { description: 'Cards so far' }) cards!: readonly CardAnswer[];
  @Parts(() => CoupBetAnswer) bets!: readonly CoupBetAnswer[];
}

/** The events of a table, counted by what admission did with them. */
export class TableEventsAnswer implements Required<TableEvents> {
  @Whole() read!: number;
  @Whole() admitted!: number;
  @Whole() duplicates!: number;
  @Whole() equivocal!: number;
  @Whole() late!: number;
  @Whole() stray!: number;
}

/** The position of the event that a table is parked at, and the reason. */
export class TableParkedAnswer implements Required<NonNullable<TableLine['parked']>> {
  @Whole() partition!: number;
  @Whole() offset!: number;
  @Whole() line!: number;
  @Text() reason!: string;
}

/** The current state of a table. */
export class TableAnswer implements Required<TableLine> {
  @Text() table!: string;
  @Text({ nullable: true, description: 'Who deals; null if nobody has signed on' })
  dealer!: string | null;
  @Time({ nullable: true, description: "The last event's time by its source's clock" })
  lastEventTime!: string | null;
  @Time({ nullable: true }) lastReceived!: string | null;
  @Part(() => TableShoeAnswer, { nullable: true, description: 'The open shoe' })
  shoe!: TableShoeAnswer | null;
  @Part(() => TableCoupAnswer, { nullable: true, description: 'The open coup' })
  coup!: TableCoupAnswer | null;
  @Part(() => TableEventsAnswer, { nullable: true }) events!: TableEventsAnswer | null;
  @Part(() => TableParkedAnswer, { nullable: true, description: 'Why it is not judged further' })
  parked!: TableParkedAnswer | null;
}
