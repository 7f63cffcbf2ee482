import { createHash } from 'node:crypto';
import type { Sha256 } from '#evidence';
import { Refusal } from '#process';
import type pg from 'pg';
import { SealPool } from '../database/seal-pool.js';
import { SEALED_CHANNEL } from '../reading/channels.js';
import { Cosignatures } from './cosignatures.js';
import { GrowingTree } from './growing-tree.js';
import { asColumns, TreeGrowth, writeGrowth } from './growth.js';
import { LeaseLost } from './lease-lost.js';
import { insertLine, Outbox } from './outbox.js';
import { ReadingMarks } from './reading-again.js';
import { insertEntry, SITE_TREE, StatementStore, type NewEntry } from './site-entries.js';

/** Thrown if the database is sealed under another origin, or from another log. */
export class OtherSite extends Refusal {
  override readonly name = 'OtherSite';
}

/** What a sealer holds while its lease lasts. */
export interface Lease {
  readonly generation: number;
  /** How long the lease lasts after each write, in milliseconds. */
  readonly ms: number;
}

/** Why a partition is sealed no further. */
export interface PartitionStop {
  readonly offset: number;
  readonly reason: string;
}

/** How far a partition is hashed. */
export interface SealPosition {
  readonly partition: number;
  readonly next: number;
  /** SHA-256 of the last record's leaf; null before the first. */
  readonly lastDigest: Buffer | null;
  readonly stopped: (PartitionStop & { readonly at: string }) | null;
}

/** The tree of a table as it is stored. */
export interface TableTree {
  /** Its id among the trees. */
  readonly id: number;
  /** Its number in the seals; undefined before the first seal that holds it. */
  readonly number: number | undefined;
  readonly name: string;
  readonly tree: GrowingTree;
  /** Its size in the last seal. */
  readonly sealed: number;
}

/** All that a sealer continues from. */
export interface SealState {
  readonly positions: readonly SealPosition[];
  readonly site: GrowingTree;
  readonly tables: readonly TableTree[];
}

/** How far a commit moves a partition. */
export interface Move {
  readonly partition: number;
  readonly from: number;
  readonly next: number;
  readonly lastDigest: Uint8Array;
}

/** Records that were hashed: how far the positions move, and how the trees grow. */
export interface Commit {
  readonly moves: readonly Move[];
  readonly newTables: readonly { readonly id: number; readonly name: string }[];
  readonly grown: readonly TreeGrowth[];
}

/** The only writer of the schema `seal`. */
export class SealStore {
  /** How far the log was read again. */
  readonly reading: ReadingMarks;
  /** What witnesses added to checkpoints. */
  readonly cosignatures: Cosignatures;
  /** What waits for the record of the house. */
  readonly outbox: Outbox;
  /** Key statements that a person adds. */
  readonly statements: StatementStore;

  private constructor(private readonly pool: SealPool) {
    this.reading = new ReadingMarks(pool);
    this.cosignatures = new Cosignatures(pool);
    this.outbox = new Outbox(pool);
    this.statements = new StatementStore(pool);
  }

  /** Opens the schema, which `migrateSeal` has made. The caller closes it. */
  static open(url: string): SealStore {
    return new SealStore(new SealPool(url, { max: 3, applicationName: 'shoeprint sealer' }));
  }

  /**
   * Makes the site's rows unless it has some, and returns the id of the log that it was begun with.
   * Throws `OtherSite` if it was begun under another origin, or over a log with another number of
   * partitions.
   */
  async prepare(site: {
    readonly origin: string;
    readonly logId: string;
    readonly partitions: number;
  }): Promise<string> {
    const found = await this.pool.transaction(async (client) => {
      await client.query('lock table seal.site in share row exclusive mode');
      await client.query(
        `with made as (
           insert into seal.site (origin, log_id, partitions) values ($1, $2, $3)
           on conflict do nothing returning partitions),
         made_tree as (
           insert into seal.tree (id, name, name_digest) select ${SITE_TREE}, '', '' from made)
         insert into seal.position (partition) select generate_series(0, partitions - 1) from made`,
        [site.origin, site.logId, site.partitions],
      );
      const { rows } = await client.query<{ origin: string; partitions: number; logId: string }>(
        'select origin, partitions, log_id as "logId" from seal.site',
      );
      return rows[0];
    });
    if (found?.origin !== site.origin)
      throw new OtherSite(
        `SHOEPRINT_SITE: this database is sealed as ${found?.origin}, not ${site.origin}: the name of a site never changes`,
      );
    if (found.partitions !== site.partitions)
      throw new OtherSite(
        `SHOEPRINT_PARTITIONS: the sealed log has ${found.partitions} partitions, not ${site.partitions}`,
      );
    return found.logId;
  }

