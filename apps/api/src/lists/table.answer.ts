import type { Severity as Grade } from '#audit';
import {
  COUP,
  SHOE,
  TABLE_COUP_FIELDS,
  TABLE_EVENT_FIELDS,
  TABLE_SHOE_FIELDS,
  TABLE_STATE,
  type TableCoup,
  type TableEvents,
  type TableLine,
  type TableShoe,
} from '#read-model';
import {
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
import { columnsAnswerOf } from '../docs/columns.answer.js';
import { CardAnswer, CoupBetAnswer } from './coup.answer.js';

/** The open shoe of a table, with its findings counted. */
export class TableShoeAnswer
  extends columnsAnswerOf(SHOE, TABLE_SHOE_FIELDS, {
    ref: Ref(),
    rules: RulesId(),
    decks: Whole({ minimum: 1 }),
    currency: Currency(),
    coups: Whole(),
    cards: Whole(),
    unread: Whole(),
  })
  implements Required<TableShoe>
{
  @Whole(findingsOnly('Standing findings')) findings!: number;
  @SeverityField({
    ...findingsOnly('The gravest severity of them, 1 is the gravest'),
    nullable: true,
  })
  worst!: Grade | null;
}

/** The open coup of a table, with its cards and bets so far. */
export class TableCoupAnswer
  extends columnsAnswerOf(COUP, TABLE_COUP_FIELDS, { ref: Ref(), coup: Whole() })
  implements Required<TableCoup>
{
  @Parts(() => CardAnswer, { description: 'Cards so far' }) cards!: readonly CardAnswer[];
  @Parts(() => CoupBetAnswer) bets!: readonly CoupBetAnswer[];
}

/** The events of a table, counted by what admission did with them. */
export class TableEventsAnswer
  extends columnsAnswerOf(TABLE_STATE, TABLE_EVENT_FIELDS, {
    read: Whole(),
    admitted: Whole(),
    duplicates: Whole(),
    equivocal: Whole(),
    late: Whole(),
    stray: Whole(),
  })
  implements Required<TableEvents> {}

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
