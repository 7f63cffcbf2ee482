import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readCheckpoint, readVkey, utf8Of, vkeyText, type SignedCheckpoint } from '#evidence';
import { newKeyFile, nodeCryptography, signerOf } from '#evidence/node';
import { eventually } from '../kit/eventually.js';
import { packagedTable, playedRecords } from './packaged.js';
import { nearCutover } from './site-days.js';
import { expectOneHistory, ORIGIN, Site, verified } from './site.js';

const { sha256 } = nodeCryptography;
const REASON = ['--reason', 'a test', '--by', 'mei'];

let site: Site;
beforeEach(async () => {
  site = await Site.open();
});
afterEach(async () => {
  jest.useRealTimers();
  await site.close();
});

/** Returns the ids of the keys that signed the last checkpoint. */
const signers = ({ note }: SignedCheckpoint): string[] => note.signatures.map(({ id }) => id);
const idOf = (vkey: string): string => readVkey(sha256, vkey).id;
const vkeyIn = (file: string): string => signerOf(readFileSync(file, 'utf8')).vkey;

/** Appends a record and returns the checkpoint that covers it. */
async function seal(...records: readonly string[]): Promise<SignedCheckpoint> {
  await site.append('B07', ...records);
  return site.sealedAll();
}

/** Waits until a checkpoint covers the whole site log, which has at least so many leaves. */
const signedAt = (size: number): Promise<SignedCheckpoint> =>
  eventually(`a checkpoint of size ${size}`, async () => {
    const tip = await site.reader.siteRoot();
    const kept = await site.reader.checkpoint();
    if (!kept || !tip || tip.size < size || kept.size < tip.size) return undefined;
    return readCheckpoint(utf8Of(kept.note));
  });

/** Puts the second log key into a safe, and returns where that is. */
function safe(): string {
  const file = join(site.folder, 'safe', 'safe.key');
  mkdirSync(join(site.folder, 'safe'));
  renameSync(site.settings().keyFiles.safe.path, file);
  return file;
}

describe('shoeprint key rotate', () => {
  it('lets both keys sign until a gaming day is sealed, and then retires the old one', async () => {
    const day = nearCutover();
    const { vkey } = await site.start(
      { rhythm: { everyMs: 100, records: 50_000, graceMs: 0 } },
      {
        gamingDays: day.rules,
      },
    );
    const [first, ...rest] = playedRecords('B07');
    const before = await seal(first ?? '');
    expect(signers(before)).toEqual([idOf(vkey)]);
    const { said } = await site.run('rotate', ...REASON);
    const next = /^added {7}(\S+)$/m.exec(said)?.[1] ?? '';
    await expect(site.run('rotate', ...REASON)).rejects.toThrow('a rotation is under way');
    const both = await seal(...rest);
    expect(signers(both)).toEqual([idOf(vkey), idOf(next)]);
    day.pass();
    await eventually('the retirement', async () => {
      const last = await site.reader.lastEntry('keys');
      return last?.text.includes(`\nretire ${vkey}\n`);
    });
    const after = await seal('{"table":"B07","n":1}');
    expect(signers(after)).toEqual([idOf(next)]);
    expect(vkeyIn(site.keyFile)).toBe(next);
    expect(vkeyIn(`${site.keyFile}.${idOf(vkey)}.ended`)).toBe(vkey);
    expect(existsSync(`${site.keyFile}.next`)).toBe(false);
    await verified(site);
    await expectOneHistory(site, [before, both, after]);
    // the sealer keeps its record in its outbox, with the retirement, until the log has it
    const recorded = await eventually('both changes in the record of the house', async () => {
      const changes = await site.house('evidence-keys-changed');
      return changes.length > 1 && changes;
    });
    expect(recorded).toMatchObject([
      { source: 'person/mei', data: { changes: { added: [next] }, reason: 'a test' } },
      { source: 'system/sealer', data: { changes: { retired: [vkey] } } },
    ]);
  });

  it('leaves packages intact for those who hold the old key, and for those who hold the new one', async () => {
    const day = nearCutover();
    const { vkey } = await site.start(
      { rhythm: { everyMs: 100, records: 50_000, graceMs: 0 } },
      {
        gamingDays: day.rules,
      },
    );
    const records = playedRecords('B07');
    const early = await seal(...records.slice(0, 20));
    const { said } = await site.run('rotate', ...REASON);
    const next = /^added {7}(\S+)$/m.exec(said)?.[1] ?? '';
    day.pass();
    await eventually('the retirement', async () =>
      (await site.reader.lastEntry('keys'))?.text.includes('\nretire '),
    );
    await seal(...records.slice(20));
    for (const key of [vkey, next]) {
      const report = await packagedTable(site, 'B07', { keys: [readVkey(sha256, key)] });
      expect([report.verdict, report.faults]).toEqual(['INTACT', []]);
      expect(report.key?.vkey).toBe(next);
    }
    const report = await packagedTable(site, 'B07', { checkpoints: [early] }, [early.size]);
    expect([report.verdict, report.grownSince]).toEqual(['INTACT', [early.size]]);
  });

  it('is refused without a reason, and adds nothing if the log does not take the record of it', async () => {
    await site.start();
    const { size } = await seal('x');
    await expect(site.run('rotate')).rejects.toThrow('--reason is missing');
    await site.log.close();
    await expect(site.run('rotate', ...REASON)).rejects.toThrow(
      'nothing was done, because the log',
    );
    expect((await site.reader.siteRoot())?.size).toBe(size);
  });
});

