import pg from 'pg';
import { Refusal } from '#process';
import { migrate } from '../database/data-source.js';
import { prepare } from '../writing/ownership.js';
import { compareSchemas, type Compared, type TableComparison } from './compare.js';
import { quotedSchema, ROWS_SCHEMA } from '../database/schema.js';
import { sessionOf, WriterPool } from '../writing/pool.js';

/** Another process rebuilds the same rows. */
export class RebuildRunning extends Refusal {
  override readonly name = 'RebuildRunning';

  constructor() {
    super('another rebuild of these rows is running');
  }
}

/** The rebuilt rows do not stand where the live ones do, or are from another log: neither compared nor swapped. */
export class NotAtTheSamePlace extends Refusal {
  override readonly name = 'NotAtTheSamePlace';
}

/** Where a partition of the live rows stands. */
export interface LivePosition {
  readonly partition: number;
  readonly next: number;
}

/**
 * Brings the rebuilt rows exactly to where the live ones stand, which do not move until it is done: nobody writes meanwhile, so
 * there is little to do and no more than five seconds for it. The rebuild must never be taken beyond the live rows.
 */
export type Reach = (live: readonly LivePosition[]) => Promise<void>;

interface Place extends LivePosition {
  readonly logId: string;
  readonly digest: string | null;
}

/** Longest wait for those who read or write the live rows; whoever comes after waits behind. */
const LOCK_MS = 3_000;

/**
 * Rows made anew beside the live ones, in the schema `<live>_next`: the caller opens a `RowStore` on `schema`, claims all its
 * partitions and folds the log into it, as far as the live rows are. Interrupted, it goes on where it stood. One at a time.
 */
export class Rebuild {
  private lost: Error | undefined;

  private constructor(
    private readonly url: string,
    readonly live: string,
    private readonly guard: pg.Client,
  ) {
    guard.on('error', (error) => (this.lost = error));
  }

  /** Begins or goes on with a rebuild of the rows in the schema `live`, which is made where there is none. Throws `RebuildRunning`. */
  static async open(url: string, live: string = ROWS_SCHEMA): Promise<Rebuild> {
    const guard = new pg.Client({ ...sessionOf(url, 'shoeprint rebuild') });
    const rebuild = new Rebuild(url, live, guard);
    await guard.connect();
    try {
      const { rows } = await guard.query<{ mine: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as mine',
        [`shoeprint rebuild ${live}`],
      );
      if (!rows[0]?.mine) throw new RebuildRunning();
      // Left by a rebuild that was killed after its swap.
      await guard.query(`drop schema if exists ${quotedSchema(`${live}_old`)} cascade`);
      await migrate(url, live);
    } catch (error) {
      await guard.end();
      throw error;
    }
    return rebuild;
  }

  /** The schema that is filled. */
  get schema(): string {
    return `${this.live}_next`;
  }

  /**
   * Makes the schema, or finds it as an interrupted rebuild of the same log by the same version of the fold left it; anything
   * else is dropped first. What was released in the live rows is left out of the new ones too.
   */
  async prepare(
    logId: string,
    partitions: number,
    foldVersion: number,
  ): Promise<{ readonly resumed: boolean }> {
    const next = quotedSchema(this.schema);
    const resumed = await this.standsFor(logId, partitions, foldVersion);
    if (!resumed) await this.guard.query(`drop schema if exists ${next} cascade`);
    await migrate(this.url, this.schema);
    const pool = new WriterPool(this.url, this.schema, 1);
    await prepare(pool, logId, partitions, foldVersion).finally(() => pool.close());
    await this.guard.query(releasesTaken(quotedSchema(this.live), next));
    return { resumed };
  }

  private async standsFor(
    logId: string,
    partitions: number,
    foldVersion: number,
  ): Promise<boolean> {
    const { rows: made } = await this.guard.query(
      `select from pg_tables where schemaname = $1 and tablename = 'position'`,
      [this.schema],
    );
    if (made.length === 0) return false;
    const { rows } = await this.guard.query<{ same: boolean | null; count: number }>(
      `select bool_and(log_id = $1 and fold_version = $2) as same, count(*) as count from ${quotedSchema(this.schema)}.position`,
      [logId, foldVersion],
    );
    return rows[0]?.same === true && rows[0].count === partitions;
  }

  /**
   * Compares the two, table by table, as both stand at one place: counts, and digests of all rows in order of their keys. The
   * live rows are held up only while `reach` works. Throws `NotAtTheSamePlace` where it did not reach them.
   */
  async compare(reach: Reach, compared: Compared = () => undefined): Promise<TableComparison[]> {
    const [live, next] = [quotedSchema(this.live), quotedSchema(this.schema)];
    return this.session(0, async (reader) => {
      await this.session(LOCK_MS, async (holder) => {
        await holder.query('begin');
        await holder.query(`lock table ${live}.position in share row exclusive mode`);
        await reach(await placesOf(holder, live));
        await reader.query('begin isolation level repeatable read, read only');
        checkPlaces(await placesOf(reader, live), await placesOf(reader, next));
        await holder.query('rollback');
      });
      return compareSchemas(reader, live, next, compared);
    });
  }

