import { BrokenLog, recordsAt, type EventLog, type StoredRecord } from '#event-log';
import type { FindingLocation, LinePosition } from '#read-model';
import type { FileParts } from '../reading/files/export.js';
import { MEDIA_TYPES } from '../reading/files/formats.js';
import { logLinesOf, withoutStamps } from './log-lines.js';

/** The media type of a list of references. */
export const REFERENCES_TYPE = 'text/plain';

/** The lines that are read before they are sent: more than nearly every coup has. */
const SLICE_LINES = 256;
/** The bytes of the log that are read at once. Lines of one coup lie close together. */
const READ_BYTES = 64 * 1024;
/** No snapshot waits for this reader, and it has a slice in memory. */
const IN_ALL_MS = 600_000;

/** What a finding rests on, and the positions that its rows are true of. */
export interface Evidence {
  readonly location: FindingLocation;
  readonly positions: string;
}

/** Which of the lines, and how. */
export interface EvidenceAsked {
  /** Whether lines have the api's stamps. */
  readonly stamps: boolean;
  /** Where in the log an act is after which all lines are. */
  readonly after: LinePosition | undefined;
}

/**
 * Returns what a finding rests on as a file, in the order of its evidence: the exact lines of the
 * log, or the references that a finding about no shoe names. Without stamps, its SHA-256 is the
 * evidence.
 */
export function evidenceFile(
  log: EventLog,
  { location, positions }: Evidence,
  { stamps, after }: EvidenceAsked,
): FileParts {
  const { id, lines, body, partition } = location;
  const ofLog = lines.length > 0;
  const asked = after ? lines.filter((line) => isAfter(line, after)) : lines;
  return {
    name: `finding-${id}.${ofLog ? 'ndjson' : 'txt'}`,
    mediaType: ofLog ? MEDIA_TYPES.ndjson : `${REFERENCES_TYPE}; charset=utf-8`,
    positions,
    parts: ofLog ? linesAt(log, partition, asked, stamps) : referencesOf(after ? [] : body.events),
    inAllMs: IN_ALL_MS,
    close: async () => undefined,
  };
}

const isAfter = ([offset, line]: LinePosition, [otherOffset, otherLine]: LinePosition): boolean =>
  offset === otherOffset ? line > otherLine : offset > otherOffset;

async function* referencesOf(references: readonly string[]): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(references.map((reference) => `${reference}\n`).join(''));
}

/** Yields the lines at these positions of a partition, in their order, a slice at a time. */
async function* linesAt(
  log: EventLog,
  partition: number,
  lines: readonly LinePosition[],
  stamps: boolean,
): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < lines.length; at += SLICE_LINES) {
    const slice = lines.slice(at, at + SLICE_LINES);
    const records = await recordsOf(log, partition, new Set(slice.map(([offset]) => offset)));
    yield Buffer.concat(
      slice.flatMap(([offset, line]) => {
        const found = logLinesOf(records.get(offset) as StoredRecord)[line];
        if (!found)
          throw new BrokenLog(
            `no line ${line} at offset ${offset} of partition ${partition}`,
            partition,
            offset,
          );
        return [stamps ? found.bytes : withoutStamps(found).content, LINE_FEED];
      }),
    );
  }
}

const LINE_FEED = Buffer.from('\n');

/** Returns the records with these offsets. Throws `BrokenLog` if the log lacks one of them. */
async function recordsOf(
  log: EventLog,
  partition: number,
  offsets: ReadonlySet<number>,
): Promise<Map<number, StoredRecord>> {
  const records = new Map<number, StoredRecord>();
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    if (records.has(offset)) continue;
    for (const record of (await recordsAt(log, partition, offset, READ_BYTES)) ?? [])
      if (offsets.has(record.offset)) records.set(record.offset, record);
    if (!records.has(offset))
      throw new BrokenLog(`partition ${partition} lacks offset ${offset}`, partition, offset);
  }
  return records;
}
