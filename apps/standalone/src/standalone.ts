import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApi, ensureFirstAdmin, migrateAccess, processRegistry, ROLES } from '#api';
import { journalOn, startAuditor } from '#auditor';
import { openLog } from '#event-log';
import { migrate } from '#read-model';
import { installedRules } from '#rule-folder';
import { listening } from '#server';
import { Registry } from 'prom-client';
import { clusterOf } from './folder-cluster.js';
import { lockFolder } from './folder-lock.js';
import { dealSampleDay, wantsSampleDay } from './sample-day.js';
import type { StandaloneSettings } from './settings.js';

/** Everything, running in this process. */
export interface Standalone {
  /** Where it answers. */
  readonly url: string;
  /** An administrator's name and password; undefined where the first start of this folder was given another way to sign in. */
  readonly signIn: { readonly name: string; readonly password: string } | undefined;
  /** Events of the sample day dealt by this start; 0 where there was a record already or none was asked for. */
  readonly sampleEvents: number;
  /** Stops taking requests, drains the log, writes what is folded, and stops the database, in this order. */
  readonly close: () => Promise<void>;
}

export interface StartStandalone {
  readonly settings: StandaloneSettings;
  readonly sampleDay: boolean;
  readonly logger: LoggerService;
  /** Told before something that takes a while. */
  readonly say: (what: string) => void;
}

/**
 * Starts PostgreSQL, the api and the auditor on a data folder. What was started is stopped again where a later part
 * cannot be. Throws `FolderInUse` where another server runs on the folder.
 */
export async function startStandalone({
  settings,
  sampleDay,
  logger,
  say,
}: StartStandalone): Promise<Standalone> {
  const started: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let stop = started.pop(); stop; stop = started.pop()) await stop();
  };
  try {
    const book = installedRules(settings.rules);
    say('starting PostgreSQL');
    const databaseUrl = await startDatabase(settings.data, started);
    await migrateAccess(databaseUrl);
    await migrate(databaseUrl);
    const signIn = await signInOf(databaseUrl, settings);
    const log = await openLog(
      { kind: 'postgres', url: databaseUrl, partitions: settings.partitions },
      (notice) => void logger.warn({ message: 'a notice of the log', notice }),
    );
    started.push(() => log.close());
    const auditor = await startAuditor({
      log,
      databaseUrl,
      book,
      gamingDays: settings.gamingDays,
      journal: journalOn(logger),
    });
    started.push(() => auditor.close());
    const registry = Registry.merge([processRegistry(), auditor.registry]);
    const app = await createApi({ settings, log, databaseUrl, book, registry, logger });
    started.push(() => app.close());
    await listening(() => app.listen(settings.port, settings.host), 'SHOEPRINT_PORT');
    const dealt =
      sampleDay && (await wantsSampleDay(log, settings.data))
        ? await deal(app, signIn, settings, say)
        : 0;
    return { url: `${await app.getUrl()}${settings.basePath}`, signIn, sampleEvents: dealt, close };
  } catch (error) {
    await close();
    throw error;
  }

  async function deal(
    app: NestFastifyApplication,
    signIn: Standalone['signIn'],
    { data, basePath, rules }: StandaloneSettings,
    tell: (what: string) => void,
  ): Promise<number> {
    if (!signIn) return 0;
    tell('dealing a sample day');
    return dealSampleDay(app, signIn, {
      book: installedRules(rules),
      folder: data,
      basePath,
      now: new Date(),
    });
  }
}

/** The database of the folder; the server of a run that was killed is used on. */
async function startDatabase(data: string, started: (() => Promise<void>)[]): Promise<string> {
  const cluster = clusterOf(data);
  await cluster.start();
  const unlock = await lockFolder(cluster.url, data); // before the cluster is ours to stop: it may be another's
  started.push(() => cluster.stop(), unlock);
  return cluster.url;
}

/**
 * The first administrator: on one machine for one person it may do everything. Its password stands in the data folder,
 * beside that of the database, so that every start can tell it; whoever reads one can read all the rest.
 */
async function signInOf(
  databaseUrl: string,
  { data, adminPassword }: StandaloneSettings,
): Promise<Standalone['signIn']> {
  const file = join(data, 'sign-in.json');
  const made = await ensureFirstAdmin(databaseUrl, { password: adminPassword, roles: ROLES });
  if (made && adminPassword === undefined)
    writeFileSync(file, `${JSON.stringify(made)}\n`, { mode: 0o600 });
  if (made) return made;
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Standalone['signIn'])
    : undefined;
}
