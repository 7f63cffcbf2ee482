import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import {
  EXPORT_FORMATS,
  ExportRefusal,
  FIELDS_OF_SCOPE,
  refuseUnlessClear,
  SINCE_MAX,
  type ExportAsked,
  type ExportFormat,
} from '#export';
import { isDay } from '#read-model';
import { MayBeAbsent } from '../http/optional.js';
import { Problem } from '../problems/problems.js';

/** What a package can show. */
const SCOPE_KINDS = ['shoe', 'finding', 'table', 'day'] as const;
type ScopeKind = (typeof SCOPE_KINDS)[number];

/** The record of the house keeps the purpose and the recipient. */
const SAID_MAX = 400;
/** The most characters of an id. PostgreSQL takes neither NUL nor half a surrogate pair. */
const ID_MAX = 16_384;

const text = (most: number, described: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'string',
      ...{ minLength: 1, maxLength: most, pattern: '^[^\\u0000]+$' },
      ...described,
    }),
    IsString(),
    Matches(new RegExp(`^[^\\0\\p{Cs}]{1,${most}}$`, 'u'), {
      message: ({ property }) => `${property} must be 1 to ${most} characters`,
    }),
  );
const optionalId = (description: string): PropertyDecorator =>
  applyDecorators(text(ID_MAX, { description, required: false }), MayBeAbsent());
const optionalDay = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ description, type: 'string', format: 'date' }),
    MayBeAbsent(),
    ValidateBy({
      name: 'day',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isDay(value),
        defaultMessage: (about) => `${about?.property ?? 'it'} must be a gaming day, YYYY-MM-DD`,
      },
    }),
  );

/** What a package is to show. */
export class ExportScope {
  @ApiProperty({ enum: SCOPE_KINDS })
  @IsIn(SCOPE_KINDS)
  kind!: ScopeKind;

  @optionalId('The id of the table. A `day` without it is that of all tables, with `@house`')
  table?: string;

  @optionalId('The id of the shoe; of several with one id, the last')
  shoe?: string;

  @optionalId('The id of the finding')
  finding?: string;

  @optionalDay('The gaming day')
  day?: string;

  @optionalDay('Of a table: the first gaming day. Without `from` and `to`, all of it')
  from?: string;

  @optionalDay('Of a table: the last gaming day')
  to?: string;
}

/**
 * Returns the schema of a scope by its kinds, each with its own fields, from the schema of all
 * fields. Both days of a table are there, or neither.
 */
export function scopeSchema(ofAllFields: object): object {
  const { properties, ...all } = ofAllFields as { readonly properties: Record<string, object> };
  const ofKind = (kind: ScopeKind): object => {
    const { must, may } = FIELDS_OF_SCOPE[kind];
    const fields = [...must, ...may].map((field) => [field, properties[field]] as const);
    return {
      ...all,
      required: ['kind', ...must],
      properties: { kind: { type: 'string', enum: [kind] }, ...Object.fromEntries(fields) },
      ...(may.includes('from') && { dependentRequired: { from: ['to'], to: ['from'] } }),
    };
  };
  return { oneOf: SCOPE_KINDS.map(ofKind) };
}

/** What is asked for, for whom and why. */
export class NewExport {
  @ApiProperty({ type: () => ExportScope, example: { kind: 'table', table: 'B03' } })
  @IsObject()
  @ValidateNested()
  @Type(() => ExportScope)
  scope!: ExportScope;

  @text(SAID_MAX, { description: 'Why, for the record of the house', example: 'monthly review' })
  purpose!: string;

  @text(SAID_MAX, { description: 'Who gets it, for the record of the house', example: 'DICJ' })
  recipient!: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    maxItems: SINCE_MAX,
    uniqueItems: true,
    description:
      'Sizes of checkpoints that the recipient holds. The package proves that history only grew since each',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(SINCE_MAX)
  @ArrayUnique()
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(Number.MAX_SAFE_INTEGER, { each: true })
  since?: number[];

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: [...EXPORT_FORMATS] },
    uniqueItems: true,
    description: 'Reports for people in the package, beside what is proven',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayUnique()
  @IsIn(EXPORT_FORMATS, { each: true })
  formats?: ExportFormat[];

  @ApiPropertyOptional({
    type: 'boolean',
    default: false,
    description:
      'Whether to make a package that its own verifier does not find intact. The package then says so',
  })
  @MayBeAbsent()
  @IsBoolean()
  asItIs?: boolean;
}

type Name = Exclude<keyof ExportScope, 'kind'>;
const NAMES: readonly Name[] = ['table', 'shoe', 'finding', 'day', 'from', 'to'];

/** Returns what is asked for. Throws `invalid-request` for a scope whose fields do not fit its kind. */
export function exportAsked({ scope, since, formats, asItIs }: NewExport): ExportAsked {
  const given = NAMES.flatMap((name) => (scope[name] === undefined ? [] : [[name, scope[name]]]));
  const asked: ExportAsked = {
    scope: { kind: scope.kind, ...(Object.fromEntries(given) as Record<Name, string>) },
    ...{ since: since ?? [], formats: formats ?? [], asItIs: asItIs ?? false },
  };
  try {
    refuseUnlessClear(asked);
    return asked;
  } catch (error) {
    if (!(error instanceof ExportRefusal)) throw error;
    const { field = '', reason } = error;
    throw new Problem('invalid-request', undefined, { errors: [{ pointer: `/${field}`, reason }] });
  }
}
