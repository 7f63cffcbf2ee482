import { textOfUtf8, utf8Of } from '../bytes.js';

const KEPT = /^[A-Za-z0-9\-._~]$/;
const NAME = /^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})+$/;

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
