import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bytesOfBase64,
  bytesOfHex,
  consistencyProof,
  Frontier,
  hexOf,
  inclusionProof,
  leafHash,
  leafHashAfterSpare,
  type NodeRef,
  nodesFromTiles,
  rootOf,
  rootOfSubtrees,
  subtreeHashes,
  subtreesOf,
  type Tile,
  tilePath,
  tilesBetween,
  verifyConsistency,
  verifyInclusion,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';

const { sha256 } = nodeCryptography;

/** RFC 6962 section 2.1 as it is written: the largest power of two below n on the left. */
function plainRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only, second] = leaves;
  if (only === undefined) return sha256(new Uint8Array(0));
  if (second === undefined) return only;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return sha256(
    Uint8Array.from([1, ...plainRoot(leaves.slice(0, k)), ...plainRoot(leaves.slice(k))]),
  );
}

function someLeaves(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, n) => leafHash(sha256, Uint8Array.of(n >> 8, n & 255)));
}

/** Nodes of a tree that is held in memory. */
function nodesOf(leaves: readonly Uint8Array[]) {
  return (nodes: readonly NodeRef[]): Uint8Array[] =>
    nodes.map(({ level, index }) =>
      plainRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    );
}

function tileOf(leaves: readonly Uint8Array[], { level, index, width }: Tile): Uint8Array {
  const nodes = Array.from({ length: width }, (_, at) => ({
    level: level * 8,
    index: index * 256 + at,
  }));
  return Buffer.concat(nodesOf(leaves)(nodes));
}

const bytes = (text: string): Uint8Array => bytesOfHex(text) ?? new Uint8Array(0);

// The trees of Certificate Transparency, as transparency-dev/merkle has them (Apache-2.0).
const INPUTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'].concat(
  '606162636465666768696a6b6c6d6e6f',
);
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

interface Probe {
  readonly kind: 'inclusion' | 'consistency';
  readonly desc: string;
  readonly wantErr: boolean;
  readonly proof: readonly string[] | null;
  readonly leafIdx: number;
  readonly treeSize: number;
  readonly leafHash: string;
  readonly root: string;
  readonly size1: number;
  readonly size2: number;
  readonly root1: string;
  readonly root2: string;
}

const probes = readFileSync('test/fixtures/merkle-proofs.ndjson', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const probe: Probe = JSON.parse(line);
    return probe;
  });

function isAccepted(probe: Probe): boolean {
  const read = (text: string | null | undefined): Uint8Array =>
    bytesOfBase64(text ?? '') ?? new Uint8Array(0);
  const proof = (probe.proof ?? []).map(read);
  if (probe.kind === 'inclusion') {
    const { leafIdx: index, treeSize: size } = probe;
    const [leaf, root] = [read(probe.leafHash), read(probe.root)];
    return verifyInclusion(sha256, { index, size, leaf, root }, proof);
  }
  const [fromRoot, toRoot] = [read(probe.root1), read(probe.root2)];
  return verifyConsistency(sha256, { from: probe.size1, to: probe.size2, fromRoot, toRoot }, proof);
}

