// Writes the package of one large table into a folder, and into a zip beside it, as the exporter
// would: a real log of the simulator, singly or in blocks, sealed every thousand records. No record
// is held in memory.
//   node bench/evidence/large-package.mjs FOLDER EVENTS LINES_A_RECORD
// Prints the public half of the log key.
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { FOLD_VERSION, simulate } from '#audit';
import { readRules } from '#baccarat';
import { gamingDays } from '#read-model/gaming-days';
import { openPackage } from '#built/apps/cli/src/verify/package-files';
import { packageReplay } from '#replay';
import {
  checkpointText,
  exportsKeyName,
  Frontier,
  hashText,
  headText,
  inclusionProof,
  keyStatementText,
  leafHash,
  namesText,
  noteText,
  readVkey,
  rootOf,
  sealText,
  signText,
  utf8Of,
  writePackage,
} from '#evidence';
import { newKeyFile, nodeCryptography, nodePlatform, signerOf } from '#evidence/node';
import { writeZip } from '#evidence/zip';

const { sha256 } = nodeCryptography;
const ORIGIN = 'shoeprint.example/bench';
const TABLE = 'B01';
const RECORDS_A_SEAL = 1_000;
const START = Date.parse('2026-11-20T12:00:00Z');

const [folder = '', eventsAsked = '', linesAsked = '1'] = process.argv.slice(2);
const [events, lines] = [Number(eventsAsked), Number(linesAsked)];
if (folder === '' || !(events > 0) || !(lines > 0))
  throw new Error('usage: large-package.mjs FOLDER EVENTS LINES_A_RECORD');

const path = fileURLToPath(new URL('../../rules/punto-banco@1.json', import.meta.url));
const document = await readFile(path);
/** @type {import('#baccarat').RuleDocument} */
const parsed = JSON.parse(document.toString());
const rules = readRules(parsed);

/** Yields the values of records: `lines` lines of play each. */
function* values() {
  /** @type {string[]} */
  let block = [];
  let left = events;
  const play = simulate({ rules, table: TABLE, bets: true, shoes: events, seed: 'bench' });
  for (const line of play.lines) {
    block.push(line);
    left -= 1;
    if (block.length === lines || left === 0) {
      yield utf8Of(block.join('\n'));
      block = [];
    }
    if (left === 0) return;
  }
}

const logKey = signerOf(newKeyFile(ORIGIN));
const exportsKey = signerOf(newKeyFile(exportsKeyName(ORIGIN)));

/** The leaves of the site log. @type {string[]} */
const leaves = [];
const statement = keyStatementText({
  ...{ origin: ORIGIN, number: 0, previous: undefined, retire: [], revoke: [] },
  add: [logKey, exportsKey].map(({ vkey }) => readVkey(sha256, vkey)),
});
leaves.push(noteText({ text: statement, signatures: [signText(sha256, statement, logKey)] }));

/** @type {{ seal: number, size: number, root: string, path: string[] }[]} */
const heads = [];
const tree = new Frontier(sha256);

/** Seals what the tree holds now. */
function seal() {
  const number = leaves.length;
  const root = tree.root();
  const head = headText({ origin: ORIGIN, name: TABLE, size: tree.size, root });
  heads.push({ seal: number, size: tree.size, root: hashText(root), path: [] });
  const time = new Date(START + number * 60_000).toISOString().replace('.000Z', 'Z');
  leaves.push(
    sealText({
      ...{ origin: ORIGIN, number, time, log: 'bench', next: [tree.size], tables: 1, keys: 0 },
      names: sha256(utf8Of(namesText([TABLE]))),
      heads: rootOf(sha256, [leafHash(sha256, utf8Of(head))]),
    }),
  );
}

// The log is dealt three times, from the same seeds: to seal it, to judge it and to pack it.
for (const value of values()) {
  tree.append(leafHash(sha256, value));
  if (tree.size % RECORDS_A_SEAL === 0) seal();
}
if (tree.size % RECORDS_A_SEAL !== 0) seal();

/** Yields the records with their places. */
function* rows() {
  let offset = 0;
  for (const value of values()) {
    yield { value, partition: 0, offset };
    offset += 1;
  }
}

