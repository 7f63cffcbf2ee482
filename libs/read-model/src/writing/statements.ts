import type { WrittenTable } from './columns.js';
import { arrayOf, arraySql } from './arrays.js';

/** A statement with its values; its name lets a connection keep its plan. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

const named = (name: string): string => `"${name}"`;

/** Of rows with the same key the last: a statement can write a row only once. */
function lastOfEach<Row>(
  { columns, keyColumns }: WrittenTable<Row>,
  rows: readonly Row[],
): readonly Row[] {
  const keys = columns.slice(0, keyColumns);
  const last = new Map(
    rows.map((row) => [keys.map(([, , value]) => String(value(row))).join('\0'), row]),
  );
  return last.size === rows.length ? rows : [...last.values()];
}

/**
 * Arrays side by side as rows, the first as parameter `from`. In a select list, where they go on in step: several in one
 * `unnest` in FROM are each put by in a store of their own first, which showed in PostgreSQL's profile.
 */
const given = <Row>(columns: WrittenTable<Row>['columns'], from = 1): string =>
  `(select ${columns.map(([name, type], i) => `unnest(${arraySql(type, from + i)}) as ${named(name)}`).join(', ')})`;

/** Adds rows, or puts them in the place of those with the same key; undefined where there are none. */
export function upsert<Row>(
  schema: string,
  kind: WrittenTable<Row>,
  rows: readonly Row[],
): Statement | undefined {
  if (rows.length === 0) return undefined;
  const columns = kind.columns.map(([name]) => named(name));
  const set = Object.entries(kind.set ?? {});
  const names = [...columns, ...set.map(([name]) => named(name))];
  const renewed = names
    .slice(kind.keyColumns)
    .filter((name) => !kind.kept?.map(named).includes(name));
  const text = `insert into ${schema}.${kind.table} as old (${names.join(', ')}) select ${[...columns.map((name, i) => (kind.columns[i]?.[1] === 'json' ? `${name}::json` : name)), ...set.map(([, sql]) => sql)].join(', ')} from ${given(kind.columns)} given
     on conflict (${names.slice(0, kind.keyColumns).join(', ')}) do update set ${renewed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  const chosen = lastOfEach(kind, rows);
  return {
    name: `upsert ${kind.table}`,
    text,
    values: kind.columns.map(([, type, value]) => arrayOf(type, chosen.map(value))),
  };
}

/** As `upsert`, for lines of shoes; what did not change is not written. `whole`: the shoes, by reference and table, that have these lines instead of all those they had. */
export function replaceLines<Row>(
  schema: string,
  kind: WrittenTable<Row>,
  rows: readonly Row[],
  whole: readonly (readonly [ref: string, table: string])[],
): Statement[] {
  const put = upsert(schema, kind, rows);
  const names = kind.columns.map(([name]) => named(name));
  const others = names.slice(kind.keyColumns);
  const key = kind.columns.slice(0, kind.keyColumns);
  const gone: Statement = {
    name: `delete ${kind.table}`,
    text: `delete from ${schema}.${kind.table} old using (select unnest($1::text[]) as shoe_ref, unnest($2::text[]) as "table") of
       where old.shoe_ref = of.shoe_ref and old."table" = of."table" and not exists (
       select from ${given(key, 3)} line
       where ${key.map(([name]) => `line.${named(name)} = old.${named(name)}`).join(' and ')})`,
    values: [
      arrayOf(
        'text',
        whole.map(([ref]) => ref),
      ),
      arrayOf(
        'text',
        whole.map(([, table]) => table),
      ),
      ...key.map(([, type, value]) => arrayOf(type, rows.map(value))),
    ],
  };
  const differing = `(${others.map((name) => `old.${name}`).join(', ')}) is distinct from (${others.map((name) => `excluded.${name}`).join(', ')})`;
  return [
    ...(whole.length > 0 ? [gone] : []),
    ...(put ? [{ ...put, text: `${put.text} where ${differing}` }] : []),
  ];
}
