import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What was read again of the log, and compared with its leaves.
 *
 * - `reading`: how far the pass over each partition is, and when the last whole pass ended.
 * - `mismatch`: records that are not those that were hashed. None is ever removed.
 */
export class ReadingAgain1793500000000 implements MigrationInterface {
  readonly name = 'ReadingAgain1793500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table seal.reading (
        partition integer primary key, next bigint not null default 0, completed_at timestamptz);
      create table seal.mismatch (
        partition integer, "offset" bigint, name text not null, record bigint,
        sealed bytea, found bytea, found_at timestamptz not null default clock_timestamp(),
        primary key (partition, "offset"))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table seal.reading, seal.mismatch');
  }
}
