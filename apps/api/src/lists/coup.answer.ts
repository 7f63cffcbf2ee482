import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { Severity as Grade } from '#audit';
import type { Due, SourceOfValue } from '#baccarat';
import {
  COUP,
  COUP_FIELDS,
  type CoupBet,
  type CoupCommission,
  type CoupDetail,
  type CoupLine,
  type CoupWhole,
  type CoupStep,
  type CardFault,
  type FindingOfCoup,
  type JudgedBet,
  type LawfulSettlement,
  type SourcedCell,
} from '#read-model';
import {
  Amount,
  ColumnOf,
  Currency,
  findingsOnly,
  OneOf,
  Part,
  Parts,
  PositionsField,
  Ref,
  RulesId,
  SeverityField,
  Signed,
  Text,
  Texts,
  Whole,
  YesNo,
} from '../docs/answer-fields.js';
import { columnsAnswerOf } from '../docs/columns.answer.js';
import { FindingAnswer, UnjudgeableAnswer } from './finding.answer.js';

type Settled = NonNullable<CoupBet['settled']>;
type CardOfCoup = CoupDetail['cards'][number];

const Outcome = (more: Parameters<typeof OneOf>[1] = {}): PropertyDecorator =>
  OneOf(['player', 'banker', 'tie'], more);
/** Cards in the order drawn. */
export const Cards = (): PropertyDecorator =>
  ApiProperty({
    type: 'array',
    items: { type: 'string', nullable: true, pattern: '^[A23456789TJQK][SHDC]$' },
    description: 'In the order drawn; null is a card that could not be read',
  });

const SinceOpening = (description: string): PropertyDecorator =>
  Signed({
    nullable: true,
    description: `${description}: milliseconds since the coup's opening by the events' own times, negative if a clock is behind; null if the times cannot be compared`,
  });

/** A card of a coup, where it lies, and whether it was moved, exposed or carried over. */
export class CardAnswer implements Required<CardOfCoup> {
  @Ref({ description: 'Its drawing' }) ref!: string;
  @ApiProperty({ type: 'string', nullable: true, pattern: '^[A23456789TJQK][SHDC]$' })
  card!: CardOfCoup['card'];
  @Text({ nullable: true, description: 'Where it lies: a hand, burn, discard or next' })
  to!: CardOfCoup['to'];
  @YesNo() moved!: boolean;
  @YesNo() exposed!: boolean;
  @YesNo({ description: 'Carried over from the coup before' }) carried!: boolean;
  @SinceOpening('When it was drawn; negative also if it was carried over') ms!: number | null;
}

/** The settlement of a bet: what became of the stake, the amount paid, and the commission. */
export class SettledAnswer implements Required<Settled> {
  @OneOf(['returned', 'taken']) stake!: Settled['stake'];
  @Amount() paid!: number;
  @Amount() commissionTaken!: number;
  @Amount() commissionMarked!: number;
  @SinceOpening('The last settlement') ms!: number | null;
}

/** A seat's bet in a coup, and its settlement. */
export class CoupBetAnswer implements Required<CoupBet> {
  @Whole({ minimum: 1 }) seat!: number;
  @Text() bet!: string;
  @Amount({ description: 'The stake when betting closed' }) stands!: number;
  @Amount({ description: 'Stakes placed too late to count' }) late!: number;
  @Part(() => SettledAnswer, { nullable: true }) settled!: SettledAnswer | null;
}

/** What the rules require for a bet. */
export class LawfulAnswer implements Required<LawfulSettlement> {
  @OneOf(['returned', 'taken']) stake!: LawfulSettlement['stake'];
  @Amount() paid!: number;
  @Amount({ description: 'On what is paid, in minor units of the currency' }) commission!: number;
}

/** A seat's bet in a coup, its settlement, and what its settlement should have been. */
export class JudgedBetAnswer extends CoupBetAnswer implements Required<JudgedBet> {
  @Part(() => LawfulAnswer, {
    nullable: true,
    description: 'Null if it cannot be known: the hands are not complete, or a card was not read',
  })
  lawful!: LawfulAnswer | null;
}

/** A seat's commission of one coup: due, taken and marked. */
export class CoupCommissionAnswer implements Required<CoupCommission> {
  @Whole({ minimum: 1 }) seat!: number;
  @Amount() due!: number;
  @Amount() taken!: number;
  @Amount() marked!: number;
}

/** The first closing of betting. */
export class BettingClosedAnswer implements Required<NonNullable<CoupDetail['bettingClosed']>> {
  @SinceOpening('When betting closed') ms!: number | null;
}

/** An outcome that was declared, and who declared it. */
export class DeclaredAnswer implements Required<CoupDetail['declared'][number]> {
  @Text() outcome!: string;
  @Text({ description: 'dealer or device' }) by!: string;
  @SinceOpening('When it was declared') ms!: number | null;
}

class CardDue implements Required<Extract<Due, { step: 'card' }>> {
  @OneOf(['card']) step!: 'card';
  @OneOf(['player', 'banker']) to!: 'player' | 'banker';
  @YesNo({ description: 'The hand may draw or stand' }) optional!: boolean;
}

class OutcomeDue implements Required<Extract<Due, { step: 'outcome' }>> {
  @OneOf(['outcome']) step!: 'outcome';
  @Outcome() outcome!: Extract<Due, { step: 'outcome' }>['outcome'];
}

const DueField = (description: string): PropertyDecorator =>
  ApiProperty({
    type: 'array',
    items: { oneOf: [CardDue, OutcomeDue].map((due) => ({ $ref: getSchemaPath(due) })) },
    description,
  });

