import { SEVERITIES, SHAPES, type EventType, type Field } from '#audit';
import type { ColumnOptions, ValueTransformer } from 'typeorm';
import { keyOf } from '../database/schema-keys.js';

/** Changes values on their way into the database. Values come out as they are stored. */
const storedAs = <Value>(to: (value: Value) => Value): ValueTransformer => ({
  to: (value: Value | null) => (value === null ? null : to(value)),
  from: (value: Value) => value,
});

/** Texts sort by their bytes, on every machine alike. */
export const TEXT = { type: 'text', collation: 'C' } as const;
/** An id or a reference, which rows are looked up by. `keyOf` shortens a long one, because no index holds it. */
export const KEY = { ...TEXT, transformer: storedAs(keyOf) } as const;
/** One of a closed set of texts. */
export const oneOf = (values: readonly string[]) => ({ ...TEXT, enum: values }) as const;
/**
 * Whatever counts. It is a bigint because a seat, a coup's number or an amount may be anything up to 2^53 - 1: absurd events
 * are recorded too.
 */
export const COUNT = { type: 'bigint' } as const;
/** Whole milliseconds. A device's clock may be finer. */
export const MILLISECONDS = { ...COUNT, transformer: storedAs<number>(Math.round) } as const;
/** A number of our own, such as a partition. */
export const INTEGER = { type: 'integer' } as const;
export const SEVERITY = { type: 'smallint', enum: SEVERITIES } as const;
export const FLAG = { type: 'boolean' } as const;
/** An RFC 3339 text in UTC, with milliseconds. */
export const TIME = {
  type: 'timestamptz',
  precision: 3,
  transformer: {
    to: (time: string | null) => time,
    from: (time: Date | null) => time?.toISOString() ?? null,
  },
} as const;
/** A gaming day, `YYYY-MM-DD`. */
export const DAY = { type: 'date' } as const;
/** `json`, not `jsonb`: fields come back in the order in which they went in, and writing costs half as much. */
export const JSON_TEXT = { type: 'json' } as const;
export const BYTES = { type: 'bytea' } as const;

/** The texts that a field of an event may hold. */
export function choicesOf<Type extends EventType>(
  type: Type,
  field: keyof (typeof SHAPES)[Type]['fields'],
): readonly string[] {
  const shape: Field = SHAPES[type].fields[field];
  if (shape.is !== 'one-of') throw new Error(`${type}: ${String(field)} is not a closed set`);
  return shape.values.filter((value) => value !== null);
}

/** The same kind, nullable. */
export const maybe = <Kind extends ColumnOptions>(kind: Kind) =>
  ({ ...kind, nullable: true }) as const;

/** The same kind for a value that the first write of a row sets and no later one changes. */
export const first = <Kind extends ColumnOptions>(kind: Kind) =>
  ({ ...kind, update: false }) as const;

/** The same kind for a value that does not follow from the log: a statement of its own writes it, and a rebuild does not compare it. */
export const apart = <Kind extends ColumnOptions>(kind: Kind) =>
  ({ ...kind, insert: false, update: false }) as const;