describe('shoeprint key revoke', () => {
  it('ends a stolen key from a size on with the key of the safe, and another one signs on', async () => {
    const { vkey } = await site.start();
    const records = playedRecords('B07');
    const held = await seal(...records.slice(0, 20));
    const later = await seal(...records.slice(20, 30));
    const safeKey = safe();
    const size = String(held.size + 1);
    const revoking = ['revoke', idOf(vkey), size, '--safe-key', safeKey, ...REASON];
    const { said } = await site.run(...revoking);
    const next = /^added {7}(\S+)$/m.exec(said)?.[1] ?? '';
    const after = await signedAt(later.size + 1);
    expect(signers(after)).toEqual([idOf(next)]);
    await seal(...records.slice(30));
    expect(vkeyIn(site.keyFile)).toBe(next);
    await verified(site);
    for (const trust of [
      { keys: [readVkey(sha256, vkey)] },
      { keys: [readVkey(sha256, next)] },
      { checkpoints: [held] },
    ]) {
      const report = await packagedTable(site, 'B07', trust, [held.size]);
      expect([report.verdict, report.faults]).toEqual(['INTACT', []]);
    }
    const report = await packagedTable(site, 'B07', { checkpoints: [later] }, [later.size]);
    expect(report.verdict).toBe('ALTERED');
    expect(await site.house('evidence-keys-changed')).toMatchObject([
      {
        source: 'person/mei',
        data: {
          changes: { added: [next], revoked: [{ key: vkey, size: held.size + 1 }] },
          reason: 'a test',
        },
      },
    ]);
  });

  it('ends an exports key too, and makes another one', async () => {
    await site.start();
    const records = playedRecords('B07');
    await seal(...records.slice(0, 20));
    const { keyFiles } = site.settings();
    const old = vkeyIn(keyFiles.exports.path);
    const { said } = await site.run('revoke', old, '1', ...REASON);
    const next = /^added {7}(\S+)$/m.exec(said)?.[1] ?? '';
    await eventually('the new key in its place', () => vkeyIn(keyFiles.exports.path) === next);
    await seal(...records.slice(20));
    const report = await packagedTable(site, 'B07', {
      keys: [readVkey(sha256, vkeyIn(site.keyFile))],
    });
    expect([report.verdict, report.faults]).toEqual(['INTACT', []]);
  });

  it('ends both keys of a rotation that the stolen key alone signed', async () => {
    const { vkey } = await site.start();
    const held = await seal('a');
    await site.run('rotate', ...REASON);
    const stolen = vkeyIn(`${site.keyFile}.next`);
    await seal('b');
    const { said } = await site.run('revoke', vkey, String(held.size + 1), ...REASON);
    const next = /^added {7}(\S+)$/m.exec(said)?.[1] ?? '';
    const after = await seal('c');
    expect(signers(after)).toEqual([idOf(next)]);
    expect([vkey, stolen]).not.toContain(next);
    await verified(site);
  });

  it.each([
    ['a key that the site never had', ['00000000', '2'], 'this site never had the key 00000000'],
    ['the key of the safe', ['SAFE', '2'], 'this is the key of the safe'],
    ['size 0', ['LOG', '0'], 'size: 0 is not a size of the site log (expected 1 to 3)'],
    ['a size that is not there yet', ['LOG', '4'], 'size: 4 is not a size of the site log'],
    ['words that are not a size', ['LOG', '2x'], 'size: 2x is not a size of the site log'],
  ])('refuses %s', async (_, words, why) => {
    const { vkey } = await site.start();
    const { size } = await seal('a');
    const ids = { LOG: idOf(vkey), SAFE: idOf(vkeyIn(site.settings().keyFiles.safe.path)) };
    const asked = words.map((word) => ids[word as keyof typeof ids] ?? word);
    await expect(site.run('revoke', ...asked, ...REASON)).rejects.toThrow(why);
    expect((await site.reader.siteRoot())?.size).toBe(size);
  });

  it('refuses a key that is not the one of the safe, and one that is not there', async () => {
    const { vkey } = await site.start();
    await seal('a');
    const revoking = ['revoke', idOf(vkey), '2', ...REASON];
    const strange = join(site.folder, 'strange.key');
    writeFileSync(strange, newKeyFile(ORIGIN), { mode: 0o600 });
    await expect(site.run(...revoking, '--safe-key', strange)).rejects.toThrow(
      'is not the second key of this site',
    );
    await expect(site.run(...revoking, '--safe-key', site.keyFile)).rejects.toThrow(
      `${vkeyText(readVkey(sha256, vkey))} is not the second key`,
    );
    safe();
    await expect(site.run(...revoking)).rejects.toThrow('bring the key from the safe');
  });
});
