import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema-of.js';

const TABLES = [
  `create table position (
    partition integer not null,
    log_id text collate "C" not null,
    "next" bigint not null,
    last_digest bytea,
    fold_version integer not null,
    generation bigint not null,
    owner text collate "C",
    lease_ms integer,
    lease_until timestamptz(3),
    stopped_reason text collate "C",
    stopped_offset bigint,
    stopped_at timestamptz(3),
    events bigint not null,
    committed_at timestamptz(3),
    primary key (partition)
  ) with (fillfactor = 20)`,
  `create table member (
    owner text collate "C" not null,
    seen_at timestamptz(3) not null,
    primary key (owner)
  )`,
  `create table table_state (
    "table" text collate "C" not null,
    "name" text collate "C" not null,
    partition integer not null,
    shoe_ref text collate "C",
    dealer text collate "C",
    last_event_time timestamptz(3) not null,
    last_received timestamptz(3),
    "read" bigint not null,
    admitted bigint not null,
    duplicates bigint not null,
    equivocal bigint not null,
    late bigint not null,
    stray bigint not null,
    snapshot bytea,
    snapshot_next bigint,
    changed bigint not null,
    primary key ("table")
  )`,
  `create table device (
    "table" text collate "C" not null,
    source text collate "C" not null,
    events bigint not null,
    session text collate "C",
    last_sequence bigint,
    last_time timestamptz(3) not null,
    last_received timestamptz(3),
    clock_offset_last bigint,
    clock_offset_least bigint,
    clock_offset_most bigint,
    online boolean,
    partition integer not null,
    changed bigint not null,
    primary key ("table", source)
  )`,
  `create table parked (
    "table" text collate "C" not null,
    "name" text collate "C" not null,
    partition integer not null,
    "offset" bigint not null,
    line integer not null,
    reason text collate "C" not null,
    parked_at timestamptz(3) not null,
    asked text collate "C",
    asked_by text collate "C",
    asked_at timestamptz(3),
    primary key ("table")
  )`,
  `create table released (
    partition integer not null,
    "offset" bigint not null,
    line integer not null,
    "table" text collate "C" not null,
    reason text collate "C" not null,
    released_by text collate "C" not null,
    released_at timestamptz(3) not null,
    primary key (partition, "offset", line)
  )`,
  `create table shoe (
    ref text collate "C" not null,
    "table" text collate "C" not null,
    shoe text collate "C" not null,
    rules text collate "C" not null,
    decks bigint not null,
    kind text collate "C" not null,
    currency text collate "C" not null,
    coups bigint not null,
    cards bigint not null,
    unread bigint not null,
    closed boolean not null,
    close_reason text collate "C",
    remaining bigint,
    opened_at timestamptz(3) not null,
    closed_at timestamptz(3),
    gaming_day date not null,
    opened_offset bigint not null,
    opened_line integer not null,
    partition integer not null,
    changed bigint not null,
    primary key (ref, "table")
  )`,
  `create table coup (
    ref text collate "C" not null,
    shoe_ref text collate "C" not null,
    "table" text collate "C" not null,
    shoe text collate "C" not null,
    coup bigint not null,
    kind text collate "C" not null,
    state text collate "C" not null,
    outcome text collate "C",
    dealer text collate "C",
    opened_at timestamptz(3) not null,
    ended_at timestamptz(3),
    gaming_day date not null,
    detail json not null,
    partition integer not null,
    changed bigint not null,
    primary key (ref, "table")
  )`,
  `create table finding (
    id text collate "C" not null,
    code text collate "C" not null,
    severity smallint not null,
    "table" text collate "C" not null,
    shoe text collate "C" not null,
    shoe_ref text collate "C",
    coup bigint,
    coup_ref text collate "C",
    seat bigint,
    bet text collate "C",
    hand text collate "C",
    rules text collate "C" not null,
    explained_by text collate "C",
    impact_amount bigint,
    impact_currency text collate "C",
    impact_favours text collate "C",
    "void" boolean not null,
    remedied boolean not null,
    dealer text collate "C",
    "at" timestamptz(3) not null,
    gaming_day date not null,
    withdrawn_because text collate "C",
    body json not null,
    partition integer not null,
    changed bigint not null,
    primary key (id)
  )`,
  `create table unjudgeable (
    "table" text collate "C" not null,
    shoe_ref text collate "C" not null,
    "key" text collate "C" not null,
    shoe text collate "C" not null,
    coup bigint,
    body json not null,
    partition integer not null,
    changed bigint not null,
    primary key ("table", shoe_ref, "key")
  )`,
  `create table ledger (
    shoe_ref text collate "C" not null,
    seat bigint not null,
    "table" text collate "C" not null,
    shoe text collate "C" not null,
    currency text collate "C" not null,
    due bigint not null,
    taken bigint not null,
    marked bigint not null,
    collected bigint not null,
    waived bigint not null,
    primary key (shoe_ref, seat, "table")
  )`,
  `create table commission (
    shoe_ref text collate "C" not null,
    seat bigint not null,
    dealer text collate "C" not null,
    gaming_day date not null,
    "table" text collate "C" not null,
    shoe text collate "C" not null,
    currency text collate "C" not null,
    due bigint not null,
    taken bigint not null,
    marked bigint not null,
    collected bigint not null,
    waived bigint not null,
    primary key (shoe_ref, seat, dealer, gaming_day, "table")
  )`,
  `create table dealt (
    shoe_ref text collate "C" not null,
    dealer text collate "C" not null,
    gaming_day date not null,
    "table" text collate "C" not null,
    shoe text collate "C" not null,
    coups bigint not null,
    cards bigint not null,
    primary key (shoe_ref, dealer, gaming_day, "table")
  )`,
  `create table bet_total (
    shoe_ref text collate "C" not null,
    bet text collate "C" not null,
    dealer text collate "C" not null,
    gaming_day date not null,
    "table" text collate "C" not null,
    shoe text collate "C" not null,
    currency text collate "C" not null,
    bets bigint not null,
    staked bigint not null,
    paid bigint not null,
    taken bigint not null,
    primary key (shoe_ref, bet, dealer, gaming_day, "table")
  )`,
];