/** The text that a value of a rule document comes from. */
class RuleSourceAnswer implements Required<SourceOfValue> {
  @Text() title!: string;
  @Text() section!: string;
  @Text() edition!: string;
  @YesNo({ description: "The text is not a regulator's" }) provisional!: boolean;
}

/** A cell of the drawing table, by its place in the printed table. */
class CellAnswer implements Required<SourcedCell> {
  @OneOf(['player', 'banker'], { description: "Which hand's table; the player's has one row" })
  table!: SourcedCell['table'];
  @Whole({
    nullable: true,
    maximum: 7,
    description: "The total of the banker's first two cards; null in the player's table",
  })
  row!: number | null;
  @ApiProperty({
    oneOf: [
      { type: 'integer', minimum: 0, maximum: 9 },
      { type: 'string', enum: ['stood'] },
    ],
    description:
      "In the player's table the total of the player's first two cards; in the banker's the value of the player's third card, or stood",
  })
  column!: SourcedCell['column'];
  @OneOf(['draw', 'stand', 'optional']) says!: SourcedCell['says'];
  @Text({ description: 'The cell in words' }) name!: string;
  @Part(() => RuleSourceAnswer, {
    nullable: true,
    description: 'The source that the rule document names',
  })
  source!: RuleSourceAnswer | null;
}

/** A card of a coup, and what the rules required before it. */
@ApiExtraModels(CardDue, OutcomeDue)
class StepAnswer extends CardAnswer implements Required<CoupStep> {
  @DueField(
    'What the rules required before this card; several, in no order, if cards were not read',
  )
  due!: readonly Due[];
  @Whole({
    nullable: true,
    maximum: 9,
    description: 'Of its hand with it; null on no hand, or if a card was not read',
  })
  total!: number | null;
  @Part(() => CellAnswer, {
    nullable: true,
    description:
      'The cell of the drawing table that decided about a third card; null for any other, if a natural had ended the drawing, or if a card was not read',
  })
  cell!: CellAnswer | null;
}

/** A card of a coup, what the rules required before it, and which findings name it. */
export class CoupStepAnswer extends StepAnswer implements Required<CoupWhole['steps'][number]> {
  @Texts(findingsOnly('The ids of the standing findings that name it'))
  findings!: readonly string[];
}

class FaultyCard implements Required<Extract<CardFault, { is: 'card' }>> {
  @OneOf(['card']) is!: 'card';
  @Ref({ description: 'The drawing of the card that is wrong' }) ref!: string;
}

class MissingCard implements Required<Extract<CardFault, { is: 'missing' }>> {
  @OneOf(['missing']) is!: 'missing';
  @OneOf(['player', 'banker'], { description: 'The hand that lacks a card' })
  hand!: 'player' | 'banker';
}

/** A finding about a coup, and where its fault lies among the cards of the coup. */
@ApiExtraModels(FaultyCard, MissingCard)
export class FindingOfCoupAnswer extends FindingAnswer implements Required<FindingOfCoup> {
  @ApiProperty({
    oneOf: [FaultyCard, MissingCard].map((fault) => ({ $ref: getSchemaPath(fault) })),
    nullable: true,
    description:
      'The card that is wrong, or the hand that lacks one; null if no single card is wrong, and if the finding is withdrawn',
  })
  fault!: CardFault | null;
}

/** A coup as lists show it. */
export class CoupAnswer
  extends columnsAnswerOf(COUP, COUP_FIELDS, {
    ref: Ref({ description: 'Its opening' }),
    shoeRef: Ref({ description: 'The opening of its shoe' }),
    coup: Whole({ description: 'Its number in the shoe' }),
    outcome: Outcome({ nullable: true, description: 'According to the cards' }),
    dealer: ColumnOf(COUP, { description: 'Who dealt; null if nobody had signed on' }),
  })
  implements Required<CoupLine>
{
  @Cards() player!: readonly (string | null)[];
  @Cards() banker!: readonly (string | null)[];
  @Whole(findingsOnly('Standing findings')) findings!: number;
  @SeverityField({
    ...findingsOnly('The gravest severity of them, 1 is the gravest'),
    nullable: true,
  })
  worst!: Grade | null;
}

/** A coup card by card, with its bets, commission, findings and unjudgeable entries. */
export class CoupWholeAnswer extends CoupAnswer implements Required<CoupWhole> {
  @PositionsField() positions!: string;
  @RulesId() rules!: string;
  @Whole({ minimum: 1 }) decks!: number;
  @Currency() currency!: string;
  @Texts({ description: 'Who was on duty in it as caller, in order' }) callers!: readonly string[];
  @Parts(() => CoupStepAnswer) steps!: readonly CoupStepAnswer[];
  @DueField(
    'What the rules require after the last card; several, in no order, if cards were not read or the player hand was free to draw',
  )
  then!: readonly Due[];
  @Part(() => CellAnswer, {
    nullable: true,
    description: 'The cell that gives `then` a third card; null if it has none',
  })
  thenCell!: CellAnswer | null;
  @Part(() => BettingClosedAnswer, { nullable: true, description: 'Null if it was not closed' })
  bettingClosed!: BettingClosedAnswer | null;
  @Parts(() => DeclaredAnswer) declared!: readonly DeclaredAnswer[];
  @Parts(() => JudgedBetAnswer) bets!: readonly JudgedBetAnswer[];
  @Parts(() => CoupCommissionAnswer) commission!: readonly CoupCommissionAnswer[];
  @Parts(() => FindingOfCoupAnswer, findingsOnly('Standing ones first, then withdrawn ones'))
  raised!: readonly FindingOfCoupAnswer[];
  @Parts(() => UnjudgeableAnswer, findingsOnly('What could not be judged'))
  unjudgeable!: readonly UnjudgeableAnswer[];
}
