import type { PackageFault, PackageReport } from '#evidence';
import type { Mutant } from './mutants.js';

/** Returns what is wrong with the report on a mutant, or undefined. */
export function missedIn(
  { verdict, faults }: Pick<PackageReport, 'verdict' | 'faults'>,
  { name, expected }: Mutant,
): string | undefined {
  if (!expected.verdicts.includes(verdict)) return `${name}: ${verdict}`;
  // A payload that is larger than Payload-Oxum is not read, so that no file of it can be named.
  const isLarger = faults.some(({ step, file }) => step === 1 && file === 'bag-info.txt');
  // What a manifest says of a file is a fault of that file.
  const isList = expected.file?.endsWith('manifest-sha256.txt');
  const isNamed = faults.some(({ file }) => file === expected.file) || isLarger || isList;
  if (expected.file !== undefined && !isNamed)
    return `${name}: no fault names ${expected.file}, but ${JSON.stringify(faults)}`;
  return isPlaced(faults[0], expected)
    ? undefined
    : `${name}: ${JSON.stringify(faults[0])} is first`;
}

/** Returns whether a fault is at the record that is expected, or at its seal if no record is known. */
function isPlaced(fault: PackageFault | undefined, { record, seal }: Mutant['expected']): boolean {
  if (record === undefined || fault === undefined) return true;
  // A row is known by its line, and where the rest of the tree does not fit no record is known.
  if (/\/(records\.csv|proof\.json)$/.test(fault.file ?? '') || fault.step > 6) return true;
  return fault.record === undefined ? fault.seal === seal : fault.record === record;
}
