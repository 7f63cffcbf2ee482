import {
  headText,
  leafHash,
  nameOfTable,
  nodesFromTiles,
  utf8Of,
  type ReadNodes,
  type Sha256,
  type Tile,
} from '#evidence';
import { errorCode } from '#process';
import { SealPool } from '../database/seal-pool.js';
import type { LogPosition } from '../writing/positions.js';
import type { Mismatch } from '../writing/reading-again.js';
import { nameDigest } from '../writing/seal-store.js';
import { SITE_TREE } from '../writing/site-entries.js';
import { HeadTree } from './head-tree.js';
import { LeafCursor, type StoredLeaf } from './leaf-cursor.js';
import { WANTED_CHANNEL } from './channels.js';
import { readLeaves, readPositions, readTileHashes } from './stored-leaves.js';
import {
  readHeadSizes,
  readMonthEnds,
  StoredSeals,
  type GrownRow,
  type HeadSize,
} from './stored-seals.js';

/** The code of PostgreSQL (manual, appendix A) for a table that does not exist. */
const NO_TABLE = '42P01';

/** The site that is sealed in a database. */
export interface SealedSite {
  readonly origin: string;
  readonly logId: string;
  readonly partitions: number;
}

/** A leaf of the site log. */
export interface SiteEntry {
  readonly index: number;
  readonly kind: 'keys' | 'seal';
  /** Exactly what is hashed: a seal's text, or the note of a key statement. */
  readonly text: string;
}

/** A signed checkpoint of the site log. */
export interface KeptCheckpoint {
  readonly size: number;
  readonly note: string;
}

/** A table that some seal holds. */
export interface SealedTable {
  readonly number: number;
  /** As `nameOfTable` writes it. */
  readonly name: string;
}

/** Where a table's tree stood at a seal. */
export interface StoredHead extends SealedTable {
  readonly size: number;
  readonly root: Uint8Array;
}

/** The same with the proof that it is under the seal's root of heads. */
export interface HeadPath {
  readonly seal: number;
  readonly size: number;
  readonly root: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/** A tree: the site log's, or that of the table with a number. */
export type TreeName = 'site' | number;

/** Most entries of the site log that one call returns. */
export const ENTRIES_MAX = 1_000;

/** Reads what was sealed: for serving it, and for making packages of it. Writes nothing. */
export class SealReader {
  /** Ids of trees by number. A table keeps both for ever. */
  private readonly ids = new Map<number, number>();
  /** What was stored with the seals. */
  readonly stored: StoredSeals;

  private constructor(
    private readonly pool: SealPool,
    private readonly sha256: Sha256,
  ) {
    this.stored = new StoredSeals(pool);
  }

  /** Opens the schema, which `migrateSeal` has made. The caller closes it. */
  static open(url: string, sha256: Sha256, applicationName = 'shoeprint seals'): SealReader {
    return new SealReader(new SealPool(url, { max: 4, applicationName }), sha256);
  }

  /** Returns the site, or undefined if no sealer has begun one or has ever run on the database. */
  async site(): Promise<SealedSite | undefined> {
    try {
      const [site] = await this.pool.query<SealedSite>(
        'site-of',
        'select origin, log_id as "logId", partitions from seal.site',
      );
      return site;
    } catch (error) {
      if (errorCode(error) === NO_TABLE) return undefined;
      throw error;
    }
  }

  /** Returns the size and the root of the site log with its last leaf, signed or not. */
  async siteRoot(): Promise<{ readonly size: number; readonly root: Uint8Array } | undefined> {
    const [found] = await this.pool.query<{ size: number; root: Buffer }>(
      'site-root',
      'select "index" + 1 as size, root from seal.entry order by "index" desc limit 1',
    );
    return found;
  }

  /** Asks the sealer for a seal. It makes one at most every five seconds, if anything is new. */
  async ask(): Promise<void> {
    await this.pool.query('ask', `select pg_notify('${WANTED_CHANNEL}', '')`);
  }

  /** Returns the last signed checkpoint, or the last of at most a size, with its cosignatures. */
  async checkpoint(atMost = Number.MAX_SAFE_INTEGER): Promise<KeptCheckpoint | undefined> {
    const [found] = await this.pool.query<KeptCheckpoint>(
      'checkpoint',
      `select c.size, c.note || coalesce((select string_agg(w.line, '' order by w.at, w.witness)
         from seal.cosignature w where w.size = c.size), '') as note
       from seal.checkpoint c where c.size <= $1 order by c.size desc limit 1`,
      [atMost],
    );
    return found;
  }

  /**
   * Returns the leaves `from` to `to` of the site log, the last not included: those that exist, and
   * at most `ENTRIES_MAX`.
   */
  entries(from: number, to: number): Promise<SiteEntry[]> {
    return this.pool.query<SiteEntry>(
      'entries',
      `select "index", kind, text from seal.entry where "index" >= $1 and "index" < $2
       order by "index" limit ${ENTRIES_MAX}`,
      [from, to],
    );
  }

