import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';
import type { FindingCode, Severity } from '#audit';
import {
  FINDING_ORDERS,
  FINDING_STATUSES,
  type FindingOrder,
  type FindingStatus,
} from '#read-model';
import { MayBeAbsent } from '../http/optional.js';
import { TextParam } from '../http/parameters.js';
import {
  ChoiceField,
  CodesField,
  DealtFields,
  FilterFields,
  paged,
  ReferenceField,
  SeveritiesField,
  TableFields,
  TextField,
} from '../reading/filter-fields.js';

/** The path parameter of one shoe or coup. */
export const OpeningField = (): MethodDecorator =>
  TextParam('id', { description: 'The reference of its opening, `source#id`, percent-encoded' });

/** The query of one shoe or coup. */
export class OpeningFields {
  @TextField({
    description:
      'Where it was opened. Needed if several tables that you may see have the reference, else 400',
    example: 'B01',
  })
  table?: string;
}

/** The query of the list of tables: one table or all, a page at a time. */
export class TablesFields extends paged(TableFields) {}

/** The query of the list of shoes: by table and gaming days, a page at a time. */
export class ShoesFields extends paged(FilterFields) {}

/** The query of the list of coups: by table, days, dealer and shoe, with or without findings. */
export class CoupsFields extends paged(DealtFields) {
  @TextField({ description: "The shoe's id", example: 'B01-20261119-3' })
  shoe?: string;

  @ReferenceField('shoe')
  shoeRef?: string;

  @ApiPropertyOptional({
    description: 'Only coups with standing findings, or only those without',
  })
  @MayBeAbsent()
  @Transform(({ value }) =>
    value === 'true' ? true : value === 'false' ? false : (value as unknown),
  )
  @IsBoolean()
  flagged?: boolean;
}

/**
 * The query of the list of findings: by where they are, status, severity and code, and in what
 * order.
 */
export class FindingsFields extends paged(DealtFields) {
  @ChoiceField(FINDING_STATUSES, 'standing')
  status?: FindingStatus;

  @SeveritiesField()
  severity?: Severity[];

  @CodesField()
  code?: FindingCode[];

  @ReferenceField('shoe')
  shoeRef?: string;

  @ReferenceField('coup')
  coupRef?: string;

  @ChoiceField(FINDING_ORDERS, 'newest')
  order?: FindingOrder;
}
