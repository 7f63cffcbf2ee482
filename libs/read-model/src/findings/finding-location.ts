import { FINDING, type FindingRow } from '../entities/index.js';
import type { Snapshot } from '../reading/snapshot-read.js';
import { Where, type ReadBy } from '../reading/where.js';

const OF_LOCATION = [
  'id',
  'table',
  'partition',
  'people',
  'lines',
  'evidence',
  'at',
  'raisedAt',
  'withdrawnBecause',
  'body',
] as const;

/** Where a finding is, and where in the log the lines of its evidence are. */
export type FindingLocation = Pick<FindingRow, (typeof OF_LOCATION)[number]>;

/** Returns where a finding is, or undefined if there is none or its table is not in the scope. */
export async function findingAt(
  read: Snapshot,
  id: string,
  { scope }: ReadBy,
): Promise<FindingLocation | undefined> {
  const where = new Where().and('f.id = ?', id).filter('f', { ...(scope && { scope }) }, 'null');
  const [row] = await read.rows<FindingLocation>(
    `select ${FINDING.select('f', OF_LOCATION)} from finding f ${where.sql}`,
    where.parameters,
  );
  return row;
}
