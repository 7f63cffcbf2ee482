import { sameBytes } from '../bytes.js';
import type { SignedCheckpoint } from '../notes/checkpoint.js';
import type { Examination } from './examination.js';

/** What a checkpoint that the reader holds is compared with. */
export interface HistorySources {
  readonly checkpoint: SignedCheckpoint;
  /** Roots of the site log that were computed and are in the signed one, by size. */
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
  const isGrown = hasGrown(held, sources);
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
function hasGrown(held: SignedCheckpoint, { checkpoint, roots }: HistorySources) {
  const root = held.size === checkpoint.size ? checkpoint.root : roots.get(held.size);
  return root && sameBytes(held.root, root);
}

/** Returns whether the heads of all tables of the package are there at a size of the log. */
function isShown(size: number, { checkpoint, range, sizesShown }: HistorySources): boolean {
  if (size === checkpoint.size || sizesShown.has(size)) return true;
  return range.from < size && size <= range.to + 1;
}
