import { nodeHash, type Sha256 } from '#evidence';

/**
 * The tree over the heads of a seal, by the tables' numbers. From one seal to the next only some
 * heads change, and each costs a few hashes.
 */
export class HeadTree {
  /** By level, from the leaves up. A last node without a sibling stands unchanged above itself. */
  private readonly levels: Uint8Array[][] = [[]];

  constructor(private readonly sha256: Sha256) {}

  get size(): number {
    return this.leaves.length;
  }

  /** Sets the leaf of a number, which is at most the next one. Throws `RangeError` beyond that. */
  set(number: number, leaf: Uint8Array): void {
    if (number > this.size)
      throw new RangeError(`head ${number} does not follow ${this.size} heads`);
    this.leaves[number] = leaf;
    let at = number;
    for (let level = 0; this.levelOf(level).length > 1; level += 1) {
      const nodes = this.levelOf(level);
      at = Math.floor(at / 2);
      const left = nodes[2 * at];
      const right = nodes[2 * at + 1];
      if (!left) throw new RangeError(`a node of level ${level} is missing`);
      (this.levels[level + 1] ??= [])[at] = right ? nodeHash(this.sha256, left, right) : left;
    }
  }

  /** Returns the root over all heads (RFC 6962). */
  root(): Uint8Array {
    return this.levels.at(-1)?.[0] ?? this.sha256(new Uint8Array(0));
  }

  /** Returns the proof that the head of a number is under the root, nearest sibling first. */
  path(number: number): Uint8Array[] {
    if (number < 0 || number >= this.size)
      throw new RangeError(`head ${number} is not among ${this.size} heads`);
    return this.levels.flatMap((nodes, level) => {
      const sibling = nodes[Math.floor(number / 2 ** level) ^ 1];
      return sibling ? [sibling] : [];
    });
  }

  private get leaves(): Uint8Array[] {
    return this.levelOf(0);
  }

  private levelOf(level: number): Uint8Array[] {
    return (this.levels[level] ??= []);
  }
}
