import { HASH_BYTES, TILE_WIDTH } from '#evidence';
import type { SealPool } from '../database/seal-pool.js';
import type { LogPlace } from '../writing/places.js';
import { readLeaves, readPlaces } from './stored-leaves.js';

/** A leaf of a table, with the place of its record. */
export interface PlacedLeaf {
  readonly index: number;
  readonly hash: Buffer;
  readonly place: LogPlace;
}

/**
 * Goes through the leaves of one table in the order of their records, from an offset of the log on.
 * Reads a tile at a time.
 */
export class LeafCursor {
  private leaves: PlacedLeaf[] = [];

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
      const [place] = await readPlaces(pool, { tree: id, from: middle, to: middle + 1 });
      if (place && place.offset < offset) low = middle + 1;
      else high = middle;
    }
    return new LeafCursor(pool, id, size, low);
  }

  /** Returns the next leaf without going past it; undefined after the last. */
  async peek(): Promise<PlacedLeaf | undefined> {
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
    const [hashes, places] = [
      await readLeaves(this.pool, range),
      await readPlaces(this.pool, range),
    ];
    this.leaves = places.map((place, at) => ({
      index: from + at,
      hash: hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
      place,
    }));
  }
}
