import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The schema of what was sealed.
 *
 * - `site`: the one site, and who may write it: a lease and its generation.
 * - `position`: how far each partition of the log was hashed.
 * - `tree`: a Merkle tree, 0 the site log's, the others a table's under its escaped name. A table
 *   gets its number with the first seal that holds it.
 * - `tail`: leaf hashes of a tree's last tile, which is not full, as they were appended.
 * - `tile`: full tiles of 256 nodes. Level 0 holds leaves; level 1 and above only the tile's root.
 * - `entry`: the leaves of the site log.
 * - `grown`: the tables that a seal found larger than the one before.
 */
export class Seal1793000000000 implements MigrationInterface {
  readonly name = 'Seal1793000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table seal.site (
        one boolean primary key default true check (one),
        origin text not null, log_id text not null, partitions integer not null,
        generation bigint not null default 0, owner text, lease_until timestamptz);
      create table seal.position (
        partition integer primary key, next bigint not null default 0, last_digest bytea,
        stopped_offset bigint, stopped_reason text, stopped_at timestamptz)
        with (fillfactor = 50);
      create table seal.tree (
        id integer primary key, number integer constraint tree_number unique,
        name text not null, name_digest bytea not null constraint tree_name unique,
        size bigint not null default 0, frontier bytea not null default '')
        with (fillfactor = 50);
      create table seal.tail (
        tree integer, first bigint, hashes bytea not null, places bytea,
        primary key (tree, first));
      create table seal.tile (
        tree integer, level smallint, "index" bigint, root bytea not null,
        hashes bytea, places bytea, primary key (tree, level, "index"));
      alter table seal.tile alter hashes set storage external, alter places set storage external;
      create table seal.entry (
        "index" bigint primary key, kind text not null check (kind in ('keys', 'seal')),
        text text not null, root bytea not null, day date,
        at timestamptz not null default clock_timestamp());
      create unique index entry_day on seal.entry (day) where day is not null;
      create index entry_keys on seal.entry ("index") where kind = 'keys';
      create table seal.checkpoint (
        size bigint primary key, note text not null,
        at timestamptz not null default clock_timestamp());
      create table seal.grown (
        number integer, seal bigint, size bigint not null, root bytea not null,
        primary key (number, seal));
      create index grown_seal on seal.grown using brin (seal) with (pages_per_range = 16)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `drop table seal.site, seal.position, seal.tree, seal.tail, seal.tile, seal.entry,
         seal.checkpoint, seal.grown`,
    );
  }
}
