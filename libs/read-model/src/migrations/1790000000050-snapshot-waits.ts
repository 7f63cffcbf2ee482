import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/**
 * Whether a table waited for missing numbers when its state was saved. What was saved before says
 * nothing about it, and such a table is loaded by every takeover until it is saved again.
 */
export class SnapshotWaits1790000000050 implements MigrationInterface {
  readonly name = 'SnapshotWaits1790000000050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table ${schemaOf(runner)}.table_state add column snapshot_waits boolean`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table ${schemaOf(runner)}.table_state drop column snapshot_waits`);
  }
}
