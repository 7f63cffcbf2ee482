import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/** The burn of a shoe, and when its cut card showed. The rebuild that follows fills them in. */
export class ShoeBurn1790000000030 implements MigrationInterface {
  readonly name = 'ShoeBurn1790000000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table ${schemaOf(runner)}.shoe add column burn json, add column cut_card json`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table ${schemaOf(runner)}.shoe drop column burn, drop column cut_card`,
    );
  }
}
