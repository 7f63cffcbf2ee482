/** Where the elements of a JSON array lie, or why these bytes are no array, or one of too many elements. */
export type Split =
  | {
      readonly is: 'array';
      /** Begin and end of each element by turns, spaces around it left out. */ readonly ranges: readonly number[];
    }
  | { readonly is: 'no-array'; readonly reason: string }
  | { readonly is: 'too-many' };

/**
 * Takes a JSON array apart without reading its elements. Whoever reads them refuses what is no JSON in them; then array
 * and elements together refuse exactly what JSON.parse refuses. Depth costs nothing, and looking ends at `elementsMax`.
 */
export function splitArray(bytes: Uint8Array, elementsMax: number): Split {
  let at = pastSpace(bytes, 0);
  if (bytes[at] !== OPEN_LIST) return noArray('does not begin with [', at);
  const ranges: number[] = [];
  at = pastSpace(bytes, at + 1);
  const empty = bytes[at] === CLOSE_LIST;
  while (!empty) {
    if (ranges.length === 2 * elementsMax) return { is: 'too-many' };
    const to = endOfElement(bytes, at);
    if (to === bytes.length) return noArray('ends within the array', to);
    const end = beforeSpace(bytes, at, to);
    if (end === at) return noArray('has no element where one is due', at);
    ranges.push(at, end);
    at = to;
    if (bytes[at] === CLOSE_LIST) break;
    at = pastSpace(bytes, at + 1);
  }
  const after = pastSpace(bytes, at + 1);
  return after === bytes.length
    ? { is: 'array', ranges }
    : noArray('goes on after the array', after);
}

/** Where the element that begins at `from` has the comma or bracket that ends it; the end of the bytes where it has none. */
function endOfElement(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let depth = 0;
  for (let at = from; at < length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at + 1);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        break;
      case CLOSE_LIST:
        if (depth === 0) return at;
        depth -= 1;
        break;
      case CLOSE_OBJECT:
        if (depth > 0) depth -= 1;
        break;
      case COMMA:
        if (depth === 0) return at;
        break;
      default:
    }
  }
  return length;
}

/** Where the string has its closing quote; bytes of UTF-8 beyond ASCII are never taken for one. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte !== QUOTE && byte !== undefined; byte = bytes[at])
    at += byte === BACKSLASH ? 2 : 1;
  return at;
}

function pastSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function beforeSpace(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && isSpace(bytes[end - 1])) end -= 1;
  return end;
}

const noArray = (reason: string, at: number): Split => ({
  is: 'no-array',
  reason: `${reason} (byte ${at})`,
});

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
