import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/** Adds the acts in the house. Before it, the log has none. */
export class HouseEvents1788500000000 implements MigrationInterface {
  readonly name = 'HouseEvents1788500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`set local search_path to ${schemaOf(runner)}`);
    await runner.query(`create table house_event (
      ref text collate "C" not null,
      type text collate "C" not null,
      "by" text collate "C" not null,
      "at" timestamptz(3) not null,
      gaming_day date not null,
      data json not null,
      partition integer not null,
      changed bigint not null,
      primary key (ref)
    )`);
    await runner.query('create index house_event_day on house_event (gaming_day, "at", ref)');
    await runner.query('create index house_event_by on house_event ("by", gaming_day, "at", ref)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ${schemaOf(runner)}.house_event`);
  }
}
