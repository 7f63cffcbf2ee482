import type { Table } from '#read-model';
import { ColumnOf } from './answer-fields.js';

/**
 * Returns the base class for answers with these columns of a table, in this order, each as its
 * entity declares it. `described` has the fields that an answer describes further.
 */
export function columnsAnswerOf<Row extends object, Field extends keyof Row & string>(
  table: Table<Row>,
  fields: readonly Field[],
  described: { readonly [field in Field]?: PropertyDecorator } = {},
): new () => Pick<Row, Field> {
  class ColumnsAnswer {
    readonly [field: string]: unknown;
  }
  for (const field of fields) (described[field] ?? ColumnOf(table))(ColumnsAnswer.prototype, field);
  return ColumnsAnswer as new () => Pick<Row, Field>;
}
