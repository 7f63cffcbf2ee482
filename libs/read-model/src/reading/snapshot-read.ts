import type { DataSource, QueryRunner } from 'typeorm';
import { quotedSchema, ROWS_SCHEMA } from '../database/schema.js';

/** For each partition, the offset before which the rows include every record. */
export type Positions = ReadonlyMap<number, number>;

/** Thrown for an invalid list of positions, such as a value of `Min-Position`. */
export class BadPositions extends Error {
  override readonly name = 'BadPositions';
}

/** The most positions that a list may have: far more than a log has partitions. */
const POSITIONS_MAX = 10_000;

/**
 * Returns positions as headers and events carry them, in order of partition: `0:120,3:7`, or '' for
 * an empty list.
 */
export const positionsText = (positions: Positions): string =>
  [...positions]
    .sort(([a], [b]) => a - b)
    .map(([partition, next]) => `${partition}:${next}`)
    .join(',');

/**
 * Parses positions such as `0:120,3:7`. Throws `BadPositions` on any other text and on a repeated
 * partition.
 */
export function positionsFrom(text: string): Positions {
  const positions = new Map<number, number>();
  const parts = text.split(',', POSITIONS_MAX + 1);
  for (const part of parts) {
    const match = /^(\d{1,6}):(\d{1,16})$/.exec(part.trim());
    const [partition, next] = (match?.slice(1) ?? []).map(Number);
    if (
      partition === undefined ||
      next === undefined ||
      !Number.isSafeInteger(next) ||
      positions.has(partition) ||
      parts.length > POSITIONS_MAX
    ) {
      throw new BadPositions(
        'positions must be partition:offset pairs separated by commas, with each partition once',
      );
    }
    positions.set(partition, next);
  }
  return positions;
}

/** One consistent view of the rows, and the positions up to which the rows follow the log. */
export interface Snapshot {
  readonly positions: Positions;
  /**
   * Returns the rows of a query. The query names the tables without their schema, and its
   * parameters `$1`, `$2`, …
   */
  rows<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** The result of a read, and its positions as `positionsText` formats them. */
export interface ReadAt<Result> {
  readonly positions: string;
  readonly result: Result;
}

/**
 * Runs `work` on one snapshot: all its queries see the rows at the positions that are returned with
 * the result. A swap by a rebuild waits until `work` ends, and `work` waits for a swap under way.
 * Rejects if `work` rejects.
 */
export async function readSnapshot<Result>(
  dataSource: DataSource,
  work: (read: Snapshot) => Promise<Result>,
): Promise<ReadAt<Result>> {
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  try {
    await runner.query('start transaction isolation level repeatable read read only');
    try {
      const read = await snapshotOn(runner, schemaOf(dataSource));
      return { positions: positionsText(read.positions), result: await work(read) };
    } finally {
      // The transaction is read-only, so rolling back is enough. If the connection broke, `work`
      // has already rejected.
      await runner.query('rollback');
    }
  } finally {
    await runner.release();
  }
}

async function snapshotOn(runner: QueryRunner, schema: string): Promise<Snapshot> {
  // PostgreSQL looks up names outside the snapshot. This lock takes no snapshot itself, so taking
  // it first keeps a swap of the schema from happening between two queries.
  await runner.query(`lock table ${schema}.position in access share mode`);
  await runner.query(`set local search_path to ${schema}`);
  const positions = positionsOf(
    (await runner.query('select partition, next from position')) as PositionRow[],
  );
  return {
    positions,
    rows: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
      (await runner.query(sql, [...parameters])) as Row[],
  };
}

const schemaOf = ({ options }: DataSource): string =>
  quotedSchema((options as { readonly schema?: string }).schema ?? ROWS_SCHEMA);

interface PositionRow {
  readonly partition: number;
  readonly next: string | number;
}

const positionsOf = (rows: readonly PositionRow[]): Positions =>
  new Map(rows.map(({ partition, next }) => [partition, whole(next)]));

/** Returns the positions that the rows have reached, by one query. */
export const positionsNow = async (dataSource: DataSource): Promise<Positions> =>
  positionsOf(
    await dataSource.query<PositionRow[]>(
      `select partition, next from ${schemaOf(dataSource)}.position`,
    ),
  );

/** Returns whether `reached` is at or after `wanted`, in every partition that `wanted` names. */
export const hasReached = (reached: Positions, wanted: Positions): boolean =>
  [...wanted].every(([partition, next]) => (reached.get(partition) ?? 0) >= next);

/** Returns the later of two positions of each partition that either names. */
export function furthest(one: Positions, other: Positions): Positions {
  const ends = new Map(one);
  for (const [partition, next] of other)
    ends.set(partition, Math.max(next, ends.get(partition) ?? 0));
  return ends;
}

/**
 * Converts a count or sum, which PostgreSQL returns as text if its type is wide. Absurd events are
 * recorded too, and their amounts can add up to more than 2^53. The result is then the nearest
 * number, so that such an event does not break a report for everybody.
 */
export function whole(value: string | number): number {
  const number = Number(value);
  if (!Number.isInteger(number)) throw new RangeError(`${value} is not a whole number`);
  return number;
}
