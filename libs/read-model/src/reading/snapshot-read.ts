import type { DataSource, QueryRunner } from 'typeorm';
import { quotedSchema, ROWS_SCHEMA } from '../database/schema.js';

/** For each partition the offset before which all of it is in the rows. */
export type Positions = ReadonlyMap<number, number>;

/** A value of `Min-Position`, or another list of positions, that is none. */
export class BadPositions extends Error {
  override readonly name = 'BadPositions';
}

/** The widest a list of positions may be: far more partitions than a log has. */
const POSITIONS_MAX = 10_000;

/** Positions as headers and events say them, `0:120,3:7`, partitions in order; '' for none. */
export const positionsText = (positions: Positions): string =>
  [...positions]
    .sort(([a], [b]) => a - b)
    .map(([partition, next]) => `${partition}:${next}`)
    .join(',');

/** Reads `0:120,3:7`. Throws `BadPositions` on any other text, and on a partition named twice. */
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
        'positions are written partition:offset, with commas between, each partition once',
      );
    }
    positions.set(partition, next);
  }
  return positions;
}

/** The rows as they stood at one moment, and the positions up to which they had followed the log. */
export interface Snapshot {
  readonly positions: Positions;
  /** The rows of a query on the tables of the schema, which it names without it; parameters `$1`, `$2`… */
  rows<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** What was read, and the positions that it is true of, as `positionsText` writes them. */
export interface ReadAt<Result> {
  readonly positions: string;
  readonly result: Result;
}

/**
 * Does `work` on one snapshot: whatever it reads, from however many queries, stood together at the positions that come with
 * the result. A rebuild that swaps the rows waits for it, or is waited for. Rejects as `work` does.
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
      // Nothing was written: to end it is all, and a connection that broke is told by what `work` rejected with.
      await runner.query('rollback');
    }
  } finally {
    await runner.release();
  }
}

async function snapshotOn(runner: QueryRunner, schema: string): Promise<Snapshot> {
  // Names are looked up outside the snapshot. This lock, which takes no snapshot itself and comes before it, keeps a swap
  // of the schema from falling between two queries.
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

/** Whether the rows have followed the log as far as `wanted`, for every partition that it names. */
export async function positionsReached(
  dataSource: DataSource,
  wanted: Positions,
): Promise<boolean> {
  const reached = positionsOf(
    await dataSource.query<PositionRow[]>(
      `select partition, next from ${schemaOf(dataSource)}.position where partition = any($1)`,
      [[...wanted.keys()]],
    ),
  );
  return [...wanted].every(([partition, next]) => (reached.get(partition) ?? 0) >= next);
}

/**
 * A count or sum of the database's, which writes wide ones as text. Beyond 2^53, where only amounts that no table has can add
 * up to it, it is the nearest number: an absurd event is recorded, and must not take a report from everybody.
 */
export function whole(value: string | number): number {
  const number = Number(value);
  if (!Number.isInteger(number)) throw new RangeError(`${value} is no whole number`);
  return number;
}
