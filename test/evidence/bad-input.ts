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
import { verifyFile } from '../../apps/cli/src/verify/verify.js';
import { BadPackages, changed } from './bad-packages.js';
import { plainJudges } from './plain-judges.js';
import { numbersFrom } from './random-packages.js';
import { samplePackings, sampleSite } from './sample-packages.js';
import { packed, type Packing } from './site-package.js';

// A program of its own, so that the memory that it takes is that of reading bad input:
//   node BUNDLE FOLDER COUNT
// Verifies as many random and changed packages, each a zip or a folder in FOLDER, and reads as many
// random and changed texts. FOLDER/linked must be a folder with a link in it, which a program that
// may write to one folder cannot make. Prints what came of it as JSON. It writes only the packages.

const [folder = '', countAsked = ''] = process.argv.slice(2);
const site = sampleSite();
const { sha256 } = nodeCryptography;
const files = await packed(site, samplePackings(site).all as Packing);
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
const { exportsKey } = site;
const packages = new BadPackages(folder, { id: 'all', files, exportsKey }, below);

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
  const { path } = packages.next();
  await tried(async () => (await verifyFile(path, trust, plainJudges)).verdict);
}
for (let i = 0; i < count; i += 1) {
  const read = readers[below(readers.length)] as (text: string) => unknown;
  const text = changed(Buffer.from(texts[below(texts.length)] ?? ''), below).toString('latin1');
  await tried(() => {
    read(text);
    return 'read';
  });
}
process.stdout.write(JSON.stringify({ seen, crashes, slowest, peak }));
