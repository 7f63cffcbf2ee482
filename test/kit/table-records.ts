import { findRange, type ReadTable, type TableRecord } from '#audit';
import { decoded, type Sent } from './audit.js';

/** Returns a table's log as records of as many events as `sizes` says, in turn. */
export function recordsOf(events: readonly Sent[], sizes: readonly number[]): TableRecord[] {
  const records: TableRecord[] = [];
  for (let at = 0; at < events.length;) {
    const size = sizes[records.length % sizes.length] as number;
    records.push({ record: records.length, events: events.slice(at, at + size).map(decoded) });
    at += size;
  }
  return records;
}

/** Returns the reader of a table's log. */
export const readerOf = (records: readonly TableRecord[]): ReadTable =>
  async function* read(from, to) {
    const read = records.slice(from, to);
    for (let at = 0; at < read.length; at += 3) yield read.slice(at, at + 3);
  };

/** An opening of a shoe in a table's log. */
interface Opening {
  readonly record: number;
  readonly ref: string;
  readonly shoe: string;
}

/** Returns the openings that open a shoe: not those that came too late, or repeat its id. */
export async function openingsIn(records: readonly TableRecord[]): Promise<Opening[]> {
  const openings: Opening[] = [];
  for (const { record, events } of records)
    for (const { type, source, id, shoe = '' } of events) {
      if (type !== 'shoe-opened') continue;
      const ref = `${source}#${id}`;
      if (await findRange(readerOf(records), { of: 'shoe', ref }, records.length))
        openings.push({ record, ref, shoe });
    }
  return openings;
}
