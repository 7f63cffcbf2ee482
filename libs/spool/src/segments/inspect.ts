import { errorCode, fileRefusal } from '#process';
import { FolderDisk, type SpoolDisk } from './disk.js';
import { type Damage, entriesOf, positionOf } from './entries.js';
import type { SpoolLine } from './line.js';
import { type Segment, segmentsOf } from './segment.js';

/** What `spool verify` found in all segments. */
export interface SpoolReport {
  readonly segments: number;
  readonly bytes: number;
  readonly lines: number;
  readonly frames: number;
  readonly contents: number;
  /** The number of the first line, 0 in an empty spool. */
  readonly first: number;
  /** The number of the last line, 0 in an empty spool. */
  readonly last: number;
  /** The last line that was delivered when the last line was written. */
  readonly sent: number;
  /** The first places of damage, at most 1,000. */
  readonly damage: readonly Damage[];
  /** How many places of damage there are. */
  readonly damaged: number;
  /** Bytes of a last line that is not finished: a gateway writes it, or was killed doing so. */
  readonly unfinishedBytes: number;
}

const LISTED_MAX = 1_000;
const ATTEMPTS_MAX = 5;

/** Returns the segments of a spool in order. Throws `Refusal` if the folder cannot be read. */
export async function listSpool(folder: string): Promise<readonly Segment[]> {
  try {
    return segmentsOf(await new FolderDisk(folder).list());
  } catch (error) {
    throw fileRefusal(folder, error);
  }
}

/**
 * Reads all lines of a spool and checks their checksums and numbers. Changes nothing, and may run
 * beside the gateway that holds the spool. Throws `Refusal` if the folder cannot be read, and
 * `SpoolRefused` if a newer program wrote it.
 */
export async function verifySpool(folder: string): Promise<SpoolReport> {
  for (let left = ATTEMPTS_MAX - 1; ; left -= 1)
    try {
      return await reportOf(new FolderDisk(folder), await listSpool(folder));
    } catch (error) {
      // The gateway has removed a delivered segment since they were listed.
      if (errorCode(error) !== 'ENOENT' || left === 0) throw error;
    }
}

async function reportOf(disk: SpoolDisk, segments: readonly Segment[]): Promise<SpoolReport> {
  const damage: Damage[] = [];
  const seen = { lines: 0, frames: 0, contents: 0, first: 0, last: 0, sent: 0 };
  let damaged = 0;
  let unfinishedBytes = 0;
  const position = positionOf(segments[0]?.firstN ?? 0, segments);
  for await (const entry of position ? entriesOf(disk, segments, position) : []) {
    if (entry.kind === 'line') count(entry.line, seen);
    if (entry.kind === 'torn') unfinishedBytes = entry.end - entry.at;
    if (entry.kind !== 'damage') continue;
    damaged += 1;
    if (damage.length < LISTED_MAX) damage.push(entry.damage);
  }
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  return { segments: segments.length, bytes, ...seen, damage, damaged, unfinishedBytes };
}

function count(
  { n, sent, frames }: SpoolLine,
  seen: Record<'lines' | 'frames' | 'contents' | 'first' | 'last' | 'sent', number>,
): void {
  seen.lines += 1;
  seen.frames += frames.length;
  seen.contents += frames.reduce((sum, { made }) => sum + made.length, 0);
  seen.first ||= n;
  seen.last = n;
  seen.sent = Math.max(seen.sent, sent);
}
