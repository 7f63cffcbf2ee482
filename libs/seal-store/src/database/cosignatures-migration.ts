import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Signature lines that witnesses added to checkpoints. */
export class Cosignatures1793600000000 implements MigrationInterface {
  readonly name = 'Cosignatures1793600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table seal.cosignature (
        size bigint, witness text, line text not null,
        at timestamptz not null default clock_timestamp(), primary key (witness, size));
      create index cosignature_size on seal.cosignature (size)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table seal.cosignature');
  }
}
