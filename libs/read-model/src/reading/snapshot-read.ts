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

/** The SQL of a query and its parameters `$1`, `$2`, … It names the tables without their schema. */
export type RowQuery = readonly [sql: string, parameters?: readonly unknown[]];

/** A query whose SQL names the tables with their schema, which is passed quoted. */
export type SchemaQuery = (schema: string) => RowQuery;

/** All lines of a list or report, a slice at a time. */
export type Slices<Line> = AsyncGenerator<readonly Line[], void>;

/** Thrown if a query that is read whole has more rows than anybody can use. */
export class TooManyRows extends Error {
  override readonly name = 'TooManyRows';

  constructor(readonly most: number) {
    super(`more than ${most} rows`);
  }
}

/** The most rows of a query that is read whole. A larger file does not fit in a spreadsheet. */
const ROWS_MAX = 500_000;
/**
 * The most rows of a slice: few enough that converting them takes a few milliseconds. The first of
 * a file has fewer, and each has twice as many as the one before it, because the first file of a
 * process runs code that is not compiled yet.
 */
const SLICE_ROWS_MAX = 50;
const SLICE_ROWS_FIRST = 6;

/** One consistent view of the rows, and the positions up to which the rows follow the log. */
export interface Snapshot {
  readonly positions: Positions;
  /** Returns the rows of a query. */
  rows<Row>(...query: RowQuery): Promise<Row[]>;
  /**
   * Yields all rows of a query, from a cursor, which a snapshot has one of. Throws `TooManyRows`
   * before the first slice if there are more than half a million.
   */
  slices<Row>(...query: RowQuery): Slices<Row>;
}

/** The result of a read, and its positions as `positionsText` formats them. */
export interface ReadAt<Result> {
  readonly positions: string;
  readonly result: Result;
}

/** A snapshot that stays until `close`, which may be called more than once. */
export interface OpenSnapshot {
  readonly read: Snapshot;
  readonly close: () => Promise<void>;
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
  const { read, close } = await openSnapshot(dataSource);
  try {
    return { positions: positionsText(read.positions), result: await work(read) };
  } finally {
    await close();
  }
}

/**
 * Opens a snapshot as `readSnapshot` does. It holds a connection, and a swap by a rebuild waits,
 * until the caller closes it.
 */
export async function openSnapshot(dataSource: DataSource): Promise<OpenSnapshot> {
  const runner = dataSource.createQueryRunner();
  const client = (await runner.connect()) as Client;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closed(runner));
  try {
    const positions = await begun(client, schemaOf(dataSource));
    const rows = async <Row>(...[sql, parameters = []]: RowQuery): Promise<Row[]> =>
      (await runner.query(sql, [...parameters])) as Row[];
    const read = { positions, rows, slices: (...query: RowQuery) => slicesOf(rows, query) };
    return { read: read as Snapshot, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/**
 * Ends a snapshot. The transaction is read-only, so rolling back is enough. If the connection
 * broke, the work on it has already rejected.
 */
async function closed(runner: QueryRunner): Promise<void> {
  try {
    await runner.query('rollback');
  } finally {
    await runner.release();
  }
}

/**
 * Begins the transaction of a snapshot and returns its positions, in one round trip.
 *
 * PostgreSQL looks up names outside the snapshot. The lock takes no snapshot itself, so taking it
 * first keeps a swap of the schema from happening between two queries.
 */
async function begun(client: Client, schema: string): Promise<Positions> {
  const results = await client.query(
    `start transaction isolation level repeatable read read only;
     lock table ${schema}.position in access share mode;
     set local search_path to ${schema};
     select partition, next from position`,
  );
  return positionsOf(results.at(-1)?.rows ?? []);
}

/** The connection of a runner. It returns a result for each statement of a text. */
interface Client {
  query(text: string): Promise<readonly { readonly rows: readonly PositionRow[] }[]>;
}

async function* slicesOf<Row>(rows: Snapshot['rows'], [sql, parameters]: RowQuery): Slices<Row> {
  const [counted] = await rows<{ readonly n: number }>(
    `select count(*) as n from (${sql} limit ${ROWS_MAX + 1}) counted`,
    parameters,
  );
  if (Number(counted?.n) > ROWS_MAX) throw new TooManyRows(ROWS_MAX);
  await rows('set local cursor_tuple_fraction to 1');
  await rows(`declare every_row no scroll cursor for ${sql}`, parameters);
  for (let most = SLICE_ROWS_FIRST; ; most = Math.min(2 * most, SLICE_ROWS_MAX)) {
    const slice = await rows<Row>(`fetch ${most} from every_row`);
    if (slice.length > 0) yield slice;
    if (slice.length < most) return;
  }
}

const schemaOf = ({ options }: DataSource): string =>
  quotedSchema((options as { readonly schema?: string }).schema ?? ROWS_SCHEMA);

/**
 * Returns the rows of one query, which sees one moment by itself. It takes one round trip, where a
 * snapshot takes three.
 */
export const rowsNow = <Row>(dataSource: DataSource, query: SchemaQuery): Promise<Row[]> => {
  const [sql, parameters = []] = query(schemaOf(dataSource));
  return dataSource.query<Row[]>(sql, [...parameters]);
};

interface PositionRow {
  readonly partition: number;
  readonly next: string | number;
}

const positionsOf = (rows: readonly PositionRow[]): Positions =>
  new Map(rows.map(({ partition, next }) => [partition, whole(next)]));

/** Returns the positions that the rows have reached, by one query. */
export const positionsNow = async (dataSource: DataSource): Promise<Positions> =>
  positionsOf(
    await rowsNow<PositionRow>(dataSource, (schema) => [
      `select partition, next from ${schema}.position`,
    ]),
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