  /**
   * Makes `owner` the one sealer that may write, unless the lease of another one lasts. Returns the
   * new lease. An owner that claims again gets another generation, so that what it had begun before
   * can no longer be written.
   */
  async claim(owner: string, ms: number): Promise<Lease | undefined> {
    const [held] = await this.pool.query<{ generation: number }>(
      'claim',
      `update seal.site set owner = $1, generation = generation + 1,
         lease_until = clock_timestamp() + $2::int * interval '1 ms'
       where owner is null or owner = $1 or lease_until < clock_timestamp()
       returning generation`,
      [owner, ms],
    );
    return held && { generation: held.generation, ms };
  }

  /** Renews a lease. Throws `LeaseLost` if another sealer has claimed it. */
  async renew(lease: Lease): Promise<void> {
    await this.pool.transaction((client) => hold(client, lease));
  }

  /** Ends a lease, so that another sealer need not wait for it. */
  async release({ generation }: Lease): Promise<void> {
    await this.pool.query(
      'release',
      'update seal.site set owner = null, lease_until = null where generation = $1',
      [generation],
    );
  }

  /** Returns by how much the database's clock is ahead of this machine's, in milliseconds. */
  async clockAheadMs(): Promise<number> {
    const before = Date.now();
    const [row] = await this.pool.query<{ ms: string }>(
      'clock',
      'select (extract(epoch from clock_timestamp()) * 1000)::text as ms',
    );
    return Number(row?.ms) - (before + Date.now()) / 2;
  }

  /** Returns all that a sealer continues from. */
  async state(sha256: Sha256): Promise<SealState> {
    const positions = await this.positions();
    const trees = await this.pool.query<StoredTree>(
      'trees',
      `select t.id, t.number, t.name, t.size, t.frontier, coalesce((
         select g.size from seal.grown g where g.number = t.number
         order by g.seal desc limit 1), 0) as sealed
       from seal.tree t order by t.id`,
    );
    const [siteTree, ...tables] = trees.map((row) => tableTree(sha256, row));
    if (siteTree?.id !== SITE_TREE) throw new Error('the schema "seal" has no site');
    return { positions, site: siteTree.tree, tables };
  }

  /** Returns how far each partition is hashed, in order. */
  async positions(): Promise<SealPosition[]> {
    const rows = await this.pool.query<StoredPosition>(
      'positions',
      `select partition, next, last_digest as "lastDigest", stopped_offset as "offset",
         stopped_reason as reason, stopped_at as at
       from seal.position order by partition`,
    );
    return rows.map(({ offset, reason, at, ...position }) => ({
      ...position,
      stopped: offset === null || reason === null || at === null ? null : { offset, reason, at },
    }));
  }

  /**
   * Moves the positions and grows the trees, or changes nothing. Throws `LeaseLost` if another
   * sealer has claimed the site, or a position is not where it was read.
   */
  async commit(lease: Lease, { moves, newTables, grown }: Commit): Promise<void> {
    await this.pool.transaction(async (client) => {
      await hold(client, lease);
      await move(client, moves);
      if (newTables.length > 0)
        await client.query({
          name: 'new-tables',
          text: `insert into seal.tree (id, name, name_digest)
            select * from unnest($1::int[], $2::text[], $3::bytea[])`,
          values: asColumns(
            newTables.map(({ id, name }) => [id, name, nameDigest(name)]),
            3,
          ),
        });
      await writeGrowth(client, grown);
    });
  }

