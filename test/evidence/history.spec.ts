import { readCheckpoint, readVkey, utf8Of, verifyPackage, type PackageReport } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { plainJudges } from './plain-judges.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { hasPython, SecondVerifier, verdictOfProof } from './second-verifier.js';
import { packed, sourceOf, type PackageFiles, type Packing } from './site-package.js';
import type { SmallSite } from './small-site.js';

const site = sampleSite();
const { vkey } = site.logKey;
let second: SecondVerifier | undefined;
beforeAll(() => {
  second = hasPython ? new SecondVerifier() : undefined;
});
afterAll(() => second?.close());

/** Verifies a package against a checkpoint that the reader holds, with both verifiers. */
async function verified(files: PackageFiles, held: readonly string[]): Promise<PackageReport> {
  const report = await verifyPackage(
    sourceOf(files),
    {
      keys: [readVkey(nodeCryptography.sha256, vkey)],
      checkpoints: held.map((text) => readCheckpoint(utf8Of(text))),
      witnesses: [],
      quorum: 0,
    },
    plainJudges,
    nodePlatform,
  );
  const other = await second?.judge(files, { key: vkey, trusted: held });
  if (other) expect({ held, ...other }).toMatchObject({ verdict: verdictOfProof(report) });
  return report;
}

const packingOf = (of: SmallSite, name: string): Packing => samplePackings(of)[name] as Packing;
const seals = site.seals.map(({ number, sizes }) => ({ number, size: sizes[0] ?? 0 }));

describe('a fork that the true log key signed', () => {
  test.each(seals.slice(0, -1))(
    'after seal $number contradicts every checkpoint from after it, and none from before',
    async ({ size }) => {
      const fork = sampleSite({ forkAt: size + 1 });
      const files = await packed(fork, packingOf(fork, 'table'));
      expect((await verified(files, [])).verdict).toBe('INTACT');
      for (const each of seals) {
        const { verdict, faults } = await verified(files, [site.checkpoint(each.number + 1)]);
        expect({ each, verdict }).toEqual({
          each,
          verdict: each.size <= size ? 'INTACT' : 'ALTERED',
        });
        if (verdict === 'ALTERED') expect(faults).toContainEqual(REWRITTEN);
      }
    },
  );

  test.each(seals)(
    'shows in a later day, if it is asked for from the checkpoint of seal $number',
    async ({ number }) => {
      const fork = sampleSite({ forkAt: 3 });
      const packing = { ...packingOf(fork, 'day'), since: [number + 1] };
      const files = await packed(fork, packing);
      expect((await verified(files, [])).verdict).toBe('INTACT');
      const { verdict, faults } = await verified(files, [site.checkpoint(number + 1)]);
      expect(verdict).toBe('ALTERED');
      expect(faults).toContainEqual(REWRITTEN);
    },
  );
});

const REWRITTEN = expect.objectContaining({
  step: 4,
  message: expect.stringContaining('history was rewritten'),
});

describe('a state that was rolled back', () => {
  test('does not reach a checkpoint from after it', async () => {
    const last = site.seals.at(-1)?.number ?? 0;
    const before = site.seals.at(-3)?.number ?? 0;
    const end = site.seals.at(-3)?.sizes[0] ?? 0;
    const packing: Packing = {
      ...packingOf(site, 'table'),
      tables: [{ table: 'B07', first: 0, end }],
      to: before,
      size: before + 1,
    };
    const files = await packed(site, packing);
    expect((await verified(files, [])).verdict).toBe('INTACT');
    expect((await verified(files, [site.checkpoint(before + 1)])).verdict).toBe('INTACT');
    const report = await verified(files, [site.checkpoint(last + 1)]);
    expect(report).toMatchObject({ verdict: 'INCOMPLETE', faults: [{ step: 4 }] });
  });

  test('contradicts a checkpoint from between after it grew again', async () => {
    const between = site.seals.at(-3);
    const back = site.seals.at(-4);
    const again = sampleSite({ forkAt: (back?.sizes[0] ?? 0) + 1 });
    const files = await packed(again, packingOf(again, 'table'));
    const report = await verified(files, [site.checkpoint((between?.number ?? 0) + 1)]);
    expect(report.verdict).toBe('ALTERED');
    expect(report.faults).toContainEqual(REWRITTEN);
  });
});

describe('a table that shrinks and grows again', () => {
  const coup = (n: number): string => `{"table":"B07","data":{"coup":${n}}}`;
  /** A day, a seal from between, and a second day before which the table lost six records. */
  const shrunk = (): { house: SmallSite; first: number; between: number; last: number } => {
    const house = sampleSite();
    house.append('B07', coup(101));
    const first = house.seal({ day: '2026-11-22' });
    for (let n = 0; n < 5; n += 1) house.append('B07', coup(201 + n));
    const between = house.seal();
    house.shrink('B07', 36);
    for (let n = 0; n < 12; n += 1) house.append('B07', coup(301 + n));
    house.seal();
    house.seal({ day: '2026-11-23' });
    house.append('B07', coup(401));
    const last = house.seal({ day: '2026-11-24' });
    return { house, first, between, last };
  };
  const dayOf = (house: SmallSite, last: number, since: readonly number[]): Packing => ({
    id: 'day',
    scope: { kind: 'day', table: 'B07', day: '2026-11-24' },
    tables: [{ table: 'B07', first: 47, end: 49 }],
    after: house.seals.at(-2)?.number ?? null,
    to: last,
    since,
  });

  test('contradicts a checkpoint from between, if the package reaches back to it', async () => {
    const { house, between, last } = shrunk();
    const held = house.checkpoint(between + 1);
    const short = await packed(house, dayOf(house, last, []));
    expect((await verified(short, [])).verdict).toBe('INTACT');
    expect((await verified(short, [held])).verdict).toBe('INCOMPLETE');
    const long = await packed(house, dayOf(house, last, [between + 1]));
    const report = await verified(long, [held]);
    expect(report).toMatchObject({ verdict: 'ALTERED', faults: [{ step: 4 }] });
  });

  test('shows within a range that holds it', async () => {
    const { house, first, last } = shrunk();
    const packing: Packing = {
      ...dayOf(house, last, []),
      scope: { kind: 'table', table: 'B07', from: '2026-11-23', to: '2026-11-24' },
      tables: [{ table: 'B07', first: 36, end: 49 }],
      after: first,
    };
    const report = await verified(await packed(house, packing), []);
    expect(report.verdict).toBe('ALTERED');
    expect(report.faults.some(({ step }) => step === 6)).toBe(true);
  });
});
