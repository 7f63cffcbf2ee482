import { readVkey, verifyPackage, type PackageReport } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { describe, expect, test } from '@jest/globals';
import { forgedMutants } from './forged-mutants.js';
import { missedIn } from './missed-mutant.js';
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

async function missedOf(mutants: Iterable<Mutant>): Promise<{ count: number; missed: string[] }> {
  const all = [...mutants].filter((_, i) => i % STEP === 0);
  const found: string[] = [];
  for (const mutant of all) {
    const why = await verified(mutant.files).then(
      (report) => missedIn(report, mutant),
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
