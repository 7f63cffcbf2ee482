import { setImmediate as nextTurn } from 'node:timers/promises';
import { positionsText, type OpenSnapshot, type Slices } from '#read-model';
import { csvWriter, XlsxWriter } from '#sheets';
import type { Sheet } from './columns.js';
import type { FileParts } from './export.js';
import { MEDIA_TYPES } from './formats.js';

/** The form of a file of lines. `bom`: whether CSV begins with a byte order mark. */
export interface FileForm {
  readonly format: 'csv' | 'xlsx';
  readonly bom: boolean;
}

/** A snapshot holds a connection, and delays the swap of a rebuild. */
const IN_ALL_MS = 600_000;

/**
 * What a file of lines is made of. `rest` is called after each slice with the ms that it took.
 * `free` is called once the file holds nothing.
 */
interface Lines<Line> {
  readonly snapshot: OpenSnapshot;
  readonly slices: Slices<Line>;
  /** Returns texts that the file ends with, each a row with the text in its first cell. */
  readonly notes?: () => Promise<readonly string[]>;
  /** The name of the file without its ending. */
  readonly name: string;
  readonly sheet: Sheet<Line>;
  readonly form: FileForm;
  readonly rest: (tookMs: number) => Promise<void>;
  readonly free: () => void;
  readonly inAllMs?: number;
}

/** Returns all lines of a list or report as a file, read a slice at a time from one snapshot. */
export function linesFile<Line>(lines: Lines<Line>): FileParts {
  const { snapshot, name, form, free, inAllMs = IN_ALL_MS } = lines;
  return {
    name: `${name}.${form.format}`,
    mediaType: form.format === 'csv' ? `${MEDIA_TYPES.csv}; charset=utf-8` : MEDIA_TYPES.xlsx,
    positions: positionsText(snapshot.read.positions),
    parts: partsOf(lines, inAllMs),
    inAllMs,
    // A connection that broke has already failed the file.
    close: () => snapshot.close().then(free, free),
  };
}

/** Yields a file a slice at a time, the headings with the first. */
async function* partsOf<Line>(
  { slices, notes, sheet: { headings, of }, form: { format, bom }, rest }: Lines<Line>,
  inAllMs: number,
): AsyncGenerator<Uint8Array, void> {
  const lateAt = performance.now() + inAllMs / 2;
  const writer = format === 'csv' ? csvWriter(bom) : new XlsxWriter();
  let part = [writer.begin(headings)];
  let began = performance.now();
  for await (const slice of slices) {
    part.push(writer.add(of(slice)));
    const took = performance.now() - began;
    yield Buffer.concat(part);
    // An open snapshot keeps dead rows, so a late export continues without pauses.
    await (performance.now() < lateAt ? rest(took) : nextTurn());
    part = [];
    began = performance.now();
  }
  const said = (await notes?.()) ?? [];
  const blank = headings.slice(1).map(() => null);
  if (said.length > 0) part.push(writer.add(said.map((text) => [text, ...blank])));
  yield Buffer.concat([...part, writer.end()]);
}

/** Returns lines that were read at once in slices, for reports that have few. */
export async function* inSlices<Line>(lines: readonly Line[]): Slices<Line> {
  for (let at = 0; at < lines.length; at += LINES_MAX) yield lines.slice(at, at + LINES_MAX);
}
const LINES_MAX = 50;
