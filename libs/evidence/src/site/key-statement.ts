import type { Sha256 } from '../cryptography.js';
import { isOrigin, readVkey, type VerifierKey, vkeyText } from '../notes/keys.js';
import { FormatFault, TextLines } from '../text-lines.js';

/** A leaf of the site log that says which keys sign from here on. It is the text of a note. */
export interface KeyStatement {
  readonly origin: string;
  /** Its index in the site log. */
  readonly number: number;
  /** Index of the key statement before, so that none can be hidden; undefined in leaf 0. */
  readonly previous: number | undefined;
  readonly add: readonly VerifierKey[];
  /** Keys that sign nothing larger than this statement's index + 1. */
  readonly retire: readonly VerifierKey[];
  /** Keys of whose checkpoints of `size` leaves or more none counts. */
  readonly revoke: readonly { readonly key: VerifierKey; readonly size: number }[];
}

/** First line of a key statement. */
export const KEYS_FIRST_LINE = 'shoeprint keys v1';

/** Returns the name of the key that signs packages of a site. */
export function exportsKeyName(origin: string): string {
  return `${origin}/exports`;
}

/** Returns a key statement as text: what it adds, then what it retires, then what it revokes. */
export function keyStatementText(statement: KeyStatement): string {
  const { origin, number, previous, add, retire, revoke } = statement;
  const lines = [
    KEYS_FIRST_LINE,
    origin,
    String(number),
    `previous ${previous ?? 'none'}`,
    ...add.map((key) => `add ${vkeyText(key)}`),
    ...retire.map((key) => `retire ${vkeyText(key)}`),
    ...revoke.map(({ key, size }) => `revoke ${vkeyText(key)} ${size}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * Reads a key statement, the text of its note. Throws a `FormatFault`, also if it names a key that
 * is neither of the log nor of its exports.
 */
export function readKeyStatement(sha256: Sha256, text: string): KeyStatement {
  const lines = new TextLines(text);
  lines.fixed(KEYS_FIRST_LINE);
  const origin = lines.next('an origin');
  if (!isOrigin(origin)) throw lines.fault(`${JSON.stringify(origin)} is not an origin`);
  const number = lines.number(lines.next('the number of the statement'));
  const previous = previousIn(lines, number);
  const statement = { origin, number, previous, ...changesIn(sha256, lines, origin) };
  if (statement.add.length + statement.retire.length + statement.revoke.length === 0) {
    throw lines.fault('ends a statement that adds, retires and revokes nothing');
  }
  return statement;
}

function previousIn(lines: TextLines, number: number): number | undefined {
  const words = lines.labelled('previous');
  const previous = words === 'none' ? undefined : lines.number(words);
  const isBefore = previous === undefined ? number === 0 : previous < number;
  if (!isBefore) throw lines.fault(`is not the index of a statement before ${number}`);
  return previous;
}

function changesIn(
  sha256: Sha256,
  lines: TextLines,
  origin: string,
): Pick<KeyStatement, 'add' | 'retire' | 'revoke'> {
  const read = (vkey: string): VerifierKey => keyOfSite(sha256, lines, { vkey, origin });
  const all = <Line>(word: string, readLine: (words: string) => Line): Line[] => {
    const found: Line[] = [];
    for (let words = lines.labelledIf(word); words !== undefined; words = lines.labelledIf(word)) {
      found.push(readLine(words));
    }
    return found;
  };
  const add = all('add', read);
  const retire = all('retire', read);
  const revoke = all('revoke', (words) => {
    const [vkey = '', size = '', ...more] = words.split(' ');
    if (more.length > 0) throw lines.fault('has words after the size');
    return { key: read(vkey), size: lines.number(size) };
  });
  lines.end();
  return { add, retire, revoke };
}

function keyOfSite(
  sha256: Sha256,
  lines: TextLines,
  { vkey, origin }: { readonly vkey: string; readonly origin: string },
): VerifierKey {
  try {
    const key = readVkey(sha256, vkey);
    if (key.type === 'note' && [origin, exportsKeyName(origin)].includes(key.name)) return key;
  } catch (error) {
    if (error instanceof FormatFault) throw lines.fault(error.problem);
    throw error;
  }
  throw lines.fault(`is not a key of ${origin} or of ${exportsKeyName(origin)}`);
}
