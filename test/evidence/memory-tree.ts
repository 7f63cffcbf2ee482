import {
  consistencyProof,
  Frontier,
  hashText,
  inclusionProof,
  leafHash,
  rootOf,
  subtreeHashes,
  type NodeRef,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';

const { sha256 } = nodeCryptography;

/** A Merkle tree with all its leaves in memory. Makes every proof that a package holds. */
export class MemoryTree {
  readonly leaves: Uint8Array[] = [];

  append(record: Uint8Array): void {
    this.leaves.push(leafHash(sha256, record));
  }

  get size(): number {
    return this.leaves.length;
  }

  root(size = this.size): Uint8Array {
    return rootOf(sha256, this.leaves.slice(0, size));
  }

  frontier(size: number): string[] {
    const frontier = new Frontier(sha256);
    for (const leaf of this.leaves.slice(0, size)) frontier.append(leaf);
    return frontier.hashes.map(hashText);
  }

  async inclusion(index: number, size = this.size): Promise<string[]> {
    return (await inclusionProof(sha256, { index, size }, this.nodes)).map(hashText);
  }

  async consistency(from: number, to = this.size): Promise<string[]> {
    return (await consistencyProof(sha256, { from, to }, this.nodes)).map(hashText);
  }

  async rest(start: number, end: number): Promise<string[]> {
    return (await subtreeHashes({ start, end }, this.nodes)).map(hashText);
  }

  private readonly nodes = (nodes: readonly NodeRef[]): Uint8Array[] =>
    nodes.map(({ level, index }) =>
      rootOf(sha256, this.leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    );
}
