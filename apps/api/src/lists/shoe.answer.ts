import { ApiProperty } from '@nestjs/swagger';
import type { Severity as Grade } from '#audit';
import { RANKS } from '#baccarat';
import { SHOE, SHOE_FIELDS, type ShoeLedgerLine, type ShoeLine, type ShoeWhole } from '#read-model';
import {
  Amount,
  ColumnOf,
  Currency,
  findingsOnly,
  Part,
  Parts,
  PositionsField,
  Ref,
  RulesId,
  SeverityField,
  Whole,
  YesNo,
} from '../docs/answer-fields.js';
import { columnsAnswerOf } from '../docs/columns.answer.js';
import { Cards, CoupAnswer } from './coup.answer.js';
import { FindingAnswer, UnjudgeableAnswer } from './finding.answer.js';

/** A shoe as lists show it. */
export class ShoeAnswer
  extends columnsAnswerOf(SHOE, SHOE_FIELDS, {
    ref: Ref({ description: 'Its opening' }),
    shoe: ColumnOf(SHOE, { description: 'Its id, unique at its table' }),
    rules: RulesId(),
    decks: Whole({ minimum: 1 }),
    currency: Currency(),
    coups: Whole(),
    cards: Whole({ description: 'Cards drawn' }),
    unread: Whole({ description: 'Cards that could not be read' }),
    remaining: Whole({ nullable: true, description: 'Cards left, as reported at its closing' }),
  })
  implements Required<ShoeLine>
{
  @Whole(findingsOnly('Standing findings')) findings!: number;
  @SeverityField({
    ...findingsOnly('The gravest severity of them, 1 is the gravest'),
    nullable: true,
  })
  worst!: Grade | null;
}

/** A seat's commission in a shoe. */
export class LedgerAnswer implements Required<ShoeLedgerLine> {
  @Whole({ minimum: 1 }) seat!: number;
  @Amount() due!: number;
  @Amount() taken!: number;
  @Amount() marked!: number;
  @Amount() collected!: number;
  @Amount() waived!: number;
  @Amount() outstanding!: number;
}

/** The cards burned before the first coup, and how many the rules permit. */
export class BurnAnswer implements Required<NonNullable<ShoeWhole['burn']>> {
  @Cards() cards!: NonNullable<ShoeWhole['burn']>['cards'];
  @ApiProperty({
    type: 'array',
    items: { type: 'integer', minimum: 0 },
    nullable: true,
    description:
      'How many cards the rules permit, the first included; null if the first card decides it and is not known',
  })
  permitted!: readonly number[] | null;
  @YesNo({ description: 'Whether the rules can count by the first card' }) byFirstCard!: boolean;
}

/** When the cut card of a shoe showed first. */
export class CutCardAnswer implements Required<NonNullable<ShoeWhole['cutCard']>> {
  @Whole({
    nullable: true,
    description:
      'The number of the coup in which it appeared or, between coups, of the coup before; null before the first coup',
  })
  coup!: number | null;
  @YesNo({
    description: 'Whether it appeared during that coup, after its first card and before its end',
  })
  inside!: boolean;
  @Whole({ description: 'Cards left when it appeared' }) cardsLeft!: number;
  @Whole({ description: 'How many coups the rules still permit now' }) coupsLeft!: number;
}

/**
 * A shoe with its ledger, coups, findings and unjudgeable entries. Each list except the ledger has
 * at most 1,000 items.
 */
export class ShoeWholeAnswer extends ShoeAnswer implements Required<ShoeWhole> {
  @PositionsField() positions!: string;
  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    minItems: RANKS.length,
    maxItems: RANKS.length,
    nullable: true,
    description:
      'Cards left of each rank, ace to king, as recorded and corrected. An unread card counts for no rank. Negative if more were drawn than the decks hold',
  })
  leftByRank!: readonly number[] | null;
  @Part(() => BurnAnswer, {
    nullable: true,
    description: 'Null if its devices do not report burns, and none was seen',
  })
  burn!: BurnAnswer | null;
  @Part(() => CutCardAnswer, { nullable: true, description: 'Null if it has not appeared' })
  cutCard!: CutCardAnswer | null;
  @Parts(() => LedgerAnswer) ledger!: readonly LedgerAnswer[];
  @Parts(() => CoupAnswer) coupLines!: readonly CoupAnswer[];
  @Parts(() => FindingAnswer, findingsOnly('Standing ones first, then withdrawn ones'))
  raised!: readonly FindingAnswer[];
  @Parts(() => UnjudgeableAnswer, findingsOnly('What could not be judged'))
  unjudgeable!: readonly UnjudgeableAnswer[];
}
