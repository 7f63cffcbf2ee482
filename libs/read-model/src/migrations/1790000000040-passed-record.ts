import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/**
 * Adds the records that an administrator passed, and at which line a record stopped its partition.
 * What stopped a partition before it is not known: it stays stopped as if its log were at fault.
 */
export class PassedRecord1790000000040 implements MigrationInterface {
  readonly name = 'PassedRecord1790000000040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`set local search_path to ${schemaOf(runner)}`);
    await runner.query('alter table position add column stopped_line integer');
    await runner.query(`create table passed_record (
      partition integer not null,
      "offset" bigint not null,
      sha256 text collate "C" not null,
      size bigint not null,
      key text collate "C" not null,
      fault text collate "C" not null,
      reason text collate "C" not null,
      passed_by text collate "C" not null,
      passed_at timestamptz(3) not null,
      primary key (partition, "offset")
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ${schemaOf(runner)}.passed_record`);
    await runner.query(`alter table ${schemaOf(runner)}.position drop column stopped_line`);
  }
}
