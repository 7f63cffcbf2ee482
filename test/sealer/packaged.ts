import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import {
  verifyPackage,
  writePackage,
  FileList,
  type PackageReport,
  type Trust,
  utf8Of,
} from '#evidence';
import { nodeCryptography, nodePlatform, signerOf } from '#evidence/node';
import { packageContent, RecordFile, type ExportRows } from '#export';
import { gamingDays } from '#read-model';
import { packageReplay } from '#replay';
import { BOOK } from '../kit/house.js';
import { shortTable } from '../kit/short-table.js';
import type { Site } from './site.js';

const { sha256 } = nodeCryptography;
const published = JSON.parse(
  readFileSync(new URL('../../rules/manifest.json', import.meta.url), 'utf8'),
) as Record<string, string>;
const judging = { published, sha256, gamingDays };

/** Returns the events of a table as lines, one a record. */
export function playedRecords(table: string, shoes = 2): string[] {
  const log = shortTable({ rules: 'punto-banco@1', seed: 3, bets: true, shoes, coups: 4 });
  const numbers = new Map<unknown, number>();
  return log.map((event) => {
    if (event.session === undefined) return JSON.stringify({ ...event, table });
    const sequence = (numbers.get(event.source) ?? 0) + 1;
    numbers.set(event.source, sequence);
    return JSON.stringify({ ...event, table, sequence, id: `1/${sequence}` });
  });
}

/** What packages need of rows, for a site that no auditor judges: nothing to compare with. */
const UNJUDGED_SITE: ExportRows = {
  reached: async () => Infinity,
  opening: async () => undefined,
  openingsOf: async () => [],
  openingsBefore: async () => [],
  finding: async () => undefined,
  acts: async () => [],
  unjudged: async () => [],
  passed: async () => [],
  difference: async () => undefined,
};

/** Makes the package of a table from record 0 on, and verifies it as a reader does. */
export async function packagedTable(
  site: Site,
  table: string,
  trust: Partial<Trust>,
  since: readonly number[] = [],
): Promise<PackageReport> {
  const verifying = packageReplay({ ...judging, warnings: 'checked' });
  const kept = join(await mkdtemp(join(site.folder, 'records-')), 'records');
  const file = await RecordFile.create(kept);
  const content = await packageContent(
    {
      log: site.log,
      seals: site.reader,
      sha256,
      book: BOOK,
      replay: (taker) => packageReplay({ ...judging, warnings: 'made', taker }),
      gamingDays: [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }],
      software: { name: 'shoeprint', version: '0.1.0', commit: 'test', fold: verifying.fold },
      rows: UNJUDGED_SITE,
      howToVerify: 'node shoeprint-verify.mjs PACKAGE --key KEY\n',
    },
    { scope: { kind: 'table', table }, since, formats: [], asItIs: false },
    { file },
  );
  const list = new FileList();
  const exportsKey = signerOf(readFileSync(site.settings().keyFiles.exports.path, 'utf8'));
  await writePackage(
    content,
    {
      create: async (path: string) => {
        const parts: Uint8Array[] = [];
        return {
          write: async (bytes: Uint8Array | string) =>
            void parts.push(typeof bytes === 'string' ? utf8Of(bytes) : Uint8Array.from(bytes)),
          close: async () => {
            const whole = Buffer.concat(parts);
            list.add(`${content.id}/${path}`, whole.length, async function* () {
              yield Uint8Array.from(whole);
            });
          },
        };
      },
    },
    nodePlatform,
    exportsKey,
  ).finally(() => file.close());
  const all = { keys: [], checkpoints: [], witnesses: [], quorum: 0, ...trust };
  return verifyPackage(list, all, verifying, nodePlatform);
}
