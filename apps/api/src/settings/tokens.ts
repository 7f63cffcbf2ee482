import type { RuleBook } from '#audit';

/** The rule documents that the server judges by, as an injectable. */
export class InstalledRules {
  constructor(readonly book: RuleBook) {}
}

/** The name of the TypeORM data source that rows are read from: `@InjectDataSource(ROWS)`. */
export const ROWS = 'rows';
