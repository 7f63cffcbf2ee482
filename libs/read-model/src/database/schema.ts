/** The schema that is read and written. */
export const ROWS_SCHEMA = 'rows';

const NAME = /^[a-z_][a-z0-9_]{0,49}$/;

/** A schema's name as it stands in SQL. Throws on a name that is not plain, so none can carry SQL of its own. */
export function quotedSchema(schema: string): string {
  if (!NAME.test(schema))
    throw new Error(
      `"${schema}" is no name for a schema: small letters, digits and _ only, at most 50`,
    );
  return `"${schema}"`;
}

/** The channel on which commits of a schema are told: `p:next,…`, or nothing where that would be too long. A hint to look, never the truth. */
export const channelOf = (schema: string): string => `shoeprint_${schema}`;
