import { randomUUID } from 'node:crypto';
import { canonicalLine, fullName, HOUSE_TABLE, stamped, type EventData } from '#audit';
import { partitionOf, type Appending, type EventLog } from '#event-log';

/** The source of what a sealer writes by itself. */
export const SEALER = 'system/sealer';

/** The types of event that the sealer writes to the record of the house. */
type SealerType = 'evidence-alarm' | 'evidence-resumed' | 'evidence-keys-changed';

/** An event of the record of the house, and by whom. */
export interface HouseEvent<T extends SealerType> {
  readonly type: T;
  /** `person/…`, or `SEALER`. */
  readonly by: string;
  readonly data: EventData[T];
}

/** Returns what to append to a log for an event. Sending the same again counts it once. */
export function houseAppending<T extends SealerType>(
  log: Pick<EventLog, 'partitions'>,
  { type, by, data }: HouseEvent<T>,
): Appending {
  const time = new Date().toISOString();
  const event = {
    specversion: '1.0',
    type: fullName(type),
    source: by,
    id: `${type}/${randomUUID()}`,
    time,
    table: HOUSE_TABLE,
    data,
  };
  const line = stamped(canonicalLine(JSON.stringify(event)), SEALER, time);
  return {
    partition: partitionOf(HOUSE_TABLE, log.partitions),
    urgency: 'live',
    records: [{ key: HOUSE_TABLE, value: Buffer.from(line) }],
  };
}
