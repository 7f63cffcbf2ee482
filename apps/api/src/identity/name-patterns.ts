/**
 * The most names in the cache of a list. Beyond it, the cache is emptied. This bounds the memory
 * that a sender of invented names can take.
 */
const REMEMBERED_MAX = 4096;
/** Longer names are not cached, because a name may be as long as an event. */
const NAME_LENGTH_MAX = 200;

/**
 * A list of names in which `*` matches any text, such as `device/B07-*`. A list of `*` alone
 * matches every name. An empty list matches no name.
 */
export class NamePatterns {
  private readonly exact: ReadonlySet<string>;
  private readonly patterns: readonly RegExp[];
  private readonly asked = new Map<string, boolean>();

  constructor(readonly list: readonly string[]) {
    this.exact = new Set(list.filter((name) => !name.includes('*')));
    this.patterns = list.filter((name) => name.includes('*')).map(patternOf);
  }

  /**
   * Returns whether the list matches a name. Caches the result, because the events of one sender
   * repeat their names.
   */
  has(name: string): boolean {
    const known = this.asked.get(name);
    if (known !== undefined) return known;
    const has = this.exact.has(name) || this.patterns.some((pattern) => pattern.test(name));
    if (name.length > NAME_LENGTH_MAX) return has;
    if (this.asked.size >= REMEMBERED_MAX) this.asked.clear();
    this.asked.set(name, has);
    return has;
  }
}

const patternOf = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split(/\*+/)
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );
