import { readVkey, type Trust } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import { verifyFile } from '../../apps/cli/src/verify/verify.js';
import { IS_LONG } from '../kit/rounds.js';
import { forged } from './forged.js';
import { plainJudges } from './plain-judges.js';
import { numbersFrom } from './random-packages.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { hasPython, SecondVerifier, verdictOfProof } from './second-verifier.js';
import { packed, type PackageFiles } from './site-package.js';
import { zipOf, type MadeEntry } from './zip-files.js';

const CHANGED = IS_LONG ? 5_000 : 150;
const MIB = 1024 * 1024;
const site = sampleSite();
const trust: Trust = {
  keys: [readVkey(nodeCryptography.sha256, site.logKey.vkey)],
  checkpoints: [],
  witnesses: [],
  quorum: 0,
};
const folder = mkdtempSync(join(tmpdir(), 'both-containers-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns a content that deflates by about so many times. */
function deflating(bytes: number, times: number): Buffer {
  const random = numbersFrom(7);
  const content = Buffer.alloc(bytes);
  for (let at = 0; at < bytes / times; at += 1) content[at] = random(256);
  return content;
}

/** Returns deflated data without a last block. */
const deflated = (content: Buffer): Buffer =>
  deflateRawSync(content, { finishFlush: constants.Z_SYNC_FLUSH });
/** A last block with nothing in it, and one with a letter. */
const [END, MORE] = [deflateRawSync(''), deflateRawSync('x')] as const;

const WHOLE: readonly (readonly [string, Parameters<typeof zipOf>[1]])[] = [
  ['nothing else', {}],
  ['a comment', { comment: 'packed again' }],
  ['a directory of zip64', { zip64: true }],
  ['fewer entries than it says', { count: 99 }],
];
const ODD: readonly (readonly [string, Partial<MadeEntry>])[] = [
  ['a name that climbs', { name: 'all/../x' }],
  ['a name with a dot', { name: 'all/./x' }],
  ['an absolute name', { name: '/etc/passwd' }],
  ['a name in another folder', { name: 'other/x' }],
  ['a name in no folder', { name: 'x' }],
  ['a name that is there twice', { name: 'all/data/package.json' }],
  ['a name with a backslash', { name: 'all\\x' }],
  ['a name with a colon', { name: 'all/x:y' }],
  ['a name with NUL', { name: 'all/x\0y' }],
  ['a name with DEL', { name: 'all/x\u007fy' }],
  ['a name with a control character of Latin-1', { name: 'all/x\u0085y', flags: 0x800 }],
  ['a name of 600 characters', { name: `all/${'x'.repeat(600)}` }],
  ['a name of 2,000 characters', { name: `all/${'x'.repeat(2_000)}` }],
  ['a name with an empty part', { name: 'all//x' }],
  ['a folder entry', { name: 'all/x/', content: '', stored: true }],
  ['a folder entry with content', { name: 'all/x/' }],
  ['an unlisted file', {}],
  ['an unlisted stored file', { stored: true }],
  ['a link', { mode: 0o120777 }],
  ['a device', { mode: 0o060644 }],
  ['an encrypted entry', { flags: 1 }],
  ['a strongly encrypted entry', { flags: 0x41 }],
  ['another method', { method: 12 }],
  ['another local name', { localName: 'all/y' }],
  ['4 GB declared', { size: 4e9 }],
  ['4 GB declared in zip64', { size: 4e9, zip64: true }],
  ['a size that is one less', { size: 11 }],
  ['a wrong checksum', { crc: 7 }],
  ['a size after the data', { after: true }],
  ['an entry at the first', { at: 0 }],
  ['a bomb of 20 MiB', { content: Buffer.alloc(20 * MIB) }],
  ['what deflates by 230 times', { content: deflating(40 * MIB, 300) }],
  ['what deflates by 100 times', { content: deflating(20 * MIB, 100) }],
  ['a bomb of 1 MiB', { content: Buffer.alloc(MIB) }],
];

(hasPython ? describe : describe.skip)('both verifiers say the same of a zip', () => {
  let second: SecondVerifier;
  let entries: readonly MadeEntry[];
  let files: PackageFiles;
  beforeAll(async () => {
    second = new SecondVerifier();
    const packing = samplePackings(site).all;
    if (!packing) throw new Error('no sample package has this name');
    files = await packed(site, packing);
    entries = [...files].map(([path, content]) => ({ name: `all/${path}`, content }));
  });
  afterAll(() => second.close());

  /** Returns what each of them says of a package. */
  async function verdicts(path: string): Promise<readonly string[]> {
    const first = await verifyFile(path, trust, plainJudges);
    const other = await second.judgeFile(path, { key: site.logKey.vkey });
    return [verdictOfProof(first), other.verdict];
  }

  async function verdictsOfZip(bytes: Buffer): Promise<readonly string[]> {
    const path = join(folder, 'package.zip');
    writeFileSync(path, bytes);
    return verdicts(path);
  }

  test.each(WHOLE)('with %s', async (_, archive) => {
    const [first, other] = await verdictsOfZip(zipOf(entries, archive));
    expect(other).toBe(first);
  });

  test.each(ODD)('with %s', async (_, odd) => {
    const entry = { name: 'all/x', content: 'hello hello ', ...odd };
    const [first, other] = await verdictsOfZip(zipOf([...entries, entry]));
    expect(first).not.toBe(odd.name === 'all/x/' && odd.stored ? 'ALTERED' : 'INTACT');
    expect(other).toBe(first);
  });

  test.each([
    ['has no last block', (content: Buffer) => deflated(content)],
    [
      'goes on with another block',
      (content: Buffer) => Buffer.concat([deflated(content), END, END]),
    ],
    ['is a block too long', (content: Buffer) => Buffer.concat([deflated(content), MORE])],
  ])('with an entry whose deflated data %s', async (_, deflate) => {
    const odd = entries.map((entry) =>
      entry.name === 'all/bagit.txt'
        ? { ...entry, deflated: deflate(Buffer.from(entry.content)) }
        : entry,
    );
    const [first, other] = await verdictsOfZip(zipOf(odd));
    expect(other).toBe(first);
  });

  test.each([4, 5, 6, 7, 8])('that byte %i of its end says is one of several', async (at) => {
    const bytes = zipOf(entries);
    const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006'));
    bytes[end + at] = (bytes[end + at] ?? 0) + 1;
    expect(await verdictsOfZip(bytes)).toEqual(['UNREADABLE', 'UNREADABLE']);
  });

  test('whose end announces a longer comment', async () => {
    const bytes = zipOf(entries, { comment: 'packed again' });
    bytes[bytes.length - 'packed again'.length - 2] = 200;
    expect(await verdictsOfZip(bytes)).toEqual(['UNREADABLE', 'UNREADABLE']);
  });

  test.each([101, 100])('whose software has a commit of %i characters', async (length) => {
    const path = 'data/package.json';
    const text = Buffer.from(files.get(path) ?? []).toString();
    const long = text.replace(/"commit":"[^"]*"/, `"commit":"${'c'.repeat(length)}"`);
    const again = forged(new Map(files).set(path, Buffer.from(long)), site.exportsKey);
    const zip = zipOf(Array.from(again, ([name, content]) => ({ name: `all/${name}`, content })));
    const wanted = length > 100 ? 'UNREADABLE' : 'INTACT';
    expect(await verdictsOfZip(zip)).toEqual([wanted, wanted]);
  });

  test('with a control character beside an unknown signature, signed again', async () => {
    const path = 'data/site/checkpoint';
    const odd = Buffer.from(files.get(path) ?? []);
    odd[odd.lastIndexOf(' ') + 5] = 7;
    const again = forged(new Map(files).set(path, odd), site.exportsKey);
    const zip = zipOf(Array.from(again, ([name, content]) => ({ name: `all/${name}`, content })));
    expect(await verdictsOfZip(zip)).toEqual(['ALTERED', 'ALTERED']);
  });

  test('with bytes before or behind it, or cut anywhere', async () => {
    const zip = zipOf(entries);
    const cuts = [1, 2, 5].map((part) => zip.subarray(0, (zip.length * part) / 6));
    for (const bytes of [
      Buffer.concat([Buffer.from('x'), zip]),
      Buffer.concat([zip, zip]),
      ...cuts,
    ]) {
      const [first, other] = await verdictsOfZip(bytes);
      expect(first).toBe('UNREADABLE');
      expect(other).toBe(first);
    }
  });

  test(`with changed bytes, ${CHANGED} times`, async () => {
    const zip = zipOf(entries);
    const below = numbersFrom(IS_LONG ? Date.now() : 5);
    const differences: string[] = [];
    for (let n = 0; n < CHANGED; n += 1) {
      const bytes = Buffer.from(zip);
      // The directory is at the end: most changes go there.
      const at = below(4) === 0 ? below(bytes.length) : bytes.length - 1 - below(3_000);
      bytes[at] = below(256);
      const [first, other] = await verdictsOfZip(bytes);
      if (first !== other)
        differences.push(`byte ${at - zip.length} ${bytes[at]}: ${first} and ${other}`);
    }
    expect(differences).toEqual([]);
  }, 900_000);

  test.each<readonly [string, readonly string[], string]>([
    ['a file whose name not every system takes', ['a:b'], 'UNREADABLE'],
    ['a folder whose name not every system takes', ['a:b/'], 'UNREADABLE'],
    ['a file in twenty folders', [`${'deep/'.repeat(20)}x`], 'ALTERED'],
    ['twenty empty folders in each other', ['deep/'.repeat(20)], 'INTACT'],
    ['folders with a path of over 1,024 characters', ['deep/'.repeat(250)], 'UNREADABLE'],
    ['a file with 400 characters outside the basic plane', ['🂡/'.repeat(400) + 'x'], 'ALTERED'],
  ])('that was unpacked, with %s', async (_, more, wanted) => {
    const path = mkdtempSync(join(folder, 'unpacked-'));
    for (const name of [...files.keys(), ...more]) {
      const isFolder = name.endsWith('/');
      mkdirSync(join(path, isFolder ? name : dirname(name)), { recursive: true });
      if (!isFolder) writeFileSync(join(path, name), files.get(name) ?? 'x');
    }
    expect(await verdicts(path)).toEqual([wanted, wanted]);
  });
});
