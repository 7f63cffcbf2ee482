import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runRebuild, type RebuildOptions } from '#auditor';
import { openLog } from '#event-log';
import { Refusal } from '#process';
import { installedRules } from '#rule-folder';
import type { Journal } from '#server';
import { folderCluster } from './folder-cluster.js';
import { FolderInUse, lockFolder } from './folder-lock.js';
import type { StandaloneSettings } from './settings.js';

/**
 * Rebuilds the rows of a data folder while its server runs. If none runs, starts PostgreSQL for the
 * duration of the rebuild. Returns the exit code as `rebuildCommand` does. Throws `Refusal` if the
 * folder has no database.
 */
export async function rebuildFolder(
  { data, partitions, rules, gamingDays }: StandaloneSettings,
  options: RebuildOptions,
  journal: Journal,
): Promise<number> {
  if (!existsSync(join(data, 'pgdata', 'PG_VERSION')))
    throw new Refusal(`${data} has no database of Shoeprint`);
  const book = installedRules(rules);
  const cluster = folderCluster(data, (line) => journal.info(line));
  await cluster.start();
  const unlock = await unlockOf(cluster.url, data);
  try {
    const log = await openLog({ kind: 'postgres', url: cluster.url, partitions });
    try {
      return await runRebuild(
        { log, book, databaseUrl: cluster.url, gamingDays, journal },
        options,
      );
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
