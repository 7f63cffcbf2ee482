import { readVkey, verifyPackage, type PackageReport } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { describe, expect, test } from '@jest/globals';
import { forged } from './forged.js';
import { plainJudges } from './plain-judges.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { packed, sourceOf, type Packing } from './site-package.js';

const site = sampleSite();
const packings = samplePackings(site);
const STATEMENT = 'data/package.json';

/** Returns what is said of a package after its scope was written by one who holds the exports key. */
async function scoped(packing: string, changed: object): Promise<PackageReport> {
  const files = await packed(site, packings[packing] as Packing);
  const statement: { scope: object } = JSON.parse(
    Buffer.from(files.get(STATEMENT) ?? []).toString(),
  );
  const scope = { ...statement.scope, ...changed };
  const text = `${JSON.stringify({ ...statement, scope })}\n`;
  return verifyPackage(
    sourceOf(forged(new Map(files).set(STATEMENT, Buffer.from(text)), site.exportsKey)),
    {
      keys: [readVkey(nodeCryptography.sha256, site.logKey.vkey)],
      ...{ checkpoints: [], witnesses: [], quorum: 0 },
    },
    plainJudges,
    nodePlatform,
  );
}

describe('the scope of a package', () => {
  test.each(Object.keys(packings))('of %s is as its kind has it', async (packing) => {
    expect((await scoped(packing, {})).verdict).toBe('INTACT');
  });

  test.each([
    ['a table names no shoe', 'table', { shoe: 'S' }, 'the scope table does not have a shoe'],
    ['a table names no day', 'table', { day: '2026-11-20' }, 'the scope table does not have a day'],
    ['a shoe names no finding', 'shoe', { finding: 'f' }, 'the scope shoe does not have a finding'],
    ['days have a first', 'days', { from: undefined }, 'from and to must both be in a scope'],
    ['days have a last', 'days', { to: undefined }, 'from and to must both be in a scope'],
    ['a finding names its table', 'finding', { table: undefined }, 'must name its table'],
  ])('is altered otherwise: %s', async (_, packing, changed, message) => {
    const { verdict, faults } = await scoped(packing, changed);
    expect(verdict).toBe('ALTERED');
    const own = faults.filter(({ step, file }) => step === 7 && file === STATEMENT);
    expect(own.map((fault) => fault.message).join('\n')).toContain(message);
  });
});
