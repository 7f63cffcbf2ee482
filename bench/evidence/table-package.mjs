// Makes the package of a whole table as a server does, in a process of its own, and verifies it, by
// turns: processor time of both, and the memory of both. Making includes verifying once.
//   npm run build && node bench/evidence/table-package.mjs [EVENTS] [LINES A RECORD] [ROUNDS]
import { execFileSync, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signerOf } from '#evidence/node';
import { shown } from '../measure.mjs';
import { cpuFrom, load, megabytes } from '../server/children.mjs';
import { DAYS, PARTITIONS, startSealedServer } from './sealed-server.mjs';

const [events = 1_000_000, linesARecord = 1, rounds = 3] = process.argv.slice(2).map(Number);
const TABLE = 'B01';
/** The longest that a package may take to be made. */
const MADE_MS_MAX = 30 * 60_000;
const LOOK_MS = 50;
/** The limit of its heap (apps/api/src/exports/making/exporter-process.ts). */
const AS_THE_API = ['--max-old-space-size=400'];

/** @type {(path: string) => string} */
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Makes the package as the api lets it be made.
 * @param {Awaited<ReturnType<typeof startSealedServer>>} server
 * @param {string} file
 */
async function made({ databaseUrl, folder, keyFiles }, file) {
  /** @type {import('#export').ExportTask} */
  const task = {
    asked: { scope: { kind: 'table', table: TABLE }, since: [], formats: [], asItIs: false },
    log: { kind: 'postgres', url: databaseUrl, partitions: PARTITIONS },
    databaseUrl,
    rules: [],
    gamingDays: DAYS,
    key: keyFiles.exports,
    ...{ file, work: join(folder, 'work') },
  };
  const began = performance.now();
  const child = fork(pathOf('../../dist/apps/exporter/src/main.js'), [], { execArgv: AS_THE_API });
  const late = setTimeout(() => child.kill('SIGKILL'), MADE_MS_MAX);
  const used = cpuFrom({ exporter: child.pid ?? 0 });
  const seen = { cpu: NaN, peak: NaN };
  // it ends with its last word, so it is looked at before
  const looking = setInterval(() => {
    if (child.exitCode !== null) return;
    const peak = megabytes(child.pid, 'VmHWM');
    if (!(peak > 0)) return;
    Object.assign(seen, { cpu: (used().exporter ?? NaN) / 1_000, peak });
  }, LOOK_MS);
  /** @type {import('#export').ExporterWord | undefined} */
  let last;
  child.on('message', (/** @type {import('#export').ExporterWord} */ word) => (last = word));
  child.send(task);
  await new Promise((resolve) => child.once('close', resolve)).finally(() => {
    clearInterval(looking);
    clearTimeout(late);
  });
  if (last?.is !== 'made') throw new Error(`no package was made: ${JSON.stringify(last)}`);
  return { ...seen, ms: performance.now() - began, size: last.made.size };
}

/** @type {(path: string, vkey: string) => { cpu: number, maxRSS: number }} */
function verified(path, vkey) {
  const said = execFileSync(process.execPath, [pathOf('proof-once.mjs'), path, vkey, 'whole'], {
    encoding: 'utf8',
  });
  /** @type {{ early: unknown[], counts: { events: number }, cpu: number, maxRSS: number }} */
  const seen = JSON.parse(said);
  if (seen.early.length > 0 || !(seen.counts.events > 0))
    throw new Error(`an intact package: ${said}`);
  return seen;
}

const records = Math.ceil(events / linesARecord);
const server = await startSealedServer({ tables: [TABLE], records, linesARecord });
try {
  const file = join(server.folder, 'package.zip');
  const { vkey } = signerOf(readFileSync(server.keyFiles.log.path, 'utf8'));
  const turns = [];
  for (let round = 0; round < rounds; round += 1)
    turns.push({ made: await made(server, file), verify: verified(file, vkey) });
  const size = (turns[0]?.made.size ?? 0) / 1e6;
  console.log(`${records} records of ${linesARecord}, ${size.toFixed(0)} MB, load ${load()}`);
  console.log(`  made, CPU s         ${shown(turns.map(({ made: { cpu } }) => cpu))}`);
  console.log(`  made, s             ${shown(turns.map(({ made: { ms } }) => ms / 1_000))}`);
  console.log(`  verify, CPU s       ${shown(turns.map(({ verify: { cpu } }) => cpu))}`);
  const ratios = turns.map(({ made: { cpu }, verify }) => cpu / verify.cpu);
  console.log(`  made / verify       ${shown(ratios)}`);
  console.log(
    `  peak of making, MB  ${shown(
      turns.map(({ made: { peak } }) => peak),
      0,
    )}`,
  );
  console.log(
    `  peak of verify, MB  ${shown(
      turns.map(({ verify }) => verify.maxRSS / 1_024),
      0,
    )}`,
  );
} finally {
  await server.stop();
}
