import { HOUSE_TABLE, SENT_TYPES } from '#audit';
import { isUnkeyed } from '#evidence';
import { type Permission, permitted, type Role } from './permissions.js';
import { NamePatterns } from './name-patterns.js';

/** The sender of a request, as its token identifies it. */
export interface Identity {
  readonly kind: 'person' | 'device';
  /** The value of the stamp `receivedfrom`: `person/<account name>` or `device/<key name>`. */
  readonly id: string;
  /** What only a person has; undefined for a device. */
  readonly person: Person | undefined;
  readonly roles: readonly (Role | 'device')[];
  /** The tables that it may see, by their exact ids. */
  readonly tables: 'all' | readonly string[];
  readonly writes: WriteScope;
  /** The id of the request, as its answer and lines of the log have it. */
  readonly instance?: string;
}

/** The account and the session of a person who sends a request. */
export interface Person {
  readonly account: string;
  /** The id of the human, under which the account writes: `person/<id>`. */
  readonly id: string;
  readonly session: string;
  /** When the session ends at the latest. */
  readonly expiresAt: Date;
  /** When they last proved who they are: by signing in, or by confirming that since. */
  readonly confirmedAt: Date;
  readonly wallDisplay: boolean;
  readonly secondFactor: boolean;
  /** What the person has to do before anything else. */
  readonly mustDo: FirstDuty | undefined;
  /** The id of the request, as its answer and lines of the log have it. */
  readonly instance?: string;
}

/** What a person must do after a sign-in, before anything else. */
export type FirstDuty = 'password-change' | 'second-factor';

/** The permissions that remain while a person has a duty. */
const WITH_DUTY: Readonly<Record<FirstDuty, readonly Permission[]>> = {
  'password-change': ['own-session', 'own-password'],
  'second-factor': ['own-session', 'own-password', 'own-factor'],
};
/** What a wall display may do. A permission of any other name may write, so it is refused. */
const READS = /^(own|read|report|follow)-/;

/**
 * Returns whether the identity may do this: `yes`, `no`, or the duty that the person has to fulfil
 * first.
 */
export function may({ roles, person }: Identity, permission: Permission): 'yes' | 'no' | FirstDuty {
  if (!permitted(permission, roles) || (person?.wallDisplay && !READS.test(permission)))
    return 'no';
  return person?.mustDo && !WITH_DUTY[person.mustDo].includes(permission) ? person.mustDo : 'yes';
}

/**
 * Returns whether the identity may see every table that these entries match. Only `all` covers a
 * pattern.
 */
export const covers = ({ tables }: Pick<Identity, 'tables'>, entries: readonly string[]): boolean =>
  tables === 'all' || entries.every((entry) => tables.includes(entry));

/** Returns the tables that an account with this list may see. */
export const seenBy = (tables: readonly string[]): Identity['tables'] =>
  tables.includes('*') ? 'all' : tables;

/** Returns the source of what an identity does: `person/<person>` or `device/<key name>`. */
export const actorOf = ({ person, id }: Pick<Identity, 'person' | 'id'>): string =>
  person ? `person/${person.id}` : id;

/** Returns what a line of the log says of who asked: the identity, and the id of its request. */
export const asker = ({ id, instance }: Identity) => ({ by: id, instance });

/** Returns whether the identity may see this table. */
export const seesTable = ({ tables }: Identity, table: string): boolean =>
  tables === 'all' || tables.includes(table);

const SENT: ReadonlySet<string> = new Set(SENT_TYPES);

/** The sources that only the server itself writes, even if an identity lists them. */
const OUR_SOURCES = 'system/';

/**
 * What an identity may write. The source, the type and the table of an event must each match its
 * list. Never the types of the auditor and the api, and never the record of the house.
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

  /** Returns whether the list of tables has this one by its name. */
  names(table: string): boolean {
    return this.tables.names(table);
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
    if (!SENT.has(type) || !this.types.has(type)) return 'type';
    if (table === HOUSE_TABLE || isUnkeyed(table)) return 'table';
    if (!this.tables.has(table)) return 'table';
    return undefined;
  }
}
