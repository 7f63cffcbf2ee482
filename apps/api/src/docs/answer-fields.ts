import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { FINDING_CODES } from '#audit';
import type { Table } from '#read-model';

/** The form of a SHA-256. */
export const SHA256 = /^[0-9a-f]{64}$/;

type More = Pick<
  ApiPropertyOptions,
  'description' | 'nullable' | 'required' | 'minimum' | 'maximum' | 'pattern'
>;
type Field = (more?: More) => PropertyDecorator;

const field =
  (schema: ApiPropertyOptions): Field =>
  (more = {}) =>
    ApiProperty({ ...schema, ...more } as ApiPropertyOptions);

/** A text of any length. */
export const Text = field({ type: 'string' });
/** The reference of an event, `source#id`, shortened if it is very long. */
export const Ref = field({ type: 'string', minLength: 1 });
/** A time in UTC to the millisecond. */
export const Time = field({ type: 'string', format: 'date-time' });
/** A gaming day. */
export const Day = field({ type: 'string', format: 'date' });
/** A whole number, 0 or more unless the options say otherwise. */
export const Whole = field({ type: 'integer', minimum: 0 });
/** A whole number of either sign. */
export const Signed = field({ type: 'integer' });
/** A number with a fraction. */
export const Real = field({ type: 'number', minimum: 0 });
/** An amount of money in minor units of its currency. */
export const Amount = field({ type: 'integer', description: 'In minor units of the currency' });
/** An ISO 4217 code. */
export const Currency = field({ type: 'string', pattern: '^[A-Z]{3}$' });
/** True or false. */
export const YesNo = field({ type: 'boolean' });
/** `id@version` of a rule document. */
export const RulesId = field({ type: 'string', pattern: '^[^@]+@[0-9]+$' });
/** The severity of a finding, from 1 (grave) to 4 (statistical). */
export const SeverityField = field({
  type: 'integer',
  enum: [1, 2, 3, 4],
  description: '1 is the gravest',
});
/** The code of a finding. */
export const Code = field({ enum: FINDING_CODES, enumName: 'FindingCode' });
/** A SHA-256 in lowercase hexadecimal digits. */
export const Sha256Field = field({ type: 'string', pattern: SHA256.source });
/** The positions of the log that an answer is true of. */
export const PositionsField = field({
  type: 'string',
  pattern: '^([0-9]+:[0-9]+(,[0-9]+:[0-9]+)*)?$',
  description:
    'The positions of the log that the answer includes, comma-separated `partition:next`',
});

/** The description of a field that is absent for readers who may not see findings. */
export const findingsOnly = (description: string): More => ({
  required: false,
  description: `${description}. Absent without the permission read-findings`,
});

/**
 * A column of a table, as its entity declares it. The field has the name of the column. `more`
 * describes it.
 */
export const ColumnOf =
  <Row extends object>(table: Table<Row>, more: More = {}): PropertyDecorator =>
  (answer, name) => {
    const { nullable, ...schema } = table.column(name as keyof Row & string).schema;
    field({ ...schema, ...(nullable && { nullable }) } as ApiPropertyOptions)(more)(answer, name);
  };

/** One of the given texts. */
export const OneOf = (values: readonly string[], more?: More): PropertyDecorator =>
  field({ type: 'string', enum: [...values] })(more);
/** A list of texts. */
export const Texts = (more?: More): PropertyDecorator =>
  ApiProperty({ type: 'array', items: { type: 'string' }, ...more } as ApiPropertyOptions);
/** A list of items from the given texts. */
export const Choices = (values: readonly string[], more?: More): PropertyDecorator =>
  ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...values] },
    ...more,
  } as ApiPropertyOptions);
/** A list of finding codes. */
export const Codes = (more?: More): PropertyDecorator =>
  ApiProperty({
    enum: FINDING_CODES,
    enumName: 'FindingCode',
    isArray: true,
    ...more,
  } as ApiPropertyOptions);

type Class = new () => object;
/** A part with a schema of its own. */
export const Part = (of: () => Class, more?: More): PropertyDecorator =>
  ApiProperty({ type: () => of(), ...more } as ApiPropertyOptions);
/** A list of parts with a schema of their own. */
export const Parts = (of: () => Class, more?: More): PropertyDecorator =>
  ApiProperty({ type: () => of(), isArray: true, ...more } as ApiPropertyOptions);
