import {
  noteText,
  readCheckpoint,
  readNote,
  readVkey,
  signText,
  utf8Of,
  verifyPackage,
  type PackageReport,
  type Trust,
} from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { describe, expect, test } from '@jest/globals';
import { forged } from './forged.js';
import { plainJudges } from './plain-judges.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { packed, sourceOf, type PackageFiles, type Packing } from './site-package.js';
import { signerFrom, TestWitness, type SmallSite } from './small-site.js';

const { sha256 } = nodeCryptography;
const site = sampleSite();
const packings = samplePackings(site);
const [firstDay = 0] = site.seals.flatMap(({ number, day }) => (day ? [number] : []));
const held = readCheckpoint(utf8Of(site.checkpoint(firstDay + 1)));

const verified = (files: PackageFiles, trust: Partial<Trust> = {}): Promise<PackageReport> => {
  const keys = [readVkey(sha256, site.logKey.vkey)];
  const whole = { keys, checkpoints: [], witnesses: [], quorum: 0, ...trust };
  return verifyPackage(sourceOf(files), whole, plainJudges, nodePlatform);
};

/** Returns the files with one of them changed, and signed again by the exports key. */
function changed(files: PackageFiles, path: string, edit: (text: string) => string): PackageFiles {
  const text = Buffer.from(files.get(path) ?? []).toString();
  return forged(new Map(files).set(path, Buffer.from(edit(text))), site.exportsKey);
}

const packedOf = (name: string, of: SmallSite = site): Promise<PackageFiles> =>
  packed(of, samplePackings(of)[name] as Packing);

describe('the verifier', () => {
  test('names the reader that the log was rewritten since a checkpoint', async () => {
    const fork = await packedOf('day', sampleSite({ forkAt: 3 }));
    expect((await verified(fork)).verdict).toBe('INTACT'); // nothing in itself contradicts it
    const report = await verified(fork, { checkpoints: [held] });
    expect(report).toMatchObject({ verdict: 'ALTERED', faults: [{ step: 4 }] });
    expect(report.faults[0]?.message).toContain('history was rewritten');
  });

  test('finds a package incomplete that does not reach back to a checkpoint', async () => {
    const report = await verified(await packedOf('finding'), {
      checkpoints: [readCheckpoint(utf8Of(site.checkpoint(site.leaves.length - 1)))],
    });
    expect(report).toMatchObject({ verdict: 'INCOMPLETE', faults: [{ step: 4 }] });
    expect(report.faults[0]?.message).toContain('shoeprint export --since');
  });

  test('finds a package altered that a stranger signed', async () => {
    const stranger = sampleSite({ seed: 50 });
    const report = await verified(await packedOf('table', stranger));
    expect(report).toMatchObject({ verdict: 'ALTERED', faults: [{ step: 3 }] });
  });

  test('finds a checkpoint that a stranger signed under the name of the log', async () => {
    const stranger = signerFrom(site.origin, 77);
    const files = await packedOf('table');
    const report = await verified(
      changed(files, 'data/site/checkpoint', (text) => {
        const note = readNote(text);
        const signatures = [signText(sha256, note.text, stranger)];
        return noteText({ text: note.text, signatures });
      }),
    );
    expect(report).toMatchObject({ verdict: 'ALTERED', faults: [{ step: 3 }] });
  });

  test('asks for the quorum of the witnesses that the reader names', async () => {
    const files = await packedOf('table');
    const other = new TestWitness('witness.example/w2', 60).key;
    const witnesses = [site.witness.key, other];
    expect((await verified(files, { witnesses, quorum: 1 })).verdict).toBe('INTACT');
    expect((await verified(files, { witnesses, quorum: 2 })).verdict).toBe('INCOMPLETE');
  });

  test('finds a key statement that is left out', async () => {
    const files = await packedOf('table');
    const report = await verified(
      changed(files, 'data/site/proof.json', (text) => {
        const proof: { readonly keys: readonly unknown[] } = JSON.parse(text);
        return `${JSON.stringify({ ...proof, keys: proof.keys.slice(0, 1) })}\n`;
      }),
    );
    expect(report.verdict).toBe('ALTERED');
  });

  test.each(['dropped', 'swapped', 'of another history'])(
    'finds a seal that is %s',
    async (what) => {
      const files = await packedOf('table');
      const other = sampleSite({ forkAt: 3 });
      const report = await verified(
        changed(files, 'data/site/leaves.ndjson', (text) => {
          const lines = text.split('\n').slice(0, -1);
          const [a = '', b = ''] = lines.slice(2, 4);
          if (what === 'dropped') lines.splice(2, 1);
          else if (what === 'swapped') lines.splice(2, 2, b, a);
          else lines[2] = JSON.stringify({ index: 2, text: other.leaves[2] });
          return `${lines.join('\n')}\n`;
        }),
      );
      expect(report.verdict).toBe('ALTERED');
      expect(report.faults[0]?.seal).toBe(2);
    },
  );

  test('finds a table that is hidden where all tables are asked for', async () => {
    const packing = packings.all as Packing;
    const report = await verified(
      await packed(site, { ...packing, tables: packing.tables.slice(0, -1) }),
    );
    expect(report.verdict).toBe('ALTERED');
  });

  test('finds a range that stops before its day ends', async () => {
    const packing = packings.day as Packing;
    const tables = packing.tables.map((each) => ({ ...each, end: each.end - 1 }));
    const report = await verified(await packed(site, { ...packing, tables }));
    expect(report).toMatchObject({ verdict: 'ALTERED', faults: [{ step: 6 }, { step: 7 }] });
  });

  test('says that another version of the judges made the findings', async () => {
    const files = await packedOf('table');
    const later = { ...plainJudges, fold: 2 };
    const trust = {
      keys: [readVkey(sha256, site.logKey.vkey)],
      checkpoints: [],
      witnesses: [],
      quorum: 0,
    };
    const report = await verifyPackage(sourceOf(files), trust, later, nodePlatform);
    expect(report).toMatchObject({ verdict: 'INCOMPLETE', faults: [{ step: 8 }] });
  });

  test('finds a published rule document that was changed', async () => {
    const published = { 'plain@1': '0'.repeat(64) };
    const trust = {
      keys: [readVkey(sha256, site.logKey.vkey)],
      checkpoints: [],
      witnesses: [],
      quorum: 0,
    };
    const judges = { ...plainJudges, published };
    const files = await packedOf('table');
    const report = await verifyPackage(sourceOf(files), trust, judges, nodePlatform);
    expect(report.faults).toMatchObject([{ step: 8, file: 'data/rules/plain@1.json' }]);
    expect(report.verdict).toBe('ALTERED');
  });
});
