import { errorCode } from '#process';
import type { SpoolDisk, SpoolFile } from './disk.js';
import { isPreamble, isLine, opened, SPOOL_VERSION } from './line.js';
import type { SegmentPreamble, SpoolLine } from './line.js';
import { SpoolRefused } from '../refusals.js';

/** A file of lines. Its name says the number of its first line. */
export interface Segment {
  readonly name: string;
  readonly firstN: number;
  /** How many of its bytes are synced. */
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** A part of a segment, in the order of the file. */
export type Piece =
  | {
      readonly kind: 'preamble';
      readonly preamble: SegmentPreamble;
      readonly at: number;
      readonly end: number;
    }
  | { readonly kind: 'line'; readonly line: SpoolLine; readonly at: number; readonly end: number }
  | Bad;

/** Bytes that are not lines. */
export interface Bad {
  readonly kind: 'bad';
  readonly at: number;
  readonly end: number;
  /** Whether one write that was cut short can have left them. More than one line cannot be torn. */
  readonly isOneLine: boolean;
}

/** The most bytes of a line, preamble or not. */
export const LONGEST_LINE = 4 * 1024 * 1024;

const NAME_DIGITS = 12;
const NAME = /^(\d{12})\.spool$/;
const CHUNK = 256 * 1024;
const PAGE = 4_096;
const NEWLINE = 0x0a;

/** Returns the name of the segment whose first line has this number. Names sort by it. */
export const segmentName = (firstN: number): string =>
  `${String(firstN).padStart(NAME_DIGITS, '0')}.spool`;

/** Returns the segments among the files of a folder, in order. */
export const segmentsOf = (files: readonly SpoolFile[]): Segment[] =>
  files
    .flatMap(({ name, ...file }) => {
      const digits = NAME.exec(name)?.[1];
      return digits === undefined ? [] : [{ name, firstN: Number(digits), ...file }];
    })
    .sort((one, other) => one.firstN - other.firstN);

/**
 * Yields the pieces of a segment from a byte on, which must be where a piece begins. Lines come in
 * the order of their numbers: one that repeats a number is not a line. Throws `SpoolRefused` for a
 * segment of a newer version.
 */
export async function* piecesOf(
  disk: SpoolDisk,
  segment: Segment,
  from = 0,
): AsyncGenerator<Piece, void, undefined> {
  let last = segment.firstN - 1;
  let bad: BadRuns | undefined;
  for await (const run of runsOf(disk, segment, from)) {
    const piece = run.bytes && pieceOf(segment, run.bytes, run.at === 0 ? undefined : last);
    if (!piece) {
      bad = withRun(bad, run);
      continue;
    }
    if (bad) yield bad;
    bad = undefined;
    if (piece.kind === 'line') last = piece.line.n;
    yield { ...piece, at: run.at, end: run.end };
  }
  if (bad) yield bad;
}

interface BadRuns extends Bad {
  /** How many of its bytes are newlines. */
  readonly newlines: number;
}

function withRun(bad: BadRuns | undefined, { at: begin, end, isEnded, isReadable }: Run): BadRuns {
  const { at, newlines, isOneLine } = bad ?? { at: begin, newlines: 0, isOneLine: true };
  const more = newlines + (isEnded ? 1 : 0);
  const isStillOne = isOneLine && more <= 1 && isReadable && fits(end - at);
  return { kind: 'bad', at, end, isOneLine: isStillOne, newlines: more };
}

const fits = (bytes: number): boolean => bytes <= LONGEST_LINE;

type Meaning =
  | { readonly kind: 'preamble'; readonly preamble: SegmentPreamble }
  | { readonly kind: 'line'; readonly line: SpoolLine };

/** Returns what a piece says: a preamble if nothing is before it, otherwise a line after the last one. */
function pieceOf(segment: Segment, bytes: Buffer, last: number | undefined): Meaning | undefined {
  const value = opened(bytes);
  if (last === undefined) {
    if (!isPreamble(value)) return undefined;
    if (value.spool > SPOOL_VERSION)
      throw new SpoolRefused(
        `${segment.name}: a newer program wrote version ${value.spool} of the spool, ` +
          `and this one reads version ${SPOOL_VERSION}`,
      );
    return value.n === segment.firstN ? { kind: 'preamble', preamble: value } : undefined;
  }
  return isLine(value) && value.n > last ? { kind: 'line', line: value } : undefined;
}

/** Bytes up to a newline or to where a line cannot go on. */
interface Run {
  readonly at: number;
  readonly end: number;
  readonly isEnded: boolean;
  readonly isReadable: boolean;
  /** The bytes without the newline, if they can be a line. */
  readonly bytes?: Buffer;
}

async function* runsOf(
  disk: SpoolDisk,
  { name, bytes }: Segment,
  from: number,
): AsyncGenerator<Run, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let at = from; // where the rest begins
  const unended = (): Run => ({ at, end: at + rest.length, isEnded: false, isReadable: true });
  for await (const { chunk, isReadable } of chunksOf(disk, name, from, bytes)) {
    if (!isReadable) {
      if (rest.length > 0) yield unended();
      at += rest.length;
      yield { at, end: at + chunk.length, isEnded: false, isReadable };
      at += chunk.length;
      rest = Buffer.alloc(0);
      continue;
    }
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let begin = 0;
    for (let end; (end = rest.indexOf(NEWLINE, begin)) >= 0; begin = end + 1)
      yield {
        at: at + begin,
        end: at + end + 1,
        isEnded: true,
        isReadable,
        bytes: rest.subarray(begin, end),
      };
    rest = rest.subarray(begin);
    at += begin;
    if (fits(rest.length)) continue;
    yield unended();
    at += rest.length;
    rest = Buffer.alloc(0);
  }
  if (rest.length > 0) yield unended();
}

/** Bytes of a file. Zeros stand for those that the disk could not read. */
interface Chunk {
  readonly chunk: Buffer;
  readonly isReadable: boolean;
}

/**
 * Yields the bytes of a file. A sector that cannot be read costs its page: the rest of the file is
 * read all the same.
 */
export async function* chunksOf(
  disk: SpoolDisk,
  name: string,
  from: number,
  to: number,
): AsyncGenerator<Chunk, void, undefined> {
  let pagewiseTo = from;
  for (let at = from; at < to;) {
    const length = Math.min(at < pagewiseTo ? PAGE : CHUNK, to - at);
    const chunk = await readOr(disk, name, at, length);
    if (chunk === 'unreadable' && length > PAGE) {
      pagewiseTo = at + length;
      continue;
    }
    if (chunk === 'unreadable') yield { chunk: Buffer.alloc(length), isReadable: false };
    else if (chunk.length === 0) return;
    else yield { chunk, isReadable: true };
    at += chunk === 'unreadable' ? length : chunk.length;
  }
}

async function readOr(
  disk: SpoolDisk,
  name: string,
  at: number,
  bytes: number,
): Promise<Buffer | 'unreadable'> {
  try {
    return await disk.read(name, at, bytes);
  } catch (error) {
    if (errorCode(error) === 'EIO') return 'unreadable';
    throw error;
  }
}
