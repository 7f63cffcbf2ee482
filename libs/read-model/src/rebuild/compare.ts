import type pg from 'pg';
import { PROJECTED } from '../entities/index.js';

/** The comparison of one table in the live and the rebuilt rows. */
export interface TableComparison {
  readonly table: string;
  readonly live: number;
  readonly rebuilt: number;
  readonly equal: boolean;
  /** The keys of some rows that differ or exist on one side only; empty if all are equal. */
  readonly differing: readonly string[];
}

/**
 * The number of buckets that rows are digested in, by key. The digests of one bucket fit in memory,
 * and differing rows are searched in one bucket.
 */
const HEAPS = 4_096;
const EXAMPLES = 5;

interface Heap {
  readonly heap: number;
  readonly live: number;
  readonly rebuilt: number;
  readonly equal: boolean;
}

/** Runs after the comparison of each table. `total` is the number of tables. */
export type Compared = (table: TableComparison, total: number) => void;

/** Compares the tables of two schemas, as `client`'s transaction sees them, by the columns that follow from the log. */
export async function compareSchemas(
  client: pg.Client,
  live: string,
  next: string,
  compared: Compared,
): Promise<TableComparison[]> {
  const all: TableComparison[] = [];
  for (const { name: table, key, following } of PROJECTED) {
    const [ours, theirs] = [live, next].map((schema) =>
      digested(`${schema}.${table}`, rowOf(key), rowOf(following)),
    ) as [string, string];
    const { rows: heaps } = await client.query<Heap>(
      `select heap, coalesce(a.count, 0) as live, coalesce(b.count, 0) as rebuilt,
              a.digest is not distinct from b.digest as equal
       from (${heaped(ours)}) a full join (${heaped(theirs)}) b using (heap)`,
    );
    const unequal = heaps.find(({ equal }) => !equal);
    const one: TableComparison = {
      table,
      live: heaps.reduce((sum, heap) => sum + heap.live, 0),
      rebuilt: heaps.reduce((sum, heap) => sum + heap.rebuilt, 0),
      equal: !unequal,
      differing: unequal ? await examplesIn(client, ours, theirs, unequal.heap) : [],
    };
    all.push(one);
    compared(one, PROJECTED.length);
  }
  return all;
}

const rowOf = (columns: readonly { readonly name: string }[]): string =>
  `row(${columns.map(({ name }) => name).join(', ')})::text`;

/**
 * Returns the SQL for every row's key, bucket and SHA-256. One session reads both schemas, so equal
 * values have equal texts.
 */
const digested = (table: string, key: string, row: string): string =>
  `select ${key} collate "C" as key, (hashtextextended(${key}, 0) & ${HEAPS - 1})::int as heap, sha256(convert_to(${row}, 'UTF8')) as digest from ${table}`;

const heaped = (rows: string): string =>
  `select heap, count(*) as count, sha256(string_agg(digest, ''::bytea order by key)) as digest from (${rows}) each_row group by heap`;

async function examplesIn(
  client: pg.Client,
  ours: string,
  theirs: string,
  heap: number,
): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(
    `select key from (select * from (${ours}) l where heap = $1) a
     full join (select * from (${theirs}) n where heap = $1) b using (key)
     where a.digest is distinct from b.digest order by key limit ${EXAMPLES}`,
    [heap],
  );
  return rows.map(({ key }) => key);
}
