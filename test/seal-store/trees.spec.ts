import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Frontier, inclusionProof, leafHash, rootOf, verifyInclusion } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { GrowingTree, HeadTree } from '#seal-store';

const { sha256 } = nodeCryptography;
const leafOf = (number: number): Uint8Array => leafHash(sha256, Buffer.from(String(number)));
const leavesOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, at) => leafOf(at));

describe('a growing tree', () => {
  it('has the frontier and the root of RFC 6962 at every size, also when it continues', () => {
    fc.assert(
      fc.property(fc.nat(1500), fc.nat(1500), (before, more) => {
        const first = new GrowingTree(sha256);
        for (const leaf of leavesOf(before)) first.append(leaf);
        const tree = new GrowingTree(sha256, before, first.frontier);
        const plain = new Frontier(sha256, before, first.frontier);
        for (let at = before; at < before + more; at += 1) {
          tree.append(leafOf(at));
          plain.append(leafOf(at));
        }
        expect(tree.frontier.map(hex)).toEqual(plain.hashes.map(hex));
        expect(hex(tree.root())).toBe(hex(rootOf(sha256, leavesOf(before + more))));
      }),
      { numRuns: 30 },
    );
  });

  it('names each tile at the leaf that fills it, with the root over the leaves below', () => {
    const tree = new GrowingTree(sha256);
    const filled = Array.from({ length: 65_536 }, (_, at) =>
      tree.append(leafOf(at)).map(({ level, index, root }) => ({ at, level, index, root })),
    ).flat();
    expect(filled).toHaveLength(257);
    expect(filled[0]).toMatchObject({ at: 255, level: 0, index: 0 });
    expect(hex(filled[0]?.root)).toBe(hex(rootOf(sha256, leavesOf(256))));
    expect(filled.slice(-2)).toMatchObject([
      { at: 65_535, level: 0, index: 255 },
      { at: 65_535, level: 1, index: 0 },
    ]);
    expect(hex(filled.at(-1)?.root)).toBe(hex(tree.root()));
    expect(tree.frontier).toHaveLength(1);
  });

  it('refuses a frontier that does not belong to its size', () => {
    expect(() => new GrowingTree(sha256, 3, [leafOf(0)])).toThrow(RangeError);
  });
});

describe('the tree over heads', () => {
  it('has the root and the paths of RFC 6962 however the heads change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 70 }),
        fc.array(fc.nat(69), { maxLength: 30 }),
        async (count, changes) => {
          const tree = new HeadTree(sha256);
          const leaves = leavesOf(count);
          for (const [at, leaf] of leaves.entries()) tree.set(at, leaf);
          for (const [at, change] of changes.entries()) {
            leaves[change % count] = leafOf(1000 + at);
            tree.set(change % count, leafOf(1000 + at));
          }
          const root = rootOf(sha256, leaves);
          expect(hex(tree.root())).toBe(hex(root));
          for (const [index, leaf] of leaves.entries()) {
            const path = tree.path(index);
            expect(verifyInclusion(sha256, { index, size: count, leaf, root }, path)).toBe(true);
          }
          const proof = await inclusionProof(sha256, { index: 0, size: count }, (nodes) =>
            nodes.map(({ level, index }) =>
              rootOf(sha256, leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
            ),
          );
          expect(tree.path(0).map(hex)).toEqual(proof.map(hex));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('has the root of nothing before the first head, and takes heads in their order', () => {
    const tree = new HeadTree(sha256);
    expect(hex(tree.root())).toBe(hex(rootOf(sha256, [])));
    expect(() => tree.set(1, leafOf(1))).toThrow('head 1 does not follow 0 heads');
    expect(() => tree.path(0)).toThrow('head 0 is not among 0 heads');
  });
});

const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');
