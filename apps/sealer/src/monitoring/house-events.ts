import { randomUUID } from 'node:crypto';
import {
  canonicalLine,
  fullName,
  HOUSE_TABLE,
  stamped,
  type EventData,
  type EventType,
} from '#audit';
import { partitionOf, type Appending, type EventLog } from '#event-log';

/** The source of what a sealer writes by itself. */
export const SEALER = 'system/sealer';

/** The types of event that the sealer and its tools write to the record of the house. */
type SealerType = Extract<EventType, `evidence-${string}` | `export-${string}`>;

/** An event of the record of the house, and by whom. */
export interface HouseEvent<T extends SealerType> {
  readonly type: T;
  /** `person/…`, or `SEALER`. */
  readonly by: string;
  readonly data: EventData[T];
}

/** Any of them. */
export type SealerEvent = { [T in SealerType]: HouseEvent<T> }[SealerType];

/** Returns the line of an event, as received from `from`. Sending the same again counts it once. */
export function houseLine({ type, by, data }: SealerEvent, from = SEALER): string {
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
  return stamped(canonicalLine(JSON.stringify(event)), from, time);
}

/** Returns what to append to a log for lines of the record of the house. */
export function houseLines(log: Pick<EventLog, 'partitions'>, lines: readonly string[]): Appending {
  return {
    partition: partitionOf(HOUSE_TABLE, log.partitions),
    urgency: 'live',
    records: lines.map((line) => ({ key: HOUSE_TABLE, value: Buffer.from(line) })),
  };
}

/**
 * Returns what to append to a log for an event, as received from `from`. Sending the same again
 * counts it once.
 */
export const houseAppending = (
  log: Pick<EventLog, 'partitions'>,
  event: SealerEvent,
  from = SEALER,
): Appending => houseLines(log, [houseLine(event, from)]);
