/** The files about the site log. */
export const SITE_FILES = {
  statement: 'data/package.json',
  checkpoint: 'data/site/checkpoint',
  names: 'data/site/names',
  leaves: 'data/site/leaves.ndjson',
  proof: 'data/site/proof.json',
  since: 'data/site/since.json',
} as const;

/** The files about a table. */
export type TableFile =
  'events.ndjson' | 'records.csv' | 'heads.ndjson' | 'proof.json' | ProvenFile;

/** The files of records outside the range. */
export type ProvenFile = 'context.ndjson' | 'later.ndjson';

/** Returns the path of a file about a table. */
export const tableFile = (number: number, name: TableFile): string =>
  `data/tables/${number}/${name}`;
