import { BrokenLog, type EventLog, type StoredRecord } from './port.js';

/**
 * Returns records from an offset on, about `bytes` of them as `EventLog.read` does; undefined if
 * there is none at that offset or it cannot be read. `read` rejects at a hole further on; this
 * returns the first record then.
 */
export async function recordsAt(
  log: Pick<EventLog, 'read'>,
  partition: number,
  offset: number,
  bytes?: number,
): Promise<readonly StoredRecord[] | undefined> {
  // If the whole cannot be read, the fault may be of a later record.
  for (const most of [bytes, 1])
    try {
      const records = await log.read(partition, offset, most);
      return records[0]?.offset === offset ? records : undefined;
    } catch (error) {
      if (!(error instanceof BrokenLog)) throw error;
    }
  return undefined;
}
