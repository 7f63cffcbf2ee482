import type pg from 'pg';
import { newClient } from '#postgres';
import { Refusal } from '#process';
import { migrate } from '../database/data-source.js';
import { prepare } from '../writing/ownership.js';
import { compareSchemas, type Compared, type TableComparison } from './compare.js';
import { quotedSchema, ROWS_SCHEMA } from '../database/schema.js';
import { WRITER_LIMITS, WriterPool } from '../writing/pool.js';

/** Thrown if another process is rebuilding the same rows. */
export class RebuildRunning extends Refusal {
  override readonly name = 'RebuildRunning';

  constructor() {
    super('another rebuild of these rows is running');
  }
}

/**
 * Thrown if the rebuilt rows are not at the position of the live rows or are from another log. The
 * rows are then neither compared nor swapped.
 */
export class NotAtTheSamePosition extends Refusal {
  override readonly name = 'NotAtTheSamePosition';
}

/** The position of a partition of the live rows. */
export interface LivePosition {
  readonly partition: number;
  readonly next: number;
}

/**
 * Folds the rebuilt rows exactly to the position of the live rows, and never beyond it. The live
 * rows are locked until it is done, so little is left to fold and it must take no more than five
 * seconds.
 */
export type Reach = (live: readonly LivePosition[]) => Promise<void>;

interface RebuiltPosition extends LivePosition {
  readonly logId: string;
  readonly digest: string | null;
}

const APPLICATION = 'shoeprint rebuild';
/** The longest wait for readers and writers of the live rows. Later ones queue behind the lock. */
const LOCK_MS = 3_000;

/**
 * A rebuild of rows in the schema `<live>_next`, beside the live ones. The caller opens a
 * `RowStore` on `schema`, claims all its partitions and folds the log into it up to the live rows.
 * An interrupted rebuild continues where it stopped. Only one rebuild runs at a time.
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

  /**
   * Begins or continues a rebuild of the rows in the schema `live`, which is created if it does not
   * exist. Throws `RebuildRunning`.
   */
  static async open(url: string, live: string = ROWS_SCHEMA): Promise<Rebuild> {
    const guard = newClient(url, { ...WRITER_LIMITS, applicationName: APPLICATION });
    const rebuild = new Rebuild(url, live, guard);
    await guard.connect();
    try {
      const { rows } = await guard.query<{ mine: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as mine',
        [`shoeprint rebuild ${live}`],
      );
      if (!rows[0]?.mine) throw new RebuildRunning();
      // A rebuild that was killed after its swap leaves this schema behind.
      await guard.query(`drop schema if exists ${quotedSchema(`${live}_old`)} cascade`);
      await migrate(url, live);
    } catch (error) {
      await guard.end();
      throw error;
    }
    return rebuild;
  }

  /** The schema that the rebuild fills. */
  get schema(): string {
    return `${this.live}_next`;
  }

  /**
   * Creates the schema, or resumes one that an interrupted rebuild of the same log and the same
   * fold version left. Drops any other first. Copies the released events and passed records of the
   * live rows, so that the rebuild skips them too.
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
    for (const taken of decisionsTaken(quotedSchema(this.live), next))
      await this.guard.query(taken);
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
   * Compares the live and the rebuilt rows table by table, at one position: counts, and digests of
   * all rows in order of their keys. Writes of live rows wait only while `reach` runs. Throws
   * `NotAtTheSamePosition` if `reach` did not arrive at their position.
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
   * Replaces the live rows by the rebuilt ones in one transaction and drops the former. To go back,
   * rebuild again. The swap locks the positions of both and raises every generation, so each owner
   * of a partition is fenced and must claim again. Readers that begin with the positions see either
   * the former rows or the new ones, never a mixture. Throws `NotAtTheSamePosition`, or an error of
   * PostgreSQL if a lock is not granted within three seconds. In both cases nothing has changed.
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
      const livePlaces = await placesOf(holder, live);
      await reach(livePlaces);
      await holder.query(`lock table ${next}.position in access exclusive mode`);
      checkPlaces(livePlaces, await placesOf(holder, next));
      for (const taken of decisionsTaken(live, next)) await holder.query(taken);
      await holder.query(asksTaken(live, next));
      await holder.query(generationsTurned(live, next));
      await this.guard.query('select');
      await holder.query(`alter schema ${live} rename to ${old}`);
      await holder.query(`alter schema ${next} rename to ${live}`);
      await holder.query('commit');
    });
    await this.guard.query(`drop schema ${old} cascade`);
  }

  /** Ends the rebuild and keeps the schema, so that another rebuild can continue it. */
  async close(): Promise<void> {
    await this.guard.end();
  }

  /** Runs `work` in its own session. Ending the session rolls back an open transaction. */
  private async session<T>(lockMs: number, work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (this.lost) throw this.lost;
    // A comparison may take long, so it has no time limits. A session that holds locks has them.
    const limits = lockMs > 0 ? { ...WRITER_LIMITS, lockMs } : { types: WRITER_LIMITS.types };
    const client = newClient(this.url, { ...limits, applicationName: APPLICATION });
    await client.connect();
    return work(client).finally(() => client.end());
  }
}

