import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import type { FindingCode, Severity } from '#audit';
import { COMMISSION_BY, type CommissionBy } from '#read-model';
import { MayBeAbsent } from '../http/optional.js';
import {
  ChoiceField,
  CodesField,
  DealtFields,
  FilterFields,
  paged,
  ReferenceField,
  SeveritiesField,
  TextField,
  ToWhole,
  YesNoField,
} from '../reading/filter-fields.js';

const CurrencyField = (): PropertyDecorator =>
  TextField({ description: 'ISO 4217', example: 'MOP' });

/**
 * The query of the coups of the commission report: by where they are, dealer, seat and currency.
 */
export class CommissionCoupsFields extends paged(DealtFields) {
  @ReferenceField('shoe')
  shoeRef?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
  @MayBeAbsent()
  @ToWhole()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  seat?: number;

  @CurrencyField()
  currency?: string;
}

/** The query of the commission report. `by` is what a line is about. */
export class CommissionFields extends CommissionCoupsFields {
  @ChoiceField(COMMISSION_BY, 'seat')
  by?: CommissionBy;
}

/** The query of the report on misdealt coups: by table, days, dealer, code and severity. */
export class MisdealtFields extends paged(DealtFields) {
  @CodesField()
  code?: FindingCode[];

  @SeveritiesField()
  severity?: Severity[];
}

/** The query of the report on dealers: by table, gaming days and dealer. */
export class DealersFields extends DealtFields {
  @YesNoField('With `true`, leaves out findings that a ruling takes out of the counts')
  counted?: boolean;
}

/** The query of the report on shoes: by table, gaming days, dealer and rule document. */
export class ShoesReportFields extends paged(DealtFields) {
  @TextField({ description: 'The rule document, `id@version`', example: 'punto-banco@1' })
  rules?: string;
}

/** The query of the report on payouts: by table, days, dealer, bet and currency. */
export class PayoutsFields extends DealtFields {
  @TextField({ example: 'banker' })
  bet?: string;

  @CurrencyField()
  currency?: string;
}

/** The query of the coups of the report on payouts: the same, a page at a time. */
export class PayoutCoupsFields extends paged(PayoutsFields) {}

/** The query of the report on devices: by table, gaming days and source. */
export class DevicesFields extends paged(FilterFields) {
  @TextField({ example: 'device/B01-shoe' })
  source?: string;
}
