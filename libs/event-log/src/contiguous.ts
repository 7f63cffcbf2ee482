import { BrokenLog, type StoredRecord } from './port.js';

/**
 * Returns the records if they begin at `from` and follow one another. Throws `BrokenLog` with the
 * first missing offset.
 */
export function contiguous<R extends Pick<StoredRecord, 'offset'>>(
  records: readonly R[],
  partition: number,
  from: number,
): readonly R[] {
  const hole = records.findIndex(({ offset }, at) => offset !== from + at);
  if (hole < 0) return records;
  throw new BrokenLog(
    `partition ${partition} has offset ${(records[hole] as R).offset} where ${from + hole} must be`,
    partition,
    from + hole,
  );
}
