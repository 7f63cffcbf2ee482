import {
  ANY_FOLDER,
  FileList,
  readCheckpoint,
  readEntriesBundle,
  readHead,
  readKeyFile,
  readKeyStatement,
  readNames,
  readNote,
  readReceipt,
  readSeal,
  readTilePath,
  readVkey,
  verifyPackage,
  type PackageSource,
} from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { verifyFile } from '../../apps/cli/src/verify/verify.js';
import { forged } from './forged.js';
import { plainJudges } from './plain-judges.js';
import { numbersFrom } from './random-packages.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { packed, type PackageFiles, type Packing } from './site-package.js';
import { zipOf, type MadeEntry } from './zip-files.js';

// A program of its own, so that the memory that it takes is that of reading bad input:
//   node BUNDLE FOLDER COUNT
// Verifies as many random and changed packages, each a zip or a folder in FOLDER, and reads as many
// random and changed texts. FOLDER/linked must be a folder with a link in it, which a program that
// may write to one folder cannot make. Prints what came of it as JSON. It writes only the packages.

const [folder = '', countAsked = ''] = process.argv.slice(2);
const site = sampleSite();
const { sha256 } = nodeCryptography;
const files = await packed(site, samplePackings(site).all as Packing);
const entriesOf = (of: PackageFiles): readonly MadeEntry[] =>
  [...of].map(([path, content]) => ({ name: `all/${path}`, content }));
const entries = entriesOf(files);
const archive = zipOf(entries);
const texts = [
  site.checkpoint(),
  ...site.leaves.slice(0, 3),
  ...site.tables.map(({ name }) => `${site.origin}/table/${name}\n1\n${'A'.repeat(43)}=\n`),
  Buffer.from(files.get('receipt') ?? []).toString(),
  Buffer.from(files.get('data/site/names') ?? []).toString(),
  `${site.logKey.vkey}\n`,
  'tile/0/x001/067.p/3',
];
const readers: readonly ((text: string) => unknown)[] = [
  readNote,
  (text) => readCheckpoint(Buffer.from(text)),
  readSeal,
  readHead,
  readNames,
  readReceipt,
  readKeyFile,
  readTilePath,
  (text) => readKeyStatement(sha256, text),
  (text) => readVkey(sha256, text),
  (text) => readEntriesBundle(Buffer.from(text)),
];
const below = numbersFrom(Number(process.env.SHOEPRINT_TEST_SEED ?? 1));

const randomBytes = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => below(256)));

/** What a change puts into a file: bytes, signs of JSON, text that is not UTF-8, deep JSON. */
const PIECES = [
  '',
  '\n',
  '"',
  '{',
  '}',
  '[',
  '\\ud800',
  'null',
  '-1',
  '1e999',
  '9'.repeat(40),
  '['.repeat(1_000),
  '{"a":'.repeat(1_000),
  Buffer.from([0xc3, 0x28]),
  Buffer.from([0xf0, 0x9f]),
  Buffer.from([0]),
];

function changed(bytes: Uint8Array): Buffer {
  let content = Buffer.from(bytes);
  for (let edits = 1 + below(4); edits > 0; edits -= 1) {
    const at = below(content.length + 1);
    const piece = Buffer.from(PIECES[below(PIECES.length)] ?? '');
    const rest = content.subarray(Math.min(content.length, at + below(3)));
    content = Buffer.concat([content.subarray(0, at), piece, rest]);
  }
  return content;
}

function bytesChanged(bytes: Uint8Array): Buffer {
  const content = Buffer.from(bytes);
  for (let edits = 1 + below(8); edits > 0; edits -= 1) {
    // The directory is at the end: half of the changes go there.
    const place = below(2) === 0 ? below(content.length) : content.length - 1 - below(900);
    content[place] = below(256);
  }
  return content;
}

const odd = (): MadeEntry => {
  const content = 'x'.repeat(below(200));
  const all: readonly Partial<MadeEntry>[] = [
    { name: 'all/../x' },
    { name: '/etc/passwd' },
    { name: 'all/data/package.json' },
    { mode: 0o120777 },
    { mode: 0o060644 },
    { flags: 1 },
    { flags: 0x41 },
    { method: 12 },
    { size: 4e9 },
    { size: 4e9, zip64: true },
    { at: 0 },
    { at: below(5_000) },
    { after: true, size: 1 },
    { localName: 'all/y' },
    { crc: 7 },
  ];
  return { name: 'all/x', content, ...all[below(all.length)] };
};

