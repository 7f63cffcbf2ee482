import type pg from 'pg';

/** The database role of an api: it reads rows, and decides about parked tables and partitions. */
export const API_ROLE = 'shoeprint_api';
/** The database role of an auditor: it writes rows, and has no access to accounts. */
export const AUDITOR_ROLE = 'shoeprint_auditor';

/** What a role may do with a schema: the statements that grant it. */
export type Grants = Readonly<Partial<Record<string, readonly string[]>>>;

/**
 * Returns what the api and the auditor may do with a schema of rows, whose name is quoted for SQL.
 * Neither may change the list of migrations, or a decision to pass a record.
 */
export const rowGrants = (schema: string): Grants => ({
  [API_ROLE]: [
    `grant usage on schema ${schema} to ${API_ROLE}`,
    `grant select on all tables in schema ${schema} to ${API_ROLE}`,
    `grant update (asked, asked_by, asked_at) on ${schema}.parked to ${API_ROLE}`,
    `grant update (stopped_reason, stopped_offset, stopped_line, stopped_at) on ${schema}.position to ${API_ROLE}`,
    `grant insert on ${schema}.passed_record to ${API_ROLE}`,
  ],
  [AUDITOR_ROLE]: [
    ...writes(schema, AUDITOR_ROLE),
    `revoke insert, update, delete on ${schema}.passed_record from ${AUDITOR_ROLE}`,
  ],
});

/** Returns the statements that let a role read and write all tables of a schema. */
export const writes = (schema: string, role: string): string[] => [
  `grant usage on schema ${schema} to ${role}`,
  `grant select, insert, update, delete on all tables in schema ${schema} to ${role}`,
  `grant usage on all sequences in schema ${schema} to ${role}`,
  `revoke insert, update, delete on ${schema}.migration from ${role}`,
];

/** Makes grants to the roles that the server has. A set-up with one user for all has none. */
export async function grant(client: pg.ClientBase, grants: Grants): Promise<void> {
  const { rows } = await client.query<{ role: string }>(
    'select rolname as role from pg_roles where rolname = any ($1)',
    [Object.keys(grants)],
  );
  for (const { role } of rows)
    for (const statement of grants[role] ?? []) await client.query(statement);
}
