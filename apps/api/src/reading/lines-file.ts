import { setImmediate as nextTurn } from 'node:timers/promises';
import { positionsText, type OpenSnapshot, type Slices } from '#read-model';
import type { CsvText } from './csv.js';
import type { FileParts, Patience } from './export.js';
import { MEDIA_TYPES } from './formats.js';

/** A snapshot holds a connection, and delays the swap of a rebuild. */
const PATIENCE: Patience = { stalledMs: 60_000, inAllMs: 600_000 };

/**
 * What a file of lines is made of. `rest` is called after each slice with the ms that it took.
 * `free` is called once the file holds nothing any more.
 */
interface Lines<Line> {
  readonly snapshot: OpenSnapshot;
  readonly slices: Slices<Line>;
  /** The name of the file without its ending. */
  readonly name: string;
  readonly text: CsvText<Line>;
  readonly rest: (tookMs: number) => Promise<void>;
  readonly free: () => void;
  readonly patience?: Patience;
}

/** Returns all lines of a list or report as a CSV file, read a slice at a time from one snapshot. */
export function csvOf<Line>(lines: Lines<Line>): FileParts {
  const { snapshot, name, free, patience = PATIENCE } = lines;
  return {
    name: `${name}.csv`,
    mediaType: `${MEDIA_TYPES.csv}; charset=utf-8`,
    positions: positionsText(snapshot.read.positions),
    parts: textsOf(lines, patience),
    patience,
    // A connection that broke has already failed the file.
    close: () => snapshot.close().then(free, free),
  };
}

/** Yields a file a slice at a time, the heading before the first. */
async function* textsOf<Line>(
  { slices, text: { head, of }, rest }: Lines<Line>,
  { inAllMs }: Patience,
): AsyncGenerator<string, void> {
  const lateAt = performance.now() + inAllMs / 2;
  let text = head;
  let began = performance.now();
  for await (const slice of slices) {
    text += of(slice);
    const took = performance.now() - began;
    yield text;
    // An open snapshot keeps dead rows, so an export that is late goes on without a rest.
    await (performance.now() < lateAt ? rest(took) : nextTurn());
    text = '';
    began = performance.now();
  }
  if (text !== '') yield text;
}

/** Returns lines that were read at once in slices, for reports that have few. */
export async function* inSlices<Line>(lines: readonly Line[]): Slices<Line> {
  for (let at = 0; at < lines.length; at += LINES_MAX) yield lines.slice(at, at + LINES_MAX);
}
const LINES_MAX = 50;
