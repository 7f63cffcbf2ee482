/**
 * The most names in the cache of a list. Beyond it, the cache is emptied. This bounds the memory
 * that a sender of invented names can take.
 */
const REMEMBERED_MAX = 4096;
/** Longer names are not cached, because a name may be as long as an event. */
const REMEMBERED_LENGTH_MAX = 200;
/** A pattern matches no name that is longer. */
const MATCHED_LENGTH_MAX = 400;
/** The most stars in one pattern. */
export const STARS_MAX = 4;

/**
 * A list of names in which `*` matches any text, such as `device/B07-*`. A list of `*` alone
 * matches every name. An empty list matches no name.
 */
export class NamePatterns {
  private readonly exact: ReadonlySet<string>;
  private readonly patterns: readonly string[];
  private readonly asked = new Map<string, boolean>();

  constructor(readonly list: readonly string[]) {
    this.exact = new Set(list.filter((name) => !name.includes('*')));
    this.patterns = list.filter((name) => name.includes('*'));
  }

  /** Returns whether the list has this name itself, rather than a pattern that matches it. */
  names(name: string): boolean {
    return this.exact.has(name);
  }

  /**
   * Returns whether the list matches a name. Caches the result, because the events of one sender
   * repeat their names.
   */
  has(name: string): boolean {
    const known = this.asked.get(name);
    if (known !== undefined) return known;
    const has = this.exact.has(name) || this.patterns.some((pattern) => matches(pattern, name));
    if (name.length > REMEMBERED_LENGTH_MAX) return has;
    if (this.asked.size >= REMEMBERED_MAX) this.asked.clear();
    this.asked.set(name, has);
    return has;
  }
}

/**
 * Returns whether a pattern matches a name: its stars match any text, everything else itself.
 * Compares at most as many characters as the product of the two lengths. `*` alone matches a name
 * of any length, other patterns one of at most 400 characters.
 */
export function matches(pattern: string, name: string, count: () => unknown = ignored): boolean {
  if (/^\*+$/.test(pattern)) return true;
  if (name.length > MATCHED_LENGTH_MAX) return false;
  let [at, from] = [0, 0];
  // where the last star was, and the end of the text that it matches so far
  let [star, matched] = [-1, 0];
  while (from < name.length) {
    count();
    if (pattern[at] === '*') {
      star = at;
      matched = from;
      at += 1;
    } else if (at < pattern.length && pattern[at] === name[from]) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      matched += 1;
      [at, from] = [star + 1, matched];
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

const ignored = (): void => undefined;
