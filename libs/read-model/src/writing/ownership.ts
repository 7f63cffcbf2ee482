import { Refusal } from '#process';
import {
  PASSED_RECORD,
  POSITION,
  type PassedRecordRow,
  type PositionRow,
} from '../entities/index.js';
import type { WriterPool } from './pool.js';
import type { Statement } from './statements.js';

const CLAIMED = ['partition', 'generation', 'next', 'lastDigest', 'events', 'committedAt'] as const;

/**
 * A claimed partition. Its owner may write it until the lease ends, and only under this generation.
 */
export type Claimed = Pick<PositionRow, (typeof CLAIMED)[number]>;

/** A partition and the generation under which it was claimed. */
export type Held = Pick<PositionRow, 'partition' | 'generation'>;

const STATE = [...CLAIMED, 'logId', 'foldVersion', 'owner'] as const;
const STOPPED = ['stoppedOffset', 'stoppedLine', 'stoppedReason', 'stoppedAt'] as const;

/**
 * Why a partition is stopped. `line` is of the record at `offset` that cannot be read; null if the
 * log is at fault and not one record.
 */
export interface Stop {
  readonly offset: number;
  readonly line: number | null;
  readonly reason: string;
}

/** The state of a partition. */
export interface PositionState extends Pick<PositionRow, (typeof STATE)[number]> {
  /** Whether a lease is valid now, by the database's clock. */
  readonly owned: boolean;
  readonly stopped: (Stop & { readonly at: string }) | null;
}

/** Thrown if the rows were projected from another log, so they cannot continue from this one. */
export class OtherLog extends Refusal {
  override readonly name = 'OtherLog';
}

/** Thrown if another version of the fold projected the rows. They must be rebuilt. */
export class OtherFold extends Refusal {
  override readonly name = 'OtherFold';

  constructor(
    readonly found: number,
    readonly wanted: number,
  ) {
    super(
      `the rows are of fold version ${found}, but this program has version ${wanted}: run "shoeprint rebuild"`,
    );
  }
}

const NOBODY = 'owner = null, lease_ms = null, lease_until = null, generation = p.generation + 1';
const AFTER_LEASE = `clock_timestamp() + lease_ms * interval '1 ms'`;

interface Standing {
  readonly log_id: string;
  readonly partitions: number;
  readonly fold_version: number;
}

/**
 * Creates the positions of a log's partitions, at 0, unless it has some. Throws `OtherLog` if
 * positions of another log or another number of partitions exist, and `OtherFold` if another
 * version of the fold wrote the rows.
 */
export async function prepare(
  pool: WriterPool,
  logId: string,
  partitions: number,
  foldVersion: number,
): Promise<void> {
  if (!Number.isSafeInteger(partitions) || partitions < 1)
    throw new Error(`partitions must be a whole number of at least 1, not ${partitions}`);
  const standing = await pool.transaction(async (client) => {
    await client.query(`lock table ${pool.sql}.position in share row exclusive mode`);
    await client.query(
      `insert into ${pool.sql}.position (partition, log_id, next, fold_version, generation, events)
       select partition, $1, 0, $3, 0, 0 from generate_series(0, $2 - 1) partition
       where not exists (select from ${pool.sql}.position)`,
      [logId, partitions, foldVersion],
    );
    const { rows } = await client.query<Standing>(
      `select log_id, fold_version, count(*) as partitions from ${pool.sql}.position group by 1, 2`,
    );
    return { commit: true, value: rows };
  });
  for (const found of standing) {
    if (found.log_id !== logId)
      throw new OtherLog(`the rows are from the log ${found.log_id}, but this log is ${logId}`);
    if (found.fold_version !== foldVersion) throw new OtherFold(found.fold_version, foldVersion);
    if (found.partitions !== partitions)
      throw new OtherLog(
        `the rows are from a log of ${found.partitions} partitions, but this log has ${partitions}`,
      );
  }
}

/**
 * The limit of an answer about leases: half a lease, so that another try can follow. Very short
 * leases do not make it shorter.
 */
const answerMsOf = (leaseMs: number): number => Math.max(ANSWER_MS_LEAST, leaseMs / 2);
const ANSWER_MS_LEAST = 1_000;

/**
 * Claims up to `atMost` partitions that have no owner or whose lease has ended. Never claims a
 * stopped partition.
 */
