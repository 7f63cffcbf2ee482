import { EVENT_TYPES, SHAPES, type EventType, type Field } from '../events/events.js';
import { literal, type Literal } from './literal.js';

/** How the value of a field is read. */
type Reads = 'value' | 'number' | 'card' | 'bet' | 'list' | 'json' | 'text or number' | 'text';

const READS: Readonly<Record<Field['is'], Reads>> = {
  'one-of': 'value',
  flag: 'value',
  amount: 'number',
  ordinal: 'number',
  total: 'number',
  whole: 'number',
  card: 'card',
  'card-or-unread': 'card',
  bet: 'bet',
  cards: 'list',
  names: 'list',
  'some-of': 'list',
  object: 'json',
  limits: 'json',
  code: 'text or number',
  'count-or-unknown': 'text or number',
  id: 'text',
  text: 'text',
  remark: 'text',
  time: 'text',
  digest: 'text',
  currency: 'text',
  rules: 'text',
  policy: 'text',
};

/** A field of an event's data, as it is on a canonical line. */
export interface Part {
  readonly name: string;
  readonly is: Field['is'];
  readonly reads: Reads;
  readonly isOptional: boolean;
  /** The field's name, as the first of the data and behind another field. */
  readonly first: Literal;
  readonly later: Literal;
  /** The values of a field that has one or some of a list, and how they are written. */
  readonly values: readonly (string | boolean | null)[];
  readonly written: readonly Literal[];
  /** The range of a whole number. */
  readonly least: number;
  readonly most: number;
}

/** The fields of the data of a type in canonical order, from `SHAPES`. */
export type Grammar = readonly Part[];

const partOf = (name: string, field: Field, isOptional: boolean): Part => {
  const values = valuesOf(field);
  const [least, most] = rangeOf(field);
  return {
    name,
    is: field.is,
    reads: READS[field.is],
    isOptional,
    first: literal(`"${name}":`),
    later: literal(`,"${name}":`),
    values,
    written: values.map((value) => literal(JSON.stringify(value))),
    least,
    most,
  };
};

function valuesOf(field: Field): Part['values'] {
  switch (field.is) {
    case 'one-of':
    case 'some-of':
      return field.values;
    case 'flag':
      return [true, false];
    default:
      return [];
  }
}

function rangeOf(field: Field): [least: number, most: number] {
  switch (field.is) {
    case 'ordinal':
      return [1, Infinity];
    case 'total':
      return [0, 9];
    case 'whole':
      return [field.from, field.to];
    default:
      return [0, Infinity];
  }
}

const grammarOf = (type: EventType): Grammar => {
  const optional: readonly string[] = SHAPES[type].optional;
  return Object.entries<Field>(SHAPES[type].fields).map(([name, field]) =>
    partOf(name, field, optional.includes(name)),
  );
};

/** The grammar of every type. */
export const GRAMMARS: ReadonlyMap<EventType, Grammar> = new Map(
  EVENT_TYPES.map((type) => [type, grammarOf(type)]),
);

/** The most fields that the data of a type has. */
export const PARTS_MAX = Math.max(...[...GRAMMARS.values()].map(({ length }) => length));

/** Returns the place of a field in the grammar of a type. */
export const partAt = <T extends EventType>(
  type: T,
  field: keyof (typeof SHAPES)[T]['fields'] & string,
): number => Object.keys(SHAPES[type].fields).indexOf(field);

/** Returns the place of a value in the list of a field that has one of a list. */
export const valueAt = (type: EventType, field: string, value: string | null): number =>
  GRAMMARS.get(type)
    ?.find(({ name }) => name === field)
    ?.values.indexOf(value) ?? -1;
