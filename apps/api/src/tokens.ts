/**
 * What createApi hands to the modules, by injection token: `@Inject(EVENT_LOG) log: EventLog`. `Metrics` is injected by its
 * own class; the rows by `@InjectDataSource(ROWS)`, accounts and keys by `DataSource`.
 */
export const SETTINGS = Symbol('ApiSettings');
export const EVENT_LOG = Symbol('EventLog');
export const RULE_BOOK = Symbol('RuleBook');
/** The name of the TypeORM data source on which rows are read. */
export const ROWS = 'rows';
