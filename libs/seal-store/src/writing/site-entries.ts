import { leafHash, utf8Of, type Sha256 } from '#evidence';
import type pg from 'pg';
import type { SealPool } from '../database/seal-pool.js';
import { GrowingTree } from './growing-tree.js';
import { asColumns, TreeGrowth, writeGrowth } from './growth.js';
import { LeaseLost } from './lease-lost.js';

/** The tree of the site log among the trees. */
export const SITE_TREE = 0;

/** A new leaf of the site log. */
export interface NewEntry {
  readonly index: number;
  readonly kind: 'keys' | 'seal';
  readonly text: string;
  /** The site log with this leaf in it. */
  readonly site: TreeGrowth;
  /** The gaming day that a seal closes. */
  readonly day?: string | undefined;
  /** The tables that have no number yet, and those that the seal gives them. */
  readonly numbers: readonly { readonly id: number; readonly number: number }[];
  readonly grown: readonly {
    readonly number: number;
    readonly size: number;
    readonly root: Uint8Array;
  }[];
}

/**
 * Adds a leaf to the site log within a transaction that holds the site. Throws `LeaseLost` if the
 * site log has this leaf already, or lacks one before it.
 */
export async function insertEntry(client: pg.ClientBase, entry: NewEntry): Promise<void> {
  const { index, kind, text, site, day = null, numbers, grown } = entry;
  const { rowCount } = await client.query({
    name: 'add-entry',
    text: `insert into seal.entry ("index", kind, text, root, day)
      select $1, $2, $3, $4, $5 where (select size from seal.tree where id = ${SITE_TREE}) = $1
      on conflict do nothing`,
    values: [index, kind, text, site.tree.root(), day],
  });
  if (rowCount !== 1) throw new LeaseLost(`the site log has no room for leaf ${index}`);
  await writeGrowth(client, [site]);
  await client.query({
    name: 'number-tables',
    text: `update seal.tree t set number = w.number
      from unnest($1::int[], $2::int[]) w (id, number) where t.id = w.id`,
    values: asColumns(
      numbers.map(({ id, number }) => [id, number]),
      2,
    ),
  });
  await client.query({
    name: 'grown',
    text: `insert into seal.grown (number, seal, size, root)
      select number, $1, size, root
      from unnest($2::int[], $3::bigint[], $4::bytea[]) w (number, size, root)`,
    values: [
      index,
      ...asColumns(
        grown.map(({ number, size, root }) => [number, size, root]),
        3,
      ),
    ],
  });
}

/** The state of the site log while nothing else can be added to it. */
export interface SiteTip {
  /** The index of the leaf that is added next. */
  readonly index: number;
  /** All key statements, in order. */
  readonly statements: readonly { readonly index: number; readonly text: string }[];
}

/** What becomes the next leaf of the site log. */
export interface NewStatement {
  /** The note of the key statement. */
  readonly text: string;
  /** Called before the statement is committed. If it rejects, nothing is added. */
  readonly record: () => Promise<void>;
}

/** Adds key statements that a person asks for, beside a sealer that runs or not. */
export class StatementStore {
  constructor(private readonly pool: SealPool) {}

  /**
   * Adds the statement that `make` returns for the next leaf. A running sealer loses its generation
   * by that and begins again from what the database holds, with the lease that it has. Returns the
   * index of the statement. Rejects with what `make` or `record` reject with, and adds nothing.
   */
  async add(sha256: Sha256, make: (tip: SiteTip) => NewStatement): Promise<number> {
    return this.pool.transaction(async (client) => {
      // The row of the site is locked from here on: no sealer commits before this does.
      await client.query('update seal.site set generation = generation + 1');
      const { rows: trees } = await client.query<{ size: number; frontier: Buffer }>(
        `select size, frontier from seal.tree where id = ${SITE_TREE}`,
      );
      const [{ size: index, frontier } = { size: 0, frontier: Buffer.alloc(0) }] = trees;
      const { rows: statements } = await client.query<SiteTip['statements'][number]>(
        `select "index", text from seal.entry where kind = 'keys' order by "index"`,
      );
      const { text, record } = make({ index, statements });
      const site = new TreeGrowth(SITE_TREE, GrowingTree.stored(sha256, index, frontier));
      site.append(leafHash(sha256, utf8Of(text)));
      await insertEntry(client, { index, kind: 'keys', text, site, numbers: [], grown: [] });
      await record();
      return index;
    });
  }
}
