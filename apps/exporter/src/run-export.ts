import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JudgedTaker } from '#audit';
import { exportsKeyName, KeyRing, readNote, readVkey, vkeyText, type Trust } from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { openLog } from '#event-log';
import {
  ExportRefusal,
  makePackage,
  sealedUpToNow,
  type ExportStep,
  type ExportTask,
  type MadePackage,
} from '#export';
import { appCommit, appVersion, packageFolder } from '#process';
import { gamingDays, PackageRows } from '#read-model';
import { packageReplay } from '#replay';
import { installedRules } from '#rule-folder';
import { KeyRefused, SealReader, signerIn } from '#seal-store';

const { sha256 } = nodeCryptography;

/** Hears what is done of an export, and ends it. */
export interface ExportProgress {
  /** `share`: from 0 to 1, where it is known. */
  readonly step: (step: ExportStep, share?: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Makes a package: waits until what is on the log is sealed, chooses and judges the records, writes
 * and verifies the package. Throws `ExportRefusal` if it cannot be made, and the reason of the
 * signal. Leaves no file then.
 */
export async function runExport(task: ExportTask, progress: ExportProgress): Promise<MadePackage> {
  const { asked, databaseUrl } = task;
  const { signal } = progress;
  const log = await openLog(task.log);
  const seals = SealReader.open(databaseUrl, sha256, 'shoeprint exporter');
  const rows = await PackageRows.open(databaseUrl);
  try {
    progress.step('sealing');
    try {
      await sealedUpToNow({ log, seals }, asked.scope.table, signal);
    } catch (error) {
      if (!(error instanceof ExportRefusal && asked.asItIs)) throw error;
    }
    const { exportsKey, trust } = await keysOf(task, seals);
    const { lanes = 'on' } = task;
    const judging = { published: publishedRules(), sha256, gamingDays, lanes };
    const replay = packageReplay({ ...judging, warnings: 'checked' });
    const parts = {
      ...{ log, seals, rows, sha256 },
      book: installedRules(task.rules),
      replay: (taker: JudgedTaker) => packageReplay({ ...judging, warnings: 'made', taker }),
      gamingDays: task.gamingDays,
      software: {
        name: 'shoeprint',
        version: appVersion(),
        commit: appCommit(),
        fold: replay.fold,
      },
      howToVerify: howToVerify(exportsKey.vkey),
    };
    const making = { platform: nodePlatform, exportsKey, trust, replay };
    const { file, work } = task;
    return await makePackage(parts, making, asked, { file, work, progress: progress.step, signal });
  } finally {
    await Promise.all([log.close(), seals.close(), rows.close()]);
  }
}

/** Returns the key that signs packages of the site, and the keys that its checkpoints are signed by. */
async function keysOf({ key }: ExportTask, seals: SealReader) {
  const site = await seals.site();
  const statements = await seals.keyStatements();
  if (!site || statements.length === 0)
    throw new ExportRefusal('not-sealed', 'nothing is sealed yet: see whether the sealer runs');
  const exportsKey = signerIn(key, exportsKeyName(site.origin));
  if (!exportsKey)
    throw new KeyRefused(key.setting, `there is no key file ${key.path}: the sealer makes it`);
  const ring = KeyRing.of(
    nodeCryptography,
    statements.map(({ text }) => readNote(text)),
  );
  const size = Number.MAX_SAFE_INTEGER;
  if (!ring.exportsKeysAt(size).some((each) => vkeyText(each) === exportsKey.vkey))
    throw new KeyRefused(key.setting, `the key ${exportsKey.vkey} does not sign for this site now`);
  const keys = ring.logKeysAt(size).map((each) => readVkey(sha256, vkeyText(each)));
  const trust: Trust = { keys, checkpoints: [], witnesses: [], quorum: 0 };
  return { exportsKey, trust };
}

const publishedRules = (): Record<string, string> =>
  JSON.parse(readFileSync(join(packageFolder(), 'rules/manifest.json'), 'utf8')) as Record<
    string,
    string
  >;

/** Returns the text of `VERIFY.txt`. */
function howToVerify(exportsVkey: string): string {
  const verifier = join(packageFolder(), 'dist/shoeprint-verify.mjs');
  const digest = existsSync(verifier)
    ? `${createHash('sha256').update(readFileSync(verifier)).digest('hex')}  shoeprint-verify.mjs\n`
    : 'the verifier was not built beside the server that made this package\n';
  return `This is an evidence package of Shoeprint ${appVersion()}, commit ${appCommit()}.

Verify it offline with one file and Node 20 or later, and nothing else:

  node shoeprint-verify.mjs PACKAGE.zip --key KEY

KEY is the public key of the site, as the house published it, and not from this package. With
--trusted CHECKPOINT, a file that you kept from an earlier package (data/site/checkpoint), it says
whether history only grew since then. Exit code: 0 intact, 1 altered, 2 incomplete, 3 unreadable.

The verifier, by its SHA-256:

  ${digest}
The package is signed by ${exportsVkey}.
`;
}