describe('the tree of a log', () => {
  it('has the roots of Certificate Transparency, for 0 to 8 leaves', () => {
    const leaves = INPUTS.map((input) => leafHash(sha256, bytes(input)));
    ROOTS.forEach((root, size) => {
      expect(hexOf(rootOf(sha256, leaves.slice(0, size)))).toBe(root);
    });
  });

  it('accepts and refuses the proofs of transparency-dev/merkle as its own code does', () => {
    const wrong = probes.filter((probe) => isAccepted(probe) === probe.wantErr);
    // The one whose roots are the words "don't care 2": a root here is always 32 bytes long.
    expect(wrong.map(({ desc }) => desc)).toEqual(['sizes are equal (one) and proof is empty']);
    expect(probes).toHaveLength(196);
    expect(probes.filter(({ wantErr }) => wantErr).length).toBeGreaterThan(150);
  });

  it('has the root of RFC 6962 at every size, however it grows', () => {
    const leaves = someLeaves(130);
    const frontier = new Frontier(sha256);
    leaves.forEach((leaf, size) => {
      expect(frontier.root()).toEqual(Buffer.from(plainRoot(leaves.slice(0, size))));
      expect(frontier.hashes).toEqual(nodesOf(leaves)(subtreesOf(0, size)));
      frontier.append(leaf);
    });
  });

  it('goes on from a saved frontier by leaves and by whole subtrees', () => {
    const sizes = fc.tuple(fc.nat(130), fc.nat(130)).map(([a, b]) => [a, a + b] as const);
    fc.assert(
      fc.property(sizes, ([from, to]) => {
        const leaves = someLeaves(to);
        const read = nodesOf(leaves);
        const frontier = new Frontier(sha256, from, read(subtreesOf(0, from)));
        const other = frontier.copy();
        for (const leaf of leaves.slice(from)) frontier.append(leaf);
        for (const node of subtreesOf(from, to)) {
          other.appendSubtree(node.level, read([node])[0] ?? new Uint8Array(0));
        }
        expect(hexOf(frontier.root())).toBe(hexOf(plainRoot(leaves)));
        expect(hexOf(other.root())).toBe(hexOf(plainRoot(leaves)));
        expect(other.size).toBe(to);
      }),
    );
  });

  it('proves every leaf and every earlier size, from tiles, and nothing else', async () => {
    const shapes = fc
      .integer({ min: 1, max: 600 })
      .chain((size) =>
        fc.record({ size: fc.constant(size), index: fc.nat(size - 1), other: fc.nat(size - 1) }),
      );
    await fc.assert(
      fc.asyncProperty(shapes, async ({ size, index, other }) => {
        const leaves = someLeaves(size);
        const read = nodesFromTiles(sha256, size, (tile) => tileOf(leaves, tile));
        const root = plainRoot(leaves);
        const proof = await inclusionProof(sha256, { index, size }, read);
        const leaf = leaves[index] ?? new Uint8Array(0);
        expect(verifyInclusion(sha256, { index, size, leaf, root }, proof)).toBe(true);
        const elsewhere = { index: other, size, leaf, root };
        expect(verifyInclusion(sha256, elsewhere, proof)).toBe(other === index);

        const from = index + 1;
        const sizes = { from, to: size };
        const growth = await consistencyProof(sha256, sizes, read);
        const fromRoot = plainRoot(leaves.slice(0, from));
        const claim = { ...sizes, fromRoot, toRoot: root };
        expect(verifyConsistency(sha256, claim, growth)).toBe(true);
        const rewritten = plainRoot([...leaves.slice(0, from - 1), sha256(leaf)]);
        expect(verifyConsistency(sha256, { ...claim, fromRoot: rewritten }, growth)).toBe(false);
        expect(verifyConsistency(sha256, claim, [...growth, root])).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  it('completes a range to the root of the whole tree', async () => {
    const leaves = someLeaves(77);
    const rest = await subtreeHashes({ start: 30, end: 77 }, nodesOf(leaves));
    const frontier = new Frontier(sha256, 30, nodesOf(leaves)(subtreesOf(0, 30)));
    subtreesOf(30, 77).forEach(({ level }, at) => {
      frontier.appendSubtree(level, rest[at] ?? new Uint8Array(0));
    });
    expect(hexOf(frontier.root())).toBe(hexOf(plainRoot(leaves)));
    expect(hexOf(rootOfSubtrees(sha256, frontier.hashes))).toBe(hexOf(plainRoot(leaves)));
  });

  it('has tiles at the paths of C2SP tlog-tiles, each once', () => {
    expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067');
    const paths = tilesBetween(0, 70_000).map(tilePath);
    expect(paths).toHaveLength(273 + 1 + 1 + 1 + 1);
    expect(paths.slice(-4)).toEqual([
      'tile/0/273.p/112',
      'tile/1/000',
      'tile/1/001.p/17',
      'tile/2/000.p/1',
    ]);
    expect(tilesBetween(70_000, 70_001).map(tilePath)).toEqual(['tile/0/273.p/113']);
    expect(tilesBetween(255, 256).map(tilePath)).toEqual(['tile/0/000', 'tile/1/000.p/1']);
    expect(tilesBetween(256, 256)).toEqual([]);
  });

  it('hashes a record in place as it hashes a copy', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (record) => {
        const spare = Uint8Array.from([10, ...record]);
        expect(hexOf(leafHashAfterSpare(sha256, spare))).toBe(hexOf(leafHash(sha256, record)));
      }),
    );
  });

  it('refuses sizes, ranges and frontiers that no tree has', async () => {
    expect(() => new Frontier(sha256, 3, [sha256(new Uint8Array(0))])).toThrow('has 2 hashes');
    expect(() => new Frontier(sha256, 1, [new Uint8Array(31)])).toThrow('of 32 bytes');
    expect(() => new Frontier(sha256, -1)).toThrow('-1 is not the size of a tree');
    expect(() => subtreesOf(3, 2)).toThrow('a range from 3 to 2');
    const frontier = new Frontier(sha256, 1, [sha256(new Uint8Array(0))]);
    expect(() => frontier.appendSubtree(1, sha256(new Uint8Array(0)))).toThrow(
      'a subtree of 2 leaves cannot begin at leaf 1',
    );
    const read = nodesOf(someLeaves(4));
    await expect(inclusionProof(sha256, { index: 4, size: 4 }, read)).rejects.toThrow('leaf 4');
    await expect(consistencyProof(sha256, { from: 5, to: 4 }, read)).rejects.toThrow('5 leaves');
    const cut = nodesFromTiles(sha256, 4, () => new Uint8Array(96));
    await expect(inclusionProof(sha256, { index: 0, size: 4 }, cut)).rejects.toThrow(
      'tile/0/000.p/4 has 96 bytes, not 128',
    );
  });
});
