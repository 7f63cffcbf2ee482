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

/**
 * Adds the addresses that people have signed in from. `sign_in_attempt` stays, because an api of
 * the version before may still run; nothing reads it any more.
 */
class KnownAddresses1795000000000 implements MigrationInterface {
  readonly name = 'KnownAddresses1795000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table access.known_address (
        account_name text not null constraint known_address_account references access.account (name) on delete cascade,
        address text not null, last_at timestamptz not null default now(), primary key (account_name, address));
      create index known_address_last_at on access.known_address (last_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table access.known_address');
  }
}

/** The migrations, in the order in which they are applied. A published one never changes. */
export const ACCESS_MIGRATIONS = [Access1790000000000, KnownAddresses1795000000000];
