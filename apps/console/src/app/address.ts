/**
 * What an address says after its `?`, as texts. A list is one text with commas, so that an address
 * stays readable: `?severity=1,2`.
 */
export type Search = Readonly<Record<string, string>>;

/** In an address, the value of a filter that selects what has no value, such as no dealer. */
export const NONE = '-';

/** Reads the part of an address after `?`. The last of several equal names counts. */
export const parseSearch = (text: string): Search =>
  Object.fromEntries(new URLSearchParams(text.replace(/^\?/, '')));

/** Writes the part of an address after `?`. Leaves out what is empty or undefined. */
export function writeSearch(search: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  const text = new URLSearchParams(entries).toString().replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}
