import { TILE_WIDTH } from '#evidence';
import type pg from 'pg';
import type { FullTile, GrowingTree } from './growing-tree.js';
import { positionBytes, type LogPosition } from './positions.js';

/** Leaves that follow each other in one tile. */
interface Run {
  readonly first: number;
  readonly hashes: Uint8Array[];
  readonly positions: LogPosition[];
}

/** What was appended to one tree since its rows were written. */
export class TreeGrowth {
  private readonly runs: Run[] = [];
  private readonly full: FullTile[] = [];

  /** `id` is the tree's in the schema `seal`. `tree` grows with every leaf. */
  constructor(
    readonly id: number,
    readonly tree: GrowingTree,
  ) {}

  /** Appends a leaf. A leaf of the site log has no position in the event log. */
  append(leaf: Uint8Array, position?: LogPosition): void {
    const at = this.tree.size;
    let run = this.runs.at(-1);
    if (!run || at % TILE_WIDTH === 0)
      this.runs.push((run = { first: at, hashes: [], positions: [] }));
    run.hashes.push(leaf);
    if (position) run.positions.push(position);
    this.full.push(...this.tree.append(leaf));
  }

  /** The runs that end in a tile that is not full, or that were begun by an earlier write. */
  get tails(): readonly Run[] {
    return this.runs.filter(({ hashes }) => hashes.length < TILE_WIDTH);
  }

  /** Whole tiles of leaves, with the run that filled each alone. */
  get wholeTiles(): readonly (FullTile & { readonly run: Run })[] {
    return this.full.flatMap((tile) => {
      const run = this.runs.find(({ first }) => first === tile.index * TILE_WIDTH);
      return tile.level === 0 && run?.hashes.length === TILE_WIDTH ? [{ ...tile, run }] : [];
    });
  }

  /** Tiles of leaves that began with an earlier write. */
  get mergedTiles(): readonly FullTile[] {
    const whole = new Set(this.wholeTiles.map(({ index }) => index));
    return this.full.filter(({ level, index }) => level === 0 && !whole.has(index));
  }

  /** Full tiles above the leaves. Only their roots are kept. */
  get upperTiles(): readonly FullTile[] {
    return this.full.filter(({ level }) => level > 0);
  }
}

/** Writes what was appended to trees, within a transaction. */
export async function writeGrowth(
  client: pg.ClientBase,
  grown: readonly TreeGrowth[],
): Promise<void> {
  await client.query({
    name: 'grow-trees',
    text: `update seal.tree t set size = w.size, frontier = w.frontier
      from unnest($1::int[], $2::bigint[], $3::bytea[]) w (id, size, frontier) where t.id = w.id`,
    values: asColumns(
      grown.map(({ id, tree }) => [id, tree.size, joined(tree.frontier)]),
      3,
    ),
  });
  await insertTails(client, grown);
  await insertTiles(client, grown);
  await mergeTiles(client, grown);
}

async function insertTails(client: pg.ClientBase, grown: readonly TreeGrowth[]): Promise<void> {
  const rows = grown.flatMap(({ id, tails }) =>
    tails.map(({ first, hashes, positions }) => [
      id,
      first,
      joined(hashes),
      positionsOrNull(positions),
    ]),
  );
  if (rows.length === 0) return;
  await client.query({
    name: 'insert-tails',
    text: `insert into seal.tail (tree, first, hashes, places)
      select * from unnest($1::int[], $2::bigint[], $3::bytea[], $4::bytea[])`,
    values: asColumns(rows, 4),
  });
}

async function insertTiles(client: pg.ClientBase, grown: readonly TreeGrowth[]): Promise<void> {
  const rows = grown.flatMap(({ id, wholeTiles, upperTiles }) => [
    ...wholeTiles.map(({ level, index, root, run }) => [
      id,
      level,
      index,
      root,
      joined(run.hashes),
      positionsOrNull(run.positions),
    ]),
    ...upperTiles.map(({ level, index, root }) => [id, level, index, root, null, null]),
  ]);
  if (rows.length === 0) return;
  await client.query({
    name: 'insert-tiles',
    text: `insert into seal.tile (tree, level, "index", root, hashes, places)
      select * from unnest($1::int[], $2::smallint[], $3::bigint[], $4::bytea[], $5::bytea[],
        $6::bytea[])`,
    values: asColumns(rows, 6),
  });
}

/** Moves the rows of a tile that is full now into one row. */
async function mergeTiles(client: pg.ClientBase, grown: readonly TreeGrowth[]): Promise<void> {
  const rows = grown.flatMap(({ id, mergedTiles }) =>
    mergedTiles.map(({ index, root }) => [id, index, root]),
  );
  if (rows.length === 0) return;
  await client.query({
    name: 'merge-tiles',
    text: `with full_tile as (
        select * from unnest($1::int[], $2::bigint[], $3::bytea[]) w (tree, "index", root)),
      gone as (
        delete from seal.tail t using full_tile f
        where t.tree = f.tree and t.first >= f."index" * ${TILE_WIDTH}
          and t.first < (f."index" + 1) * ${TILE_WIDTH}
        returning f.tree, f."index", f.root, t.first, t.hashes, t.places)
      insert into seal.tile (tree, level, "index", root, hashes, places)
      select tree, 0, "index", root, string_agg(hashes, '' order by first),
        string_agg(places, '' order by first)
      from gone group by tree, "index", root`,
    values: asColumns(rows, 3),
  });
}

const joined = (hashes: readonly Uint8Array[]): Buffer => Buffer.concat(hashes);

const positionsOrNull = (positions: readonly LogPosition[]): Buffer | null =>
  positions.length === 0 ? null : positionBytes(positions);

/** Returns rows as the arrays of their asColumns, which `unnest` takes. */
export const asColumns = (rows: readonly (readonly unknown[])[], width: number): unknown[][] =>
  Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));
