import { SEVERITIES, SHAPES, type EventType, type Field } from '#audit';
import type { ColumnOptions, ValueTransformer } from 'typeorm';
import { keyOf } from '../database/schema-keys.js';

/** Returns a transformer that changes values when they are stored, not when they are read. */
const storedAs = <Value>(to: (value: Value) => Value): ValueTransformer => ({
  to: (value: Value | null) => (value === null ? null : to(value)),
  from: (value: Value) => value,
});

/** A text. Its collation sorts by bytes, which is the same on every machine. */
export const TEXT = { type: 'text', collation: 'C' } as const;
/** An id or a reference that rows are looked up by, shortened with `keyOf` to fit an index. */
export const KEY = { ...TEXT, transformer: storedAs(keyOf) } as const;
/** Returns the kind of a text from a closed set. */
export const oneOf = (values: readonly string[]) => ({ ...TEXT, enum: values }) as const;
/**
 * A count, seat, coup number or amount. It is a bigint because absurd events are recorded too, with
 * values up to 2^53 - 1.
 */
export const COUNT = { type: 'bigint' } as const;
/** Whole milliseconds. A device's clock may be finer. */
export const MILLISECONDS = { ...COUNT, transformer: storedAs<number>(Math.round) } as const;
/** A number of our own, such as a partition. */
export const INTEGER = { type: 'integer' } as const;
/** A severity, from 1 (grave) to 4 (statistical). */
export const SEVERITY = { type: 'smallint', enum: SEVERITIES } as const;
/** A boolean. */
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
/** JSON, as `json` and not `jsonb`: fields keep their order, and writing costs half as much. */
export const JSON_TEXT = { type: 'json' } as const;
/** Bytes. */
export const BYTES = { type: 'bytea' } as const;

/** Returns the texts that a field of an event may hold. */
export function choicesOf<Type extends EventType>(
  type: Type,
  field: keyof (typeof SHAPES)[Type]['fields'],
): readonly string[] {
  const shape: Field = SHAPES[type].fields[field];
  if (shape.is !== 'one-of') throw new Error(`${type}: ${String(field)} is not a closed set`);
  return shape.values.filter((value) => value !== null);
}

/** Returns the same kind, nullable. */
export const maybe = <Kind extends ColumnOptions>(kind: Kind) =>
  ({ ...kind, nullable: true }) as const;

/** Returns the same kind for a value that only the first write of a row sets. */
export const first = <Kind extends ColumnOptions>(kind: Kind) =>
  ({ ...kind, update: false }) as const;

/**
 * Returns the same kind for a value that does not follow from the log. A separate statement writes
 * it, and a rebuild does not compare it.
 */
export const apart = <Kind extends ColumnOptions>(kind: Kind) =>
  ({ ...kind, insert: false, update: false }) as const;

/**
 * Returns the same kind for a value that follows from the log and that only `overwrite` writes,
 * after the row was inserted. Until then it is `initially`, null if that is not given.
 */
export const amended = <Kind extends ColumnOptions>(kind: Kind, initially?: string | boolean) =>
  ({
    ...kind,
    insert: false,
    ...(initially === undefined
      ? {}
      : { default: typeof initially === 'string' ? () => `'${initially}'` : initially }),
  }) as const;
