import { sameBytes } from '../bytes.js';
import type { SignedCheckpoint } from '../notes/checkpoint.js';
import { verifyConsistency } from '../tree/proofs.js';
import type { Examination } from './examination.js';
import type { SiteProof } from './files.js';
import { hashesOf } from './hashes.js';

/** What a checkpoint that the reader holds is compared with. */
export interface HistorySources {
  readonly checkpoint: SignedCheckpoint;
  readonly proof: SiteProof;
  /** Roots of the site log that were computed, by size. */
  readonly roots: ReadonlyMap<number, Uint8Array>;
  /** The leaves of the range, first and last. */
  readonly range: { readonly from: number; readonly to: number };
  /** Sizes for which the package shows where all its tables stood. */
  readonly sizesShown: ReadonlySet<number>;
}

/**
 * Checks that the log and its tables only grew since a checkpoint that the reader holds. Returns
 * whether the package shows that.
 */
export function verifyHistory(
  exam: Examination,
  held: SignedCheckpoint,
  sources: HistorySources,
): boolean {
  const { checkpoint } = sources;
  const yours = `your checkpoint of size ${held.size}`;
  if (held.origin !== checkpoint.origin) {
    exam.altered(4, `${yours} is of ${held.origin}, and the package of ${checkpoint.origin}`);
    return false;
  }
  const ask = `ask for a package with: shoeprint export --since FILE, where FILE holds ${yours}`;
  const isGrown = held.size <= checkpoint.size ? hasGrown(exam, held, sources) : undefined;
  if (isGrown === false) {
    exam.altered(4, `history was rewritten: the log does not begin with ${yours}`);
    return false;
  }
  if (isGrown === undefined) {
    exam.found.add(4, 'incomplete', `nothing shows that the log only grew since ${yours}: ${ask}`);
    return false;
  }
  if (!isShown(held.size, sources)) {
    exam.found.add(4, 'incomplete', `nothing shows the tables at ${yours}: ${ask}`);
    return false;
  }
  return true;
}

/** Returns whether the log begins with a checkpoint; undefined if nothing in the package shows it. */
function hasGrown(
  exam: Examination,
  held: SignedCheckpoint,
  { checkpoint, proof, roots }: HistorySources,
): boolean | undefined {
  if (held.size === checkpoint.size) return sameBytes(held.root, checkpoint.root);
  const root = roots.get(held.size);
  if (root) return sameBytes(held.root, root);
  const found = proof.consistency.find(({ from }) => from === held.size);
  if (!found) return undefined;
  const claim = { from: held.size, to: checkpoint.size, fromRoot: held.root };
  return verifyConsistency(
    exam.platform.sha256,
    { ...claim, toRoot: checkpoint.root },
    hashesOf(found.proof),
  );
}

/** Returns whether the heads of all tables of the package are there at a size of the log. */
function isShown(size: number, { checkpoint, range, sizesShown }: HistorySources): boolean {
  if (size === checkpoint.size || sizesShown.has(size)) return true;
  return range.from < size && size <= range.to + 1;
}