  /**
   * Adds a leaf to the site log, with what it numbers and holds and a line of it for the record of
   * the house, or changes nothing. Throws `LeaseLost` if another sealer has claimed the site, or
   * has added this leaf.
   */
  async addEntry(lease: Lease, entry: NewEntry, line?: string): Promise<void> {
    await this.pool.transaction(async (client) => {
      await hold(client, lease);
      await insertEntry(client, entry);
      if (line !== undefined) await insertLine(client, line);
    });
  }

  /** Keeps a signed checkpoint. The same entry makes the same note, so it may be kept twice. */
  async keepCheckpoint(size: number, note: string): Promise<void> {
    await this.pool.query(
      'keep-checkpoint',
      `with kept as (
         insert into seal.checkpoint (size, note) values ($1, $2) on conflict do nothing)
       select pg_notify('${SEALED_CHANNEL}', $1::text)`,
      [size, note],
    );
  }

  /**
   * Stops a partition until it is resumed, and adds a line of that for the record of the house.
   * Throws `LeaseLost` if another sealer has claimed.
   */
  async stopPartition(
    lease: Lease,
    { partition, offset, reason }: PartitionStop & { readonly partition: number },
    line: string,
  ): Promise<void> {
    await this.pool.transaction(async (client) => {
      await hold(client, lease);
      await client.query(
        `update seal.position set stopped_offset = $2, stopped_reason = $3,
           stopped_at = clock_timestamp()
         where partition = $1`,
        [partition, offset, reason.replaceAll('\0', '\uFFFD')],
      );
      await insertLine(client, line);
    });
  }

  /** Resumes a stopped partition. Returns whether it was stopped. */
  async resumePartition(partition: number): Promise<boolean> {
    const resumed = await this.pool.query(
      'resume-partition',
      `update seal.position set stopped_offset = null, stopped_reason = null, stopped_at = null
       where partition = $1 and stopped_at is not null returning partition`,
      [partition],
    );
    return resumed.length > 0;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}

type StoredPosition = Pick<SealPosition, 'partition' | 'next' | 'lastDigest'> & {
  readonly offset: number | null;
  readonly reason: string | null;
  readonly at: string | null;
};

interface StoredTree {
  readonly id: number;
  readonly number: number | null;
  readonly name: string;
  readonly size: number;
  readonly frontier: Buffer;
  readonly sealed: number;
}

function tableTree(
  sha256: Sha256,
  { id, number, name, size, frontier, sealed }: StoredTree,
): TableTree {
  const tree = GrowingTree.stored(sha256, size, frontier);
  return { id, number: number ?? undefined, name, tree, sealed };
}

/** Locks the site for this transaction and renews the lease. */
async function hold(client: pg.ClientBase, { generation, ms }: Lease): Promise<void> {
  const { rowCount } = await client.query({
    name: 'hold',
    text: `update seal.site set lease_until = clock_timestamp() + $2::int * interval '1 ms'
      where generation = $1`,
    values: [generation, ms],
  });
  if (rowCount !== 1) throw new LeaseLost('another sealer has claimed the site');
}

async function move(client: pg.ClientBase, moves: readonly Move[]): Promise<void> {
  const { rowCount } = await client.query({
    name: 'move',
    text: `update seal.position p set next = w.next, last_digest = w.digest
      from unnest($1::int[], $2::bigint[], $3::bigint[], $4::bytea[])
        w (partition, "from", next, digest)
      where p.partition = w.partition and p.next = w."from" and p.stopped_at is null`,
    values: asColumns(
      moves.map(({ partition, from, next, lastDigest }) => [partition, from, next, lastDigest]),
      4,
    ),
  });
  if (rowCount !== moves.length) throw new LeaseLost('a position is not where this sealer left it');
}

/** Returns the key of a name, which may be too long for an index. */
export const nameDigest = (name: string): Buffer => createHash('sha256').update(name).digest();
