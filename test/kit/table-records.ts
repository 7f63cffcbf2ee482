import type { ReadTable, TableRecord } from '#audit';
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
    yield* records.slice(from, to);
  };
