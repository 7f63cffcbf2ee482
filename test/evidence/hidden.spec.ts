import { simulate } from '#audit';
import { readVkey, verifyPackage, type PackageReport, type Replay } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { gamingDays } from '#read-model/gaming-days';
import { packageReplay } from '#replay';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { BOOK } from '../kit/house.js';
import { rulesNamed } from '../simulate/simulated.js';
import { forged } from './forged.js';
import { plainJudges } from './plain-judges.js';
import { playedPackage, publishedRules, type PlayedPackage } from './played-package.js';
import { rowsOf, withRows, type PackedRow } from './record-mutants.js';
import { packed, sourceOf, type PackageFiles } from './site-package.js';
import { SmallSite } from './small-site.js';

const published = JSON.parse(readFileSync('rules/manifest.json', 'utf8')) as Record<string, string>;
const { sha256 } = nodeCryptography;
const judges = packageReplay({ published, sha256, gamingDays, warnings: 'checked' });

const verified = (
  { site, id }: PlayedPackage,
  files: PackageFiles,
  by: Replay = judges,
): Promise<PackageReport> =>
  verifyPackage(
    sourceOf(files, id),
    { keys: [readVkey(sha256, site.logKey.vkey)], checkpoints: [], witnesses: [], quorum: 0 },
    by,
    nodePlatform,
  );

describe('what a house would like to hide', () => {
  let played: PlayedPackage;
  let rows: readonly PackedRow[];
  beforeAll(async () => {
    played = await playedPackage();
    rows = rowsOf(played.files, '0');
  });

  /** Verifies the package with other records; everything that is not sealed agrees with them. */
  const withRecords = (others: readonly PackedRow[]): Promise<PackageReport> =>
    verified(played, forged(withRows(played.files, '0', others, true), played.site.exportsKey));

  /** Returns the number of the first seal that holds a record. */
  const sealOf = (record: number): number | undefined =>
    played.site.seals.find(({ sizes }) => (sizes[0] ?? 0) > record)?.number;

  const typeOf = ({ value }: PackedRow): unknown => (JSON.parse(value) as { type: unknown }).type;

  test('a shoe: the seal of its first record is named', async () => {
    const openings = rows.flatMap((row, n) =>
      typeOf(row) === 'shoeprint.shoe-opened.v1' ? n : [],
    );
    const second = openings[1] ?? 0;
    const { verdict, faults } = await withRecords(rows.slice(0, second));
    expect({ verdict, seal: faults.some(({ seal }) => seal === sealOf(second)) }).toEqual({
      verdict: 'ALTERED',
      seal: true,
    });
  });

  test('a gap in the numbers of a device: the numbers after it are sealed too', async () => {
    const lost = rows.length >> 1;
    const { source } = JSON.parse(rows[lost]?.value ?? '{}') as { source: string };
    const closed = rows.toSpliced(lost, 1).map((row, n) => {
      const event = JSON.parse(row.value) as { source: string; sequence?: number };
      if (n < lost || event.source !== source || event.sequence === undefined) return row;
      return { ...row, value: JSON.stringify({ ...event, sequence: event.sequence - 1 }) };
    });
    const { verdict, faults } = await withRecords(closed);
    expect(verdict).toBe('ALTERED');
    expect(faults.find(({ step }) => step === 6)?.seal).toBe(sealOf(lost));
  });

  test.each(['outcome-declared', 'shoe-closed', 'commission-collected', 'bet-withdrawn'])(
    'one event of type %s: the records around it are named',
    async (type) => {
      const at = rows.findIndex((row) => typeOf(row) === `shoeprint.${type}.v1`);
      expect(at).toBeGreaterThan(0);
      const { verdict, faults } = await withRecords(rows.toSpliced(at, 1));
      expect(verdict).toBe('ALTERED');
      expect(faults.find(({ step }) => step === 6)?.seal).toBe(sealOf(at));
    },
  );

  test('a ruling on a finding: the records around it are named', async () => {
    const policy = BOOK.policies.get('review@1');
    if (!policy) throw new Error('the policy is missing');
    const { lines } = simulate({
      ...{ rules: rulesNamed('punto-banco@1'), seed: 3, shoes: 1, table: 'B07' },
      ...{ faults: ['TC-05'], reviews: { book: BOOK, policy } },
    });
    const site = new SmallSite();
    for (const [n, line] of [...lines].entries()) {
      site.append('B07', line);
      if (n % 200 === 199) site.seal();
    }
    const to = site.seal();
    const end = site.tables[0]?.records.length ?? 0;
    const scope = { kind: 'table', table: 'B07' } as const;
    const tables = [{ table: 'B07', first: 0, end }];
    const files = await packed(site, { id: 'ruled', scope, tables, after: null, to });
    const ruled = rowsOf(files, '0');
    const acts = ruled.flatMap((row, n) => (String(typeOf(row)).includes('finding-') ? n : []));
    expect(acts.length).toBeGreaterThan(0);
    for (const at of acts) {
      const hidden = forged(withRows(files, '0', ruled.toSpliced(at, 1), true), site.exportsKey);
      const { verdict, faults } = await verified({ site, id: 'ruled', files }, hidden, plainJudges);
      const seal = site.seals.find(({ sizes }) => (sizes[0] ?? 0) > at)?.number;
      expect(verdict).toBe('ALTERED');
      expect(faults.filter(({ step }) => step === 6)).toContainEqual(
        expect.objectContaining(at < end - 1 ? { seal } : { file: expect.any(String) }),
      );
    }
  });
});

describe('a package under a rule document that this verifier does not know', () => {
  test('is judged by it, and a warning says so', async () => {
    const { document } = publishedRules();
    const text = Buffer.from(document).toString().replace('"punto-banco"', '"harbour-house"');
    const own = { id: 'harbour-house@1', document: Buffer.from(text) };
    const played = await playedPackage(own);
    const { verdict, faults, warnings, judgement } = await verified(played, played.files);
    expect({ verdict, faults }).toEqual({ verdict: 'INTACT', faults: [] });
    expect(judgement?.findings).toBeGreaterThan(0);
    expect(warnings).toContain(
      'harbour-house@1 is not in the list of published documents of this verifier',
    );
  });
});
