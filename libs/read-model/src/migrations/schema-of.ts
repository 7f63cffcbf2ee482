import type { QueryRunner } from 'typeorm';

/** Returns the schema, quoted, that a migration runs in: the one that its data source is bound to. */
export function schemaOf(runner: QueryRunner): string {
  const { schema } = runner.connection.options as { readonly schema?: string };
  if (!schema) throw new Error('the data source of the rows names no schema');
  return `"${schema}"`;
}
