import type { MigrationInterface, QueryRunner } from 'typeorm';

class Access1790000000000 implements MigrationInterface {
  readonly name = 'Access1790000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table access.account (
        name text primary key, password_hash text not null, roles text[] not null, tables text[] not null, disabled boolean not null default false,
        created_at timestamptz not null default now(), created_by text not null);
      create table access.session (
        id text primary key, account_name text not null constraint session_account references access.account (name) on delete cascade,
        token_hash bytea not null, created_at timestamptz not null default now(), expires_at timestamptz not null);
      create index session_account_name on access.session (account_name);
      create table access.device_key (
        id text primary key, name text not null constraint device_key_name unique, token_hash bytea not null, sources text[] not null, tables text[] not null, types text[] not null,
        created_at timestamptz not null default now(), created_by text not null, revoked_at timestamptz, last_used_at timestamptz);
      create table access.sign_in_attempt (id uuid primary key, name text not null, address text not null, at timestamptz not null default now());
      create index sign_in_attempt_at on access.sign_in_attempt (at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop table access.sign_in_attempt, access.device_key, access.session, access.account',
    );
  }
}

class Outbox1792000000000 implements MigrationInterface {
  readonly name = 'Outbox1792000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table access.outbox (
        id uuid primary key, place bigint not null generated always as identity,
        type text not null, "by" text not null, at timestamptz not null, data json not null,
        gathered text constraint outbox_gathered unique, count integer not null default 1,
        due_at timestamptz not null, held_until timestamptz);
      create index outbox_due on access.outbox (due_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table access.outbox');
  }
}

/** The migrations, in the order in which they are applied. A published one never changes. */
export const ACCESS_MIGRATIONS = [Access1790000000000, Outbox1792000000000];
