/** A field that breaks the grammar. Its message names the field and the reason. */
export class FieldProblem extends Error {}

/** How a field is read and written. */
export interface FieldKind {
  /** Returns the value of unescaped text. Throws `FieldProblem`. */
  read(text: string, name: string): unknown;
  write(value: unknown): string;
}

// Control characters cannot be seen, and a record cannot hold U+0000.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Text of at least one character, without control characters. */
export const text: FieldKind = {
  read(value, name) {
    if (value === '') throw new FieldProblem(`${name}: must not be empty`);
    const control = CONTROL.exec(value)?.[0].charCodeAt(0);
    if (control === undefined) return value;
    const code = control.toString(16).toUpperCase().padStart(4, '0');
    throw new FieldProblem(`${name}: contains the control character U+${code}`);
  },
  write: String,
};

/** Returns a kind of whole numbers, written in decimal without leading zeros. */
export const whole = (from: number, to: number = Number.MAX_SAFE_INTEGER): FieldKind => ({
  read(value, name) {
    const number = /^(0|[1-9][0-9]{0,15})$/.test(value) ? Number(value) : NaN;
    if (number >= from && number <= to) return number;
    throw new FieldProblem(`${name}: "${value}" must be a whole number from ${from} to ${to}`);
  },
  write: String,
});

/** Returns a kind of a few words, each written as one letter or as itself. */
export function oneOf(words: Readonly<Record<string, unknown>>): FieldKind {
  const written = Object.entries(words);
  return {
    read(value, name) {
      if (Object.hasOwn(words, value)) return words[value];
      const list = written.map(([letter]) => letter).join(', ');
      throw new FieldProblem(`${name}: "${value}" must be one of ${list}`);
    },
    write: (value) => written.find(([, word]) => word === value)?.[0] ?? '',
  };
}

/** A card, `9S`, or `??` for one that was not read. */
export const card: FieldKind = {
  read(value, name) {
    if (value === '??') return null;
    if (/^[A23456789TJQK][SHDC]$/.test(value)) return value;
    throw new FieldProblem(
      `${name}: "${value}" is not a card (expected rank and suit, for example 9S, or ??)`,
    );
  },
  write: (value) => (typeof value === 'string' ? value : '??'),
};

/** Returns a field as it is written in a line: UTF-8, with `%HH` for what may not stand there. */
export const escaped = (value: string): string =>
  value.replace(/[^ -~]+|[$%*,]/g, (part) =>
    part.length === 1 && part <= '~' ? hexEscape(part) : encodeOthers(part),
  );

const hexEscape = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
/** `encodeURIComponent` escapes all of them, but throws on half a surrogate pair. */
const encodeOthers = (part: string): string =>
  encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd'));

/** Returns the text of a field. Throws `FieldProblem`. */
export function unescaped(field: string, name: string): string {
  if (!/^([ -~]*)$/.test(field) || /%(?![0-9A-Fa-f]{2})|[$*]/.test(field))
    throw new FieldProblem(`${name}: must be printable ASCII, with %HH for other characters`);
  if (!field.includes('%')) return field;
  try {
    return decodeURIComponent(field);
  } catch {
    throw new FieldProblem(`${name}: its %HH are not UTF-8`);
  }
}
