import { Aside } from './aside.js';
import type { SpoolDisk } from './disk.js';
import { type Damage, entriesOf } from './entries.js';
import type { SpoolOwner } from '../owner.js';
import { piecesOf, type Segment, segmentsOf } from './segment.js';

/** A spool that a start found, made safe to go on with. */
export interface Recovered {
  readonly segments: readonly Segment[];
  /** The number of the next line. */
  readonly n: number;
  readonly sent: number;
  /** Whether the last segment stays as it is, so that the next line begins another. */
  readonly isDamaged: boolean;
  readonly aside: Aside;
}

/**
 * Reads the last segment, restores the owner's state from it, and makes all that it keeps durable.
 * Removes segments without lines, and cuts off a line that was not written whole. Reports damage
 * and leaves it where it is. Rejects with `SpoolRefused` for a spool of a newer version.
 */
export async function recover(disk: SpoolDisk, owner: SpoolOwner): Promise<Recovered> {
  const files = await disk.list();
  const aside = new Aside(disk, files, (damage) => owner.notice({ kind: 'damaged', damage }));
  const segments = await withLines(disk, segmentsOf(files), aside);
  const last = segments.pop();
  if (!last) {
    owner.restore(null);
    return { segments, n: 1, sent: 0, isDamaged: false, aside };
  }
  const { n, sent, damage, tornAt } = await fold(disk, [...segments, last], owner);
  for (const each of damage) await aside.report(each);
  if (tornAt !== undefined) await disk.truncate(last.name, tornAt);
  await disk.sync(last.name); // what a killed process wrote may be in memory only
  segments.push({ ...last, bytes: tornAt ?? last.bytes });
  const isDamaged = damage.some(({ segment }) => segment === last.name);
  return { segments, n, sent, isDamaged, aside };
}

/**
 * Removes the segments at the end that have no line: the start of one was not finished. A removal
 * that a loss of power undoes is made again by the next start.
 */
async function withLines(
  disk: SpoolDisk,
  segments: readonly Segment[],
  aside: Aside,
): Promise<Segment[]> {
  const kept = [...segments];
  for (let last = kept.at(-1); last; last = kept.at(-1)) {
    const { hasLines, isDamaged } = await beginningOf(disk, last);
    if (hasLines) break;
    const { name: segment, firstN: from, bytes } = last;
    if (isDamaged) await aside.report({ segment, at: 0, bytes, from, to: null });
    await disk.remove(segment);
    kept.pop();
  }
  return kept;
}

async function beginningOf(
  disk: SpoolDisk,
  segment: Segment,
): Promise<{ readonly hasLines: boolean; readonly isDamaged: boolean }> {
  let isDamaged = false;
  for await (const piece of piecesOf(disk, segment)) {
    if (piece.kind === 'line') return { hasLines: true, isDamaged };
    isDamaged ||= piece.kind === 'bad' && !piece.isOneLine;
  }
  return { hasLines: false, isDamaged };
}

interface Folded {
  readonly n: number;
  readonly sent: number;
  readonly damage: readonly Damage[];
  readonly tornAt: number | undefined;
}

/** Folds the lines of the last segment onto the state that it begins with. */
async function fold(
  disk: SpoolDisk,
  segments: readonly Segment[],
  owner: SpoolOwner,
): Promise<Folded> {
  const begin = await lastWithPreamble(disk, segments);
  const first = segments[begin] as Segment;
  const damage: Damage[] = [];
  let tornAt: number | undefined;
  let n = first.firstN;
  let sent = 0;
  let isRestored = false;
  const position = { n, segment: first.name, at: 0 };
  for await (const entry of entriesOf(disk, segments, position)) {
    if (entry.kind === 'damage') damage.push(entry.damage);
    if (entry.kind === 'torn') tornAt = entry.at;
    if (entry.kind === 'preamble') {
      if (!isRestored) owner.restore(entry.preamble.owner);
      isRestored = true;
      sent = Math.max(sent, entry.preamble.sent);
    }
    if (entry.kind !== 'line') continue;
    if (!isRestored) owner.restore(null);
    isRestored = true;
    if (entry.line.frames.length > 0) owner.apply(entry.line);
    sent = Math.max(sent, entry.line.sent);
    n = entry.line.n + 1;
  }
  return { n, sent, damage, tornAt };
}

/**
 * Returns the index of the last segment whose preamble can be read. If none can, the state begins
 * empty with the first segment.
 */
async function lastWithPreamble(disk: SpoolDisk, segments: readonly Segment[]): Promise<number> {
  for (let index = segments.length - 1; index > 0; index -= 1)
    for await (const piece of piecesOf(disk, segments[index] as Segment)) {
      if (piece.kind === 'preamble') return index;
      break;
    }
  return 0;
}
