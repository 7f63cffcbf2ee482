import { utf8Of } from '../bytes.js';
import { headText } from '../site/head.js';
import { leafHash } from '../tree/merkle.js';
import { verifyConsistency, verifyInclusion } from '../tree/proofs.js';
import type { Examination } from './examination.js';
import type { PackageStatement, Since } from '../package/files.js';
import { bytesOfHash, hashesOf } from '../package/hashes.js';
import { SITE_FILES } from '../package/site-files.js';
import type { SealedState } from './seals.js';

/** A table of a package, as package.json has it. */
export type TableEntry = PackageStatement['tables'][number];

/** The state of a tree. */
export interface Stand {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Returns the state of a tree, from the text of its root. */
export const standOf = ({ size, root }: SaidStand): Stand => ({ size, root: bytesOfHash(root) });

/** The state of a tree, as a file says it. */
interface SaidStand {
  readonly size: number;
  readonly root: string;
}

/** Checks where the tree of one table stood at seals. */
export class TableHeads {
  constructor(
    private readonly exam: Examination,
    private readonly origin: string,
    private readonly entry: TableEntry,
  ) {}

  /** Returns the leaf of a head among the heads of its seal. */
  leafOf({ size, root }: Stand): Uint8Array {
    const text = headText({ origin: this.origin, name: this.entry.name, size, root });
    return leafHash(this.exam.platform.sha256, utf8Of(text));
  }

  /** Returns whether a path shows that the head is one of those of a seal. */
  isInSeal(stand: Stand, seal: SealedState, path: readonly string[]): boolean {
    const { number } = this.entry;
    const claim = { index: number, size: seal.tables, leaf: this.leafOf(stand), root: seal.heads };
    return verifyInclusion(this.exam.platform.sha256, claim, hashesOf(path));
  }

  /** Returns whether a proof shows that the newer tree begins with the older one. */
  isGrown(older: Stand, newer: Stand, proof: readonly string[]): boolean {
    const claim = { from: older.size, to: newer.size, fromRoot: older.root, toRoot: newer.root };
    return verifyConsistency(this.exam.platform.sha256, claim, hashesOf(proof));
  }

  /** Checks the head at a checkpoint that the recipient holds: that the table only grew since. */
  checkSince(head: Since[number]['tables'][number], seal: SealedState, latest: Stand): void {
    const at = { file: SITE_FILES.since, table: this.entry.table, seal: seal.number };
    const stand = standOf(head);
    if (!this.isInSeal(stand, seal, head.path))
      this.exam.altered(4, `the head is not one of seal ${seal.number}`, at);
    if (!this.isGrown(stand, latest, head.consistency))
      this.exam.altered(4, `the table did not only grow since seal ${seal.number}`, at);
  }
}
