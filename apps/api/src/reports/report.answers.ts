import type { FindingCode, Severity as Grade } from '#audit';
import {
  type CommissionCoup,
  type CommissionLine,
  type CommissionOwed,
  COUP,
  type DealerAccuracy,
  type DealerLine,
  type DealersReport,
  DEVICE,
  DEVICE_FIELDS,
  type DeviceLine,
  type DeviceTotal,
  type MisdealtCount,
  type MisdealtLine,
  type MisdealtSummary,
  type PassedRecord,
  type PayoutCoup,
  type PayoutLine,
  type PayoutsReport,
  type PayoutTotal,
  SHOE,
  type ShoeReportLine,
  type ShoeReportTotal,
  type VarianceLine,
} from '#read-model';
import {
  Amount,
  Code,
  Codes,
  ColumnOf,
  Currency,
  Day,
  findingsOnly,
  Part,
  Parts,
  PositionsField,
  Real,
  Ref,
  RulesId,
  SeverityField,
  Sha256Field,
  Signed,
  Text,
  Time,
  Whole,
  YesNo,
} from '../docs/answer-fields.js';
import { columnsAnswerOf } from '../docs/columns.answer.js';
import { pageAnswerOf } from '../docs/page.answer.js';
import { Favours, FindingAnswer, SlipField } from '../lists/finding.answer.js';

/** A record that cannot be read and that an administrator passed: nobody judges it. */
export class PassedRecordAnswer implements Required<PassedRecord> {
  @Whole() partition!: number;
  @Whole() offset!: number;
  @Sha256Field() sha256!: string;
  @Text({ description: 'Who passed it' }) passedBy!: string;
  @Time() passedAt!: string;
  @Text({ description: 'Why, in the words of who passed it' }) reason!: string;
}

/** The passed records of the partitions that have tables of a report. */
const PassedRecords = (): PropertyDecorator =>
  Parts(() => PassedRecordAnswer, {
    description:
      'The passed records in the partitions of these tables: they could not be read, and an administrator passed them',
  });

/** Commission in one currency: due, taken, marked, collected, waived and outstanding. */
export class OwedAnswer implements Required<CommissionOwed> {
  @Currency() currency!: string;
  @Amount() due!: number;
  @Amount() taken!: number;
  @Amount() marked!: number;
  @Amount() collected!: number;
  @Amount() waived!: number;
  @Amount({ description: 'marked - collected - waived' }) outstanding!: number;
}

/** A line of the commission report. Fields that do not belong to its `by` are null. */
class CommissionAnswer extends OwedAnswer implements Required<CommissionLine> {
  @Text({ nullable: true }) table!: string | null;
  @Text({ nullable: true }) shoe!: string | null;
  @Ref({ nullable: true }) shoeRef!: string | null;
  @Whole({ nullable: true, minimum: 1 }) seat!: number | null;
  @Text({ nullable: true }) dealer!: string | null;
  @Day({ nullable: true }) gamingDay!: string | null;
}

/** A seat's commission of one coup. */
class CommissionCoupAnswer implements Required<CommissionCoup> {
  @Ref() coupRef!: string;
  @Ref() shoeRef!: string;
  @Text() table!: string;
  @Text() shoe!: string;
  @Whole() coup!: number;
  @ColumnOf(COUP) state!: CommissionCoup['state'];
  @Text({ nullable: true }) dealer!: string | null;
  @Time() openedAt!: string;
  @Day() gamingDay!: string;
  @Currency() currency!: string;
  @Whole({ minimum: 1 }) seat!: number;
  @Amount() due!: number;
  @Amount() taken!: number;
  @Amount() marked!: number;
}

class Counted {
  @Whole() findings!: number;
  @Whole() coups!: number;
}
/** The number of findings with one code, and of their coups. */
export class CodeCount extends Counted implements Required<MisdealtCount<FindingCode>> {
  @Code() value!: FindingCode;
}
/** The number of findings with one severity, and of their coups. */
export class SeverityCount extends Counted implements Required<MisdealtCount<Grade>> {
  @SeverityField() value!: Grade;
}
/** The number of findings at one table, and of their coups. */
export class TextCount extends Counted implements Required<MisdealtCount<string>> {
  @Text() value!: string;
}
/** The number of findings of one dealer, and of their coups. */
export class DealerCount extends Counted implements Required<MisdealtCount<string | null>> {
  @Text({ nullable: true, description: 'Null if nobody had signed on' }) value!: string | null;
}
/** The number of findings of one gaming day, and of their coups. */
export class DayCount extends Counted implements Required<MisdealtCount<string>> {
  @Day() value!: string;
}

