import { Logger } from '@nestjs/common';
import { LogRefused, openLog } from '#event-log';
import { Refusal, SettingsRefused, settingsText } from '#process';
import { OtherFold, OtherLog } from '#read-model';
import { installedRules } from '#rule-folder';
import { listening } from '#server';
import { serveHealth } from './health.js';
import { inWords, journalOn, jsonLogger } from './own/journal.js';
import {
  REBUILD_EXIT,
  rebuildCommand,
  RebuildInterrupted,
  rebuildOptions,
} from './rebuild-command.js';
import { auditorSettings, type AuditorSettings } from './settings.js';
import { startAuditor } from './start-auditor.js';

/** What is under way may take so long once the process is told to end; then it ends anyway. */
const END_MS_MAX = 25_000;

/** What ends with 2 and words for a person. */
const REFUSALS = [SettingsRefused, Refusal, LogRefused, OtherLog, OtherFold];

const logger = jsonLogger();
const journal = journalOn(logger);
Logger.overrideLogger(logger);

/** What the log's client deals with by itself, and an operator should know. */
const onNotice = (notice: string): void => logger.warn({ message: 'a notice of the log', notice });

try {
  const settings = auditorSettings(process.env);
  const [command, ...options] = process.argv.slice(2);
  if (command === '--print-config') process.stdout.write(`${settingsText(settings)}\n`);
  else if (command === undefined) await follow(settings);
  else if (command === 'rebuild') await rebuild(settings, options);
  else throw new Refusal(`there is no command ${command}: none, rebuild, or --print-config`);
} catch (error) {
  refuse(error);
}

async function follow(settings: AuditorSettings): Promise<void> {
  const book = installedRules(settings.rules);
  const log = await openLog(settings.log, onNotice);
  const { databaseUrl, gamingDays, leaseMs } = settings;
  const auditor = await startAuditor({ log, databaseUrl, book, gamingDays, leaseMs, journal });
  const health = await listening(
    () => serveHealth({ log, auditor }, settings.host, settings.metricsPort),
    'SHOEPRINT_METRICS_PORT',
  );
  endOn(['SIGTERM', 'SIGINT'], async () => {
    await auditor.close();
    await health.close();
    await log.close();
  });
  journal.info('following', {
    owner: auditor.owner,
    health: health.url,
    log: log.id,
    partitions: log.partitions,
  });
  const { powerSafe, notes } = await log.health();
  if (!powerSafe) logger.warn({ message: 'the log is not power-safe', notes });
}

async function rebuild(
  { rules, databaseUrl, gamingDays, log: where }: AuditorSettings,
  given: readonly string[],
): Promise<void> {
  const options = rebuildOptions(given);
  const book = installedRules(rules);
  const log = await openLog(where, onNotice);
  try {
    process.exitCode = await rebuildCommand(
      { log, book, databaseUrl, gamingDays, journal },
      options,
    );
  } finally {
    await log.close();
  }
}

/** The first signal ends in order: what is folded is written, and the partitions go to the others. A second one, or too long a wait, ends at once. */
function endOn(signals: readonly NodeJS.Signals[], end: () => Promise<void>): void {
  let ending = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (ending) process.exit(1);
    ending = true;
    journal.info('ending', { signal });
    setTimeout(() => {
      journal.error('what was under way did not end in time', { ms: END_MS_MAX });
      process.exit(1);
    }, END_MS_MAX).unref();
    end().then(() => process.exit(0), refuse);
  };
  for (const signal of signals) process.on(signal, stop);
}

/** A setting that is wrong, or rows that are of another log or fold, end with 2 and words for a person; a fault of ours with 1, and of a rebuild with 70. */
function refuse(error: unknown): never {
  if (error instanceof RebuildInterrupted) {
    journal.info(error.message);
    process.exit(REBUILD_EXIT.interrupted);
  }
  if (REFUSALS.some((refusal) => error instanceof refusal)) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
  journal.error('ended by a fault of its own', {
    error: inWords(error),
    stack: error instanceof Error ? error.stack : undefined,
  });
  process.exit(process.argv[2] === 'rebuild' ? REBUILD_EXIT.fault : 1);
}
