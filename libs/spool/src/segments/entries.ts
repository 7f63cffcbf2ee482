import type { SpoolDisk } from './disk.js';
import type { SegmentPreamble, SpoolLine } from './line.js';
import { type Bad, piecesOf, type Segment } from './segment.js';

/** A place where a spool is not what was written. */
export interface Damage {
  readonly segment: string;
  /** The first wrong byte of the segment. */
  readonly at: number;
  /** How many bytes are wrong: 0 if lines are missing and nothing is in their place. */
  readonly bytes: number;
  /** The number of the first line that is lost, or of the next line if none is. */
  readonly from: number;
  /** The number of the last line that is lost, or null if nothing after it says how many are. */
  readonly to: number | null;
}

/** The content of the segments of a spool, in order. */
export type Entry =
  | { readonly kind: 'preamble'; readonly segment: Segment; readonly preamble: SegmentPreamble }
  | {
      readonly kind: 'line';
      readonly segment: Segment;
      readonly line: SpoolLine;
      readonly end: number;
    }
  | { readonly kind: 'damage'; readonly segment: Segment; readonly damage: Damage }
  | { readonly kind: 'torn'; readonly segment: Segment; readonly at: number; readonly end: number };

/** Where reading begins: the number of the next line, and a position at or before it. */
export interface SpoolPosition {
  readonly n: number;
  readonly segment: string;
  readonly at: number;
}

/** Returns a position at or before a line, or undefined if there are no segments. */
export function positionOf(n: number, segments: readonly Segment[]): SpoolPosition | undefined {
  const segment = segments.findLast(({ firstN }) => firstN <= n) ?? segments[0];
  return segment && { n, segment: segment.name, at: 0 };
}

/**
 * Yields the content from a position on. A line that the next segment has again is the rest of a
 * failed write: it is left out, and so are wrong bytes in its place. `torn` is the unfinished last
 * write of the last segment.
 */
export async function* entriesOf(
  disk: SpoolDisk,
  segments: readonly Segment[],
  position: SpoolPosition,
): AsyncGenerator<Entry, void, undefined> {
  let { n, at } = position;
  const begin = segments.findIndex(({ name }) => name === position.segment);
  for (const [index, segment] of segments.slice(Math.max(0, begin)).entries()) {
    const next = segments[Math.max(0, begin) + index + 1];
    if (segment.firstN > n) yield lost(segment, 0, n, segment.firstN - 1);
    n = Math.max(n, segment.firstN);
    n = yield* entriesIn(disk, { segment, next, n, at });
    at = 0;
  }
}

interface Part {
  readonly segment: Segment;
  readonly next: Segment | undefined;
  readonly n: number;
  readonly at: number;
}

/** Yields the content of one segment, and returns the number of the line after it. */
async function* entriesIn(disk: SpoolDisk, part: Part): AsyncGenerator<Entry, number, undefined> {
  const { segment, next, n: first, at } = part;
  const limit = next?.firstN ?? Infinity;
  let n = first;
  let bad: Bad | undefined;
  for await (const piece of piecesOf(disk, segment, at)) {
    if (piece.kind === 'preamble') yield { kind: 'preamble', segment, preamble: piece.preamble };
    else if (piece.kind === 'bad') bad = piece;
    if (piece.kind !== 'line') continue;
    const { line, end } = piece;
    if (line.n >= limit) break;
    if (line.n >= n) {
      if (bad ?? line.n > n) yield lost(segment, bad ?? piece.at, n, line.n - 1);
      yield { kind: 'line', segment, line, end };
      n = line.n + 1;
    }
    bad = undefined;
  }
  const end = endOf(part, n, bad);
  if (end) yield end;
  return next?.firstN ?? n;
}

/** Returns what a segment whose next line would be `n` lacks at its end, or undefined. */
function endOf({ segment, next }: Part, n: number, bad: Bad | undefined): Entry | undefined {
  if (!next) return bad && ending(segment, bad, n);
  return n < next.firstN ? lost(segment, bad ?? segment.bytes, n, next.firstN - 1) : undefined;
}

const ending = (segment: Segment, bad: Bad, n: number): Entry =>
  bad.isOneLine ? { kind: 'torn', segment, at: bad.at, end: bad.end } : lost(segment, bad, n, null);

/** Returns damage: wrong bytes, or nothing at this position. */
function lost(segment: Segment, bad: Bad | number, from: number, to: number | null): Entry {
  const at = typeof bad === 'number' ? bad : bad.at;
  const bytes = typeof bad === 'number' ? 0 : bad.end - bad.at;
  return { kind: 'damage', segment, damage: { segment: segment.name, at, bytes, from, to } };
}
