/** The names that an event's line begins with. */
export interface HeadNames {
  readonly source: string;
  readonly table: string;
  readonly shoe: string | undefined;
  readonly session: string | undefined;
}

/**
 * One string for each name of a log: names are compared with each other at every event, which is a comparison of two
 * pointers where equal names are the same string. The copies do not keep the block alive that they were cut from.
 */
export class Names {
  private readonly known = new Map<string, string>();

  of(name: string): string {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    if (this.known.size > NAMES_MAX) this.known.clear();
    const copy = flat(name);
    this.known.set(copy, copy);
    return copy;
  }

  ofAll({ source, table, shoe, session }: HeadNames): HeadNames {
    return { source: this.of(source), table: this.of(table), shoe: shoe === undefined ? undefined : this.of(shoe), session: session === undefined ? undefined : this.of(session) };
  }
}

const NAMES_MAX = 65_536;

/** A copy that does not keep the block alive that it was cut from. */
export const flat = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