  /**
   * Puts the rebuilt rows in the place of the live ones in one transaction, under every position of both, and drops the former:
   * rows are disposable, and going back is another rebuild. Every generation turns, so whoever owned a partition of either is
   * fenced and claims anew. Readers that begin with the positions see the former rows whole or the new ones whole. Throws
   * `NotAtTheSamePlace`, or PostgreSQL's own error where a lock did not come within three seconds; nothing has then changed.
   */
  async swap(reach: Reach): Promise<void> {
    const [live, next, old] = [this.live, this.schema, `${this.live}_old`].map(quotedSchema) as [
      string,
      string,
      string,
    ];
    await this.session(LOCK_MS, async (holder) => {
      await holder.query('begin');
      await holder.query(`lock table ${live}.position in access exclusive mode`);
      const standing = await placesOf(holder, live);
      await reach(standing);
      await holder.query(`lock table ${next}.position in access exclusive mode`);
      checkPlaces(standing, await placesOf(holder, next));
      await holder.query(releasesTaken(live, next));
      await holder.query(asksTaken(live, next));
      await holder.query(generationsTurned(live, next));
      await this.guard.query('select');
      await holder.query(`alter schema ${live} rename to ${old}`);
      await holder.query(`alter schema ${next} rename to ${live}`);
      await holder.query('commit');
    });
    await this.guard.query(`drop schema ${old} cascade`);
  }

  /** Leaves the schema as it is, for another rebuild to go on with. */
  async close(): Promise<void> {
    await this.guard.end();
  }

  /** A session of its own; ending it rolls back what is open. */
  private async session<T>(lockMs: number, work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (this.lost) throw this.lost;
    const settings = sessionOf(this.url, 'shoeprint rebuild');
    // Comparing takes as long as it takes; who holds locks may not.
    const client = new pg.Client(
      lockMs > 0
        ? { ...settings, lock_timeout: lockMs }
        : {
            ...settings,
            statement_timeout: 0,
            query_timeout: 0,
            idle_in_transaction_session_timeout: 0,
          },
    );
    client.on('error', () => undefined);
    await client.connect();
    return work(client).finally(() => client.end());
  }
}

async function placesOf(client: pg.Client, schema: string): Promise<Place[]> {
  const { rows } = await client.query<Place>(
    `select partition, next, log_id as "logId", encode(last_digest, 'hex') as digest from ${schema}.position order by partition`,
  );
  return rows;
}

/** Live rows that were never begun stand anywhere. */
function checkPlaces(live: readonly Place[], next: readonly Place[]): void {
  if (live.length === 0) return;
  if (live.length !== next.length)
    throw new NotAtTheSamePlace(
      `the live rows have ${live.length} partitions, the rebuilt ones ${next.length}`,
    );
  for (const [i, { partition, next: offset, logId, digest }] of live.entries()) {
    const rebuilt = next[i] as Place;
    if (rebuilt.logId !== logId)
      throw new NotAtTheSamePlace(
        `the live rows are from the log ${logId}, the rebuilt ones from ${rebuilt.logId}`,
      );
    if (rebuilt.next !== offset)
      throw new NotAtTheSamePlace(
        `in partition ${partition} the live rows stand at ${offset}, the rebuilt ones at ${rebuilt.next}`,
      );
    if (rebuilt.digest !== digest)
      throw new NotAtTheSamePlace(
        `in partition ${partition} the record before ${offset} is another for the live rows than for the rebuilt ones`,
      );
  }
}

const releasesTaken = (live: string, next: string): string =>
  `insert into ${next}.released select * from ${live}.released on conflict do nothing`;

/** What was asked about a table that is parked at the same event in both. */
const asksTaken = (live: string, next: string): string =>
  `update ${next}.parked n set parked_at = l.parked_at, asked = l.asked, asked_by = l.asked_by, asked_at = l.asked_at
   from ${live}.parked l where l."table" = n."table" and l."offset" = n."offset" and l.line = n.line`;

/** Beyond every generation that anybody holds of either. */
const generationsTurned = (live: string, next: string): string =>
  `with highest as (select coalesce(max(generation), 0) + 1 as generation from (select generation from ${live}.position union all select generation from ${next}.position) both_schemas),
   former as (update ${live}.position set generation = (select generation from highest), owner = null, lease_ms = null, lease_until = null)
   update ${next}.position set generation = (select generation from highest), owner = null, lease_ms = null, lease_until = null`;
