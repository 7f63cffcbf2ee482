// Makes the package of a whole table as a server does, in a process of its own, and verifies it, by
// turns: processor time of both, and the memory of both. Making includes verifying once.
//   npm run build && node bench/evidence/table-package.mjs [EVENTS] [LINES A RECORD] [ROUNDS]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signerOf } from '#evidence/node';
import { shown } from '../measure.mjs';
import { load } from '../server/children.mjs';
import { made } from './making.mjs';
import { PARTITIONS, startSealedServer } from './sealed-server.mjs';

const [events = 1_000_000, linesARecord = 1, rounds = 3] = process.argv.slice(2).map(Number);
const TABLE = 'B01';
/** @type {(path: string) => string} */
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

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
    turns.push({
      made: await made({ ...server, partitions: PARTITIONS, table: TABLE }, file),
      verify: verified(file, vkey),
    });
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