const INDEXES = [
  'create index table_state_changed on table_state (partition, changed, "table")',
  'create index device_changed on device (partition, changed)',
  'create index device_source on device (source)',
  'create index parked_partition on parked (partition)',
  'create index shoe_order on shoe ("table", opened_offset, opened_line)',
  'create index shoe_name on shoe ("table", shoe)',
  'create index shoe_day on shoe (gaming_day, "table")',
  'create index shoe_changed on shoe (partition, changed)',
  'create index coup_order on coup (shoe_ref, coup, ref)',
  'create index coup_time on coup ("table", gaming_day, opened_at, ref)',
  'create index coup_day on coup (gaming_day, opened_at, ref)',
  'create index coup_changed on coup (partition, changed)',
  'create index finding_time on finding ("at", id)',
  'create index finding_code on finding (code, "at", id)',
  'create index finding_severity on finding (severity, "at", id)',
  'create index finding_table on finding ("table", "at", id)',
  'create index finding_dealer on finding (dealer, "at", id)',
  'create index finding_day on finding (gaming_day, code, "table")',
  'create index finding_shoe on finding (shoe_ref)',
  'create index finding_coup on finding (coup_ref)',
  'create index finding_withdrawn on finding ("at", id) where (withdrawn_because is not null)',
  'create index finding_changed on finding (partition, changed)',
  'create index unjudgeable_shoe on unjudgeable (shoe_ref)',
  'create index unjudgeable_changed on unjudgeable (partition, changed)',
  'create index ledger_table on ledger ("table")',
  'create index commission_day on commission (gaming_day, "table")',
  'create index commission_table on commission ("table", gaming_day)',
  'create index commission_dealer on commission (dealer, gaming_day)',
  'create index dealt_day on dealt (gaming_day, "table")',
  'create index dealt_table on dealt ("table", gaming_day)',
  'create index dealt_dealer on dealt (dealer, gaming_day)',
  'create index bet_total_day on bet_total (gaming_day, "table")',
  'create index bet_total_table on bet_total ("table", gaming_day)',
  'create index bet_total_dealer on bet_total (dealer, gaming_day)',
];

/**
 * Creates the first tables. They are not partitioned by day. Every row is found by its reference,
 * by table and time, or by gaming day, and each of these descends one index however many years it
 * covers. A reference does not contain the day, so a write would have to search every partition.
 */
export class Rows1785000000000 implements MigrationInterface {
  readonly name = 'Rows1785000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`set local search_path to ${schemaOf(runner)}`);
    for (const sql of [...TABLES, ...INDEXES]) await runner.query(sql);
    // A state is always written and read as a whole. Compressing it would cost more than the disk
    // space it saves.
    await runner.query('alter table table_state alter column snapshot set storage external');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`set local search_path to ${schemaOf(runner)}`);
    for (const sql of TABLES)
      await runner.query(
        `drop table ${(/create table (\w+)/.exec(sql) as RegExpExecArray)[1] as string}`,
      );
  }
}
