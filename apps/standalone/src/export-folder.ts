import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { EventLog } from '#event-log';
import { ExportRefusal, type ExportAsked, type ExportWord, type MadePackage } from '#export';
import { runExport } from '#exporter';
import { excerpt, Refusal } from '#process';
import { houseAppending, startSealer, type HouseEvent } from '#sealer';
import type { Journal } from '#server';
import { onFolder, type FolderParts } from './folder-tools.js';
import type { StandaloneSettings } from './settings.js';

/** What `shoeprint export --data` asks for. */
interface FolderOrder {
  readonly asked: ExportAsked;
  readonly purpose: string;
  readonly recipient: string;
  readonly out: string;
  readonly by?: string;
}

const EXPORTER = 'system/exporter';
/** The most warnings that the record of the house keeps, and how long a text in it may be. */
const WARNINGS_MAX = 20;
const TEXT_MAX = 400;

/**
 * Makes a package of a data folder, whether its server runs or not, and records it in the house.
 * Seals for the time if no server does. Says each step and the end as a line of JSON on standard
 * output. Returns 0, or 1 if no package was made.
 */
export async function exportFolder(
  settings: StandaloneSettings,
  [order]: readonly string[],
  journal: Journal,
): Promise<number> {
  const { by, ...what } = JSON.parse(order ?? '{}') as FolderOrder;
  const person = `person/${by ?? userInfo().username}`;
  return onFolder(settings, journal, async (parts) => {
    const sealer = parts.isServed ? undefined : await sealerOf(parts, settings, journal);
    try {
      return await exported(parts, settings, { ...what, person });
    } finally {
      await sealer?.close();
    }
  });
}

const sealerOf = (
  { log, databaseUrl }: FolderParts,
  settings: StandaloneSettings,
  journal: Journal,
) => {
  const { gamingDays } = settings;
  return startSealer({ log, databaseUrl, settings, gamingDays, journal });
};

async function exported(
  { log, databaseUrl }: FolderParts,
  settings: StandaloneSettings,
  { asked, purpose, recipient, out, person }: Omit<FolderOrder, 'by'> & { readonly person: string },
): Promise<number> {
  const id = randomUUID();
  const { scope, ...options } = asked;
  const request = { export: id, scope: { ...scope }, purpose, recipient, options };
  await record(log, { type: 'export-requested', by: person, data: request });
  const [file, work] = [`${resolve(out)}.part`, join(settings.data, 'exports', `${id}.work`)];
  try {
    const made = await runExport(
      {
        ...{ asked, databaseUrl, file, work },
        log: { kind: 'postgres', url: databaseUrl, partitions: settings.partitions },
        ...{ rules: settings.rules, gamingDays: settings.gamingDays },
        key: settings.keyFiles.exports,
        lanes: settings.lanes,
      },
      { step: (step, share) => say({ is: 'step', step, share }), signal: NEVER },
    );
    await record(log, { type: 'export-made', by: EXPORTER, data: madeData(id, made) });
    await rename(file, resolve(out));
    say({ is: 'made', made });
    return 0;
  } catch (error) {
    await rm(file, { force: true });
    if (!(error instanceof ExportRefusal || error instanceof Refusal)) throw error;
    const code = error instanceof ExportRefusal ? error.code : 'settings';
    const data = { export: id, code, detail: excerpt(error.message, TEXT_MAX) };
    await record(log, { type: 'export-failed', by: EXPORTER, data });
    say({ is: 'refused', code, message: error.message });
    return 1;
  }
}

/** The command ends with its process, which leaves no package then. */
const NEVER = new AbortController().signal;

const say = (word: ExportWord): void => void process.stdout.write(`${JSON.stringify(word)}\n`);

function madeData(id: string, made: MadePackage): HouseEvent<'export-made'>['data'] {
  const { sha256, size, checkpoint, records } = made;
  const warnings = made.warnings.slice(0, WARNINGS_MAX).map((text) => excerpt(text, TEXT_MAX));
  return { export: id, package: made.id, sha256, size, checkpoint, records, warnings };
}

/** Records what was done. Throws `Refusal` if the log does not take it. */
async function record(log: EventLog, event: Parameters<typeof houseAppending>[1]): Promise<void> {
  await log.append(houseAppending(log, event, EXPORTER)).catch((error: unknown) => {
    throw new Refusal(
      `no package is made, because the log did not take the record of it: ${String(error)}`,
    );
  });
}
