import { FOLD_VERSION } from '#audit';
import { type PackageReport } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { gamingDays } from '#read-model/gaming-days';
import { packageReplay } from '#replay';
import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { trustOf, verifyFile } from '../../apps/cli/src/verify/verify.js';
import { hasPython, verdictOfProof } from './second-verifier.js';

// Packages as they were made on 2026-11-23. They are never made again: every later build must
// find their proof good, and name the verifier for the rest if it judges by another version.
const kept = (file: string): string =>
  fileURLToPath(new URL(`../fixtures/packages/${file}`, import.meta.url));
const published = JSON.parse(readFileSync('rules/manifest.json', 'utf8')) as Record<string, string>;
const { sha256 } = nodeCryptography;
const judges = packageReplay({ published, sha256, gamingDays, warnings: 'checked' });

const PACKAGES = [
  { name: 'table', held: [] },
  { name: 'shoe', held: ['shoe.checkpoint'] },
  { name: 'day', held: ['day.checkpoint'] },
];

const verified = ({ name, held }: (typeof PACKAGES)[number]): Promise<PackageReport> =>
  verifyFile(
    kept(`${name}.zip`),
    trustOf({ key: kept(`${name}.vkey`), trusted: held.map(kept), witness: [] }),
    judges,
  );

describe('a package that was made long ago', () => {
  test.each(PACKAGES)('of a $name has a good proof', async (made) => {
    const report = await verified(made);
    expect(report.faults.filter(({ step }) => step <= 6)).toEqual([]);
    expect(verdictOfProof(report)).toBe('INTACT');
  });

  test.each(PACKAGES)('of a $name names the verifier for its findings', async (made) => {
    const { verdict, faults, statement } = await verified(made);
    const { fold, version } = statement?.software ?? {};
    if (fold === FOLD_VERSION)
      expect({ verdict, faults }).toEqual({ verdict: 'INTACT', faults: [] });
    else {
      expect(verdict).toBe('INCOMPLETE');
      expect(faults).toMatchObject([{ step: 8, kind: 'incomplete' }]);
      expect(faults[0]?.message).toContain(`take the verifier of shoeprint ${version}`);
    }
  });

  test('of a day is by another version of the judges than this one', async () => {
    const { statement } = await verified(PACKAGES[2] as (typeof PACKAGES)[number]);
    expect(statement?.software.fold).not.toBe(FOLD_VERSION);
  });

  (hasPython ? test : test.skip).each(PACKAGES)(
    'of a $name is intact for verify.py',
    ({ name, held }) => {
      const program = fileURLToPath(new URL('verify.py', import.meta.url));
      const trusted = held.flatMap((file) => ['--trusted', kept(file)]);
      const args = [program, kept(`${name}.zip`), '--key', kept(`${name}.vkey`), ...trusted];
      const { status, stdout } = spawnSync('python3', ['-B', ...args], { encoding: 'utf8' });
      expect(stdout).toMatch(/^INTACT {2}/);
      expect(status).toBe(0);
    },
  );
});
