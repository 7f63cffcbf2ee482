import { HASH_BYTES, TILE_WIDTH, type Tile } from '#evidence';
import type { SealPool } from '../database/seal-pool.js';
import { POSITION_BYTES, positionsOf, type LogPosition } from '../writing/positions.js';

/** Most leaves that one call reads: 2 MB of hashes. */
export const LEAVES_MAX = 65_536;

/** Thrown if a tree does not hold what was asked for. */
export class NotSealed extends Error {
  override readonly name = 'NotSealed';
}

/** Some leaves of a tree: `from` to `to`, the last not included. */
interface Range {
  readonly tree: number;
  readonly from: number;
  readonly to: number;
}

/** Returns the hashes of leaves, one after the other. */
export const readLeaves = (pool: SealPool, range: Range): Promise<Buffer> =>
  readColumn(pool, range, { column: 'hashes', width: HASH_BYTES });

/** Returns the positions of the records of leaves in the log. */
export const readPositions = async (pool: SealPool, range: Range): Promise<LogPosition[]> =>
  positionsOf(await readColumn(pool, range, { column: 'places', width: POSITION_BYTES }));

/** Returns the hashes of a tile, one after the other. */
export async function readTileHashes(
  pool: SealPool,
  tree: number,
  { level, index, width }: Tile,
): Promise<Buffer> {
  const from = index * TILE_WIDTH;
  if (level === 0) return readLeaves(pool, { tree, from, to: from + width });
  const rows = await pool.query<{ root: Buffer }>(
    'tile-roots',
    `select root from seal.tile
     where tree = $1 and level = $2 and "index" >= $3 and "index" < $4 order by "index"`,
    [tree, level - 1, from, from + width],
  );
  if (rows.length !== width)
    throw new NotSealed(`tree ${tree} has no ${width} hashes in tile ${index} of level ${level}`);
  return Buffer.concat(rows.map(({ root }) => root));
}

async function readColumn(
  pool: SealPool,
  { tree, from, to }: Range,
  { column, width }: { readonly column: 'hashes' | 'places'; readonly width: number },
): Promise<Buffer> {
  if (!(from >= 0 && from <= to && to - from <= LEAVES_MAX))
    throw new RangeError(`from ${from} to ${to} is not a range of at most ${LEAVES_MAX} leaves`);
  if (from === to) return Buffer.alloc(0);
  const start = from - (from % TILE_WIDTH);
  // One statement, because a commit moves rows from one of these tables to the other.
  const rows = await pool.query<{ bytes: Buffer | null }>(
    `read-${column}`,
    `select "index" * ${TILE_WIDTH} as first, ${column} as bytes from seal.tile
     where tree = $1 and level = 0 and "index" >= $2::bigint / ${TILE_WIDTH}
       and "index" * ${TILE_WIDTH} < $3
     union all
     select first, ${column} from seal.tail where tree = $1 and first >= $2 and first < $3
     order by first`,
    [tree, start, to],
  );
  const bytes = Buffer.concat(rows.flatMap((row) => (row.bytes ? [row.bytes] : [])));
  if (bytes.length < (to - start) * width)
    throw new NotSealed(`tree ${tree} has no ${column} of leaves ${from} to ${to}`);
  return bytes.subarray((from - start) * width, (to - start) * width);
}
