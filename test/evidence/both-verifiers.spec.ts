import { readVkey, verifyPackage, type Trust } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { forged } from './forged.js';
import { forgedMutants } from './forged-mutants.js';
import { plainMutants, type Mutant } from './mutants.js';
import { plainJudges } from './plain-judges.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { hasPython, SecondVerifier, verdictOfProof } from './second-verifier.js';
import { packed, sourceOf, type PackageFiles } from './site-package.js';

const site = sampleSite();
const trust: Trust = {
  keys: [readVkey(nodeCryptography.sha256, site.logKey.vkey)],
  checkpoints: [],
  witnesses: [],
  quorum: 0,
};
const ABOUT = 'data/package.json';
const packings = Object.entries(samplePackings(site));
/** The long form compares every mutant, the short form one of so many. */
const STEP = process.env.SHOEPRINT_TEST_LONG === undefined ? 41 : 1;

/** Returns in what the two verifiers differ about a package, or undefined. */
async function difference(
  second: SecondVerifier,
  { name, files }: Pick<Mutant, 'name' | 'files'>,
  like?: PackageFiles,
): Promise<string | undefined> {
  const first = await verifyPackage(sourceOf(files), trust, plainJudges, nodePlatform);
  const other = await second.judge(files, { key: site.logKey.vkey }, like);
  // A file that steps 7 and 8 read too is reported once, by one of them.
  if ([first.verdict, verdictOfProof(first)].includes(other.verdict)) return undefined;
  const why = (faults: readonly unknown[]): string => JSON.stringify(faults.slice(0, 2));
  return `${name}: ${verdictOfProof(first)} ${why(first.faults)} and ${other.verdict} ${why(other.faults)}`;
}

(hasPython ? describe : describe.skip)('both verifiers', () => {
  let second: SecondVerifier;
  beforeAll(() => {
    second = new SecondVerifier();
  });
  afterAll(() => second.close());

  test.each(packings)(
    'say the same of a package of scope %s and of each that is made of it by a change',
    async (_, packing) => {
      const files = await packed(site, packing);
      expect(await difference(second, { name: 'unchanged', files })).toBeUndefined();
      const all = [...plainMutants(files), ...forgedMutants(files, site.exportsKey)];
      const differences: string[] = [];
      for (const mutant of all.filter((__, i) => i % STEP === 0)) {
        const found = await difference(second, mutant, files);
        if (found !== undefined) differences.push(found);
      }
      expect(differences).toEqual([]);
    },
    600_000,
  );

  test.each(packings)(
    'say the same of one of scope %s in which some text has half of a pair of surrogates',
    async (_, packing) => {
      const files = await packed(site, packing);
      const about = Buffer.from(files.get(ABOUT) as Uint8Array).toString();
      const differences: string[] = [];
      // after the first letter of each text that is a value
      for (const { index } of about.matchAll(/(?<=:\s*"[^"\\])/g)) {
        const text = `${about.slice(0, index)}\\ud800${about.slice(index)}`;
        const changed = forged(new Map(files).set(ABOUT, Buffer.from(text)), site.exportsKey);
        const found = await difference(second, { name: text, files: changed }, files);
        if (found !== undefined) differences.push(found);
      }
      expect(differences).toEqual([]);
    },
    600_000,
  );
});
