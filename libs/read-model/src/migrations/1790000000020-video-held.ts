import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/** Until when video was held, by the acts that say so. The rebuild that follows fills it in. */
export class VideoHeld1790000000020 implements MigrationInterface {
  readonly name = 'VideoHeld1790000000020';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    await runner.query(`alter table ${schema}.review_event add column held_until timestamptz(3)`);
    await runner.query(`create index review_event_held on ${schema}.review_event (finding)
      where held_until is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    await runner.query(`drop index ${schema}.review_event_held`);
    await runner.query(`alter table ${schema}.review_event drop column held_until`);
  }
}