export async function claim(
  pool: WriterPool,
  owner: string,
  leaseMs: number,
  atMost: number,
): Promise<Claimed[]> {
  return pool.query<Claimed>(
    'claim',
    `with free as (
       select partition from ${pool.sql}.position
       where stopped_at is null and (owner is null or lease_until < clock_timestamp())
       order by partition limit $3 for update skip locked)
     update ${pool.sql}.position p
     set owner = $1, lease_ms = $2, lease_until = clock_timestamp() + $2::int * interval '1 ms',
         generation = p.generation + 1
     from free where p.partition = free.partition
     returning ${POSITION.select('p', CLAIMED)}`,
    [owner, leaseMs, Math.max(0, atMost)],
    answerMsOf(leaseMs),
  );
}

/** Locks the held positions in order, so that two callers cannot deadlock. */
const heldOf = (schema: string): string =>
  `held as (
     select p.partition, p.generation from ${schema}.position p
     join unnest($2::int[], $3::bigint[]) h (partition, generation)
       on h.partition = p.partition and h.generation = p.generation
     where p.owner = $1 order by p.partition for update of p)`;

const columnsOf = (held: readonly Held[]): [number[], number[]] => [
  held.map(({ partition }) => partition),
  held.map(({ generation }) => generation),
];

/**
 * Renews leases. Returns the partitions that the owner no longer holds. Waits for no other
 * transaction: a position that one has locked is being written, which renews its lease, or
 * claimed, which the next renewal finds. Rejects if the answer takes half a lease.
 */
export async function renew(
  pool: WriterPool,
  owner: string,
  leaseMs: number,
  held: readonly Held[],
): Promise<number[]> {
  if (held.length === 0) return [];
  const kept = await pool.query<{ partition: number }>(
    'renew',
    `with still as (
       select p.partition, p.generation from ${pool.sql}.position p
       join unnest($2::int[], $3::bigint[]) h (partition, generation)
         on h.partition = p.partition and h.generation = p.generation
       where p.owner = $1),
     free as (
       select p.partition, p.generation from ${pool.sql}.position p
       join still on still.partition = p.partition and still.generation = p.generation
       where p.owner = $1 order by p.partition for update of p skip locked),
     renewed as (
       update ${pool.sql}.position p
       set lease_ms = $4, lease_until = clock_timestamp() + $4::int * interval '1 ms'
       from free where p.partition = free.partition and p.generation = free.generation)
     select partition from still`,
    [owner, ...columnsOf(held), leaseMs],
    answerMsOf(leaseMs),
  );
  const still = new Set(kept.map(({ partition }) => partition));
  return held.map(({ partition }) => partition).filter((partition) => !still.has(partition));
}

/** Releases partitions. Skips those that the owner no longer holds. */
export async function release(
  pool: WriterPool,
  owner: string,
  held: readonly Held[],
): Promise<void> {
  if (held.length === 0) return;
  await pool.query(
    'release',
    `with ${heldOf(pool.sql)}
     update ${pool.sql}.position p set ${NOBODY} from held where p.partition = held.partition and p.generation = held.generation`,
    [owner, ...columnsOf(held)],
  );
}

/**
 * Records that `owner` is alive. Returns how many owners are: those seen within `aliveMs`,
 * including this one.
 */
export async function heartbeat(pool: WriterPool, owner: string, aliveMs: number): Promise<number> {
  const [seen] = await pool.query<{ others: number }>(
    'heartbeat',
    `with me as (insert into ${pool.sql}.member (owner, seen_at) values ($1, clock_timestamp())
      on conflict (owner) do update set seen_at = excluded.seen_at),
          gone as (delete from ${pool.sql}.member where owner <> $1 and seen_at < clock_timestamp() - $2::int * interval '10 ms')
     select count(*) as others from ${pool.sql}.member where owner <> $1 and seen_at >= clock_timestamp() - $2::int * interval '1 ms'`,
    [owner, aliveMs],
    answerMsOf(aliveMs),
  );
  return 1 + (seen?.others ?? 0);
}

/** Removes `owner` from the members, so that others need not wait until it counts as dead. */
export async function leave(pool: WriterPool, owner: string): Promise<void> {
  await pool.query('leave', `delete from ${pool.sql}.member where owner = $1`, [owner]);
}

type PositionColumns = Omit<PositionState, 'stopped'> & Pick<PositionRow, (typeof STOPPED)[number]>;

/** Returns the state of every partition, in order. */
export async function positions(pool: WriterPool): Promise<PositionState[]> {
  const rows = await pool.query<PositionColumns>(
    'positions',
    `select ${POSITION.select('p', [...STATE, ...STOPPED])},
            coalesce(p.lease_until >= clock_timestamp(), false) as owned
     from ${pool.sql}.position p order by p.partition`,
  );
  return rows.map(({ stoppedOffset, stoppedLine, stoppedReason, stoppedAt, ...position }) => ({
    ...position,
    stopped:
      stoppedOffset === null || stoppedReason === null || stoppedAt === null
        ? null
        : { reason: stoppedReason, offset: stoppedOffset, line: stoppedLine, at: stoppedAt },
  }));
}

