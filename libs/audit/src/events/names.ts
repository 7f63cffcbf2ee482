/** The names at the beginning of an event's line. */
export interface HeadNames {
  readonly source: string;
  readonly table: string;
  readonly shoe: string | undefined;
  readonly session: string | undefined;
}

/**
 * Interns the names of a log. Every event compares names, and equal interned strings are compared
 * by pointer. The copies do not keep the block alive that they were cut from. Memory is bounded
 * against senders that invent names: long names are not interned, and past `CHARACTERS_MAX` the
 * table starts again empty.
 */
export class Names {
  private characters = 0;

  /** `known` is where it keeps the names. */
  constructor(private readonly known = new Map<string, string>()) {}

  of(name: string): string {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const copy = flat(name);
    if (copy.length <= NAME_LENGTH_MAX) this.remember(copy);
    return copy;
  }

  private remember(name: string): void {
    if (this.known.size >= NAMES_MAX || this.characters + name.length > CHARACTERS_MAX) {
      this.known.clear();
      this.characters = 0;
    }
    this.known.set(name, name);
    this.characters += name.length;
  }

  ofAll({ source, table, shoe, session }: HeadNames): HeadNames {
    return {
      source: this.of(source),
      table: this.of(table),
      shoe: shoe === undefined ? undefined : this.of(shoe),
      session: session === undefined ? undefined : this.of(session),
    };
  }
}

const NAMES_MAX = 65_536;
/**
 * Tables, devices and shoes of a house have shorter names. Events may have longer ones, which are
 * compared character by character.
 */
export const NAME_LENGTH_MAX = 200;
const CHARACTERS_MAX = 2_000_000;

/**
 * Returns a copy that does not keep the block alive that it was cut from. V8 copies the joined text
 * to cut it again; to write and read it as JSON takes four times as long.
 */
export const flat = (text: string): string => ` ${text}`.slice(1);
