import { Frontier, HASH_BYTES, rootOfSubtrees, TILE_WIDTH, type Sha256 } from '#evidence';

/** A tile that became full: its root is a hash of the next level of tiles. */
export interface FullTile {
  readonly level: number;
  readonly index: number;
  readonly root: Uint8Array;
}

/**
 * A tree that only grows. It holds the frontier of the last tile of each level, so that it knows
 * the root of each tile at the leaf that fills it.
 */
export class GrowingTree {
  /** By level of tiles, from the leaves up: the tile that is not full. */
  private readonly levels: Frontier[];
  private leaves: number;

  /** Continues a tree of `size` leaves from its frontier. Throws `RangeError` if they do not fit. */
  constructor(
    private readonly sha256: Sha256,
    size = 0,
    frontier: readonly Uint8Array[] = [],
  ) {
    const whole = new Frontier(sha256, size, frontier).hashes;
    this.leaves = size;
    this.levels = [];
    for (let rest = size, end = whole.length; rest > 0; rest = Math.floor(rest / TILE_WIDTH)) {
      const width = rest % TILE_WIDTH;
      const from = end - onesOf(width);
      this.levels.push(new Frontier(sha256, width, whole.slice(from, end)));
      end = from;
    }
  }

  /** Continues a tree from its frontier as it is stored: the hashes one after the other. */
  static stored(sha256: Sha256, size: number, frontier: Uint8Array): GrowingTree {
    const hashes = Array.from({ length: frontier.length / HASH_BYTES }, (_, at) =>
      frontier.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
    );
    return new GrowingTree(sha256, size, hashes);
  }

  get size(): number {
    return this.leaves;
  }

  /** The roots of the perfect subtrees that the size falls into, largest first. */
  get frontier(): Uint8Array[] {
    return this.levels.toReversed().flatMap(({ hashes }) => [...hashes]);
  }

  /** Returns the root over all leaves. */
  root(): Uint8Array {
    return rootOfSubtrees(this.sha256, this.frontier);
  }

  /** Appends a leaf by its hash, and returns the tiles that it fills, from the leaves up. */
  append(leaf: Uint8Array): FullTile[] {
    this.leaves += 1;
    const filled: FullTile[] = [];
    let hash = leaf;
    for (let level = 0; ; level += 1) {
      const tile = (this.levels[level] ??= new Frontier(this.sha256));
      tile.append(hash);
      if (tile.size < TILE_WIDTH) return filled;
      hash = tile.root();
      this.levels[level] = new Frontier(this.sha256);
      filled.push({ level, index: this.leaves / TILE_WIDTH ** (level + 1) - 1, root: hash });
    }
  }

  /** Returns a copy that grows by itself. */
  copy(): GrowingTree {
    return new GrowingTree(this.sha256, this.leaves, this.frontier);
  }
}

/** Returns how many binary digits of a number below 2^31 are 1. */
function onesOf(number: number): number {
  let ones = 0;
  for (let rest = number; rest > 0; rest >>>= 1) ones += rest & 1;
  return ones;
}