/**
 * Stops a partition at an offset until somebody resumes it, and releases it. Returns false if the
 * owner no longer holds it; the new owner will meet the same fault.
 */
export async function stopPartition(
  pool: WriterPool,
  { partition, generation }: Held,
  { offset, line, reason }: Stop,
): Promise<boolean> {
  const stopped = await pool.query(
    'stop-partition',
    `update ${pool.sql}.position p
     set stopped_offset = $3, stopped_line = $4, stopped_reason = $5,
       stopped_at = clock_timestamp(), ${NOBODY}
     where partition = $1 and generation = $2 returning partition`,
    [partition, generation, offset, line, reason.replaceAll('\0', '\uFFFD')],
  );
  return stopped.length > 0;
}

/**
 * Returns the statement that renews the leases of partitions whose positions the transaction has
 * moved. A transaction that took long ends with it, because its leases count from its beginning.
 */
export const lengthening = (schema: string, partitions: readonly number[]): Statement => ({
  name: 'lengthen',
  text: `update ${schema}.position set lease_until = ${AFTER_LEASE}
     where partition = any($1::int[])`,
  values: [partitions],
});

const NOT_STOPPED =
  'stopped_offset = null, stopped_line = null, stopped_reason = null, stopped_at = null';

/**
 * Returns the statement that resumes a stopped partition, so that it can be claimed. Returns no row
 * if it was not stopped.
 */
export const resuming = (schema: string, partition: number): Statement => ({
  name: 'resume-partition',
  text: `update ${schema}.position set ${NOT_STOPPED}
     where partition = $1 and stopped_at is not null returning 1`,
  values: [partition],
});

/** A record to pass: where its partition is stopped at it, what it holds, who passes it and why. */
export type RecordToPass = Pick<
  PassedRecordRow,
  'partition' | 'offset' | 'sha256' | 'size' | 'key' | 'reason' | 'passedBy'
>;

/**
 * Returns the statement that passes the record at which a partition is stopped and resumes the
 * partition. Returns no row if the partition is not stopped at that record.
 */
export const passing = (
  schema: string,
  { partition, offset, sha256, size, key, reason, passedBy }: RecordToPass,
): Statement => ({
  name: 'pass-record',
  text: `with stopped as (
       select partition, stopped_offset, stopped_reason from ${schema}.position
       where partition = $1 and stopped_offset = $2 and stopped_line is not null for update),
     resumed as (
       update ${schema}.position p set ${NOT_STOPPED}
       from stopped where p.partition = stopped.partition)
     insert into ${schema}.passed_record
       (partition, "offset", sha256, size, key, fault, reason, passed_by, passed_at)
     select partition, stopped_offset, $3, $4, $5, stopped_reason, $6, $7, clock_timestamp()
     from stopped returning 1`,
  values: [partition, offset, sha256, size, key, reason, passedBy],
});

/** What identifies a passed record: a record with another digest there is another one. */
export type PassedDigest = Pick<PassedRecordRow, 'offset' | 'sha256'>;

/** Returns the passed records of a partition, in order. Every fold of the partition skips them. */
export const passed = (pool: WriterPool, partition: number): Promise<PassedDigest[]> =>
  pool.query<PassedDigest>(
    'passed',
    `select ${PASSED_RECORD.select('r', ['offset', 'sha256'])}
     from ${pool.sql}.passed_record r where r.partition = $1 order by r."offset"`,
    [partition],
  );

/**
 * Returns the statement that every write begins with. It locks the wanted positions in order and
 * moves those that are as expected: at `from` and under their generation. It also renews their
 * leases, notifies listeners, and returns the partitions that it moved.
 */
export const movingSql = (schema: string): string =>
  `with wanted as (
     select * from
       unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bigint[])
       w (partition, generation, "from", next, digest, events)),
   held as (
     select p.partition from ${schema}.position p
     join wanted w
       on w.partition = p.partition and w.generation = p.generation and w."from" = p.next
     order by p.partition for update of p),
   moved as (
     update ${schema}.position p
     set next = w.next,
         last_digest = case when w.next > w."from" then w.digest else p.last_digest end,
         events = p.events + w.events,
         committed_at = clock_timestamp(), lease_until = ${AFTER_LEASE}
     from wanted w join held on held.partition = w.partition
     where p.partition = w.partition and p.generation = w.generation and p.next = w."from"
     returning p.partition)
   select partition, pg_notify($7, $8) from moved`;
