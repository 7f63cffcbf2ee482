import { OmitType } from '@nestjs/swagger';
import { MaxLength } from 'class-validator';
import {
  DISPOSITIONS,
  REVIEW_STATES,
  REVIEWER_ROLES,
  SLIPS,
  type DispositionCode,
  type FindingCode,
  type Severity,
  type Slip,
} from '#audit';
import {
  FINDING_ORDERS,
  FINDING_REPORTS,
  FINDING_STATUSES,
  type FindingOrder,
  type FindingReport,
  type FindingStatus,
} from '#read-model';
import { TextParam } from '../http/parameters.js';
import {
  ChoiceField,
  ChoicesField,
  CodesField,
  DealtFields,
  FilterFields,
  paged,
  ReferenceField,
  SeveritiesField,
  TableFields,
  TextField,
  WholeField,
  YesNoField,
} from '../reading/filter-fields.js';

/** The most characters of a search. */
const SEARCH_LENGTH_MAX = 200;
/** The most hours in which video may be deleted: a leap year. */
const VIDEO_HOURS_MAX = 8_784;

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

  @YesNoField('Only coups with standing findings, or only those without')
  flagged?: boolean;
}

/** The roles that a finding may have gone to, and any of them. */
const ESCALATIONS = [...REVIEWER_ROLES, 'true'] as const;

/** The filter of findings: by where they are, what they are, and where their review stands. */
class FindingFilterFields extends DealtFields {
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

  @ChoicesField(REVIEW_STATES)
  review?: (typeof REVIEW_STATES)[number][];

  @YesNoField('What you have claimed or proposed, or everything else')
  mine?: boolean;

  @ChoiceField(ESCALATIONS)
  escalated?: (typeof ESCALATIONS)[number];

  @YesNoField(
    'What has waited for a ruling longer than the policy in force allows, or everything else',
  )
  overdue?: boolean;

  @YesNoField('What left a full desk before a ruling, or everything else')
  lapsed?: boolean;

  @YesNoField('What was reopened after a ruling, or everything else')
  regressed?: boolean;

  @WholeField({
    description:
      'What loses its video within this many hours: the policy in force lets the house delete it, and nobody held it for longer',
    example: 24,
    minimum: 1,
    maximum: VIDEO_HOURS_MAX,
  })
  videoHours?: number;

  @ChoicesField(DISPOSITIONS)
  disposition?: DispositionCode[];

  @TextField({
    description:
      'Words that must all be found: each is the beginning of the id or of the code, a part of the id of the shoe or of the dealer, or the number of the coup',
    example: 'B01-20261119 36',
    maxLength: SEARCH_LENGTH_MAX,
  })
  @MaxLength(SEARCH_LENGTH_MAX)
  q?: string;

  @ChoiceField(FINDING_REPORTS)
  report?: FindingReport;

  @YesNoField('What a ruling leaves in the counts of errors, or everything else')
  counts?: boolean;

  @TextField({ description: 'The bet that it names; empty if it names none', example: 'banker' })
  bet?: string;

  @ChoiceField(['', ...SLIPS])
  explainedBy?: Slip | '';

  @ChoiceField(['', 'house', 'patron'])
  favours?: 'house' | 'patron' | '';

  @TextField({ description: 'The currency of its shoe, ISO 4217', example: 'MOP' })
  currency?: string;

  @TextField({
    description: 'The device that it is about: the source of the first event that it names',
    example: 'device/B01-shoe',
  })
  source?: string;
}

/** The query of the list of findings: a filter, and in what order. */
export class FindingsFields extends paged(FindingFilterFields) {
  @ChoiceField(FINDING_ORDERS, 'newest')
  order?: FindingOrder;
}

/** The query of the counts of findings. */
export class FindingFacetsFields extends OmitType(FindingFilterFields, ['format', 'bom']) {}