  /** Returns the last leaf of a kind below an index. */
  async lastEntry(
    kind: SiteEntry['kind'],
    below = Number.MAX_SAFE_INTEGER,
  ): Promise<SiteEntry | undefined> {
    const [found] = await this.pool.query<SiteEntry>(
      'last-entry',
      `select "index", kind, text from seal.entry where kind = $1 and "index" < $2
       order by "index" desc limit 1`,
      [kind, below],
    );
    return found;
  }

  /** Returns the first seal of the site. */
  async firstSeal(): Promise<SiteEntry | undefined> {
    const [found] = await this.pool.query<SiteEntry>(
      'first-seal',
      `select "index", kind, text from seal.entry where kind = 'seal' order by "index" limit 1`,
    );
    return found;
  }

  /** Returns the key statements below an index, in order. */
  keyStatements(below = Number.MAX_SAFE_INTEGER): Promise<SiteEntry[]> {
    return this.pool.query<SiteEntry>(
      'key-statements',
      `select "index", kind, text from seal.entry where kind = 'keys' and "index" < $1
       order by "index" limit ${ENTRIES_MAX}`,
      [below],
    );
  }

  /** Returns the seal that closes a gaming day. */
  async daySeal(day: string): Promise<SiteEntry | undefined> {
    const [found] = await this.pool.query<SiteEntry>(
      'day-seal',
      'select "index", kind, text from seal.entry where day = $1',
      [day],
    );
    return found;
  }

  /** Returns the last seal below an index that closes a gaming day, with that day. */
  async lastDaySeal(
    below = Number.MAX_SAFE_INTEGER,
  ): Promise<(SiteEntry & { readonly day: string }) | undefined> {
    const [found] = await this.pool.query<SiteEntry & { readonly day: string }>(
      'last-day-seal',
      `select "index", kind, text, day from seal.entry where day is not null and "index" < $1
       order by day desc limit 1`,
      [below],
    );
    return found;
  }

  /** Returns the tables of a seal, by number. */
  names(seal: number): Promise<SealedTable[]> {
    return this.pool.query<SealedTable>(
      'names',
      `select t.number, t.name from seal.tree t
       where exists (select from seal.grown g where g.number = t.number and g.seal <= $1)
       order by t.number`,
      [seal],
    );
  }

  /** Returns a table by its id, if some seal holds it. */
  async table(table: string): Promise<SealedTable | undefined> {
    const [found] = await this.pool.query<SealedTable>(
      'table',
      'select number, name from seal.tree where name_digest = $1 and number is not null',
      [nameDigest(nameOfTable(table))],
    );
    return found;
  }

  /** Returns the heads of a seal, by number. */
  heads(seal: number): Promise<StoredHead[]> {
    return this.pool.query<StoredHead>(
      'heads',
      `select t.number, t.name, g.size, g.root from seal.tree t
       cross join lateral (
         select g.size, g.root from seal.grown g where g.number = t.number and g.seal <= $1
         order by g.seal desc limit 1) g
       where t.number is not null order by t.number`,
      [seal],
    );
  }

  /** Returns where a table's tree stood at a seal, or undefined if that seal does not hold it. */
  async head(number: number, seal: number): Promise<StoredHead | undefined> {
    const [found] = await this.pool.query<StoredHead>(
      'head',
      `select t.number, t.name, g.size, g.root from seal.grown g
       join seal.tree t on t.number = g.number
       where g.number = $1::bigint and g.seal <= $2 order by g.seal desc limit 1`,
      [number, seal],
    );
    return found;
  }

  /** Returns where a table's tree stood at each seal from `from` to `to` that holds it. */
  headSizes(number: number, from: number, to: number): Promise<HeadSize[]> {
    return readHeadSizes(this.pool, number, [from, to]);
  }

  /** Returns the seal of the last gaming day of each month before the latest one, in order. */
  monthEnds(below: number): Promise<SiteEntry[]> {
    return readMonthEnds(this.pool, below);
  }

  /** Returns the first seal in which a table has at least `size` records. */
  async firstSealWith(number: number, size: number): Promise<number | undefined> {
    const [found] = await this.pool.query<{ seal: number }>(
      'first-seal-with',
      'select seal from seal.grown where number = $1 and size >= $2 order by seal limit 1',
      [number, size],
    );
    return found?.seal;
  }

