/** The default schema of the rows. */
export const ROWS_SCHEMA = 'rows';

const NAME = /^[a-z_][a-z0-9_]{0,49}$/;

/**
 * Returns a schema's name quoted for SQL. Throws if the name has other characters than lowercase
 * letters, digits and `_`, so a name cannot inject SQL.
 */
export function quotedSchema(schema: string): string {
  if (!NAME.test(schema))
    throw new Error(
      `"${schema}" is not a schema name (expected at most 50 lowercase letters, digits and _, not a digit first)`,
    );
  return `"${schema}"`;
}

/**
 * Returns the channel that notifies about commits to a schema. The payload is `partition:next,…`,
 * or empty if that would be too long. A notification is only a hint to read the positions.
 */
export const channelOf = (schema: string): string => `shoeprint_${schema}`;
