import type { EventData, EventType } from '#audit';

/** The types of the record of the house that the api writes. */
type ActType = {
  [T in EventType]: T extends
    | `account-${string}`
    | `export-${string}`
    | `key-${string}`
    | `person-${string}`
    | 'parked-decided'
    | 'partition-resumed'
    | 'record-passed'
    | 'record-read'
    | 'server-started'
    ? T
    : never;
}[EventType];

/** What is counted, and added when the act goes to the log. */
type Counted = 'times' | 'attempts';

/** An act to record: what was done, and by whom. Its data never holds a secret. */
export type Act = {
  [T in ActType]: {
    readonly type: T;
    /** `person/…`, or `SERVER` for what nobody did who is known. */
    readonly by: string;
    readonly data: Omit<EventData[T], Counted>;
  };
}[ActType];

/** The source of what the server does by itself, or sees done by somebody unknown. */
export const SERVER = 'system/api';
