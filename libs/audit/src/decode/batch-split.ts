/**
 * The ranges of a JSON array's elements, or the reason why these bytes are not an array or have too
 * many elements.
 */
export type Split =
  | {
      readonly is: 'array';
      /** Start and end of each element in turn, without surrounding spaces. */
      readonly ranges: readonly number[];
    }
  | { readonly is: 'no-array'; readonly reason: string }
  | { readonly is: 'too-many' };

/**
 * Splits a JSON array without parsing its elements. The caller parses each element and refuses
 * invalid JSON in it; together they refuse exactly what JSON.parse refuses. Uses constant memory
 * for any depth, and stops at `elementsMax`.
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
    : noArray('continues after the array', after);
}

/**
 * Returns the position of the comma or bracket that ends the element at `from`, or the end of the
 * bytes if there is none.
 */
function endOfElement(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let depth = 0;
  for (let at = from; at < length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = closingQuote(bytes, at + 1);
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

/**
 * Returns the position of a string's closing quote. Bytes of UTF-8 beyond ASCII never look like a
 * quote.
 */
function closingQuote(bytes: Uint8Array, from: number): number {
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
