import type pg from 'pg';

/** A table of the live rows beside the same of the rebuilt ones. */
export interface TableComparison {
  readonly table: string;
  readonly live: number;
  readonly rebuilt: number;
  readonly equal: boolean;
  /** Keys of some rows that differ or are in one only; none where all are equal. */
  readonly differing: readonly string[];
}

/** What each table's rows are told apart by, and what in them is no consequence of the log. */
const COMPARED: readonly {
  readonly table: string;
  readonly key: readonly string[];
  readonly apart?: readonly string[];
}[] = [
  { table: 'table_state', key: ['table'], apart: ['snapshot', 'snapshot_next'] },
  { table: 'shoe', key: ['ref', 'table'] },
  { table: 'coup', key: ['ref', 'table'] },
  { table: 'finding', key: ['id'] },
  { table: 'unjudgeable', key: ['table', 'shoe_ref', 'key'] },
  { table: 'ledger', key: ['shoe_ref', 'table', 'seat'] },
  { table: 'commission', key: ['shoe_ref', 'table', 'seat', 'dealer', 'gaming_day'] },
  { table: 'dealt', key: ['shoe_ref', 'table', 'dealer', 'gaming_day'] },
  { table: 'bet_total', key: ['shoe_ref', 'table', 'bet', 'dealer', 'gaming_day'] },
  { table: 'device', key: ['table', 'source'] },
  { table: 'parked', key: ['table'], apart: ['parked_at', 'asked', 'asked_by', 'asked_at'] },
];

/** Rows are digested in so many heaps by their keys: a heap's digests fit in memory, and a difference is looked for in one heap. */
const HEAPS = 4_096;
const EXAMPLES = 5;

interface Heap {
  readonly heap: number;
  readonly live: number;
  readonly rebuilt: number;
  readonly equal: boolean;
}

/** Compares the tables of two schemas as `client`'s transaction sees them; tells of each as it is done. */
export async function compareSchemas(
  client: pg.Client,
  live: string,
  next: string,
  compared: (table: TableComparison) => void,
): Promise<TableComparison[]> {
  const all: TableComparison[] = [];
  for (const { table, key, apart = [] } of COMPARED) {
    const columns = (await columnsOf(client, [live, next], table)).filter(
      (column) => !apart.includes(column),
    );
    const [ours, theirs] = [live, next].map((schema) =>
      digested(`${schema}.${table}`, key, columns),
    ) as [string, string];
    const { rows: heaps } = await client.query<Heap>(
      `select heap, coalesce(a.count, 0) as live, coalesce(b.count, 0) as rebuilt, a.digest is not distinct from b.digest as equal
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
    compared(one);
  }
  return all;
}

/** The columns that a table has in both schemas. */
async function columnsOf(
  client: pg.Client,
  schemas: readonly string[],
  table: string,
): Promise<string[]> {
  const { rows } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute where attrelid = any($1::text[]::regclass[]) and attnum > 0 and not attisdropped
     group by attname having count(*) = $2 order by attname`,
    [schemas.map((schema) => `${schema}.${table}`), schemas.length],
  );
  return rows.map(({ column }) => column);
}

const rowOf = (columns: readonly string[]): string =>
  `row(${columns.map((column) => `"${column}"`).join(', ')})::text`;

/** Every row's key, heap, and SHA-256. Both schemas are read in one session, so values have one text. */
const digested = (table: string, key: readonly string[], columns: readonly string[]): string =>
  `select ${rowOf(key)} collate "C" as key, (hashtextextended(${rowOf(key)}, 0) & ${HEAPS - 1})::int as heap, sha256(convert_to(${rowOf(columns)}, 'UTF8')) as digest from ${table}`;

const heaped = (rows: string): string =>
  `select heap, count(*) as count, sha256(string_agg(digest, ''::bytea order by key)) as digest from (${rows}) each_row group by heap`;

async function examplesIn(
  client: pg.Client,
  ours: string,
  theirs: string,
  heap: number,
): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(
    `select key from (select * from (${ours}) l where heap = $1) a full join (select * from (${theirs}) n where heap = $1) b using (key)
     where a.digest is distinct from b.digest order by key limit ${EXAMPLES}`,
    [heap],
  );
  return rows.map(({ key }) => key);
}
