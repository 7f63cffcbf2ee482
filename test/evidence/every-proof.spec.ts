import { readVkey, verifyPackage, type PackageFault } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { describe, expect, test } from '@jest/globals';
import { forged } from './forged.js';
import { plainJudges } from './plain-judges.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { packed, sourceOf, type Packing } from './site-package.js';

const site = sampleSite();
const OTHER = Buffer.alloc(32, 7).toString('base64');

interface SiteProofJson {
  consistency: { from: number; proof: string[] }[];
}
interface SinceJson {
  size: number;
  tables: { number: number; root: string; consistency: string[] }[];
}

/** Changes one JSON file of a package, signs it again and returns what is found. */
async function faultsOf(
  path: string,
  change: (json: string) => unknown,
): Promise<readonly PackageFault[]> {
  const files = await packed(site, samplePackings(site).shoe as Packing);
  const json = change(Buffer.from(files.get(path) ?? []).toString());
  const changed = new Map(files).set(path, Buffer.from(`${JSON.stringify(json)}\n`));
  const keys = [readVkey(nodeCryptography.sha256, site.logKey.vkey)];
  const { verdict, faults } = await verifyPackage(
    sourceOf(forged(changed, site.exportsKey)),
    { keys, checkpoints: [], witnesses: [], quorum: 0 },
    plainJudges,
    nodePlatform,
  );
  expect(verdict).toBe('ALTERED');
  return faults;
}

const SITE = 'data/site/proof.json';
const SINCE = 'data/site/since.json';

const ofSite = (change: (proof: SiteProofJson) => void): Promise<readonly PackageFault[]> =>
  faultsOf(SITE, (text) => {
    const proof: SiteProofJson = JSON.parse(text);
    change(proof);
    return proof;
  });

const ofSince = (change: (held: SinceJson) => void): Promise<readonly PackageFault[]> =>
  faultsOf(SINCE, (text) => {
    const since: SinceJson[] = JSON.parse(text);
    since.forEach(change);
    return since;
  });

describe('a proof that nobody asked for', () => {
  test('is altered if it does not show that the log grew from a checkpoint', async () => {
    const faults = await ofSite(({ consistency }) => {
      const [first] = consistency;
      first?.proof.splice(0, 1, OTHER);
    });
    expect(faults).toMatchObject([{ step: 4, kind: 'altered', file: SINCE }]);
  });

  test('is incomplete, and nothing else, if since.json is not there', async () => {
    const files = new Map(await packed(site, samplePackings(site).shoe as Packing));
    expect(JSON.parse(Buffer.from(files.get(SINCE) ?? []).toString())).not.toEqual([]);
    files.delete(SINCE);
    const keys = [readVkey(nodeCryptography.sha256, site.logKey.vkey)];
    const { verdict, faults } = await verifyPackage(
      sourceOf(files),
      { keys, checkpoints: [], witnesses: [], quorum: 0 },
      plainJudges,
      nodePlatform,
    );
    expect(faults.map(({ kind, file }) => ({ kind, file }))).toEqual([
      { kind: 'incomplete', file: SINCE },
    ]);
    expect(verdict).toBe('INCOMPLETE');
  });

  test('is altered if it is of a size that since.json does not have', async () => {
    const faults = await ofSite(({ consistency }) => {
      consistency.unshift({ from: 2, proof: [OTHER] });
    });
    expect(faults).toMatchObject([{ step: 4, kind: 'altered', file: SITE }]);
  });

  test('is altered if it does not show that a table grew', async () => {
    const faults = await ofSince((held) => {
      held.tables[0]?.consistency.splice(0, 1, OTHER);
    });
    expect(faults).toMatchObject([{ step: 4, kind: 'altered', file: SINCE, table: 'B07' }]);
  });

  test('is altered if it has a table twice', async () => {
    const faults = await ofSince((held) => {
      held.tables.push(...held.tables);
    });
    expect(faults).toMatchObject([{ step: 4, kind: 'altered', file: SINCE }]);
  });

  test('is altered if its seal is not the last of its size', async () => {
    const faults = await ofSince((held) => {
      held.size += 1;
    });
    expect(faults[0]).toMatchObject({ step: 4, kind: 'altered' });
  });
});

describe('a proof that a package always has', () => {
  test('is altered, not incomplete, if it is left out', async () => {
    const faults = await ofSite((proof) => {
      proof.consistency = proof.consistency.slice(0, -1);
    });
    expect(faults).toContainEqual(
      expect.objectContaining({ step: 5, kind: 'altered', file: SITE }),
    );
    expect(faults.map(({ kind }) => kind)).not.toContain('incomplete');
  });
});
