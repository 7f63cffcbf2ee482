import { readVkey, verifyPackage, type PackageFault, type PackageReport } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { describe, expect, test } from '@jest/globals';
import { forgedMutants } from './forged-mutants.js';
import { plainMutants, type Mutant } from './mutants.js';
import { plainJudges } from './plain-judges.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { packed, sourceOf, type PackageFiles } from './site-package.js';

const site = sampleSite();
const trust = {
  keys: [readVkey(nodeCryptography.sha256, site.logKey.vkey)],
  checkpoints: [],
  witnesses: [],
  quorum: 0,
};
const packings = Object.entries(samplePackings(site));
/** The long form takes every mutant, the short form one of so many. */
const STEP = process.env.SHOEPRINT_TEST_LONG === undefined ? 7 : 1;

const verified = (files: PackageFiles): Promise<PackageReport> =>
  verifyPackage(sourceOf(files), trust, plainJudges, nodePlatform);

/** Returns what is wrong with the report on a mutant, or undefined. */
async function missed({ name, files, expected }: Mutant): Promise<string | undefined> {
  const { verdict, faults } = await verified(files);
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

async function missedOf(mutants: Iterable<Mutant>): Promise<{ count: number; missed: string[] }> {
  const all = [...mutants].filter((_, i) => i % STEP === 0);
  const found: string[] = [];
  for (const mutant of all) {
    const why = await missed(mutant).catch(
      (error: unknown) => `${mutant.name}: ${String((error as Error).stack)}`,
    );
    if (why !== undefined) found.push(why);
  }
  return { count: all.length, missed: found };
}

describe('a changed package', () => {
  test.each(packings)('of scope %s is found, and the file is named', async (_, packing) => {
    const { count, missed } = await missedOf(plainMutants(await packed(site, packing)));
    expect(missed).toEqual([]);
    expect(count).toBeGreaterThan(2_000 / packings.length / STEP);
  });

  test.each(packings)(
    'of scope %s is found after the exports key signed it again',
    async (_, packing) => {
      const files = await packed(site, packing);
      const { count, missed } = await missedOf(forgedMutants(files, site.exportsKey));
      expect(missed).toEqual([]);
      expect(count).toBeGreaterThan(100 / STEP);
    },
  );
});
