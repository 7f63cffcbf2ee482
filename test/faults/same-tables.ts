import { expect } from '@jest/globals';
import { eventually } from '../kit/eventually.js';
import { count, standing } from './count.js';
import { Load, newTables } from './load.js';
import type { System } from './system.js';

/** Includes the sixth coup with its faults. */
const LINES_A_TABLE = 200;
/**
 * Every table of rows that describes the game. Not `position`, `member` and `parked`, which
 * describe progress and owners.
 */
const TABLES = [
  'table_state',
  'shoe',
  'coup',
  'finding',
  'unjudgeable',
  'ledger',
  'commission',
  'dealt',
  'bet_total',
  'device',
];
/**
 * Columns for the position in the log and the time of receipt. They depend on how the events of
 * several tables interleave, and on the clock.
 */
const OF_THE_WAY = [
  'changed',
  'snapshot',
  'snapshot_next',
  'snapshot_waits',
  'read',
  'duplicates',
  'last_received',
  'raised_at',
  'opened_offset',
  'opened_line',
  'clock_offset_last',
  'clock_offset_least',
  'clock_offset_most',
];

/**
 * Sends the same events to both systems. Expects that neither loses or double-counts an event, and
 * that all their tables are equal.
 */
export async function expectSameTables(one: System, other: System): Promise<void> {
  await eventually(
    'both auditors at work',
    async () =>
      (await other.query('select distinct owner from rows.position where owner is not null'))
        .length === other.auditors.length,
    30_000,
  );
  const tables = newTables(2);
  for (const system of [one, other]) {
    const before = await standing(system);
    const load = await Load.start(system, { only: { tables, lines: LINES_A_TABLE } });
    await load.ended();
    expect(await count(system, load, before)).toMatchObject({
      acknowledged: tables.length * LINES_A_TABLE,
      lost: [],
      twice: 0,
      wrong: [],
    });
  }
  for (const name of TABLES) {
    const [rows, others] = await Promise.all(
      [one, other].map((system) => rowsOf(system, name, tables)),
    );
    expect({ name, rows: others }).toEqual({ name, rows });
    if (name !== 'unjudgeable') expect(rows).not.toEqual([]);
  }
}

async function rowsOf(system: System, name: string, tables: readonly string[]): Promise<unknown[]> {
  const rows = await system.query<{ row: unknown }>(
    `select to_jsonb(t) - $1::text[] as row from rows.${name} t where "table" = any ($2) order by 1`,
    [OF_THE_WAY, tables],
  );
  return rows.map(({ row }) => row);
}