/** Counts of everything that matches the filter, on all pages. */
export class MisdealtSummaryAnswer implements Required<MisdealtSummary> {
  @Whole() coups!: number;
  @Whole() findings!: number;
  @Whole() voidCoups!: number;
  @Whole({ description: 'Findings whose prescribed remedy was done' }) remedied!: number;
  @Parts(() => CodeCount) byCode!: readonly CodeCount[];
  @Parts(() => SeverityCount) bySeverity!: readonly SeverityCount[];
  @Parts(() => TextCount) byTable!: readonly TextCount[];
  @Parts(() => DealerCount) byDealer!: readonly DealerCount[];
  @Parts(() => DayCount) byDay!: readonly DayCount[];
}

/** A coup that was dealt wrong, with its findings, the gravest first. */
class MisdealtAnswer implements Required<MisdealtLine> {
  @Ref() coupRef!: string;
  @Ref() shoeRef!: string;
  @Text() table!: string;
  @Text() shoe!: string;
  @Whole() coup!: number;
  @Text({ nullable: true }) dealer!: string | null;
  @Time({ description: 'When the coup was opened' }) at!: string;
  @Day() gamingDay!: string;
  @YesNo() void!: boolean;
  @Parts(() => FindingAnswer) findings!: readonly FindingAnswer[];
}

/**
 * A count of errors and its rate per 1,000 coups, with exact 95 % limits. The rate and limits are
 * null if no coup was dealt.
 */
export class AccuracyAnswer implements Required<DealerAccuracy> {
  @Whole() coups!: number;
  @Whole() cards!: number;
  @Whole({ description: 'Standing findings of any code' }) findings!: number;
  @Whole({ description: "Those of them that are a dealer's errors" }) errors!: number;
  @Whole() coupsInError!: number;
  @Real({ nullable: true }) errorsPer1000!: number | null;
  @Real({ nullable: true }) lower95!: number | null;
  @Real({ nullable: true }) upper95!: number | null;
}
/** How often one dealer erred. */
export class DealerAnswer extends AccuracyAnswer implements Required<DealerLine> {
  @Text({ nullable: true, description: 'Null for coups in which nobody had signed on' })
  dealer!: string | null;
}
/** The report on dealers: a line for each, and the total of all. */
export class DealersAnswer implements Required<DealersReport> {
  @PositionsField() positions!: string;
  @Parts(() => DealerAnswer) lines!: readonly DealerAnswer[];
  @Part(() => AccuracyAnswer) total!: AccuracyAnswer;
  @PassedRecords() passedRecords!: readonly PassedRecordAnswer[];
}

/** Composition, reconciliation and pace of a shoe. */
class ShoeReportAnswer implements Required<ShoeReportLine> {
  @Ref() shoeRef!: string;
  @ColumnOf(SHOE) table!: string;
  @ColumnOf(SHOE) shoe!: string;
  @RulesId() rules!: string;
  @Currency() currency!: string;
  @ColumnOf(SHOE) gamingDay!: string;
  @ColumnOf(SHOE) openedAt!: string;
  @ColumnOf(SHOE) closedAt!: string | null;
  @ColumnOf(SHOE) closed!: boolean;
  @ColumnOf(SHOE) closeReason!: string | null;
  @Whole({ minimum: 1 }) decks!: number;
  @Whole({ description: '52 cards a deck' }) expected!: number;
  @Whole({ description: 'Cards drawn, including burned and unread ones' }) drawn!: number;
  @Whole() unread!: number;
  @Signed({ description: 'expected - drawn' }) computedRemaining!: number;
  @Whole({ nullable: true, description: 'As reported at its closing' })
  saidRemaining!: number | null;
  @Signed({ nullable: true, description: 'saidRemaining - computedRemaining' })
  difference!: number | null;
  @Whole() coups!: number;
  @Real({ nullable: true }) hours!: number | null;
  @Real({ nullable: true }) coupsPerHour!: number | null;
  @Codes(findingsOnly('The codes of its standing SH findings, once for each finding'))
  findings!: readonly FindingCode[];
}
/** The totals of all shoes that match the filter, on all pages. */
export class ShoesTotalAnswer implements Required<ShoeReportTotal> {
  @Whole() shoes!: number;
  @Whole() closed!: number;
  @Whole() expected!: number;
  @Whole() drawn!: number;
  @Whole() unread!: number;
  @Whole() coups!: number;
  @Whole({ description: 'Shoes whose reported remainder differs' }) unreconciled!: number;
  @Whole(findingsOnly('Standing SH findings')) findings!: number;
}

