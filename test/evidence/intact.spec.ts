import { readCheckpoint, readVkey, utf8Of, verifyPackage } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { expect, test } from '@jest/globals';
import { plainJudges } from './plain-judges.js';
import { randomPackage } from './random-packages.js';
import { hasPython, SecondVerifier } from './second-verifier.js';
import { packed, sourceOf } from './site-package.js';

/** How many packages the long and the short form make. */
const COUNT = process.env.SHOEPRINT_TEST_LONG === undefined ? 20 : 500;

test('neither verifier raises an alarm about a random package that was not changed', async () => {
  const second = hasPython ? new SecondVerifier() : undefined;
  const kinds = new Set<string>();
  const alarms: unknown[] = [];
  for (let seed = 1; seed <= COUNT; seed += 1) {
    const { site, packing, kind, held, size } = randomPackage(seed);
    kinds.add(kind);
    const files = await packed(site, packing);
    const key = site.keyAt(size).vkey;
    const trusted = held.map((each) => site.checkpoint(each));
    const trust = {
      keys: [readVkey(nodeCryptography.sha256, key)],
      checkpoints: trusted.map((text) => readCheckpoint(utf8Of(text))),
      witnesses: [site.witness.key],
      quorum: 1,
    };
    const first = await verifyPackage(sourceOf(files), trust, plainJudges, nodePlatform);
    const witnesses = [site.witness.vkey];
    const other = await second?.judge(files, { key, trusted, witnesses, quorum: 1 });
    for (const { verdict, faults } of [first, other ?? first])
      if (verdict !== 'INTACT') alarms.push({ seed, kind, verdict, faults: faults.slice(0, 2) });
  }
  second?.close();
  expect(alarms).toEqual([]);
  expect([...kinds].sort()).toEqual(['all', 'day', 'days', 'finding', 'shoe', 'table']);
}, 600_000);
