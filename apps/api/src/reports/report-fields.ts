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
} from '../reading/filter-fields.js';

const CurrencyField = (): PropertyDecorator =>
  TextField({ description: 'ISO 4217', example: 'MOP' });

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

export class CommissionFields extends CommissionCoupsFields {
  @ChoiceField(COMMISSION_BY, 'seat')
  by?: CommissionBy;
}

export class MisdealtFields extends paged(DealtFields) {
  @CodesField()
  code?: FindingCode[];

  @SeveritiesField()
  severity?: Severity[];
}

export class DealersFields extends DealtFields {}

export class ShoesReportFields extends paged(DealtFields) {}

export class PayoutsFields extends DealtFields {
  @TextField({ example: 'banker' })
  bet?: string;

  @CurrencyField()
  currency?: string;
}

export class DevicesFields extends paged(FilterFields) {
  @TextField({ example: 'device/B01-shoe' })
  source?: string;
}
