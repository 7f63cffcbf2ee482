import { BrokenLog, type EventLog, type StoredRecord } from './port.js';

/**
 * Returns records from an offset on, about `bytes` of them as `EventLog.read` does, and only the
 * first one if `read` rejects because a later record is lost. Returns undefined if there is no
 * record at the offset, or it cannot be read.
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
