import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  createApi,
  ensureFirstAdmin,
  limitSealer,
  listenAt,
  migrateAccess,
  passwordState,
  ROLES,
  rulesOfServer,
  unusedPasswords,
  warnOfPlainHttp,
  type FirstAdmin,
} from '#api';
import type { RuleBook } from '#audit';
import { openLog, type EventLog, type LogSettings } from '#event-log';
import { migrate, onceReachable } from '#read-model';
import { migrateSeal } from '#seal-store';
import { startSealer, type RunningSealer } from '#sealer';
import { unlessAborted } from '#process';
import { journalOn, processRegistry, StartAgain } from '#server';
import { Registry } from 'prom-client';
import { databaseRoles, type DatabaseAddresses } from './database-roles.js';
import { folderCluster } from './folder-cluster.js';
import { lockFolder } from './folder-lock.js';
import { dealLiveTable } from './sample/live-table.js';
import { startOnAnyRows } from './rows-of-before.js';
import { dealSampleDay, wantsSampleDay } from './sample/sample-day.js';
import { SAMPLE_PEOPLE } from './sample/sample-people.js';
import type { StandaloneSettings } from './settings.js';
import type { StartReport } from './start-report.js';

/** How the first administrator signs in. */
interface SignIn {
  readonly name: string;
  /** A generated password that nobody has used yet; undefined for any other. */
  readonly password: string | undefined;
  /** The file that holds both; undefined if the password was set from outside. */
  readonly file: string | undefined;
  /** The people of the sample floor whose generated passwords nobody has used yet. */
  readonly people: readonly FirstAdmin[];
}

/** The whole server, running in this process. */
export interface Standalone {
  /** URL of the api. */
  readonly url: string;
  /**
   * The first administrator, at the first start and as long as their password is the generated one.
   */
  readonly signIn: SignIn | undefined;
  /**
   * Number of events of the sample day that this start dealt; 0 if the log was not empty or no
   * sample day was requested.
   */
  readonly sampleEvents: number;
  /** The key that signs what is sealed, and where its second key lies. */
  readonly seal: Pick<RunningSealer, 'vkey' | 'safeKeyHere'>;
  /**
   * Stops taking requests, drains the log, writes the pending rows and stops the database, in this
   * order.
   */
  readonly close: () => Promise<void>;
  /** Rejects with `StartAgain` if the database ends. Never resolves. */
  readonly failed: Promise<never>;
}

/** Parameters of `startStandalone`. */
export interface StartStandalone {
  readonly settings: StandaloneSettings;
  readonly sampleDay: boolean;
  /** Whether to deal one more table beside the sample day, at the pace of play. */
  readonly live?: boolean;
  readonly logger: LoggerService;
  readonly report: StartReport;
  /** Ends the start: the parts that have started are stopped, and it rejects. */
  readonly stopping: AbortSignal;
}

/**
 * Starts PostgreSQL, the api, the auditor and the sealer on a data folder. If a part cannot start,
 * stops the parts that have started. Throws `FolderInUse` if another server runs on the folder, and
 * `StartAgain` if the database ends meanwhile.
 */
export async function startStandalone(parts: StartStandalone): Promise<Standalone> {
  const started: Stop[] = [];
  const close = async (): Promise<void> => {
    for (let stop = started.pop(); stop; stop = started.pop()) await stop();
  };
  const ending = new AbortController();
  const failed = unlessAborted(ending.signal, new Promise<never>(() => undefined));
  failed.catch(() => undefined); // nobody listens after a stop
  const lost = (): void => ending.abort(new StartAgain('PostgreSQL ended, or ended its sessions'));
  try {
    const starting = unlessAborted(parts.stopping, startParts(parts, started, lost));
    return { ...(await Promise.race([starting, failed])), close, failed };
  } catch (error) {
    // Without the database nothing can be closed in order.
    if (!(error instanceof StartAgain)) await close();
    throw error;
  }
}

type Stop = () => Promise<void>;

/** Starts each part and adds the function that stops it to `started`. */
async function startParts(
  parts: StartStandalone,
  started: Stop[],
  lost: () => void,
): Promise<Omit<Standalone, 'close' | 'failed'>> {
  const { settings, sampleDay, live, logger, report } = parts;
  const book = rulesOfServer(settings);
  const opened = await openFolder(parts, started, lost);
  const { database, log, signIn } = opened;
  const { data: folder, basePath, policy } = settings;
  // Asked before the api starts, because it records its start in the log.
  const isWanted = sampleDay && (await wantsSampleDay(log, folder));
  const { registries, beside, seal } = await startReaders(parts, { ...opened, book }, started);
  const app = await report.step('API', async () => {
    const databaseUrl = database.api;
    const exportFrom = { log: folderLog(database.log, settings), rules: settings.rules };
    const create = (): Promise<NestFastifyApplication> => {
      const registry = Registry.merge([processRegistry(log), ...registries]); // one for each try
      return createApi({ settings, log, databaseUrl, book, registry, logger, exportFrom, beside });
    };
    const api = await reached(create, logger);
    started.push(() => api.close());
    warnOfPlainHttp(settings, logger);
    await listenAt(api, settings);
    return api;
  });
  const sampleEvents =
    isWanted && signIn
      ? await report.step('Sample day', () =>
          dealSampleDay(app, signIn, { book, folder, basePath, policy, now: new Date() }),
        )
      : 0;
  if (live) {
    const table = await dealLiveTable(app, { book, basePath, logger });
    started.push(table.close);
  }
  return { url: `${await app.getUrl()}${basePath}`, signIn, sampleEvents, seal };
}

