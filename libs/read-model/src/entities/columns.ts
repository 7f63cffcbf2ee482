import type { ColumnOptions } from 'typeorm';

/**
 * The kinds of column. Whatever counts is bigint: a seat, a coup's number or an amount may be anything up to 2^53 - 1, since
 * what is absurd is recorded too. Texts sort by their bytes, on every machine alike.
 */
export const TEXT = { type: 'text', collation: 'C' } as const;
export const COUNT = { type: 'bigint' } as const;
export const PARTITION = { type: 'integer' } as const;
export const FLAG = { type: 'boolean' } as const;
export const TIME = { type: 'timestamptz', precision: 3 } as const;
export const DAY = { type: 'date' } as const;
export const BYTES = { type: 'bytea' } as const;

/** The same kind, where there may be none. */
export const maybe = (kind: ColumnOptions): ColumnOptions => ({ ...kind, nullable: true });
