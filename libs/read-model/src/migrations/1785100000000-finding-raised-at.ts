import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/**
 * Adds the time at which a finding was first raised. Findings written before have null until their
 * rows are rebuilt.
 */
export class FindingRaisedAt1785100000000 implements MigrationInterface {
  readonly name = 'FindingRaisedAt1785100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table ${schemaOf(runner)}.finding add raised_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table ${schemaOf(runner)}.finding drop raised_at`);
  }
}
