import { textOfUtf8, utf8Of } from '../bytes.js';

const KEPT = /^[A-Za-z0-9\-._~]$/;
const NAME = /^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})+$/;
/** The longest id of a table, in bytes of UTF-8: contract section 8. */
const ID_BYTES_MAX = 16 * 1024;
const UNKEYED = /^@unkeyed-(?:0|[1-9]\d*)$/;

/**
 * Returns the table in whose tree a record of the log is: its key. A record whose key is empty or
 * over 16 KiB, which only another program writes, is in the tree `@unkeyed-<partition>`.
 */
export function tableOfRecord({
  key,
  partition,
}: {
  readonly key: string;
  readonly partition: number;
}): string {
  if (key === '') return unkeyed(partition);
  const isShort = key.length <= ID_BYTES_MAX / 3; // a code unit has at most three bytes
  return isShort || utf8Of(key).length <= ID_BYTES_MAX ? key : unkeyed(partition);
}

const unkeyed = (partition: number): string => `@unkeyed-${partition}`;

/** Returns whether a table is one of those that records with no table as their key are sealed in. */
export const isUnkeyed = (table: string): boolean => UNKEYED.test(table);

/**
 * Returns the name of a table: the bytes of its id, each but letters, digits and `-._~` as `%XX` in
 * capitals.
 */
export function nameOfTable(table: string): string {
  return Array.from(utf8Of(table), (byte) => {
    const letter = String.fromCharCode(byte);
    return KEPT.test(letter) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** Returns the id of the table that a name stands for, or undefined if `nameOfTable` writes no such name. */
export function tableOfName(name: string): string | undefined {
  if (!NAME.test(name)) return undefined;
  const bytes = name
    .match(/%..|./g)
    ?.map((part) => (part.length === 1 ? part.charCodeAt(0) : Number.parseInt(part.slice(1), 16)));
  const table = textOfUtf8(Uint8Array.from(bytes ?? []));
  return table !== undefined && nameOfTable(table) === name ? table : undefined;
}
