import type { QueryRunner } from 'typeorm';

/** Returns the quoted schema that a migration runs in, which its data source names. */
export function schemaOf(runner: QueryRunner): string {
  const { schema } = runner.dataSource.options as { readonly schema?: string };
  if (!schema) throw new Error('the data source has no schema');
  return `"${schema}"`;
}
