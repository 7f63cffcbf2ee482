import { Matches, ValidateBy } from 'class-validator';
import { EVENT_TYPES } from '#audit';

/** The name of an account or key: it becomes part of `person/<name>` or `device/<name>` in the record. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const NAME_WORDS = 'must be 1 to 64 letters, digits, ".", "_" or "-", the first a letter or digit';

export const IsName = (): PropertyDecorator => Matches(NAME, { message: NAME_WORDS });

/** A list that says what an identity may see or write is at most so long, and each entry so long. */
export const SCOPE_MAX = 1000;
export const IsScopeEntry = (): PropertyDecorator =>
  Matches(/^[^\p{Cc}\p{Cs}]{1,200}$/u, {
    each: true,
    message: 'each entry must be 1 to 200 characters, none of them a control character',
  });

/** `*`, or the short name of an event type that senders may write. */
export const TYPE_ENTRIES = ['*', ...EVENT_TYPES.filter((type) => type !== 'gap-declared')];

/** Exact table ids, or `*` alone: reading is scoped by exact ids, which an index finds. */
export const IsTables = (): PropertyDecorator =>
  ValidateBy({
    name: 'tables',
    validator: {
      validate: (list: unknown) =>
        Array.isArray(list) &&
        (list.every((entry) => typeof entry === 'string' && entry !== '' && !entry.includes('*')) ||
          (list.length === 1 && list[0] === '*')),
      defaultMessage: () => 'tables must be table ids, or "*" alone',
    },
  });

/** A pattern of sources: `*` alone, or one that begins as a source does. */
export const IsSource = (): PropertyDecorator =>
  Matches(/^(\*|(device|person|virtual|system)\/.*)$/s, {
    each: true,
    message: 'each of sources must be "*" or begin with device/, person/, virtual/ or system/',
  });
