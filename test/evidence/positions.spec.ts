import { readVkey, verifyPackage, type PackageFault, type PackedHead } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forged } from './forged.js';
import { plainJudges } from './plain-judges.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { packed, sourceOf, type PackageFiles, type Packing } from './site-package.js';

const site = sampleSite();
const folder = 'data/tables/0';
const file = (name: string): string => `${folder}/${name}`;
let whole: PackageFiles;
let part: PackageFiles;
beforeAll(async () => {
  whole = await packed(site, samplePackings(site).table as Packing);
  part = await packed(site, samplePackings(site).finding as Packing);
});

/** Verifies a package with one file of its table changed, and every unsealed hash mended. */
async function faultsOf(
  files: PackageFiles,
  name: string,
  edit: (text: string) => string,
): Promise<readonly PackageFault[]> {
  const text = Buffer.from(files.get(file(name)) ?? []).toString();
  expect(edit(text)).not.toBe(text);
  const changed = new Map(files).set(file(name), Buffer.from(edit(text)));
  const keys = [readVkey(nodeCryptography.sha256, site.logKey.vkey)];
  const { faults } = await verifyPackage(
    sourceOf(forged(changed, site.exportsKey)),
    { keys, checkpoints: [], witnesses: [], quorum: 0 },
    plainJudges,
    nodePlatform,
  );
  return faults;
}

/** Changes one cell of the line of a record in records.csv. */
const cell =
  (record: number, column: number, value: (cell: string) => string) =>
  (text: string): string =>
    text
      .split('\n')
      .map((line) => {
        const cells = line.split(',');
        if (cells[0] !== String(record)) return line;
        return cells.with(column, value(cells[column] ?? '')).join(',');
      })
      .join('\n');

const [PARTITION, OFFSET, CHECK] = [3, 4, 5];

describe('a fault in records.csv', () => {
  const rows = (): string[] =>
    Buffer.from(whole.get(file('records.csv')) ?? [])
      .toString()
      .split('\n');
  const offsetOf = (record: number): number => Number(rows()[record + 1]?.split(',')[OFFSET]);

  it('names the line and the record of a row that cannot be read', async () => {
    const faults = await faultsOf(
      whole,
      'records.csv',
      cell(7, CHECK, () => 'x'),
    );
    expect(faults).toContainEqual({
      ...{ step: 6, kind: 'altered', file: file('records.csv'), table: 'B07', record: 7, line: 9 },
      message: 'must have n,bytes,lines,partition,offset,check',
    });
  });

  it('names the first line and record if the columns are other ones', async () => {
    const faults = await faultsOf(whole, 'records.csv', (text) => text.replace('n,', 'm,'));
    expect(faults).toContainEqual(
      expect.objectContaining({ file: file('records.csv'), table: 'B07', record: 0, line: 1 }),
    );
  });

  it('names record, partition and offset of a row in another place of the log', async () => {
    for (const [column, name] of [
      [PARTITION, 'partition'],
      [OFFSET, 'offset'],
    ] as const) {
      const faults = await faultsOf(
        whole,
        'records.csv',
        cell(7, column, (text) => String(Number(text) + 900)),
      );
      const place = rows()[8]?.split(',').map(Number) ?? [];
      const at = { partition: place[PARTITION], offset: place[OFFSET] };
      expect(faults).toContainEqual({
        ...{ step: 6, kind: 'altered', file: file('records.csv'), table: 'B07' },
        ...{ record: 7, line: 9, ...at, [name]: (place[column] ?? 0) + 900 },
        message: 'record 7 lies outside what its seal covers',
      });
    }
  });

  it('names the record that is due where another one stands', async () => {
    const faults = await faultsOf(
      whole,
      'records.csv',
      cell(7, 0, () => '8'),
    );
    expect(faults[0]).toMatchObject({
      ...{ file: file('records.csv'), record: 7, line: 9, offset: offsetOf(7) },
      message: 'record 8 stands where record 7 is due',
    });
  });

  it('names record, partition and offset of a wrong check', async () => {
    const faults = await faultsOf(
      whole,
      'records.csv',
      cell(7, CHECK, (text) => (text === '00000000' ? '11111111' : '00000000')),
    );
    expect(faults[0]).toMatchObject({
      ...{ file: file('records.csv'), table: 'B07', record: 7, line: 9, offset: offsetOf(7) },
      message: 'the check differs from the leaf of its record',
    });
  });
});

describe('a fault in what ties records to a seal', () => {
  interface Proof {
    readonly rest: readonly string[];
  }
  const rest = (edit: (hashes: readonly string[]) => readonly string[]) => (text: string) => {
    const proof = JSON.parse(text) as Proof;
    expect(proof.rest.length).toBeGreaterThan(0);
    return `${JSON.stringify({ ...proof, rest: edit(proof.rest) })}\n`;
  };
  const lastSeal = (): number => samplePackings(site).finding?.to ?? 0;

  it.each([
    ['has too many hashes', (hashes: readonly string[]) => [...hashes, ...hashes]],
    ['has another hash', (hashes: readonly string[]) => hashes.with(0, `${'A'.repeat(43)}=`)],
    [
      'has a hash that cannot be read',
      (hashes: readonly string[]) => hashes.with(0, `${'A'.repeat(42)}B=`),
    ],
  ])('names the seal if `rest` %s', async (_, edit) => {
    const faults = await faultsOf(part, 'proof.json', rest(edit));
    expect(faults.filter(({ step }) => step === 6)).toContainEqual(
      expect.objectContaining({ table: 'B07', seal: lastSeal() }),
    );
  });

  it('names line and seal of a head whose root cannot be read', async () => {
    const faults = await faultsOf(whole, 'heads.ndjson', (text) => {
      const lines = text.split('\n');
      const head = JSON.parse(lines[2] ?? '') as PackedHead;
      const changed = JSON.stringify({ ...head, root: `${'A'.repeat(42)}B=` });
      return lines.with(2, changed).join('\n');
    });
    const seal = site.seals[2]?.number;
    expect(faults).toContainEqual(
      expect.objectContaining({ file: file('heads.ndjson'), table: 'B07', line: 3, seal }),
    );
  });
});
