import { sameBytes } from '../bytes.js';
import { HASH_BYTES, type Sha256 } from '../cryptography.js';
import { nodeHash, type NodeRef, rootOfSubtrees, subtreesOf } from './merkle.js';

/** Most hashes of a proof. No tree of numbered leaves needs more. */
export const PROOF_HASHES_MAX = 64;

/** Returns the hashes of perfect subtrees, in the order asked for. */
export type ReadNodes = (
  nodes: readonly NodeRef[],
) => Promise<readonly Uint8Array[]> | readonly Uint8Array[];

/** Leaves `start` to `end`, the last not included. */
interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the proof that leaf `index` is in the tree of `size` leaves (RFC 6962 section 2.1.1),
 * nearest sibling first. Throws a `RangeError` if there is no such leaf.
 */
export async function inclusionProof(
  sha256: Sha256,
  leaf: { readonly index: number; readonly size: number },
  readNodes: ReadNodes,
): Promise<Uint8Array[]> {
  const { index, size } = leaf;
  if (!(Number.isSafeInteger(index) && index >= 0 && index < size)) {
    throw new RangeError(`leaf ${index} is not in a tree of ${size} leaves`);
  }
  return hashesOf(sha256, siblings(index, size), readNodes);
}

/**
 * Returns the proof that the tree of `to` leaves begins with the tree of `from` leaves (RFC 6962
 * section 2.1.2). It is empty from 0 leaves, and if both are the same. Throws a `RangeError` if
 * `from` is the larger.
 */
export async function consistencyProof(
  sha256: Sha256,
  sizes: { readonly from: number; readonly to: number },
  readNodes: ReadNodes,
): Promise<Uint8Array[]> {
  const { from, to } = sizes;
  if (!(Number.isSafeInteger(from) && from >= 0 && from <= to)) {
    throw new RangeError(`a tree of ${to} leaves does not begin with ${from} leaves`);
  }
  if (from === 0 || from === to) return [];
  return hashesOf(sha256, consistencyRanges(from, to), readNodes);
}

/** Returns the hashes of the largest aligned perfect subtrees of leaves `start` to `end`, left to right. */
export async function subtreeHashes(
  range: LeafRange,
  readNodes: ReadNodes,
): Promise<readonly Uint8Array[]> {
  const nodes = subtreesOf(range.start, range.end);
  return nodes.length === 0 ? [] : readNodes(nodes);
}

/** A leaf, and the tree that a proof says it is in. */
interface PlacedLeaf {
  readonly index: number;
  readonly size: number;
  readonly leaf: Uint8Array;
  readonly root: Uint8Array;
}

/** Returns whether a proof shows that the leaf is at `index` in the tree of this size and root. */
export const verifyInclusion = (...claim: Parameters<typeof rootAt>): boolean =>
  rootAt(...claim) !== undefined;

/**
 * Returns the root of the tree that ends with a leaf, from the proof that the leaf is in the
 * tree of this size and root: what lies left of the leaf is the same in both. Returns undefined if
 * the proof does not show that.
 */
export function rootAt(
  sha256: Sha256,
  { index, size, leaf, root }: PlacedLeaf,
  proof: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!(index >= 0 && index < size) || !areHashes([leaf, root, ...proof])) return undefined;
  let place = index;
  let last = size - 1;
  let hash = leaf;
  let upToLeaf = leaf;
  for (const sibling of proof) {
    if (last === 0) return undefined;
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(sha256, sibling, hash);
      upToLeaf = nodeHash(sha256, sibling, upToLeaf);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, half(last)];
    } else {
      hash = nodeHash(sha256, hash, sibling);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && sameBytes(hash, root) ? upToLeaf : undefined;
}

/** That a tree of `to` leaves begins with a tree of `from` leaves. */
interface GrowthClaim {
  readonly from: number;
  readonly to: number;
  readonly fromRoot: Uint8Array;
  readonly toRoot: Uint8Array;
}

/** Returns whether a proof shows that the tree of `to` leaves begins with that of `from` leaves. */
export function verifyConsistency(
  sha256: Sha256,
  claim: GrowthClaim,
  proof: readonly Uint8Array[],
): boolean {
  const { from, to } = claim;
  if (from < 0 || from > to) return false;
  if (!areHashes([claim.fromRoot, claim.toRoot, ...proof])) return false;
  if (from === to) return proof.length === 0 && sameBytes(claim.fromRoot, claim.toRoot);
  if (from === 0) return proof.length === 0 && sameBytes(claim.fromRoot, sha256(new Uint8Array(0)));
  return rootsAgree(sha256, claim, proof);
}

/** RFC 9162 section 2.1.4.2, for trees of different sizes, the first not empty. */
function rootsAgree(sha256: Sha256, claim: GrowthClaim, proof: readonly Uint8Array[]): boolean {
  const [first, ...others] = isPowerOfTwo(claim.from) ? [claim.fromRoot, ...proof] : proof;
  if (first === undefined || proof.length === 0) return false;
  let place = claim.from - 1;
  let last = claim.to - 1;
  while (place % 2 === 1) [place, last] = [half(place), half(last)];
  let older = first;
  let newer = first;
  for (const sibling of others) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      older = nodeHash(sha256, sibling, older);
      newer = nodeHash(sha256, sibling, newer);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, half(last)];
    } else {
      newer = nodeHash(sha256, newer, sibling);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && sameBytes(older, claim.fromRoot) && sameBytes(newer, claim.toRoot);
}

/** The ranges whose roots are the siblings of a leaf, nearest first. */
function siblings(index: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  for (let start = 0, end = size; end - start > 1;) {
    const middle = start + leftWidth(end - start);
    if (index < middle) {
      ranges.unshift({ start: middle, end });
      end = middle;
    } else {
      ranges.unshift({ start, end: middle });
      start = middle;
    }
  }
  return ranges;
}

/** The ranges of SUBPROOF in RFC 6962 section 2.1.2, in the order of the proof. */
function consistencyRanges(from: number, to: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  let start = 0;
  let end = to;
  let known = true;
  while (from !== end) {
    const middle = start + leftWidth(end - start);
    if (from <= middle) {
      ranges.unshift({ start: middle, end });
      end = middle;
    } else {
      ranges.unshift({ start, end: middle });
      start = middle;
      known = false;
    }
  }
  return known ? ranges : [{ start, end }, ...ranges];
}

async function hashesOf(
  sha256: Sha256,
  ranges: readonly LeafRange[],
  readNodes: ReadNodes,
): Promise<Uint8Array[]> {
  const nodes = ranges.map(({ start, end }) => subtreesOf(start, end));
  const wanted = nodes.flat();
  const hashes = wanted.length === 0 ? [] : await readNodes(wanted);
  let at = 0;
  return nodes.map((subtrees) => {
    const part = hashes.slice(at, at + subtrees.length);
    at += subtrees.length;
    return rootOfSubtrees(sha256, part);
  });
}

function areHashes(hashes: readonly Uint8Array[]): boolean {
  return hashes.every((hash) => hash.length === HASH_BYTES);
}

/** The largest power of two below `width`, which is at least 2. */
function leftWidth(width: number): number {
  let left = 1;
  while (left * 2 < width) left *= 2;
  return left;
}

function isPowerOfTwo(size: number): boolean {
  let rest = size;
  while (rest % 2 === 0) rest /= 2;
  return rest === 1;
}

function half(place: number): number {
  return Math.floor(place / 2);
}
