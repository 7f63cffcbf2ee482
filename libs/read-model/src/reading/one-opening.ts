import type { Filter, ReadBy } from './where.js';

/** Which of the openings that share a reference is meant, and who reads it. */
export type AtTable = ReadBy & Pick<Filter, 'table'>;

/**
 * Thrown if openings at several tables have the reference that was asked for. Its table must be
 * named, because a reference belongs to one table.
 */
export class SeveralTables extends Error {
  override readonly name = 'SeveralTables';

  constructor() {
    super('several tables have this reference');
  }
}

/** Returns the only row, or undefined if there is none. Throws `SeveralTables` if there are more. */
export function onlyOne<Row>(rows: readonly Row[]): Row | undefined {
  if (rows.length > 1) throw new SeveralTables();
  return rows[0];
}
