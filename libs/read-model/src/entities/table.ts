import { getMetadataArgsStorage, type ColumnOptions, type ValueTransformer } from 'typeorm';
import { SnakeCase } from '../database/snake-case.js';

/** The types of columns. */
export type ColumnType =
  | 'text'
  | 'bigint'
  | 'integer'
  | 'smallint'
  | 'boolean'
  | 'timestamptz'
  | 'date'
  | 'json'
  | 'bytea';

/** A column's values in JSON, as JSON Schema and OpenAPI describe them. */
export interface ColumnSchema {
  readonly type: 'string' | 'integer' | 'boolean' | 'object';
  readonly format?: 'date' | 'date-time';
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly nullable: boolean;
}

/** A row to write, or the part of it that a statement needs. */
export type Given<Row> = { readonly [field in keyof Row]?: Row[field] | null };

/** A column of a table, as its entity declares it. */
export interface TableColumn<Row> {
  readonly field: keyof Row & string;
  /** The name, quoted for SQL. */
  readonly name: string;
  readonly type: ColumnType;
  readonly isKey: boolean;
  /** How it is written: with its row, later with `overwrite`, or apart from what follows from the log. */
  readonly written: 'with-row' | 'amended' | 'apart';
  /** Whether a later write of the row changes it. */
  readonly isUpdated: boolean;
  readonly schema: ColumnSchema;
  /** Returns its value in a row, as the database stores it. */
  value(row: Given<Row>): unknown;
}

const WIDEST = { minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

const SCHEMAS: Readonly<Record<Exclude<ColumnType, 'bytea'>, Omit<ColumnSchema, 'nullable'>>> = {
  text: { type: 'string' },
  bigint: { type: 'integer', ...WIDEST },
  integer: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  smallint: { type: 'integer', minimum: -(2 ** 15), maximum: 2 ** 15 - 1 },
  boolean: { type: 'boolean' },
  timestamptz: { type: 'string', format: 'date-time' },
  date: { type: 'string', format: 'date' },
  json: { type: 'object' },
};

const NAMING = new SnakeCase();

/**
 * A table as its entity class declares it. Code that writes, selects, compares or describes its
 * columns uses this declaration.
 */
export class Table<Row extends object> {
  readonly name: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly key: readonly TableColumn<Row>[];
  /** The columns that a row is inserted with, key first. */
  readonly written: readonly TableColumn<Row>[];
  /** The columns that follow from the log, key first. */
  readonly following: readonly TableColumn<Row>[];

  constructor(entity: new () => Row) {
    const declared = getMetadataArgsStorage();
    const name = declared.tables.find(({ target }) => target === entity)?.name;
    if (name === undefined) throw new Error(`${entity.name} is not an entity with a name`);
    this.name = name;
    this.columns = declared
      .filterColumns(lineOf(entity))
      .map(({ propertyName, options }) =>
        columnOf<Row>(propertyName as keyof Row & string, options),
      );
    this.key = this.columns.filter(({ isKey }) => isKey);
    this.written = [
      ...this.key,
      ...this.columns.filter(({ isKey, written }) => written === 'with-row' && !isKey),
    ];
    this.following = [
      ...this.written,
      ...this.columns.filter(({ written }) => written === 'amended'),
    ];
  }

  /** Returns a column by its field. */
  column(field: keyof Row & string): TableColumn<Row> {
    const found = this.columns.find((column) => column.field === field);
    if (!found) throw new Error(`the table ${this.name} has no column for ${field}`);
    return found;
  }

  /**
   * Returns a select list, `s."close_reason" as "closeReason", …`, for rows called `alias`.
   * `prefix` is put before each field name to keep the fields of joined tables apart.
   */
  select(alias: string, fields: readonly (keyof Row & string)[], prefix = ''): string {
    return fields
      .map((field) => `${alias}.${this.column(field).name} as "${prefix}${field}"`)
      .join(', ');
  }
}

/** Returns the table that an entity class declares. */
export const tableOf = <Row extends object>(entity: new () => Row): Table<Row> => new Table(entity);

type Entity = abstract new () => object;

/** Returns a class and the classes that it inherits columns from. */
function lineOf(entity: Entity): Entity[] {
  const parent = Object.getPrototypeOf(entity) as Entity;
  return parent === Function.prototype ? [entity] : [entity, ...lineOf(parent)];
}

function columnOf<Row>(field: keyof Row & string, options: ColumnOptions): TableColumn<Row> {
  const type = options.type as ColumnType;
  const transformer = options.transformer as ValueTransformer | undefined;
  return {
    field,
    name: `"${NAMING.columnName(field, options.name ?? '', [])}"`,
    type,
    isKey: options.primary === true,
    written: options.insert !== false ? 'with-row' : options.update !== false ? 'amended' : 'apart',
    isUpdated: options.update !== false,
    schema: schemaOf(type, options),
    value: transformer
      ? (row) => transformer.to(row[field] ?? null) as unknown
      : (row) => row[field],
  };
}

function schemaOf(
  type: ColumnType,
  { enum: values, nullable = false }: ColumnOptions,
): ColumnSchema {
  const schema = type === 'bytea' ? ({ type: 'string' } as const) : SCHEMAS[type];
  return {
    ...(values ? { type: schema.type, enum: values as readonly (string | number)[] } : schema),
    nullable,
  };
}