/** The settlements of a bet. */
export class PayoutAnswer implements Required<PayoutLine> {
  @Text() bet!: string;
  @Currency() currency!: string;
  @Whole({ description: 'Settled bets of coups that are over and not void' }) bets!: number;
  @Amount() staked!: number;
  @Amount({ description: 'Gross winnings paid, as recorded' }) paid!: number;
  @Amount({ description: 'Stakes taken' }) taken!: number;
  @Amount({ description: 'taken - paid' }) won!: number;
}
/** The settlements of a bet in one coup. */
class PayoutCoupAnswer extends PayoutAnswer implements Required<PayoutCoup> {
  @Ref() coupRef!: string;
  @Ref() shoeRef!: string;
  @Text() table!: string;
  @Text() shoe!: string;
  @Whole() coup!: number;
  @Text({ nullable: true }) dealer!: string | null;
  @Time() openedAt!: string;
  @Day() gamingDay!: string;
}
/** Wrong settlements of one bet for one cause. */
export class VarianceAnswer implements Required<VarianceLine> {
  @Text({ nullable: true }) bet!: string | null;
  @Code() code!: FindingCode;
  @SlipField({ nullable: true }) explainedBy!: VarianceLine['explainedBy'];
  @Favours({ nullable: true }) favours!: VarianceLine['favours'];
  @Currency() currency!: string;
  @Whole() findings!: number;
  @Amount() amount!: number;
}
/** The totals of one currency. Both gains are the sums of wrong settlements. */
export class PayoutTotalAnswer implements Required<PayoutTotal> {
  @Currency() currency!: string;
  @Whole() bets!: number;
  @Amount() staked!: number;
  @Amount() paid!: number;
  @Amount() taken!: number;
  @Amount() won!: number;
  @Whole(findingsOnly('Wrong settlements')) findings!: number;
  @Amount() houseGained!: number;
  @Amount() patronsGained!: number;
  @Amount({ description: 'houseGained - patronsGained' }) net!: number;
}
/** The report on payouts: settlements by bet, wrong ones by cause, and totals by currency. */
export class PayoutsAnswer implements Required<PayoutsReport> {
  @PositionsField() positions!: string;
  @Parts(() => PayoutAnswer) lines!: readonly PayoutAnswer[];
  @Parts(() => VarianceAnswer, findingsOnly('Wrong settlements by cause'))
  variance!: readonly VarianceAnswer[];
  @Parts(() => PayoutTotalAnswer) totals!: readonly PayoutTotalAnswer[];
  @PassedRecords() passedRecords!: readonly PassedRecordAnswer[];
}

/** A device's events, clock and gaps. */
class DeviceAnswer
  extends columnsAnswerOf(DEVICE, DEVICE_FIELDS, {
    online: ColumnOf(DEVICE, { description: 'Null if it never reported' }),
    events: Whole(),
    lastSequence: Whole({ nullable: true }),
    lastTime: ColumnOf(DEVICE, { description: 'By its own clock' }),
    clockOffsetLast: Signed({
      nullable: true,
      description: 'Receipt minus its own clock, in milliseconds',
    }),
    clockOffsetLeast: Signed({ nullable: true }),
    clockOffsetMost: Signed({ nullable: true }),
  })
  implements Required<DeviceLine>
{
  @Whole() gaps!: number;
  @Whole() unread!: number;
  @Whole() equivocations!: number;
}
/** The totals of all devices that match the filter, on all pages. */
export class DevicesTotalAnswer implements Required<DeviceTotal> {
  @Whole() devices!: number;
  @Whole() events!: number;
  @Whole() gaps!: number;
  @Whole() unread!: number;
  @Whole() equivocations!: number;
}

/** A page of the commission report, with the totals of all pages. */
export class CommissionReportAnswer extends pageAnswerOf(CommissionAnswer) {
  @Parts(() => OwedAnswer, { description: 'All pages, one line a currency' })
  totals!: readonly OwedAnswer[];
  @PassedRecords() passedRecords!: readonly PassedRecordAnswer[];
}
/** A page of the coups that the commission report adds up. */
export class CommissionCoupsAnswer extends pageAnswerOf(CommissionCoupAnswer) {
  @PassedRecords() passedRecords!: readonly PassedRecordAnswer[];
}
/** A page of the misdealt coups, with the counts of all pages. */
export class MisdealtReportAnswer extends pageAnswerOf(MisdealtAnswer) {
  @Part(() => MisdealtSummaryAnswer) summary!: MisdealtSummaryAnswer;
  @PassedRecords() passedRecords!: readonly PassedRecordAnswer[];
}
/** A page of the report on shoes, with the totals of all pages. */
export class ShoesReportAnswer extends pageAnswerOf(ShoeReportAnswer) {
  @Part(() => ShoesTotalAnswer) total!: ShoesTotalAnswer;
  @PassedRecords() passedRecords!: readonly PassedRecordAnswer[];
}
/** A page of the report on devices, with the totals of all pages. */
export class DevicesAnswer extends pageAnswerOf(DeviceAnswer) {
  @Part(() => DevicesTotalAnswer) total!: DevicesTotalAnswer;
  @PassedRecords() passedRecords!: readonly PassedRecordAnswer[];
}
/** A page of the coups that the report on payouts adds up. */
export class PayoutCoupsAnswer extends pageAnswerOf(PayoutCoupAnswer) {
  @PassedRecords() passedRecords!: readonly PassedRecordAnswer[];
}
