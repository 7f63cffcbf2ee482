import { HASH_BYTES, TILE_WIDTH } from '#evidence';
import type { SealPool } from '../database/seal-pool.js';
import type { LogPosition } from '../writing/positions.js';
import { readLeaves, readPositions } from './stored-leaves.js';

/** A leaf of a table, with the position of its record. */
export interface StoredLeaf {
  readonly index: number;
  readonly hash: Buffer;
  readonly position: LogPosition;
}

/**
 * Goes through the leaves of one table in the order of their records, from an offset of the log on.
 * Reads a tile at a time.
 */
export class LeafCursor {
  private leaves: StoredLeaf[] = [];

  private constructor(
    private readonly pool: SealPool,
    private readonly tree: number,
    private readonly size: number,
    private index: number,
  ) {}

  /** Returns a cursor at the first leaf of a tree whose record is at `offset` or after it. */
  static async at(
    pool: SealPool,
    {
      id,
      size,
      offset,
    }: {
      readonly id: number;
      readonly size: number;
      readonly offset: number;
    },
  ): Promise<LeafCursor> {
    let [low, high] = [0, size];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [position] = await readPositions(pool, { tree: id, from: middle, to: middle + 1 });
      if (position && position.offset < offset) low = middle + 1;
      else high = middle;
    }
    return new LeafCursor(pool, id, size, low);
  }

  /** Returns the next leaf without going past it; undefined after the last. */
  async peek(): Promise<StoredLeaf | undefined> {
    if (this.leaves.length === 0) await this.fill();
    return this.leaves[0];
  }

  /** Goes past the next leaf. */
  pass(): void {
    if (this.leaves.shift()) this.index += 1;
  }

  private async fill(): Promise<void> {
    const from = this.index;
    const to = Math.min(this.size, from - (from % TILE_WIDTH) + TILE_WIDTH);
    const range = { tree: this.tree, from, to };
    const [hashes, positions] = [
      await readLeaves(this.pool, range),
      await readPositions(this.pool, range),
    ];
    this.leaves = positions.map((position, at) => ({
      index: from + at,
      hash: hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
      position,
    }));
  }
}
