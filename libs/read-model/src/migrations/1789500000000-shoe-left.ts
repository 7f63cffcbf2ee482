import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/** The cards left of each rank in a shoe. The rebuild that follows fills it in. */
export class ShoeLeft1789500000000 implements MigrationInterface {
  readonly name = 'ShoeLeft1789500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table ${schemaOf(runner)}.shoe add column left_by_rank json`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table ${schemaOf(runner)}.shoe drop column left_by_rank`);
  }
}
