import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runRebuild, type RebuildOptions } from '#auditor';
import { openLog, type EventLog } from '#event-log';
import { Refusal } from '#process';
import { installedRules } from '#rule-folder';
import { runSealCommand } from '#sealer';
import type { Journal } from '#server';
import { folderCluster } from './folder-cluster.js';
import { FolderInUse, lockFolder } from './folder-lock.js';
import type { StandaloneSettings } from './settings.js';

/** What a tool works on: the database of a data folder, and its log. */
export interface FolderParts {
  readonly databaseUrl: string;
  readonly log: EventLog;
  /** Whether its server runs. */
  readonly isServed: boolean;
}

/**
 * Rebuilds the rows of a data folder. Returns the exit code as `rebuildCommand` does. Throws
 * `Refusal` if the folder has no database.
 */
export const rebuildFolder = (
  settings: StandaloneSettings,
  options: RebuildOptions,
  journal: Journal,
): Promise<number> => {
  const { rules, gamingDays, lanes } = settings;
  const book = installedRules(rules);
  return onFolder(settings, journal, (parts) =>
    runRebuild({ ...parts, book, gamingDays, lanes, journal }, options),
  );
};

/** Runs a command about the seals of a data folder, and returns its exit code. */
export const sealFolder = (
  settings: StandaloneSettings,
  words: readonly string[],
  journal: Journal,
): Promise<number> =>
  onFolder(settings, journal, (parts) => {
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    return runSealCommand(words, { ...parts, keyFiles: settings.keyFiles, print });
  });

/**
 * Runs a tool on the database of a data folder while its server runs. If none runs, starts
 * PostgreSQL for the duration of the tool.
 */
export async function onFolder(
  { data, partitions }: StandaloneSettings,
  journal: Journal,
  run: (parts: FolderParts) => Promise<number>,
): Promise<number> {
  if (!existsSync(join(data, 'pgdata', 'PG_VERSION')))
    throw new Refusal(`${data} has no database of Shoeprint`);
  const cluster = folderCluster(data, (line) => journal.info(line));
  await cluster.start();
  const unlock = await unlockOf(cluster.url, data);
  try {
    const log = await openLog({ kind: 'postgres', url: cluster.url, partitions });
    try {
      return await run({ databaseUrl: cluster.url, log, isServed: unlock === undefined });
    } finally {
      await log.close();
    }
  } finally {
    if (unlock) {
      await unlock();
      await cluster.stop();
    }
  }
}

/**
 * Locks the folder. Returns undefined if a server runs on it: its database must then keep running.
 */
async function unlockOf(
  databaseUrl: string,
  data: string,
): Promise<(() => Promise<void>) | undefined> {
  try {
    return await lockFolder(databaseUrl, data);
  } catch (error) {
    if (error instanceof FolderInUse) return undefined;
    throw error;
  }
}
