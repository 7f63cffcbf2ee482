import type { Role } from './permissions.js';
import { NamePatterns } from './name-patterns.js';

/** The sender of a request, as its token identifies it. */
export interface Identity {
  readonly kind: 'person' | 'device';
  /** The value of the stamp `receivedfrom`: `person/<name>` or `device/<key name>`. */
  readonly id: string;
  readonly roles: readonly (Role | 'device')[];
  /** The tables that it may see, by their exact ids. */
  readonly tables: 'all' | readonly string[];
  readonly writes: WriteScope;
}

/** Returns whether the identity may see this table. */
export const seesTable = ({ tables }: Identity, table: string): boolean =>
  tables === 'all' || tables.includes(table);

/**
 * The event types that only our own commands and the auditor write, even if an identity lists them.
 */
const OURS = /^(gap-declared|finding-.*|export-.*)$/;

/** The sources that only the server itself writes, even if an identity lists them. */
const OUR_SOURCES = 'system/';

/**
 * What an identity may write. The source, the type and the table of an event must each match its
 * list.
 */
export class WriteScope {
  private readonly sources: NamePatterns;
  private readonly types: NamePatterns;
  private readonly tables: NamePatterns;

  /** Takes lists in which `*` matches any text. Types are short names, such as `card-drawn`. */
  constructor(lists: {
    readonly sources: readonly string[];
    readonly types: readonly string[];
    readonly tables: readonly string[];
  }) {
    this.sources = new NamePatterns(lists.sources);
    this.types = new NamePatterns(lists.types);
    this.tables = new NamePatterns(lists.tables);
  }

  /**
   * Returns the part of an event that the identity may not write, or undefined if it may write the
   * event. `type` is the short name.
   */
  refuses({
    source,
    type,
    table,
  }: {
    readonly source: string;
    readonly type: string;
    readonly table: string;
  }): 'source' | 'type' | 'table' | undefined {
    if (source.startsWith(OUR_SOURCES) || !this.sources.has(source)) return 'source';
    if (OURS.test(type) || !this.types.has(type)) return 'type';
    if (!this.tables.has(table)) return 'table';
    return undefined;
  }
}
