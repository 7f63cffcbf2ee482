import type { RuleBook } from '#audit';

/** The rule documents that the server judges by, as an injectable. */
export class InstalledRules {
  constructor(readonly book: RuleBook) {}
}

/** The address of the database that holds accounts, keys and rows. */
export class DatabaseUrl {
  constructor(readonly url: string) {}
}

/** The name of the TypeORM data source that rows are read from: `@InjectDataSource(ROWS)`. */
export const ROWS = 'rows';
