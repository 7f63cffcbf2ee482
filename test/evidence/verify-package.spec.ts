import {
  readCheckpoint,
  readVkey,
  utf8Of,
  verifyPackage,
  type PackageReport,
  type Trust,
} from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { describe, expect, test } from '@jest/globals';
import { plainJudges } from './plain-judges.js';
import { packed, sourceOf, type PackageFiles, type Packing } from './site-package.js';
import { sampleSite, samplePackings } from './sample-packages.js';
import type { SmallSite } from './small-site.js';

const trustOf = (made: SmallSite, trust: Partial<Trust> = {}): Trust => ({
  keys: [readVkey(nodeCryptography.sha256, made.logKey.vkey)],
  checkpoints: [],
  witnesses: [],
  quorum: 0,
  ...trust,
});

const verified = (files: PackageFiles, trust: Trust): Promise<PackageReport> =>
  verifyPackage(sourceOf(files), trust, plainJudges, nodePlatform);

describe('verifyPackage', () => {
  const made = sampleSite();
  const packings = samplePackings(made);
  const [firstDay = 0] = made.seals.flatMap(({ number, day }) => (day ? [number] : []));

  test.each(Object.entries(packings))('finds a package of %s intact', async (_, packing) => {
    const report = await verified(await packed(made, packing), trustOf(made));
    expect(report.faults).toEqual([]);
    expect(report.verdict).toBe('INTACT');
  });

  test('finds a package incomplete whose signer the reader does not know', async () => {
    const files = await packed(made, packings.shoe as Packing);
    const report = await verified(files, trustOf(made, { keys: [] }));
    expect(report.verdict).toBe('INCOMPLETE');
    expect(report.faults).toMatchObject([
      { step: 3, message: expect.stringContaining(made.logKey.vkey) },
    ]);
  });

  test('trusts the key of a checkpoint that the reader holds', async () => {
    const files = await packed(made, packings.day as Packing);
    const held = readCheckpoint(utf8Of(made.checkpoint(firstDay + 1)));
    const report = await verified(files, trustOf(made, { keys: [], checkpoints: [held] }));
    expect(report).toMatchObject({ verdict: 'INTACT', faults: [], grownSince: [firstDay + 1] });
  });
});