/** Writes an archive to verify, and returns its path. */
function zipped(bytes: Uint8Array): string {
  const path = join(folder, 'package.zip');
  writeFileSync(path, bytes);
  return path;
}

/** Writes a folder to verify, and returns its path. */
function inFolder(changes: PackageFiles): string {
  const path = join(folder, 'package');
  rmSync(path, { recursive: true, force: true });
  for (const [name, bytes] of changes) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), bytes);
  }
  return path;
}

/** Writes a folder with something in it that is not of a package. */
function oddFolder(): string {
  const path = inFolder(below(2) === 0 ? files : new Map<string, Uint8Array>());
  const name = join(path, `${'deep/'.repeat(below(20))}x`);
  mkdirSync(dirname(name), { recursive: true });
  writeFileSync(name, randomBytes(below(200)));
  return path;
}

/** A package in which one file is a line of 100 MB. */
function longLine(path: string): PackageSource {
  const list = new FileList();
  for (const [name, bytes] of files)
    list.add(`${ANY_FOLDER}/${name}`, name === path ? 1e8 : bytes.length, async function* () {
      for (let i = 0; name === path && i < 100; i += 1) yield Buffer.alloc(1e6, 'a');
      if (name !== path) yield bytes;
    });
  return list;
}

function forgedChange(): PackageFiles {
  const paths = [...files.keys()];
  const path = paths[below(paths.length)] ?? '';
  const other = new Map(files).set(path, changed(files.get(path) ?? Buffer.alloc(0)));
  // a receipt that is changed cannot be signed again
  return path === 'receipt' ? other : forged(other, site.exportsKey);
}

/** Each writes a bad package and returns its path. */
const inputs: readonly (() => string)[] = [
  () => zipped(randomBytes(below(2_000))),
  () => zipped(Buffer.concat([randomBytes(below(300)), archive.subarray(-below(2_000))])),
  () => zipped(bytesChanged(archive)),
  () => zipped(zipOf([...entries, odd()])),
  () => zipped(zipOf(entriesOf(forgedChange()))),
  () => inFolder(forgedChange()),
  oddFolder,
  () => join(folder, 'linked'),
];

const trust = {
  keys: [readVkey(sha256, site.logKey.vkey)],
  checkpoints: [],
  witnesses: [],
  quorum: 0,
};
const seen: Record<string, number> = {};
const crashes: string[] = [];
let slowest = 0;
/** The most memory that it was seen to hold. `maxRSS` includes what its parent held. */
let peak = 0;

/** Errors by which bad input is refused. */
const REFUSALS = ['FormatFault'];

/** Processor time in milliseconds. A pause of a busy machine is not the time of an input. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function tried(work: () => unknown): Promise<void> {
  const start = spent();
  let came: string;
  try {
    came = String(await work());
  } catch (error) {
    came = error instanceof Error ? error.name : String(error);
    if (!REFUSALS.includes(came) && crashes.length < 10)
      crashes.push(error instanceof Error ? String(error.stack) : came);
  }
  seen[came] = (seen[came] ?? 0) + 1;
  slowest = Math.max(slowest, spent() - start);
  peak = Math.max(peak, process.memoryUsage.rss());
}

const judged = async (source: PackageSource): Promise<string> =>
  (await verifyPackage(source, trust, plainJudges, nodePlatform)).verdict;

const count = Number(countAsked);
for (const path of files.keys())
  if (path !== 'data/package.json') await tried(() => judged(longLine(path)));
for (let i = 0; i < count; i += 1) {
  const path = (inputs[below(inputs.length)] as () => string)();
  await tried(async () => (await verifyFile(path, trust, plainJudges)).verdict);
}
for (let i = 0; i < count; i += 1) {
  const read = readers[below(readers.length)] as (text: string) => unknown;
  const text = changed(Buffer.from(texts[below(texts.length)] ?? '')).toString('latin1');
  await tried(() => {
    read(text);
    return 'read';
  });
}
process.stdout.write(JSON.stringify({ seen, crashes, slowest, peak }));
