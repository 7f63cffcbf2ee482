/** The names that an event's line begins with. */
export interface HeadNames {
  readonly source: string;
  readonly table: string;
  readonly shoe: string | undefined;
  readonly session: string | undefined;
}

/**
 * One string for each name of a log: names are compared with each other at every event, which is a comparison of two
 * pointers where equal names are the same string. The copies do not keep the block alive that they were cut from. What is
 * remembered is bounded, whatever a sender calls itself: no long name is, and beyond `CHARACTERS_MAX` all are gathered anew.
 */
export class Names {
  private readonly known = new Map<string, string>();
  private characters = 0;

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
/** No table, device or shoe of a house has a longer name; events may, and are then compared letter by letter. */
export const NAME_LENGTH_MAX = 200;
const CHARACTERS_MAX = 2_000_000;

/** A copy that does not keep the block alive that it was cut from. */
export const flat = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
