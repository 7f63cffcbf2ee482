import type { Block } from '#audit';

/** Tables taken by all, because it cannot be told at a glance which one a line is of. */
export const EVERYONE = -1;

const OPENING = '{"specversion":"1.0","type":"';
const TABLE = ',"table":"';

/**
 * Parts the tables of a log among workers without decoding every line. Each worker sees every line and comes to the same
 * answer: tables are dealt out in turn, in the order in which they first appear.
 */
export class TableShares {
  private readonly owners = new Map<string, number>();

  constructor(private readonly workers: number) {}

  /**
   * The worker to which a line belongs by its bytes alone, or `EVERYONE` where they do not say plainly. In well-formed JSON
   * the text `,"table":"` stands nowhere but at a member's name, and before any second `{` that member is the event's own.
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

  /** The worker to which an event belongs that everyone has read. */
  ofTable(name: string): number {
    return this.of(Buffer.from(name, 'utf8').toString('latin1'));
  }

  /** `table` is the name's UTF-8 bytes, a character each. */
  private of(table: string): number {
    const owner = this.owners.get(table);
    if (owner !== undefined) return owner;
    const next = this.owners.size % this.workers;
    this.owners.set(Buffer.from(table, 'latin1').toString('latin1'), next);
    return next;
  }
}
