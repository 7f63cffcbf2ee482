import type { Block } from '#audit';

/** The owner of a line whose table is not evident from its bytes. Every worker decodes it. */
export const EVERYONE = -1;

const OPENING = '{"specversion":"1.0","type":"';
const TABLE = ',"table":"';

/**
 * Divides the tables of a log among workers without decoding every line. Each worker sees every
 * line and computes the same owner: tables are assigned in turn, in the order in which they first
 * appear.
 */
export class TableShares {
  private readonly owners = new Map<string, number>();

  constructor(private readonly workers: number) {}

  /**
   * Returns the worker that owns a line by its bytes alone, or `EVERYONE` if they are not
   * conclusive. In well-formed JSON the text `,"table":"` occurs only at a member's name, and
   * before any second `{` that member is the event's own.
   */
  ofLine({ text }: Block, from: number, to: number): number {
    if (!text.startsWith(OPENING, from)) return EVERYONE;
    const name = text.indexOf(TABLE, from + OPENING.length) + TABLE.length;
    const end = text.indexOf('"', name);
    const object = text.indexOf('{', from + 1);
    if (name < TABLE.length || end < 0 || end >= to || (object >= 0 && object < name))
      return EVERYONE;
    const table = text.substring(name, end);
    return table.includes('\\') ? EVERYONE : this.of(table);
  }

  /** Returns the worker that owns an event of this table, which every worker has decoded. */
  ofTable(name: string): number {
    return this.of(Buffer.from(name, 'utf8').toString('latin1'));
  }

  /** `table` is the name's UTF-8 bytes, one character each. */
  private of(table: string): number {
    const owner = this.owners.get(table);
    if (owner !== undefined) return owner;
    const next = this.owners.size % this.workers;
    this.owners.set(Buffer.from(table, 'latin1').toString('latin1'), next);
    return next;
  }
}
