import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

/**
 * Finds a claim by the key that it was sent under, which its reference ends with. Without the index
 * each command that takes the next finding reads all claims that the person ever made.
 */
export class ClaimKey1790000000010 implements MigrationInterface {
  readonly name = 'ClaimKey1790000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index review_event_claim on ${schemaOf(runner)}.review_event
      (substr(ref, strpos(ref, '#claim/' || finding || '/') + length(finding) + 8))
      where type = 'finding-claimed' and outcome = 'taken'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index ${schemaOf(runner)}.review_event_claim`);
  }
}