/** Does a part of the start again while PostgreSQL refuses or breaks connections. */
const reached = <T>(part: () => Promise<T>, logger: LoggerService): Promise<T> =>
  onceReachable(part, {
    onRetry: ({ message: error }) =>
      void logger.error({ message: 'retrying start: PostgreSQL cannot be reached', error }),
  });

/** What reads the log: its metrics, what fails of its work, and the sealer. */
interface Readers {
  readonly registries: readonly Registry[];
  readonly beside: NonNullable<Parameters<typeof createApi>[0]['beside']>;
  readonly seal: RunningSealer;
}

/** Starts what reads the log: the auditor and the sealer. */
async function startReaders(
  { settings, logger, report }: StartStandalone,
  { database, log, sealersLog, book }: Folder & { readonly book: RuleBook },
  started: Stop[],
): Promise<Readers> {
  const { gamingDays, lanes } = settings;
  const auditor = await report.step('Auditor', () => {
    const [databaseUrl, journal] = [database.auditor, journalOn(logger, 'auditor')];
    return startOnAnyRows(
      { log, databaseUrl, book, gamingDays, lanes, warmsUp: true, journal },
      { owner: database.owner, say: report.note },
    );
  });
  started.push(() => auditor.close());
  const seal = await report.step('Sealer', () => {
    const [databaseUrl, journal] = [database.sealer, journalOn(logger, 'sealer')];
    return startSealer({ log: sealersLog, databaseUrl, settings, gamingDays, journal });
  });
  started.push(() => seal.close());
  const beside = {
    judging: () => auditor.stats().failing.map(({ work, error }) => `${work}: ${error}`),
    sealing: () => [seal.trouble() ?? []].flat(),
  };
  return { registries: [auditor.registry, seal.registry], beside, seal };
}

/** What a data folder holds, for the parts of the server. */
interface Folder {
  readonly database: DatabaseAddresses;
  readonly log: EventLog;
  /** The same log for the sealer, which may append to the record of the house alone. */
  readonly sealersLog: EventLog;
  readonly signIn: SignIn | undefined;
}

/** Starts the database of the folder, migrates it as its owner, and opens the log. */
async function openFolder(
  { settings, sampleDay, logger, report }: StartStandalone,
  started: Stop[],
  lost: () => void,
): Promise<Folder> {
  const notes: string[] = [];
  const cluster = folderCluster(settings.data, (line) => void notes.push(line));
  const owner = await report.step('PostgreSQL', async () => {
    // An adopted cluster may belong to another server until it is locked, and is not stopped.
    started.push(async () => (cluster.isLaunched ? cluster.stop() : undefined));
    await cluster.start();
    const unlock = await lockFolder(cluster.url, settings.data, lost);
    started.push(() => cluster.stop(), unlock);
    return cluster.url;
  });
  for (const line of notes) report.note(line);
  const folder = await report.step('Accounts, rows and log', async () => {
    const open = (url: string): Promise<EventLog> =>
      reached(() => openFolderLog(url, settings, logger), logger);
    const database = await reached(() => databaseRoles(owner), logger);
    for (const migration of [migrateAccess, migrate, migrateSeal])
      await reached(() => migration(owner), logger);
    await (await open(owner)).close();
    await reached(() => limitSealer(owner), logger);
    const signIn = await reached(() => signInOf(database.api, settings, sampleDay), logger);
    const log = await open(database.log);
    started.push(() => log.close());
    const sealersLog = await open(database.sealer);
    started.push(() => sealersLog.close());
    return { database, log, sealersLog, signIn };
  });
  return folder;
}

const folderLog = (url: string, { partitions }: StandaloneSettings): LogSettings => ({
  kind: 'postgres',
  ...{ url, partitions },
});

const openFolderLog = (
  url: string,
  settings: StandaloneSettings,
  logger: LoggerService,
): Promise<EventLog> =>
  openLog(
    folderLog(url, settings),
    (notice) => void logger.warn({ message: 'event log warning', notice }),
  );

/** What the file of the sign-in holds. A password from outside is not in it. */
interface Kept {
  readonly name: string;
  readonly password?: string;
  readonly people?: readonly FirstAdmin[];
}

/**
 * Returns the first administrator, who may do everything on one machine. A generated password is in
 * the data folder, next to that of the database: a reader of one file can read everything else. A
 * password from outside must be changed, unless the folder holds the sample day.
 */
async function signInOf(
  databaseUrl: string,
  { data, adminPassword }: StandaloneSettings,
  sampleDay: boolean,
): Promise<SignIn | undefined> {
  const file = join(data, 'sign-in.json');
  const made = await ensureFirstAdmin(databaseUrl, {
    ...(adminPassword !== undefined && { password: adminPassword }),
    roles: ROLES,
    mustChangePassword: adminPassword !== undefined && !sampleDay,
    people: sampleDay ? SAMPLE_PEOPLE : [],
  });
  const isGiven = adminPassword !== undefined;
  if (made) {
    const { password, ...rest } = made;
    const kept = isGiven ? rest : { name: made.name, password, people: made.people };
    if (!isGiven || made.people.length > 0)
      writeFileSync(file, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
  }
  if (!existsSync(file))
    return made && { name: made.name, password: undefined, file: undefined, people: [] };
  const { name, password, people = [] } = JSON.parse(readFileSync(file, 'utf8')) as Kept;
  const unused = await unusedPasswords(databaseUrl, people);
  if (password === undefined) return { name, password, file: undefined, people: unused };
  const state = await passwordState(databaseUrl, { name, password });
  if (state === 'changed') return undefined;
  return { name, password: state === 'unused' ? password : undefined, file, people: unused };
}
