import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsIn,
  IsString,
  Length,
  Matches,
  ValidateBy,
} from 'class-validator';
import { SENT_TYPES } from '#audit';
import { UNSEEN } from '#process';
import { MayBeAbsent } from '../http/optional.js';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from './credentials/password-rule.js';
import { STARS_MAX } from './name-patterns.js';
import { ROLES } from './permissions.js';

/**
 * The pattern of names of accounts, persons and keys. In the record they are `person/<name>` or
 * `device/<name>`.
 */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const NAME_WORDS = 'must be 1 to 64 letters, digits, ".", "_" or "-", the first a letter or digit';

/** Documents a field of a body, and lets it be absent if `required` is false. */
const field = (described: ApiPropertyOptions): PropertyDecorator =>
  described.required === false
    ? applyDecorators(ApiProperty(described), MayBeAbsent())
    : ApiProperty(described);

/** The name of an account or key. */
export const NameField = (described: ApiPropertyOptions = {}): PropertyDecorator =>
  applyDecorators(
    field({ type: 'string', pattern: NAME.source, ...described }),
    Matches(NAME, { message: NAME_WORDS }),
  );

/** A new password. */
export const PasswordField = (described: ApiPropertyOptions = {}): PropertyDecorator =>
  applyDecorators(
    field({
      type: 'string',
      minLength: PASSWORD_LENGTH_MIN,
      maxLength: PASSWORD_LENGTH_MAX,
      ...described,
    }),
    IsString(),
    Length(PASSWORD_LENGTH_MIN, PASSWORD_LENGTH_MAX),
  );

/** The roles of an account. */
export const RolesField = (described: ApiPropertyOptions = {}): PropertyDecorator =>
  applyDecorators(
    field({
      type: 'array',
      items: { type: 'string', enum: [...ROLES] },
      minItems: 1,
      uniqueItems: true,
      ...described,
    }),
    IsArray(),
    ArrayNotEmpty(),
    ArrayUnique(),
    IsIn(ROLES, { each: true }),
  );

/** The most entries of a list that says what an identity may see or write. */
const SCOPE_MAX = 1000;
/** The most characters, and the most bytes of UTF-8, of an entry. */
const ENTRY_LENGTH_MAX = 200;
const ENTRY_BYTES_MAX = 400;
/** The schema of an entry. It may not hold a character that a reader does not see. */
const ENTRY = {
  type: 'string',
  description: `At most ${ENTRY_BYTES_MAX} bytes of UTF-8`,
  pattern: `^[^${UNSEEN}]+$`,
  minLength: 1,
  maxLength: ENTRY_LENGTH_MAX,
} as const;
const SEEN = new RegExp(`^[^${UNSEEN}\\p{Cs}]{1,${ENTRY_LENGTH_MAX}}$`, 'u');

/** The schema of a list of entries. */
const LIST = { type: 'array', items: ENTRY, maxItems: SCOPE_MAX } as const;
/** The pattern of an entry without `*`. */
const EXACT_PATTERN = `^[^*${UNSEEN}]+$`;

/** A list that says what an identity may see or write. */
const ScopeField = (described: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    field(described),
    IsArray(),
    ArrayMaxSize(SCOPE_MAX),
    IsString({ each: true }),
    Matches(SEEN, {
      each: true,
      message: `each entry must be 1 to ${ENTRY_LENGTH_MAX} characters, without control characters and marks that change the direction of text`,
    }),
    // not IsByteLength, which throws for half a surrogate pair
    ValidateBy(
      {
        name: 'bytes',
        validator: {
          validate: (entry: unknown) =>
            typeof entry !== 'string' || Buffer.byteLength(entry) <= ENTRY_BYTES_MAX,
        },
      },
      { each: true, message: `each entry must be at most ${ENTRY_BYTES_MAX} bytes of UTF-8` },
    ),
  );

/** Exact table ids, or `*` alone. Queries filter by exact ids, which an index finds. */
export const TablesSeenField = (described: ApiPropertyOptions = {}): PropertyDecorator =>
  applyDecorators(
    ScopeField({
      description: 'Table ids, or "*" alone for all',
      anyOf: [
        { ...LIST, items: { ...ENTRY, pattern: EXACT_PATTERN } },
        { type: 'array', items: { type: 'string', const: '*' }, minItems: 1, maxItems: 1 },
      ],
      ...described,
    } as ApiPropertyOptions),
    ValidateBy({
      name: 'tables',
      validator: {
        validate: (list: unknown) =>
          Array.isArray(list) &&
          (list.every(
            (entry) => typeof entry === 'string' && entry !== '' && !entry.includes('*'),
          ) ||
            (list.length === 1 && list[0] === '*')),
        defaultMessage: () => 'tables must be table ids, or "*" alone',
      },
    }),
  );

/** The schema of a pattern. */
const FEW_STARS = { pattern: `^[^*]*([*][^*]*){0,${STARS_MAX}}$` };
const FewStars = (): PropertyDecorator =>
  Matches(new RegExp(FEW_STARS.pattern, 's'), {
    each: true,
    message: `each entry may have at most ${STARS_MAX} stars`,
  });

/** Patterns of the tables that a key may write about. */
export const TablePatternsField = (described: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ScopeField({ ...LIST, minItems: 1, items: { ...ENTRY, allOf: [FEW_STARS] }, ...described }),
    ArrayNotEmpty(),
    FewStars(),
  );

/** How a source that a key may write begins. An unseen character is refused apart. */
const KINDS = /^(device|person|virtual)\/./;

/**
 * Patterns of the sources that a key may write. Each names its kind, so it matches no other:
 * only an admin may grant `person/`, and nobody may grant `system/`.
 */
export const SourcePatternsField = (described: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ScopeField({
      ...LIST,
      minItems: 1,
      items: {
        ...ENTRY,
        allOf: [{ pattern: KINDS.source }, FEW_STARS],
      },
      ...described,
    }),
    ArrayNotEmpty(),
    FewStars(),
    Matches(KINDS, {
      each: true,
      message:
        'each of sources must begin with device/, virtual/ or person/ (system/ is for the server itself, and "*" alone would match it)',
    }),
  );

const TYPE_ENTRIES = ['*', ...SENT_TYPES];

/** The event types that a key may write: short names, or `*`. */
export const TypesField = (described: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    field({
      type: 'array',
      items: { type: 'string', enum: TYPE_ENTRIES },
      minItems: 1,
      ...described,
    }),
    IsArray(),
    ArrayNotEmpty(),
    IsIn(TYPE_ENTRIES, { each: true }),
  );
