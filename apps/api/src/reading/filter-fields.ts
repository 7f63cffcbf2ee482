import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow, IsBoolean, IsIn, IsInt, Matches, Max, Min, ValidateBy } from 'class-validator';
import { FINDING_CODES, SEVERITIES } from '#audit';
import { isDay, PAGE_DEFAULT, PAGE_MAX } from '#read-model';
import { MayBeAbsent } from '../http/optional.js';
import { PARAMETER_LENGTH_MAX } from '../http/parameters.js';
import { LIST_FORMATS, MARKS, type Format, type Mark } from './files/formats.js';

/**
 * Accepts a text that PostgreSQL accepts: no NUL and no half of a surrogate pair. It may be as long
 * as an event's id.
 */
const IsPlain = (): PropertyDecorator =>
  Matches(/^[^\0\p{Cs}]{0,16384}$/u, {
    message: 'must be a single string of at most 16,384 characters',
  });
const IsDay = (): PropertyDecorator =>
  ValidateBy({
    name: 'day',
    validator: {
      validate: (text: unknown) => typeof text === 'string' && isDay(text),
      defaultMessage: (about) => `${about?.property ?? 'it'} must be a gaming day, YYYY-MM-DD`,
    },
  });
/** Refuses a last day before the first one, `from`. */
const IsNotBeforeFirst = (): PropertyDecorator =>
  ValidateBy({
    name: 'notBeforeFirst',
    validator: {
      validate: (last: unknown, about) => {
        const { from: first } = about?.object as DaysAsked;
        const areDays = [first, last].every((each) => typeof each === 'string' && isDay(each));
        return !areDays || (first as string) <= (last as string);
      },
      defaultMessage: () => 'the last day must not be before the first',
    },
  });
const whole = (text: unknown): unknown =>
  typeof text === 'string' && /^-?\d{1,16}$/.test(text) ? Number(text) : text;
/** Turns a text of digits into a number. Validation refuses any other text. */
export const ToWhole = (): PropertyDecorator => Transform(({ value }) => whole(value));
/** Splits several values: `code=TC-05,PY-03`, or the parameter more than once. */
const ToList = (): PropertyDecorator =>
  Transform(({ value }) =>
    value === undefined
      ? undefined
      : [value as string | string[]]
          .flat()
          .flatMap((text) => (typeof text === 'string' ? text.split(',') : [text])),
  );
const ToWholes = (): PropertyDecorator =>
  Transform(({ value }) =>
    value === undefined
      ? undefined
      : [value as string | string[]]
          .flat()
          .flatMap((text) => (typeof text === 'string' ? text.split(',').map(whole) : [text])),
  );

/** An optional text of a query string. */
export const TextField = (described: ApiPropertyOptions = {}): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      pattern: '^[^\\u0000]*$',
      maxLength: PARAMETER_LENGTH_MAX,
      ...described,
    }),
    MayBeAbsent(),
    IsPlain(),
  );

/** A text of a query string that must be there. */
export const RequiredTextField = (described: ApiPropertyOptions = {}): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ pattern: '^[^\\u0000]*$', maxLength: PARAMETER_LENGTH_MAX, ...described }),
    IsPlain(),
  );

const DayField = (description: string, example: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ description, example, format: 'date' }),
    MayBeAbsent(),
    IsDay(),
  );

const CursorField = (): PropertyDecorator =>
  TextField({ description: 'The value of `next` on the previous page' });

const LimitField = (): PropertyDecorator =>
  WholeField({
    description: 'Lines on a page',
    minimum: 1,
    maximum: PAGE_MAX,
    default: PAGE_DEFAULT,
  });

/** The format of the answer. `formatAsked` refuses what the route does not offer. */
const FormatField = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      enum: LIST_FORMATS,
      description: 'Overrides the header Accept. A file has all lines at once',
    }),
    Allow(),
  );

const MarkField = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      enum: MARKS,
      default: 'false',
      description:
        'Whether CSV begins with a byte order mark, which tells spreadsheets that it is UTF-8',
    }),
    MayBeAbsent(),
    IsIn(MARKS),
  );

/** An optional choice from these values. `by` is the default. */
export const ChoiceField = (choices: readonly string[], by?: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ enum: choices, default: by }),
    MayBeAbsent(),
    IsIn(choices),
  );

/** An optional whole number between two others. */
export function WholeField(described: {
  readonly description: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
  readonly example?: number;
}): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', ...described }),
    MayBeAbsent(),
    ToWhole(),
    IsInt(),
    Min(described.minimum),
    Max(described.maximum),
  );
}

/** An optional choice between yes and no. */
export const YesNoField = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'boolean', description }),
    MayBeAbsent(),
    Transform(({ value }) =>
      value === 'true' ? true : value === 'false' ? false : (value as unknown),
    ),
    IsBoolean(),
  );

/** An optional list of finding codes. */
export const CodesField = (): PropertyDecorator => ChoicesField(FINDING_CODES);

/** An optional list of choices from these values. */
export const ChoicesField = (choices: readonly string[]): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ isArray: true, enum: choices, description: 'Comma-separated' }),
    MayBeAbsent(),
    ToList(),
    IsIn(choices, { each: true }),
  );

/** An optional list of severities. */
export const SeveritiesField = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'array',
      items: { type: 'integer', enum: [...SEVERITIES] },
      description: 'Comma-separated',
    }),
    MayBeAbsent(),
    ToWholes(),
    IsIn(SEVERITIES, { each: true }),
  );

/** An optional reference of the opening of a shoe or a coup. */
export const ReferenceField = (of: 'shoe' | 'coup'): PropertyDecorator =>
  TextField({ description: `The reference of the ${of}'s opening` });

/** The query by the format of the answer. */
class FormatFields {
  @FormatField()
  format?: Format;

  @MarkField()
  bom?: Mark;
}

/** The query of one table or all, and the format of the answer. */
export class TableFields extends FormatFields {
  @TextField({ example: 'B01' })
  table?: string;
}

interface DaysAsked {
  from?: string;
  to?: string;
}

/** Returns the class of a query with these fields, by gaming days. */
function daily<Asked extends object>(fields: new () => Asked): new () => Asked & DaysAsked {
  class Daily extends (fields as new () => object) implements DaysAsked {
    @DayField('The first gaming day', '2026-11-01')
    from?: string;

    @DayField('The last gaming day, itself included', '2026-11-30')
    @IsNotBeforeFirst()
    to?: string;
  }
  return Daily as new () => Asked & DaysAsked;
}

/** The query by gaming days. */
export class DaysFields extends daily(FormatFields) {}

/** The query by table and gaming days. */
export class FilterFields extends daily(TableFields) {}

/** The query by table, gaming days and dealer. */
export class DealtFields extends FilterFields {
  @TextField({ description: 'Who dealt; empty if nobody had signed on', example: 'dealer-104' })
  dealer?: string;
}

interface PageAsked {
  cursor?: string;
  limit?: number;
}

/** Returns the class of a query with these fields, a page at a time. */
export function paged<Asked extends object>(fields: new () => Asked): new () => Asked & PageAsked {
  class Paged extends (fields as new () => object) implements PageAsked {
    @CursorField()
    cursor?: string;

    @LimitField()
    limit?: number;
  }
  return Paged as new () => Asked & PageAsked;
}
