import { keyOf } from '../database/schema-keys.js';
import { PASSED_RECORD, type PassedRecordRow } from '../entities/index.js';
import type { Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

const SHOWN = ['partition', 'offset', 'sha256', 'passedBy', 'passedAt', 'reason'] as const;

/** A passed record as reports show it: where it lies, who passed it, when and why. */
export type PassedRecord = Pick<PassedRecordRow, (typeof SHOWN)[number]>;

/** Where each table lies, also one that is parked at its first event. */
const PLACES = ['table_state', 'parked']
  .map((of) => `select "table", partition from ${of}`)
  .join(' union ');

/**
 * Returns the passed records of every partition that has a table of this filter, in the order of
 * the log. A record that cannot be read may have been about any of them.
 */
export async function passedRecords(
  read: Snapshot,
  { scope, table }: Pick<Filter, 'scope' | 'table'>,
): Promise<PassedRecord[]> {
  const where = new Where();
  if (scope || table !== undefined) {
    const places = new Where(where.parameters)
      .given('t."table" = any(?)', scope?.map(keyOf))
      .named('t."table" = ?', table);
    where.and(`r.partition in (select t.partition from (${PLACES}) t ${places.sql})`);
  }
  return recordsWhere(read, where);
}

/** Returns the passed records that lie under the key of one table, in the order of the log. */
export const passedUnderKey = (read: Snapshot, table: string): Promise<PassedRecord[]> =>
  recordsWhere(read, new Where().and('r.key = ?', table));

const recordsWhere = (read: Snapshot, { sql, parameters }: Where): Promise<PassedRecord[]> =>
  read.rows<PassedRecord>(
    `select ${PASSED_RECORD.select('r', SHOWN)} from passed_record r ${sql}
     order by r.partition, r."offset"`,
    parameters,
  );
