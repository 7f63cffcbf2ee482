import type { SnapshotRow } from './batch.js';
import { keyOf } from '../database/schema-keys.js';
import { TABLE_STATE } from '../entities/index.js';
import type { WriterPool } from './pool.js';
import type { Statement } from './statements.js';

/** A table of a partition, for whoever takes the partition over. */
export interface TableAtHand {
  readonly table: string;
  /** The state as it was saved, and the offset before which everything is in it; null where none was saved: it is folded from 0. */
  readonly snapshot: Uint8Array | null;
  readonly snapshotNext: number | null;
  /** The offset after the last record that changed the table: where that is not beyond `snapshotNext` nothing is to be refolded. */
  readonly lastNext: number;
  /** Where it is parked, the event that it stopped at. */
  readonly parked: { readonly offset: number; readonly line: number } | null;
}

/** Snapshots fetched at once: a state may be a megabyte. */
const BYTES_AT_ONCE = 8 * 1024 * 1024;
const TABLES_AT_ONCE = 200;

interface Listed {
  readonly key: string;
  readonly bytes: number;
}

interface TableColumns extends Omit<TableAtHand, 'parked'> {
  readonly offset: number | null;
  readonly line: number;
}

/** The tables of a partition, a few at a time, in no particular order. Only its owner may rely on what it says. */
export async function* tablesOf(pool: WriterPool, partition: number): AsyncGenerator<TableAtHand> {
  const listed = await pool.query<Listed>(
    'tables-of',
    `select coalesce(t."table", k."table") as key, coalesce(octet_length(t.snapshot), 0) as bytes
     from (select * from ${pool.sql}.table_state where partition = $1) t
     full join (select * from ${pool.sql}.parked where partition = $1) k on k."table" = t."table"`,
    [partition],
  );
  for (const keys of groups(listed)) yield* await tablesNamed(pool, keys);
}

/** Returns one table as its partition's owner finds it, or undefined where nothing of it was ever written. */
export async function tableNamed(pool: WriterPool, name: string): Promise<TableAtHand | undefined> {
  const found = await tablesNamed(pool, [keyOf(name)]);
  return found.find(({ table }) => table === name);
}

/** Some tables after one another that are not too much at once. */
function groups(listed: readonly Listed[]): string[][] {
  const all: string[][] = [];
  let bytesLeft = 0;
  for (const { key, bytes } of listed) {
    const group = all.at(-1);
    if (group && bytes <= bytesLeft && group.length < TABLES_AT_ONCE) group.push(key);
    else {
      all.push([key]);
      bytesLeft = BYTES_AT_ONCE;
    }
    bytesLeft -= bytes;
  }
  return all;
}

async function tablesNamed(pool: WriterPool, keys: readonly string[]): Promise<TableAtHand[]> {
  const rows = await pool.query<TableColumns>(
    'tables-named',
    `select coalesce(t.name, k.name) as "table", ${TABLE_STATE.select('t', ['snapshot', 'snapshotNext'])}, coalesce(t.changed, 0) as "lastNext", k."offset", k.line
     from unnest($1::text[]) wanted ("table") left join ${pool.sql}.table_state t using ("table") left join ${pool.sql}.parked k using ("table")`,
    [keys],
  );
  return rows.map(({ offset, line, ...table }) => ({
    ...table,
    parked: offset === null ? null : { offset, line },
  }));
}

/** Saves a state with the table's row, which is there or in the same batch. */
export const saving = (schema: string, { table, next, state }: SnapshotRow): Statement => ({
  name: 'save',
  text: `update ${schema}.table_state set snapshot = $2, snapshot_next = $3 where "table" = $1`,
  values: [keyOf(table), Buffer.from(state.buffer, state.byteOffset, state.byteLength), next],
});
