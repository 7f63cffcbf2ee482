import type { MigrationInterface, QueryRunner } from 'typeorm';

class Access1790000000000 implements MigrationInterface {
  readonly name = 'Access1790000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table access.account (
        name text primary key, password_hash text not null, roles text[] not null,
        tables text[] not null, disabled boolean not null default false,
        created_at timestamptz not null default now(), created_by text not null);
      create table access.session (
        id text primary key,
        account_name text not null constraint session_account
          references access.account (name) on delete cascade,
        token_hash bytea not null, created_at timestamptz not null default now(),
        expires_at timestamptz not null);
      create index session_account_name on access.session (account_name);
      create table access.device_key (
        id text primary key, name text not null constraint device_key_name unique,
        token_hash bytea not null, sources text[] not null, tables text[] not null,
        types text[] not null, created_at timestamptz not null default now(),
        created_by text not null, revoked_at timestamptz, last_used_at timestamptz);
      create table access.sign_in_attempt (
        id uuid primary key, name text not null, address text not null,
        at timestamptz not null default now());
      create index sign_in_attempt_at on access.sign_in_attempt (at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop table access.sign_in_attempt, access.device_key, access.session, access.account',
    );
  }
}

/**
 * Adds persons, second factors, resets and pending grants. An account of before is its own person,
 * and its password counts as chosen by its owner and used.
 */
class People1791000000000 implements MigrationInterface {
  readonly name = 'People1791000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table access.account
        add person text,
        add must_change_password boolean not null default false,
        add password_used_at timestamptz,
        add second_factor boolean not null default false,
        add wall_display boolean not null default false;
      update access.account set person = name, password_used_at = created_at;
      alter table access.account alter person set not null;
      alter table access.session add last_used_at timestamptz not null default now();
      create table access.pending_grant (
        id text primary key,
        account_name text not null constraint pending_grant_account_name unique
          constraint pending_grant_account references access.account (name) on delete cascade,
        roles text[] not null, tables text[] not null, asked_by text not null,
        asked_at timestamptz not null default now(), expires_at timestamptz not null);
      create table access.password_reset (
        account_name text primary key
          constraint password_reset_account references access.account (name) on delete cascade,
        code_hash bytea not null, removes_second_factor boolean not null,
        expires_at timestamptz not null);
      create table access.totp (
        account_name text primary key
          constraint totp_account references access.account (name) on delete cascade,
        secret text not null, last_step integer not null default 0);
      create table access.recovery_code (
        account_name text
          constraint recovery_code_account references access.account (name) on delete cascade,
        code_hash bytea, primary key (account_name, code_hash))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table access.recovery_code, access.totp, access.password_reset, access.pending_grant;
      alter table access.session drop last_used_at;
      alter table access.account
        drop person, drop must_change_password, drop password_used_at, drop second_factor,
        drop wall_display`);
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

/**
 * Adds the addresses that people have signed in from. `sign_in_attempt` stays, because an api of
 * the version before may still run; nothing reads it any more.
 */
class KnownAddresses1795000000000 implements MigrationInterface {
  readonly name = 'KnownAddresses1795000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table access.known_address (
        account_name text not null
          constraint known_address_account references access.account (name) on delete cascade,
        address text not null, last_at timestamptz not null default now(),
        primary key (account_name, address));
      create index known_address_last_at on access.known_address (last_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table access.known_address');
  }
}

/** Keeps the tables that each key has brought, so that their number can be bounded. */
class KeyTables1793000000000 implements MigrationInterface {
  readonly name = 'KeyTables1793000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table access.key_table (
        key_name text not null, table_name text not null,
        brought_at timestamptz not null default now(),
        constraint key_table_pkey primary key (key_name, table_name))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table access.key_table');
  }
}

/**
 * Keeps when each session was last confirmed. An older one was confirmed when it began, and one
 * that an api of the version before opens is confirmed by that.
 */
class Confirmed1796000000000 implements MigrationInterface {
  readonly name = 'Confirmed1796000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table access.session add confirmed_at timestamptz not null default now();
      update access.session set confirmed_at = created_at`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table access.session drop confirmed_at');
  }
}

/** Adds what people's pages keep: saved views and preferences. */
class Screens1797000000000 implements MigrationInterface {
  readonly name = 'Screens1797000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table access.saved_view (
        account_name text
          constraint saved_view_account references access.account (name) on delete cascade,
        name text, view json not null, changed_at timestamptz not null default now(),
        primary key (account_name, name));
      create table access.preferences (
        account_name text primary key
          constraint preferences_account references access.account (name) on delete cascade,
        preferences json not null)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table access.preferences, access.saved_view');
  }
}

/** Keeps which finding was handed out to whom, until the person has claimed it. */
class HandOuts1797900000000 implements MigrationInterface {
  readonly name = 'HandOuts1797900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table access.hand_out (
        finding text primary key, who text not null, key text not null, until timestamptz not null,
        constraint hand_out_key unique (who, key))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table access.hand_out');
  }
}

/** Lets the outbox hold events of a table: under which id, and from which account. */
class OutboxOfTables1797910000000 implements MigrationInterface {
  readonly name = 'OutboxOfTables1797910000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table access.outbox add "table" text, add event_id text, add received_from text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table access.outbox drop "table", drop event_id, drop received_from');
  }
}

/** Keeps the packages that people asked for, and how far each is. */
class Exports1798000000000 implements MigrationInterface {
  readonly name = 'Exports1798000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table access.export (
        id uuid primary key, place bigint not null generated always as identity,
        asked_by text not null, key text not null, asked_at timestamptz not null default now(),
        "table" text, asked json not null, purpose text not null, recipient text not null,
        state text not null default 'waiting', step text, share real,
        tries integer not null default 0,
        runner text, held_until timestamptz, made json, code text, detail text, note uuid,
        ended_at timestamptz,
        constraint export_key unique (asked_by, key))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table access.export');
  }
}

/** The migrations, in the order in which they are applied. A published one never changes. */
export const ACCESS_MIGRATIONS = [
  Access1790000000000,
  People1791000000000,
  Outbox1792000000000,
  KeyTables1793000000000,
  KnownAddresses1795000000000,
  Confirmed1796000000000,
  Screens1797000000000,
  HandOuts1797900000000,
  OutboxOfTables1797910000000,
  Exports1798000000000,
];
