import type { Changed } from '../entities/changed.js';
import type { Given, Table, TableColumn } from '../entities/table.js';
import { arrayOf, arraySql } from './arrays.js';

/** A statement with its values. Its name lets a connection keep its plan. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

type Columns<Row> = readonly TableColumn<Row>[];
type Rows<Row> = readonly Given<Row>[];

const listed = (columns: readonly string[]): string => columns.join(', ');
const nameOf = ({ name }: { readonly name: string }): string => name;

/** Returns the last row with each key, because a statement can write a row only once. */
export function lastOfEach<Row, Some extends Given<Row>>(
  key: Columns<Row>,
  rows: readonly Some[],
): readonly Some[] {
  const last = new Map(
    rows.map((row) => [key.map((column) => String(column.value(row))).join('\0'), row]),
  );
  return last.size === rows.length ? rows : [...last.values()];
}

/**
 * Returns SQL that turns arrays into rows, the first array as parameter `from`. It unnests them in
 * the select list, where they advance together. With several in one `unnest` in FROM, PostgreSQL
 * first materializes each, which showed in its profile.
 */
const given = <Row>(columns: Columns<Row>, from = 1): string =>
  `(select ${listed(columns.map(({ name, type }, i) => `unnest(${arraySql(type, from + i)}) as ${name}`))})`;

/** Returns the parameters of `given`. */
const arraysOf = <Row>(columns: Columns<Row>, rows: Rows<Row>): string[] =>
  columns.map((column) =>
    arrayOf(
      column.type,
      rows.map((row) => column.value(row)),
    ),
  );

/**
 * Returns the statement that inserts rows, or updates those with the same key. Returns undefined if
 * there are no rows. `set` names further columns and the SQL of their values.
 */
export function upsert<Row extends object>(
  schema: string,
  { name: table, key, written }: Table<Row>,
  rows: Rows<Row>,
  set: Readonly<Record<string, string>> = {},
): Statement | undefined {
  if (rows.length === 0) return undefined;
  const values = written.map(({ name, type }) => (type === 'json' ? `${name}::json` : name));
  const updated = written.filter(({ isKey, isUpdated }) => isUpdated && !isKey).map(nameOf);
  const text = `insert into ${schema}.${table} as old
    (${listed([...written.map(nameOf), ...Object.keys(set)])})
     select ${listed([...values, ...Object.values(set)])} from ${given(written)} given
     on conflict (${listed(key.map(nameOf))}) do update
     set ${listed([...updated, ...Object.keys(set)].map((name) => `${name} = excluded.${name}`))}`;
  return {
    name: `upsert ${table}`,
    text,
    values: arraysOf(written, lastOfEach(key, rows)),
  };
}

/**
 * Returns the statement that changes these fields of rows that exist, and raises the offset of
 * their last change. Returns undefined if there are no rows.
 */
export function overwrite<Row extends Changed>(
  schema: string,
  table: Table<Row>,
  fields: readonly (keyof Row & string)[],
  rows: Rows<Row>,
): Statement | undefined {
  if (rows.length === 0) return undefined;
  const { name, key } = table;
  const columns = [...fields, 'changed' as const].map((field) => table.column(field));
  const set = columns.map(({ field, name: column, type }) =>
    field === 'changed'
      ? `${column} = greatest(old.${column}, given.${column})`
      : `${column} = given.${column}${type === 'json' ? '::json' : ''}`,
  );
  return {
    name: `overwrite ${name} ${fields[0]}`,
    text: `update ${schema}.${name} old set ${listed(set)}
      from ${given([...key, ...columns])} given where ${sameKey(key, 'given')}`,
    values: arraysOf([...key, ...columns], lastOfEach(key, rows)),
  };
}

/**
 * Returns the statement that raises the offset of the last change of rows to these, where it is
 * lower; but an open coup, whose offset is 0, keeps it. Returns undefined if there are no rows.
 */
export function touch<Row extends Changed>(
  schema: string,
  table: Table<Row>,
  rows: readonly (Given<Row> & Pick<Changed, 'changed'>)[],
): Statement | undefined {
  if (rows.length === 0) return undefined;
  const { name, key } = table;
  const columns = [...key, table.column('changed')];
  const inOrder = rows.toSorted((one, other) => one.changed - other.changed);
  return {
    name: `touch ${name}`,
    text: `update ${schema}.${name} old set changed = given.changed from ${given(columns)} given
      where ${sameKey(key, 'given')} and old.changed between 1 and given.changed - 1`,
    values: arraysOf(columns, lastOfEach(key, inOrder)),
  };
}

/**
 * Returns the statement that deletes the rows with the same keys. Returns undefined if there are no
 * rows.
 */
export function remove<Row extends object>(
  schema: string,
  { name: table, key }: Table<Row>,
  rows: Rows<Row>,
): Statement | undefined {
  if (rows.length === 0) return undefined;
  return {
    name: `delete ${table}`,
    text: `delete from ${schema}.${table} old using ${given(key)} gone where ${sameKey(key, 'gone')}`,
    values: arraysOf(key, rows),
  };
}

const sameKey = <Row>(key: Columns<Row>, other: string): string =>
  key.map(({ name }) => `${other}.${name} = old.${name}`).join(' and ');

/** The fields that identify a shoe. */
type ShoeKey = Readonly<Record<'shoeRef' | 'table', string>>;

/**
 * Returns the statements that upsert the lines of shoes. Lines that did not change are not written.
 * The shoes in `whole` lose all lines that are not in `rows`.
 */
export function replaceLines<Row extends ShoeKey>(
  schema: string,
  table: Table<Row>,
  rows: readonly Row[],
  whole: readonly ShoeKey[],
): Statement[] {
  const { name, key, written } = table;
  const shoe = key.filter(({ field }) => field === 'shoeRef' || field === 'table');
  const gone: Statement = {
    name: `delete ${name}`,
    text: `delete from ${schema}.${name} old using ${given(shoe)} of
       where ${sameKey(shoe, 'of')} and not exists (
       select from ${given(key, shoe.length + 1)} line where ${sameKey(key, 'line')})`,
    values: [...arraysOf(shoe, whole as Rows<Row>), ...arraysOf(key, rows)],
  };
  const others = written.filter(({ isKey }) => !isKey).map(nameOf);
  const put = upsert(schema, table, rows);
  const differing = `(${listed(others.map((other) => `old.${other}`))}) is distinct from (${listed(others.map((other) => `excluded.${other}`))})`;
  return [
    ...(whole.length > 0 ? [gone] : []),
    ...(put ? [{ ...put, text: `${put.text} where ${differing}` }] : []),
  ];
}
