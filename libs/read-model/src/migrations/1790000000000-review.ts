import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

const COLUMNS = [
  `review text collate "C" not null default 'open'`,
  'claimed_by text collate "C"',
  'claimed_until timestamptz(3)',
  'proposal text collate "C"',
  'proposed_by text collate "C"',
  'disposition text collate "C"',
  'policy text collate "C"',
  'ruling text collate "C"',
  'signed_by text collate "C"',
  'ruled_at timestamptz(3)',
  'counts boolean not null default true',
  'escalated text collate "C"',
  'stale boolean not null default false',
  'regressed boolean not null default false',
  'touched boolean not null default false',
  'lapsed boolean not null default false',
  'evidence text collate "C"',
  `people json not null default '[]'`,
  `lines json not null default '[]'`,
];

/** Where the review of each finding stands, and what people did about it. */
export class Review1790000000000 implements MigrationInterface {
  readonly name = 'Review1790000000000';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    await runner.query(
      `alter table ${schema}.finding ${COLUMNS.map((column) => `add ${column}`).join(', ')}`,
    );
    await runner.query(`create index finding_queue on ${schema}.finding (severity, raised_at, id)
      where withdrawn_because is null and review <> 'ruled' and not lapsed`);
    await runner.query(`create table ${schema}.review_event (
      ref text collate "C" not null,
      "table" text collate "C" not null,
      finding text collate "C" not null,
      type text collate "C" not null,
      "by" text collate "C" not null,
      "as" text collate "C" not null,
      "at" timestamptz(3) not null,
      data json not null,
      outcome text collate "C" not null,
      "offset" bigint not null,
      line integer not null,
      partition integer not null,
      changed bigint not null,
      primary key (ref, "table")
    )`);
    await runner.query(
      `create index review_event_finding on ${schema}.review_event (finding, "offset", line)`,
    );
    await runner.query(
      `create index review_event_changed on ${schema}.review_event (partition, changed)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    await runner.query(`drop table ${schema}.review_event`);
    await runner.query(`drop index ${schema}.finding_queue`);
    const names = COLUMNS.map((column) => `drop ${column.split(' ', 1)[0]}`);
    await runner.query(`alter table ${schema}.finding ${names.join(', ')}`);
  }
}
