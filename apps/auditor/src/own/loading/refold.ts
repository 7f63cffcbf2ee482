import type { Decoder } from '#audit';
import { BrokenLog, type EventLog, type StoredRecord } from '#event-log';
import { asError } from '#process';
import type { Refused } from '../../fold/partition-fold.js';
import { RecordReader, UnknownEvent, type Lines } from '../../fold/record-lines.js';
import type { TableRun } from '../../fold/table-run.js';

/** Bytes per read of the log. */
const READ_BYTES = 4 * 1024 * 1024;

/**
 * Yields the records of a partition from offset `from` up to, not including, `to`. Other work runs
 * between reads. Throws `BrokenLog` if the log ends before `to`.
 */
export async function* recordsBetween(
  log: EventLog,
  partition: number,
  from: number,
  to: number,
): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  for (let next = from; next < to;) {
    const records = await log.read(partition, next, READ_BYTES);
    if (records.length === 0)
      throw new BrokenLog(`partition ${partition} ends at ${next}, before ${to}`, partition, next);
    const wanted = records.filter(({ offset }) => offset < to);
    yield wanted;
    next = (wanted.at(-1) as StoredRecord).offset + 1;
  }
}

/**
 * Folds lines of a table's record again. Returns the event that the table refused, if any; the
 * table's state is unusable then. Throws `UnreadableRecord` at bytes that are not an event.
 */
export function refold(
  run: TableRun,
  record: StoredRecord,
  decoder: Decoder,
  lines: Lines,
): Refused | undefined {
  const { offset, key } = record;
  let line = lines.from ?? 0;
  try {
    for (const each of new RecordReader(record, decoder).events(lines)) {
      line = each.line;
      run.take(each.event, each.received, { offset, line }, each.sender);
    }
    return undefined;
  } catch (error) {
    if (error instanceof BrokenLog) throw error;
    return {
      table: key,
      offset,
      line: error instanceof UnknownEvent ? error.line : line,
      why: asError(error),
    };
  }
}
