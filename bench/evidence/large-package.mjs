// Writes the package of one large table, or of a gaming day of several, into a folder, and into a
// zip beside it, as the exporter would: a real log of the simulator, singly or in blocks, sealed
// every thousand records. No record is held in memory.
//   node bench/evidence/large-package.mjs FOLDER EVENTS LINES_A_RECORD [TABLES]
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
const RECORDS_A_SEAL = 1_000;
const START = Date.parse('2026-11-20T12:00:00Z');
/** The gaming day that the last seal closes, if the package is of a day. */
const DAY = '2026-11-20';

const [folder = '', eventsAsked = '', linesAsked = '1', tablesAsked = '1'] = process.argv.slice(2);
const [lines, count] = [Number(linesAsked), Number(tablesAsked)];
/** Of each table, whole records. */
const events = Math.floor(Number(eventsAsked) / count / lines) * lines;
if (folder === '' || !(events > 0) || !(lines > 0))
  throw new Error('usage: large-package.mjs FOLDER EVENTS LINES_A_RECORD [TABLES]');
const tables = Array.from({ length: count }, (_, n) => `B${String(n + 1).padStart(2, '0')}`);
const isDay = count > 1;

const path = fileURLToPath(new URL('../../rules/punto-banco@1.json', import.meta.url));
const document = await readFile(path);
/** @type {import('#baccarat').RuleDocument} */
const parsed = JSON.parse(document.toString());
const rules = readRules(parsed);

/**
 * Yields the values of the records of a table: `lines` lines of play each.
 * @param {string} table
 */
function* values(table) {
  /** @type {string[]} */
  let block = [];
  let left = events;
  const play = simulate({ rules, table, bets: true, shoes: events, seed: `bench ${table}` });
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

/** @typedef {{ seal: number, size: number, root: string, path?: string[] }} Head */
const grown = tables.map((table) => ({
  table,
  tree: new Frontier(sha256),
  heads: /** @type {Head[]} */ ([]),
}));
let records = 0;

/**
 * Seals what the trees hold now.
 * @param {{ day?: string }} [closing]
 */
function seal(closing = {}) {
  const number = leaves.length;
  const site = grown.map(({ table, tree, heads }) => {
    const root = tree.root();
    const path = isDay ? {} : { path: [] };
    heads.push({ seal: number, size: tree.size, root: hashText(root), ...path });
    return leafHash(
      sha256,
      utf8Of(headText({ origin: ORIGIN, name: table, size: tree.size, root })),
    );
  });
  const time = new Date(START + number * 60_000).toISOString().replace('.000Z', 'Z');
  leaves.push(
    sealText({
      ...{ origin: ORIGIN, number, time, log: 'bench', next: [records], tables: count, keys: 0 },
      ...{ names: sha256(utf8Of(namesText(tables))), heads: rootOf(sha256, site), ...closing },
    }),
  );
}

// The log is dealt three times, from the same seeds: to seal it, to judge it and to pack it. One
// record of each table comes in turn.
const dealt = grown.map(({ table, tree }) => ({ tree, records: values(table) }));
for (let left = (count * events) / lines; left > 0; left -= 1) {
  const turn = dealt[records % count];
  const value = turn?.records.next().value;
  if (!turn || !value) throw new Error('a table has too few events');
  turn.tree.append(leafHash(sha256, value));
  records += 1;
  if (records % RECORDS_A_SEAL === 0 && left > 1) seal();
}
seal(isDay ? { day: DAY } : {});

/**
 * Yields the records of a table with their places.
 * @param {number} number
 */
function* rows(number) {
  let offset = number;
  for (const value of values(tables[number] ?? '')) {
    yield { value, partition: 0, offset };
    offset += count;
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
const entries = tables.map((table, number) => ({
  ...{ table, name: table, number, first: 0, records: events / lines, events, shoes: [] },
}));
/** @type {import('#evidence').PackageStatement['scope']} */
const scope = isDay ? { kind: 'day', day: DAY } : { kind: 'table', table: tables[0] ?? '' };

/** Judges the records as the exporter does, for the lists of a package. */
function judge() {
  const replay = packageReplay({ published: {}, sha256, gamingDays, warnings: 'made' });
  /** @type {import('#evidence').PackageStatement} */
  const statement = {
    ...{ format: 'shoeprint package v1', id: 'bench', origin: ORIGIN, size: leaves.length },
    ...{ scope, range: { after: null, to: leaves.length - 1 }, all: isDay, tables: entries },
    ...{ rules: [], gamingDays: days, unjudged: [], warnings: [] },
    software: { name: 'shoeprint', version: 'bench', commit: 'bench', fold: FOLD_VERSION },
  };
  const judging = replay.open(statement, new Map([[rules.ref, document]]));
  for (const entry of entries) {
    const table = judging.begin(entry);
    let n = 0;
    for (const value of values(entry.table)) {
      const [fault] = table.record(n, value);
      if (fault) throw new Error(`record ${n}: ${fault.why}`);
      n += 1;
    }
    table.end();
  }
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
/** The site of the package proves the latest heads by paths. @type {(number: number) => Promise<string[]>} */
const pathOf = async (number) => {
  const heads = grown.map(({ table, tree }) =>
    leafHash(
      sha256,
      utf8Of(headText({ origin: ORIGIN, name: table, size: tree.size, root: tree.root() })),
    ),
  );
  const nodes = (/** @type {readonly import('#evidence').NodeRef[]} */ asked) =>
    asked.map(({ level, index }) =>
      rootOf(sha256, heads.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    );
  return (await inclusionProof(sha256, { index: number, size: count }, nodes)).map(hashText);
};
/** @type {(number: number) => Promise<Parameters<typeof writePackage>[0]['tables'][number]>} */
const packedTable = async (number) => {
  const { table = '', tree, heads = [] } = grown[number] ?? {};
  if (!tree) throw new Error(`no table has the number ${number}`);
  const root = hashText(tree.root());
  const latest = { size: tree.size, root, path: await pathOf(number), consistency: [] };
  return {
    ...{ table, name: table, number, first: 0, shoes: [], context: [], later: [], heads },
    ...{ rows: rows(number), proof: { frontier: [], before: [], rest: [], latest } },
  };
};
await writePackage(
  {
    ...{ id: 'bench', origin: ORIGIN, size, all: isDay },
    ...{ gamingDays: days, unjudged: [], reports: new Map(), ...judge() },
    ...{ scope, range: { after: null, to: size - 1 } },
    tables: await Promise.all(tables.map((_, number) => packedTable(number))),
    site: {
      checkpoint: noteText({
        text: checkpoint,
        signatures: [signText(sha256, checkpoint, logKey)],
      }),
      names: tables,
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
