import type { WrittenTable } from './writer-columns.js';
import { arrayOf, arraySql } from './writer-arrays.js';

/** A statement with its values; its name lets a connection keep its plan. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

const named = (name: string): string => `"${name}"`;

/** Of rows with the same key the last: a statement can write a row only once. */
function lastOfEach<Row>({ columns, keyColumns }: WrittenTable<Row>, rows: readonly Row[]): readonly Row[] {
  const keys = columns.slice(0, keyColumns);
  const last = new Map(rows.map((row) => [keys.map(([, , value]) => String(value(row))).join('\0'), row]));
  return last.size === rows.length ? rows : [...last.values()];
}

const unnested = <Row>({ columns }: WrittenTable<Row>): string => `unnest(${columns.map(([, type], i) => arraySql(type, i + 1)).join(', ')})`;

/** Adds rows, or puts them in the place of those with the same key; undefined where there are none. */
export function upsert<Row>(schema: string, kind: WrittenTable<Row>, rows: readonly Row[]): Statement | undefined {
  if (rows.length === 0) return undefined;
  const given = kind.columns.map(([name]) => named(name));
  const set = Object.entries(kind.set ?? {});
  const names = [...given, ...set.map(([name]) => named(name))];
  const renewed = names.slice(kind.keyColumns).filter((name) => !kind.kept?.map(named).includes(name));
  const text = `insert into ${schema}.${kind.table} as old (${names.join(', ')}) select ${[...given.map((name, i) => (kind.columns[i]?.[1] === 'json' ? `${name}::json` : name)), ...set.map(([, sql]) => sql)].join(', ')} from ${unnested(kind)} given (${given.join(', ')})
     on conflict (${names.slice(0, kind.keyColumns).join(', ')}) do update set ${renewed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  const chosen = lastOfEach(kind, rows);
  return { name: `upsert ${kind.table}`, text, values: kind.columns.map(([, type, value]) => arrayOf(type, chosen.map(value))) };
}

/** As `upsert`, for lines that a shoe has instead of all those it had; what did not change is not written. `shoes`: the keys of the shoes, each of reference and table. */
export function replaceLines<Row>(schema: string, kind: WrittenTable<Row>, rows: readonly Row[], shoes: readonly (readonly [ref: string, table: string])[]): Statement[] {
  const put = upsert(schema, kind, rows);
  const names = kind.columns.map(([name]) => named(name));
  const others = names.slice(kind.keyColumns);
  const key = kind.columns.slice(0, kind.keyColumns);
  const gone: Statement = {
    name: `delete ${kind.table}`,
    text: `delete from ${schema}.${kind.table} old using unnest($1::text[], $2::text[]) of (shoe_ref, "table")
       where old.shoe_ref = of.shoe_ref and old."table" = of."table" and not exists (
       select from unnest(${key.map(([, type], i) => arraySql(type, i + 3)).join(', ')}) line (${key.map(([name]) => named(name)).join(', ')})
       where ${key.map(([name]) => `line.${named(name)} = old.${named(name)}`).join(' and ')})`,
    values: [arrayOf('text', shoes.map(([ref]) => ref)), arrayOf('text', shoes.map(([, table]) => table)), ...key.map(([, type, value]) => arrayOf(type, rows.map(value)))],
  };
  const differing = `(${others.map((name) => `old.${name}`).join(', ')}) is distinct from (${others.map((name) => `excluded.${name}`).join(', ')})`;
  return [gone, ...(put ? [{ ...put, text: `${put.text} where ${differing}` }] : [])];
}
