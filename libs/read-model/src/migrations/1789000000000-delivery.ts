import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/**
 * What each sender delivered for each source at a table. A delivery of before is written with its
 * next event, or by a rebuild.
 */
export class Delivery1789000000000 implements MigrationInterface {
  readonly name = 'Delivery1789000000000';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    await runner.query(`create table ${schema}.delivery (
      "table" text collate "C" not null,
      sender text collate "C" not null,
      source text collate "C" not null,
      events bigint not null,
      duplicates bigint not null,
      unread bigint not null,
      last_received timestamptz(3) not null,
      partition integer not null,
      changed bigint not null,
      primary key ("table", sender, source)
    )`);
    await runner.query(`create index delivery_changed on ${schema}.delivery (partition, changed)`);
    await runner.query(`create index delivery_sender on ${schema}.delivery (sender)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ${schemaOf(runner)}.delivery`);
  }
}
