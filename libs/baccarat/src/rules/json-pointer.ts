/**
 * Returns the JSON pointer (RFC 6901) of the member `key` of the value at `parent`. The pointer of
 * a whole document is empty.
 */
export const pointerTo = (parent: string, key: string | number): string =>
  `${parent}/${String(key).replace(/~/g, '~0').replace(/\//g, '~1')}`;

/**
 * Returns whether `pointer` refers to a value of `document`. Returns `false` for an invalid
 * pointer, and never throws.
 */
export function leadsSomewhere(document: unknown, pointer: string): boolean {
  if (pointer === '') return true;
  if (!pointer.startsWith('/')) return false;
  let at = document;
  for (const step of pointer.slice(1).split('/')) {
    const key = step.replace(/~1/g, '/').replace(/~0/g, '~');
    if (Array.isArray(at) ? !isIndex(key, at.length) : !isRecord(at) || !Object.hasOwn(at, key))
      return false;
    at = (at as Record<string, unknown>)[key];
  }
  return true;
}

const isIndex = (key: string, length: number): boolean =>
  /^(0|[1-9]\d{0,8})$/.test(key) && Number(key) < length;

/** Returns whether a JSON value is an object: neither a list nor null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