/** @param {string} file */
async function create(file) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  const stream = createWriteStream(join(folder, file));
  return {
    /** @param {Uint8Array} bytes */
    write: async (bytes) => {
      if (!stream.write(bytes)) await once(stream, 'drain');
    },
    close: async () => {
      stream.end();
      await once(stream, 'close');
    },
  };
}

const days = [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }];
const entry = {
  ...{ table: TABLE, name: TABLE, number: 0, first: 0, records: tree.size, events, shoes: [] },
};

/** Judges the records as the exporter does, for the lists of a package. */
function judge() {
  const replay = packageReplay({ published: {}, sha256, gamingDays, warnings: 'made' });
  /** @type {import('#evidence').PackageStatement} */
  const statement = {
    ...{ format: 'shoeprint package v1', id: 'bench', origin: ORIGIN, size: leaves.length },
    ...{ scope: { kind: 'table', table: TABLE }, range: { after: null, to: leaves.length - 1 } },
    ...{ all: false, tables: [entry], rules: [], gamingDays: days, unjudged: [], warnings: [] },
    software: { name: 'shoeprint', version: 'bench', commit: 'bench', fold: FOLD_VERSION },
  };
  const judging = replay.open(statement, new Map([[rules.ref, document]]));
  const table = judging.begin(entry);
  let n = 0;
  for (const value of values()) {
    const [fault] = table.record(n, value);
    if (fault) throw new Error(`record ${n}: ${fault.why}`);
    n += 1;
  }
  table.end();
  const { warnings } = judging.end();
  const made = judging.take();
  const judged = {
    'findings.ndjson': made['findings.ndjson'] ?? [],
    'unjudgeable.ndjson': made['unjudgeable.ndjson'] ?? [],
    'commission.csv': made['commission.csv'] ?? [],
    'shoes.csv': made['shoes.csv'] ?? [],
    'days.csv': made['days.csv'] ?? [],
  };
  return { judged, warnings };
}

const siteHashes = leaves.map((leaf) => leafHash(sha256, utf8Of(leaf)));
const size = leaves.length;
/** @param {readonly import('#evidence').NodeRef[]} nodes */
const siteNodes = (nodes) =>
  nodes.map(({ level, index }) =>
    rootOf(sha256, siteHashes.slice(index * 2 ** level, (index + 1) * 2 ** level)),
  );
/** @param {number} index */
const proven = async (index) => {
  const proof = await inclusionProof(sha256, { index, size }, siteNodes);
  return { index, text: leaves[index] ?? '', proof: proof.map(hashText) };
};
const checkpoint = checkpointText({ origin: ORIGIN, size, root: rootOf(sha256, siteHashes) });
const latest = { size: tree.size, root: hashText(tree.root()), path: [], consistency: [] };
await writePackage(
  {
    ...{ id: 'bench', origin: ORIGIN, size, all: false },
    ...{ gamingDays: days, unjudged: [], reports: new Map(), ...judge() },
    scope: { kind: 'table', table: TABLE },
    range: { after: null, to: size - 1 },
    tables: [
      {
        ...{ table: TABLE, name: TABLE, number: 0, first: 0, shoes: [], context: [], later: [] },
        ...{ rows: rows(), heads, proof: { frontier: [], before: [], rest: [], latest } },
      },
    ],
    site: {
      checkpoint: noteText({
        text: checkpoint,
        signatures: [signText(sha256, checkpoint, logKey)],
      }),
      names: [TABLE],
      leaves: leaves.map((text, index) => ({ index, text })),
      proof: {
        frontier: [],
        consistency: [{ from: size, proof: [] }],
        keys: [await proven(0)],
        latest: await proven(size - 1),
      },
      since: [],
    },
    rules: new Map([[rules.ref, document]]),
    software: { name: 'shoeprint', version: 'bench', commit: 'bench', fold: FOLD_VERSION },
    howToVerify: 'npm run bench:evidence\n',
  },
  { create },
  nodePlatform,
  exportsKey,
);
const { source } = await openPackage(folder);
const written = [...source.files.values()].map(({ path, bytes }) => ({
  ...{ path, bytes },
  open: () => createReadStream(join(folder, path)),
}));
await writeZip('bench', written, Writable.toWeb(createWriteStream(`${folder}.zip`)));
console.log(logKey.vkey);
