import { createHash } from 'node:crypto';
import { type EventLog, partitionOf, type StoredRecord } from '#event-log';
import { type PassedRecord, positionsText } from '#read-model';
import type { FileParts } from '../reading/files/export.js';
import { MEDIA_TYPES } from '../reading/files/formats.js';
import { logLinesOf, recordsIn, withoutStamps } from './log-lines.js';

/** Which lines of a table, and how. */
export interface LinesAsked {
  /** The first time of receipt, in ms since 1970. */
  readonly from?: number;
  /** The time of receipt before which all lines are, in ms since 1970. */
  readonly to?: number;
  /** Whether lines have the api's stamps. */
  readonly stamps: boolean;
}

/** No snapshot waits for this reader. What bounds it is that it holds one of the slots. */
const IN_ALL_MS = 3_600_000;

/** How the file is read and what it holds. */
interface Held {
  readonly rest: (tookMs: number) => Promise<void>;
  readonly free: () => void;
}

/** A table, and the passed records under its key. */
export interface TableRecord {
  readonly table: string;
  readonly passed: readonly PassedRecord[];
}

/**
 * Returns the exact lines of a table as a file, up to the end that its partition has now. Leaves
 * out passed records, which hold no events of the table, and names them beside the file.
 */
export async function recordFile(
  log: EventLog,
  { table, passed }: TableRecord,
  asked: LinesAsked,
  { rest, free }: Held,
): Promise<FileParts> {
  const partition = partitionOf(table, log.partitions);
  const to = await log.head(partition);
  const records = recordsIn(log, { key: table, partition, from: 0, to }, rest);
  return {
    name: `record-${table.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, NAME_MAX)}.ndjson`,
    mediaType: MEDIA_TYPES.ndjson,
    positions: positionsText(new Map([[partition, to]])),
    passed: passed.filter(({ offset }) => offset < to),
    parts: linesIn(withoutPassed(records, passed), asked),
    inAllMs: IN_ALL_MS,
    close: async () => free(),
  };
}
const NAME_MAX = 100;

/** Yields records without those that were passed. Another record at the same offset stays. */
async function* withoutPassed(
  slices: AsyncIterable<readonly StoredRecord[]>,
  passed: readonly PassedRecord[],
): AsyncGenerator<readonly StoredRecord[], void> {
  const digests = new Map(passed.map(({ offset, sha256 }) => [offset, sha256]));
  const isPassed = ({ offset, value }: StoredRecord): boolean =>
    digests.has(offset) && digests.get(offset) === createHash('sha256').update(value).digest('hex');
  for await (const records of slices) yield records.filter((record) => !isPassed(record));
}

async function* linesIn(
  slices: AsyncIterable<readonly StoredRecord[]>,
  asked: LinesAsked,
): AsyncGenerator<Uint8Array, void> {
  const isWhole = asked.stamps && asked.from === undefined && asked.to === undefined;
  for await (const records of slices)
    yield Buffer.concat(
      records
        .flatMap((record) => (isWhole ? [record.value] : chosen(record, asked)))
        .flatMap((bytes) => [bytes, LINE_FEED]),
    );
}

const LINE_FEED = Buffer.from('\n');

/** Returns the lines of a record that were received in time. One without a stamp always is. */
function chosen(record: StoredRecord, { from, to, stamps }: LinesAsked): Uint8Array[] {
  return logLinesOf(record).flatMap((line) => {
    const { content, received } = withoutStamps(line);
    if (received !== undefined && (received < (from ?? -Infinity) || received >= (to ?? Infinity)))
      return [];
    return [stamps ? line.bytes : content];
  });
}
