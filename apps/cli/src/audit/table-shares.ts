/** The owner of a line whose table is not evident from its text. Every worker decodes it. */
export const EVERYONE = -1;

const OPENING = '{"specversion":"1.0","type":"';
const TABLE = ',"table":"';

/**
 * Divides the tables of a log among workers. Each worker sees every line and computes the same
 * owner: tables are assigned in turn, in the order in which they first appear.
 */
export class TableShares {
  private readonly owners = new Map<string, number>();

  constructor(private readonly workers: number) {}

  /** Returns the worker that owns the events of a table. */
  ofTable(name: string): number {
    const owner = this.owners.get(name);
    if (owner !== undefined) return owner;
    const next = this.owners.size % this.workers;
    this.owners.set(name, next);
    return next;
  }

  /**
   * Returns the worker that owns a line by its bytes, one character each, without decoding it; or
   * `EVERYONE` if they are not conclusive. In well-formed JSON the text `,"table":"` occurs only at
   * a member's name, and before any second `{` that member is the event's own.
   */
  ofLine(text: string): number {
    if (!text.startsWith(OPENING)) return EVERYONE;
    const name = text.indexOf(TABLE, OPENING.length) + TABLE.length;
    const end = text.indexOf('"', name);
    const object = text.indexOf('{', 1);
    if (name < TABLE.length || end < 0 || (object >= 0 && object < name)) return EVERYONE;
    const table = text.substring(name, end);
    return table.includes('\\') ? EVERYONE : this.ofTable(nameIn(table));
  }
}

/** Returns a name from its UTF-8 bytes, one character each. */
const nameIn = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
