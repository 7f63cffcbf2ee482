import { joinBytes } from '../bytes.js';
import { HASH_BYTES, type Sha256 } from '../cryptography.js';

/**
 * A perfect subtree: the root over leaves `index * 2 ** level` to `(index + 1) * 2 ** level`, the
 * last not included.
 */
export interface NodeRef {
  readonly level: number;
  readonly index: number;
}

/** Returns the hash of a leaf (RFC 6962 section 2.1): SHA-256 over a byte 0 and the record. */
export function leafHash(sha256: Sha256, record: Uint8Array): Uint8Array {
  return sha256(joinBytes(Uint8Array.of(0), record));
}

/**
 * Returns the hash of the leaf whose record begins at the second of these bytes. Overwrites the
 * first byte with 0, so that a record among others is hashed without a copy.
 */
export function leafHashAfterSpare(sha256: Sha256, spareAndRecord: Uint8Array): Uint8Array {
  spareAndRecord[0] = 0;
  return sha256(spareAndRecord);
}

const pair = new Uint8Array(1 + 2 * HASH_BYTES);

/** Returns the hash of a node (RFC 6962 section 2.1): SHA-256 over a byte 1 and both children. */
export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  pair[0] = 1;
  pair.set(left, 1);
  pair.set(right, 1 + HASH_BYTES);
  return sha256(pair);
}

/** Returns the root over leaf hashes. Of no leaves it is SHA-256 of nothing. */
export function rootOf(sha256: Sha256, leaves: Iterable<Uint8Array>): Uint8Array {
  const frontier = new Frontier(sha256);
  for (const leaf of leaves) frontier.append(leaf);
  return frontier.root();
}

/**
 * Returns the largest aligned perfect subtrees that leaves `start` to `end` (not included) fall
 * into, from left to right.
 */
export function subtreesOf(start: number, end: number): NodeRef[] {
  checkSize(end);
  if (!Number.isSafeInteger(start) || start < 0 || start > end) {
    throw new RangeError(`a range from ${start} to ${end} is not a range of leaves`);
  }
  const nodes: NodeRef[] = [];
  for (let at = start; at < end;) {
    let level = 0;
    let width = 1;
    while (at % (width * 2) === 0 && at + width * 2 <= end) {
      width *= 2;
      level += 1;
    }
    nodes.push({ level, index: at / width });
    at += width;
  }
  return nodes;
}

/**
 * The right edge of a growing tree: the roots of the perfect subtrees that its size falls into,
 * largest first. Appending needs nothing else.
 */
export class Frontier {
  private readonly kept: Uint8Array[];
  private count: number;

  /** Takes up a tree of `size` leaves. Throws a `RangeError` if these hashes are not as many as its size asks for. */
  constructor(
    private readonly sha256: Sha256,
    size = 0,
    hashes: readonly Uint8Array[] = [],
  ) {
    const due = subtreesOf(0, size).length;
    if (hashes.length !== due || hashes.some((hash) => hash.length !== HASH_BYTES)) {
      throw new RangeError(
        `the frontier of ${size} leaves has ${due} hashes of ${HASH_BYTES} bytes`,
      );
    }
    this.kept = [...hashes];
    this.count = size;
  }

  get size(): number {
    return this.count;
  }

  /** The roots of the perfect subtrees, largest first. */
  get hashes(): readonly Uint8Array[] {
    return this.kept;
  }

  /** Returns a frontier that grows by itself. */
  copy(): Frontier {
    return new Frontier(this.sha256, this.count, this.kept);
  }

  /** Appends a leaf by its hash. */
  append(leaf: Uint8Array): void {
    this.appendSubtree(0, leaf);
  }

  /**
   * Appends a perfect subtree of `2 ** level` leaves by its root. Throws a `RangeError` if the size
   * is not a multiple of that.
   */
  appendSubtree(level: number, root: Uint8Array): void {
    const width = 2 ** level;
    checkSize(this.count + width);
    if (this.count % width !== 0) {
      throw new RangeError(`a subtree of ${width} leaves cannot begin at leaf ${this.count}`);
    }
    let hash = root;
    for (let left = this.count / width; left % 2 === 1; left = (left - 1) / 2) {
      const sibling = this.kept.pop();
      if (sibling === undefined) throw new RangeError('the frontier has too few hashes');
      hash = nodeHash(this.sha256, sibling, hash);
    }
    this.kept.push(hash);
    this.count += width;
  }

  /** Returns the root over all leaves. */
  root(): Uint8Array {
    return rootOfSubtrees(this.sha256, this.kept);
  }
}

/** Returns the root over subtrees that follow each other, largest first. */
export function rootOfSubtrees(sha256: Sha256, hashes: readonly Uint8Array[]): Uint8Array {
  const last = hashes.at(-1);
  if (last === undefined) return sha256(new Uint8Array(0));
  return hashes.slice(0, -1).reduceRight((right, left) => nodeHash(sha256, left, right), last);
}

function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new RangeError(`${size} is not the size of a tree`);
  }
}
