import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/**
 * Refuses to move a finding to another shoe or coup. Its id says where it was found, so a second
 * place means that two findings got one id, and one of them would be lost.
 */
export class FindingStays1787000000000 implements MigrationInterface {
  readonly name = 'FindingStays1787000000000';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    await runner.query(`create function ${schema}.finding_moved() returns trigger
      language plpgsql as $$
      begin
        raise exception 'finding % of shoe % coup % was given again in shoe % coup %',
          old.id, old.shoe_ref, old.coup_ref, new.shoe_ref, new.coup_ref
          using errcode = 'integrity_constraint_violation';
      end $$`);
    await runner.query(`create trigger finding_stays before update on ${schema}.finding for each row
      when ((old.shoe_ref, old.coup_ref) is distinct from (new.shoe_ref, new.coup_ref))
      execute function ${schema}.finding_moved()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    await runner.query(`drop trigger finding_stays on ${schema}.finding`);
    await runner.query(`drop function ${schema}.finding_moved()`);
  }
}
