/** At most so many names are remembered for each list; beyond, it is asked anew. Bounds the memory that a sender of made-up names can take. */
const REMEMBERED_MAX = 4096;
/** A longer name is asked anew each time: names may be as long as an event. */
const NAME_LENGTH_MAX = 200;

/** A list of names in which `*` stands for any text: `device/B07-*`. A list of `*` alone is every name; an empty list is none. */
export class NamePatterns {
  private readonly exact: ReadonlySet<string>;
  private readonly patterns: readonly RegExp[];
  private readonly asked = new Map<string, boolean>();

  constructor(readonly list: readonly string[]) {
    this.exact = new Set(list.filter((name) => !name.includes('*')));
    this.patterns = list.filter((name) => name.includes('*')).map(patternOf);
  }

  /** Whether the name is on the list. Answers from memory the second time: events of one sender repeat their names. */
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
