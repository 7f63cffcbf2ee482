import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/** Tables that nobody reads by the last change of their rows. */
const UNREAD = ['device', 'delivery', 'unjudgeable', 'review_event'];
/**
 * How full a page becomes in percent. The rest is for the changed rows: nearly every event changes
 * a row of each of these tables.
 */
const FILLED = { coup: 80, device: 50, delivery: 50 };

/**
 * PostgreSQL changes a row in its place if no index has a column that changes, and if its page has
 * room. This takes less time and write-ahead log, and leaves no dead entries in indexes. So what
 * nobody reads by has no index, and a coup names its last change once it is over.
 */
export class RowsInPlace1790000000060 implements MigrationInterface {
  readonly name = 'RowsInPlace1790000000060';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    for (const table of UNREAD) await runner.query(`drop index ${schema}.${table}_changed`);
    await runner.query(`update ${schema}.coup set changed = 0 where state = 'open'`);
    for (const [table, percent] of Object.entries(FILLED))
      await runner.query(`alter table ${schema}.${table} set (fillfactor = ${percent})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    for (const table of Object.keys(FILLED))
      await runner.query(`alter table ${schema}.${table} reset (fillfactor)`);
    for (const table of UNREAD)
      await runner.query(
        `create index ${table}_changed on ${schema}.${table} (partition, changed)`,
      );
  }
}
