/**
 * The characters that a reader does not see, or that change how the text around them is shown, as
 * the inside of a class of a regular expression: controls, line and paragraph separators, and the
 * marks that turn the direction of text.
 */
export const UNSEEN = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;

const ANY_UNSEEN = new RegExp(`[${UNSEEN}]`, 'g');

const escape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Returns a text for people with its unseen characters escaped: `B07\u202e`. Names in events may
 * hold any character, so a name from the record passes here before a person reads it. JSON on one
 * line stays the same JSON: an escape of JSON takes the place of the character.
 */
export const visible = (text: string): string => text.replace(ANY_UNSEEN, escape);

/** Returns at most the first `most` UTF-16 units of a text, without half a character at the end. */
export const excerpt = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;

/** Returns a copy of plain data with every text, and every text within it, made visible. */
export function visibleAll<T>(value: T): T {
  if (typeof value === 'string') return visible(value) as T;
  if (Array.isArray(value)) return value.map((each: unknown) => visibleAll(each)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, visibleAll(each as unknown)]),
  ) as T;
}
