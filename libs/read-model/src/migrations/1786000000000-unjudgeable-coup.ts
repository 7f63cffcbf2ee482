import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/** The coup of what could not be judged, by the reference of its opening. The rebuild that follows fills it in. */
export class UnjudgeableCoup1786000000000 implements MigrationInterface {
  readonly name = 'UnjudgeableCoup1786000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table ${schemaOf(runner)}.unjudgeable add column coup_ref text collate "C"`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table ${schemaOf(runner)}.unjudgeable drop column coup_ref`);
  }
}
