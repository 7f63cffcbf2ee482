/** The files about the site log. */
export const SITE_FILES = {
  statement: 'data/package.json',
  checkpoint: 'data/site/checkpoint',
  names: 'data/site/names',
  leaves: 'data/site/leaves.ndjson',
  proof: 'data/site/proof.json',
  since: 'data/site/since.json',
} as const;

/** Returns the path of a file about a table. */
export const tableFile = (
  number: number,
  name: 'events.ndjson' | 'records.csv' | 'heads.ndjson' | 'proof.json' | ProvenFile,
): string => `data/tables/${number}/${name}`;

/** The files of records outside the range. */
export type ProvenFile = 'context.ndjson' | 'later.ndjson';