async function placesOf(client: pg.Client, schema: string): Promise<RebuiltPosition[]> {
  const { rows } = await client.query<RebuiltPosition>(
    `select partition, next, log_id as "logId", encode(last_digest, 'hex') as digest from ${schema}.position order by partition`,
  );
  return rows;
}

/** Throws if the positions differ. Live rows without positions match any. */
function checkPlaces(live: readonly RebuiltPosition[], next: readonly RebuiltPosition[]): void {
  if (live.length === 0) return;
  if (live.length !== next.length)
    throw new NotAtTheSamePosition(
      `the live rows have ${live.length} partitions, but the rebuilt rows have ${next.length}`,
    );
  for (const [i, { partition, next: offset, logId, digest }] of live.entries()) {
    const rebuilt = next[i] as RebuiltPosition;
    if (rebuilt.logId !== logId)
      throw new NotAtTheSamePosition(
        `the live rows are from the log ${logId}, but the rebuilt rows are from ${rebuilt.logId}`,
      );
    if (rebuilt.next !== offset)
      throw new NotAtTheSamePosition(
        `partition ${partition}: the live rows are at ${offset}, but the rebuilt rows are at ${rebuilt.next}`,
      );
    if (rebuilt.digest !== digest)
      throw new NotAtTheSamePosition(
        `partition ${partition}: the record before ${offset} differs between the live and the rebuilt rows`,
      );
  }
}

/**
 * Returns the statements that copy what the fold leaves out by decision: released events and passed
 * records.
 */
const decisionsTaken = (live: string, next: string): readonly string[] =>
  ['released', 'passed_record'].map(
    (table) => `insert into ${next}.${table} select * from ${live}.${table} on conflict do nothing`,
  );

/**
 * Returns the statement that copies the requests about tables that are parked at the same event in
 * both schemas.
 */
const asksTaken = (live: string, next: string): string =>
  `update ${next}.parked n set parked_at = l.parked_at, asked = l.asked, asked_by = l.asked_by,
    asked_at = l.asked_at
   from ${live}.parked l where l."table" = n."table" and l."offset" = n."offset" and l.line = n.line`;

/** Returns the statement that sets all generations above every generation of both schemas. */
const generationsTurned = (live: string, next: string): string =>
  `with highest as (
     select coalesce(max(generation), 0) + 1 as generation
     from (select generation from ${live}.position
           union all select generation from ${next}.position) both_schemas),
   former as (update ${live}.position set generation = (select generation from highest),
              owner = null, lease_ms = null, lease_until = null)
   update ${next}.position set generation = (select generation from highest), owner = null, lease_ms = null, lease_until = null`;