  /**
   * Yields where a table's tree stood at each seal from `from` to `to`, both included, that holds
   * it, with its proof.
   */
  async *headPaths(number: number, from: number, to: number): AsyncGenerator<HeadPath> {
    const seals = await this.sealNumbers(from, to);
    const [first] = seals;
    const site = await this.site();
    if (first === undefined || !site) return;
    const tree = new HeadTree(this.sha256);
    const names = new Map((await this.names(to)).map((table) => [table.number, table.name]));
    let own: Pick<HeadPath, 'size' | 'root'> | undefined;
    const set = (head: Omit<GrownRow, 'seal'>): void => {
      const name = names.get(head.number) ?? '';
      tree.set(head.number, headLeaf(this.sha256, { origin: site.origin, ...head, name }));
      if (head.number === number) own = { size: head.size, root: head.root };
    };
    for (const head of await this.heads(first)) set({ ...head, root: Buffer.from(head.root) });
    let grown: GrownRow[] = [];
    for (const [at, seal] of seals.entries()) {
      if (at > 0 && (at - 1) % GROWN_SEALS === 0)
        grown = await this.stored.grown(seal, seals[at + GROWN_SEALS - 1] ?? to);
      if (at > 0) for (const row of grown) if (row.seal === seal) set(row);
      if (own) yield { seal, ...own, path: tree.path(number) };
    }
  }

  /** Returns the hashes of leaves `from` to `to`, the last not included, one after the other. */
  async leaves(tree: TreeName, from: number, to: number): Promise<Uint8Array> {
    return readLeaves(this.pool, { tree: await this.treeId(tree), from, to });
  }

  /** Returns where in the log the records `from` to `to` of a table stand, the last not included. */
  async positions(number: number, from: number, to: number): Promise<LogPosition[]> {
    return readPositions(this.pool, { tree: await this.treeId(number), from, to });
  }

  /** Returns the hashes of a tile, one after the other. Throws `NotSealed` if the tree has no such. */
  async tile(tree: TreeName, tile: Tile): Promise<Uint8Array> {
    return readTileHashes(this.pool, await this.treeId(tree), tile);
  }

  /**
   * Returns a cursor over the leaves of a table from the first whose record is at `offset` or after
   * it; undefined if no record of the table was hashed. Also of a table that no seal holds yet.
   */
  async cursor(name: string, offset: number): Promise<LeafCursor | undefined> {
    const [tree] = await this.pool.query<{ id: number; size: number }>(
      'tree-of-name',
      'select id, size from seal.tree where name_digest = $1',
      [nameDigest(name)],
    );
    return tree && LeafCursor.at(this.pool, { ...tree, offset });
  }

  /**
   * Returns the record that was hashed from a position of the log, and its table; undefined if none
   * was. Asks every table, so it is for faults only.
   */
  async recordAt(
    position: LogPosition,
  ): Promise<(StoredLeaf & { readonly name: string }) | undefined> {
    const names = await this.pool.query<{ name: string }>(
      'all-names',
      `select name from seal.tree where id <> ${SITE_TREE} order by id`,
    );
    for (const { name } of names) {
      const leaf = await (await this.cursor(name, position.offset))?.peek();
      const isThere = leaf?.position.offset === position.offset;
      if (isThere && leaf.position.partition === position.partition) return { ...leaf, name };
    }
    return undefined;
  }

  /** Returns the records of a table that were read again and are not those that were hashed. */
  mismatches(name: string): Promise<Mismatch[]> {
    return this.pool.query<Mismatch>(
      'mismatches',
      `select partition, "offset", name, record, sealed, found from seal.mismatch
       where name = $1 order by partition, "offset" limit ${ENTRIES_MAX}`,
      [name],
    );
  }

  /** Returns how proofs read the nodes of a tree of a size. */
  nodes(tree: TreeName, size: number): ReadNodes {
    return nodesFromTiles(this.sha256, size, (tile) => this.tile(tree, tile));
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private async sealNumbers(from: number, to: number): Promise<number[]> {
    const rows = await this.pool.query<{ index: number }>(
      'seal-numbers',
      `select "index" from seal.entry where kind = 'seal' and "index" between $1 and $2
       order by "index"`,
      [from, to],
    );
    return rows.map(({ index }) => index);
  }

  private async treeId(tree: TreeName): Promise<number> {
    if (tree === 'site') return SITE_TREE;
    const kept = this.ids.get(tree);
    if (kept !== undefined) return kept;
    const [found] = await this.pool.query<{ id: number }>(
      'tree-id',
      'select id from seal.tree where number = $1',
      [tree],
    );
    if (!found) throw new RangeError(`no table has the number ${tree}`);
    this.ids.set(tree, found.id);
    return found.id;
  }
}

/** How many seals' grown tables are read at once. */
const GROWN_SEALS = 100;

/** Returns the leaf of a head in the tree over the heads of a seal. */
export const headLeaf = (sha256: Sha256, head: Parameters<typeof headText>[0]): Uint8Array =>
  leafHash(sha256, utf8Of(headText(head)));
