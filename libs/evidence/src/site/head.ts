import { type CheckpointBody, checkpointText, readCheckpointText } from '../notes/checkpoint.js';
import { isOrigin } from '../notes/keys.js';
import { FormatFault, TextLines } from '../text-lines.js';
import { tableOfName } from './table-name.js';

/** The state of one table's tree: the text of a checkpoint, with the table in its origin. */
export interface Head {
  readonly origin: string;
  /** Name of the table, as `nameOfTable` writes it. */
  readonly name: string;
  /** At least 1: a table without records has no head. */
  readonly size: number;
  readonly root: Uint8Array;
}

const BETWEEN = '/table/';

/** Returns a head as three lines. */
export function headText({ origin, name, size, root }: Head): string {
  return checkpointText({ origin: `${origin}${BETWEEN}${name}`, size, root });
}

/** Reads a head. Throws a `FormatFault`. */
export function readHead(text: string): Head {
  const { origin: whole, size, root }: CheckpointBody = readCheckpointText(text);
  const at = whole.lastIndexOf(BETWEEN);
  const name = whole.slice(at + BETWEEN.length);
  if (!isOrigin(whole.slice(0, Math.max(at, 0))) || tableOfName(name) === undefined) {
    throw new FormatFault(1, `${JSON.stringify(whole)} does not name a table of a site`);
  }
  if (size === 0) throw new FormatFault(2, 'is 0: a table without records has no head');
  return { origin: whole.slice(0, at), name, size, root };
}

/** Returns the list of tables' names by number, one a line. */
export function namesText(names: readonly string[]): string {
  return names.map((name) => `${name}\n`).join('');
}

/** Reads a list of names. Throws a `FormatFault`, also if it names a table twice. */
export function readNames(text: string): string[] {
  if (text === '') return [];
  const lines = new TextLines(text);
  const names = new Set<string>();
  while (!lines.atEnd) {
    const name = lines.next('the name of a table');
    if (tableOfName(name) === undefined) throw lines.fault('is not the name of a table');
    if (names.has(name)) throw lines.fault('names a table for the second time');
    names.add(name);
  }
  return [...names];
}
