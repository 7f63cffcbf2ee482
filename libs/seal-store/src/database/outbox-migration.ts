import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lines for the record of the house that the log has not acknowledged. `held_until` is how long one
 * process has a line to itself.
 */
export class Outbox1793700000000 implements MigrationInterface {
  readonly name = 'Outbox1793700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table seal.outbox (
        place bigint generated always as identity primary key, line text not null,
        held_until timestamptz)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table seal.outbox');
  }
}
