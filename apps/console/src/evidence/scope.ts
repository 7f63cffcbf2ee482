import type { Answers } from '../api/client.js';
import type { Formats } from '../words/formats.js';
import type { Key, Words } from '../words/words.js';

type Scope = Answers['ExportScope'];
/** A kind of scope. */
export type Kind = Scope['kind'];

/** What a package can show, each with the fields that say which one. */
export const SCOPES = {
  table: ['table', 'from', 'to'],
  shoe: ['table', 'shoe'],
  day: ['day', 'table'],
  finding: ['finding'],
} as const satisfies {
  readonly [kind in Kind]: readonly (keyof Extract<Scope, { readonly kind: kind }>)[];
};

/** The kinds, in the order in which they are offered. */
export const KINDS = Object.keys(SCOPES) as Kind[];

/** A field of a scope, beside its kind. */
export type ScopeField = (typeof SCOPES)[Kind][number];

/** The fields that may stay empty, and the key of what that means. */
const OPTIONAL: Readonly<
  Partial<Record<Kind, { readonly fields: readonly ScopeField[]; readonly means: Key }>>
> = {
  table: { fields: ['from', 'to'], means: 'evidence.optional.table' },
  day: { fields: ['table'], means: 'evidence.optional.day' },
};

/** Returns the key of what it means that a field stays empty, or undefined if it must be filled in. */
export const ifEmpty = (kind: Kind, field: ScopeField): Key | undefined =>
  OPTIONAL[kind]?.fields.includes(field) === true ? OPTIONAL[kind].means : undefined;

/**
 * Returns a scope of what was typed, without the fields that stayed empty or are of another kind.
 * The server refuses it if one is missing.
 */
export function scopeOf(kind: Kind, typed: Readonly<Partial<Record<ScopeField, string>>>): Scope {
  const given = SCOPES[kind].flatMap((field) => {
    const text = typed[field]?.trim() ?? '';
    return text === '' ? [] : [[field, text] as const];
  });
  return { kind, ...Object.fromEntries(given) } as Scope;
}

/** Returns in words what a package shows. */
export function scopeInWords(scope: Scope, words: Words, formats: Formats): string {
  const { kind } = scope;
  const named: Readonly<Partial<Record<ScopeField, string>>> = scope;
  const { table = '', shoe = '', finding = '', day, from, to } = named;
  if (kind === 'finding') return words('evidence.ofFinding', { finding });
  if (kind === 'shoe') return words('evidence.ofShoe', { shoe, table });
  if (kind === 'day') {
    const date = formats.day(day ?? '');
    return table === ''
      ? words('evidence.ofDay', { day: date })
      : words('evidence.ofDayAt', { day: date, table });
  }
  const part = [from && formats.day(from), to && formats.day(to)].map((each) => each ?? '…');
  return from === undefined && to === undefined
    ? words('evidence.ofTable', { table })
    : words('evidence.ofDays', { table, days: part.join(' – ') });
}
