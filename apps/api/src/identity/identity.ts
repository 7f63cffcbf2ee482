import type { Role } from './permissions.js';
import { NamePatterns } from './name-patterns.js';

/** Whoever sends a request, as found from its token. */
export interface Identity {
  readonly kind: 'person' | 'device';
  /** What goes into `receivedfrom`: `person/<name>` or `device/<key name>`. */
  readonly id: string;
  readonly roles: readonly (Role | 'device')[];
  /** The tables that it may see, by their exact ids. */
  readonly tables: 'all' | readonly string[];
  readonly writes: WriteScope;
}

/** Whether what is asked about this table may be shown to the identity. */
export const seesTable = ({ tables }: Identity, table: string): boolean =>
  tables === 'all' || tables.includes(table);

/** The event types that only our own commands and the auditor write, whatever an identity lists. */
const OURS = /^(gap-declared|finding-.*|export-.*)$/;

/** What an identity may write: every event must be in all three lists. */
export class WriteScope {
  private readonly sources: NamePatterns;
  private readonly types: NamePatterns;
  private readonly tables: NamePatterns;

  /** Patterns with `*` for any text; types by their short names, `card-drawn`. */
  constructor(lists: {
    readonly sources: readonly string[];
    readonly types: readonly string[];
    readonly tables: readonly string[];
  }) {
    this.sources = new NamePatterns(lists.sources);
    this.types = new NamePatterns(lists.types);
    this.tables = new NamePatterns(lists.tables);
  }

  /** What of an event is not the identity's to write, or undefined where all of it is. `type` is the short name. */
  refuses({
    source,
    type,
    table,
  }: {
    readonly source: string;
    readonly type: string;
    readonly table: string;
  }): 'source' | 'type' | 'table' | undefined {
    if (!this.sources.has(source)) return 'source';
    if (OURS.test(type) || !this.types.has(type)) return 'type';
    if (!this.tables.has(table)) return 'table';
    return undefined;
  }
}
