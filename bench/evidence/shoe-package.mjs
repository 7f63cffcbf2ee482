// Times how a package of a shoe is made at a table of 100,000 records of one event each, on an
// embedded server with fsync on: with the rows to begin near, and by the log from record 0 on.
// Prints the size of the package too.
//   npm run build && node bench/evidence/shoe-package.mjs [RECORDS]      about three minutes
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVkey } from '#evidence';
import { nodeCryptography, nodePlatform, signerOf } from '#evidence/node';
import { makePackage } from '#export';
import { gamingDays } from '#read-model';
import { packageReplay } from '#replay';
import { shown } from '../measure.mjs';
import { DAYS, startSealedServer } from './sealed-server.mjs';

const RECORDS = Number(process.argv[2] ?? 100_000);
const ROUNDS = 5;
const TABLES = ['B01', 'B02', 'B03', 'B04'];
const [TABLE = ''] = TABLES;
const { sha256 } = nodeCryptography;

/** @type {Record<string, string>} */
const published = JSON.parse(
  readFileSync(new URL('../../rules/manifest.json', import.meta.url), 'utf8'),
);

const server = await startSealedServer({ tables: TABLES, records: RECORDS, linesARecord: 1 });
try {
  const { folder, log, book, rows, seals, keyFiles } = server;
  const signer = (/** @type {{ path: string }} */ { path }) => signerOf(readFileSync(path, 'utf8'));
  const judging = { published, sha256, gamingDays };
  /** The rows without places of shoes: looking for a range begins with record 0. */
  /** @type {import('#export').ExportRows} */
  const blind = Object.assign(Object.create(rows), { openingsBefore: async () => [] });
  const verifying = packageReplay({ ...judging, warnings: 'checked' });
  const openings = await rows.openingsBefore(TABLE, Number.MAX_SAFE_INTEGER, 1_000);
  const shoe = openings[Math.floor(openings.length / 4)]?.shoe ?? '';
  console.log(`table ${TABLE}: ${RECORDS} records, ${openings.length} shoes; package of ${shoe}`);
  /** @type {(from: import('#export').ExportRows) => Promise<{ ms: number, size: number }>} */
  const made = async (from) => {
    const began = performance.now();
    const { size } = await makePackage(
      {
        ...{ log, seals, rows: from, sha256, book, gamingDays: DAYS },
        replay: (taker) => packageReplay({ ...judging, warnings: 'made', taker }),
        software: { name: 'shoeprint', version: '0', commit: 'bench', fold: verifying.fold },
        howToVerify: 'node shoeprint-verify.mjs PACKAGE --key KEY\n',
      },
      {
        platform: nodePlatform,
        exportsKey: signer(keyFiles.exports),
        trust: {
          keys: [readVkey(sha256, signer(keyFiles.log).vkey)],
          ...{ checkpoints: [], witnesses: [], quorum: 0 },
        },
        replay: verifying,
      },
      { scope: { kind: 'shoe', table: TABLE, shoe }, since: [], formats: [], asItIs: false },
      {
        ...{ file: join(folder, 'package.zip'), work: join(folder, 'work') },
        progress: () => undefined,
        signal: new AbortController().signal,
      },
    );
    return { ms: performance.now() - began, size };
  };
  /** @type {{ ms: number, size: number }[]} */
  const near = [];
  /** @type {{ ms: number, size: number }[]} */
  const fromZero = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    near.push(await made(rows));
    fromZero.push(await made(blind));
  }
  console.log(
    `  begun near, ms    ${shown(
      near.map(({ ms }) => ms),
      0,
    )}`,
  );
  console.log(
    `  from record 0, ms ${shown(
      fromZero.map(({ ms }) => ms),
      0,
    )}`,
  );
  console.log(`  size              ${((near[0]?.size ?? 0) / 1000).toFixed(0)} kB`);
} finally {
  await server.stop();
}
