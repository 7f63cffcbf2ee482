import type { RuleBook } from '#audit';
import type { ExportSources } from '../exports/export-settings.js';

/** The rule documents that the server judges by, as an injectable. */
export class InstalledRules {
  constructor(readonly book: RuleBook) {}
}

/** The address of the database that holds accounts, keys and rows. */
export class DatabaseUrl {
  constructor(readonly url: string) {}
}

/** What packages are made from, as an injectable; undefined if this server makes none. */
export class ExportFrom {
  constructor(readonly sources: ExportSources | undefined) {}
}

/** Why the judging and the sealing in this process fail. Empty while they do not. */
export interface RunsBeside {
  readonly judging: () => readonly string[];
  readonly sealing: () => readonly string[];
}

/** What runs beside the api in its process, as an injectable; undefined if nothing does. */
export class Beside {
  constructor(readonly parts: RunsBeside | undefined) {}
}

/** The name of the TypeORM data source that rows are read from: `@InjectDataSource(ROWS)`. */
export const ROWS = 'rows';

/**
 * The name of the data source that the stream and readers who wait for a position use, apart from
 * `ROWS`, so that lists and reports cannot delay them: `@InjectDataSource(FOLLOWED)`.
 */
export const FOLLOWED = 'followed';

/** The most streams that read the database for themselves at once. Others wait for their turn. */
export const RESUMING_MAX = 3;
