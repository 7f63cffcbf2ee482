import { Logger } from '@nestjs/common';
import { LogRefused, openLog } from '#event-log';
import { Refusal, SettingsRefused, settingsText } from '#process';
import { migrate } from '#read-model';
import { installedRules } from '#rule-folder';
import { listening } from '#server';
import { createApi, jsonLogger } from './create-api.js';
import { migrateAccess } from './identity/access-database.js';
import { ensureFirstAdmin } from './identity/first-admin.js';
import { processRegistry } from './operation/metrics.js';
import { type ServerSettings, serverSettings } from './settings/server-settings.js';

/** What is under way may take so long once the process is told to end; then it ends anyway. */
const END_MS_MAX = 25_000;

const logger = jsonLogger();
Logger.overrideLogger(logger);

try {
  const settings = serverSettings(process.env);
  if (process.argv.includes('--print-config')) process.stdout.write(`${settingsText(settings)}\n`);
  else await serve(settings);
} catch (error) {
  refuse(error);
}

async function serve(settings: ServerSettings): Promise<void> {
  const book = installedRules(settings.rules);
  await migrateAccess(settings.databaseUrl);
  await migrate(settings.databaseUrl);
  const admin = await ensureFirstAdmin(settings.databaseUrl, { password: settings.adminPassword });
  if (admin && settings.adminPassword === undefined)
    process.stderr.write(
      `made the first account: ${admin.name}, password ${admin.password}; this is told once\n`,
    );
  const log = await openLog(
    settings.log,
    (notice) => void logger.warn({ message: 'a notice of the log', notice }),
  );
  const app = await createApi({
    settings,
    log,
    databaseUrl: settings.databaseUrl,
    book,
    registry: processRegistry(),
    logger,
  });
  endOn(['SIGTERM', 'SIGINT'], async () => {
    await app.close();
    await log.close();
  });
  await listening(() => app.listen(settings.port, settings.host), 'SHOEPRINT_PORT');
  logger.log({ message: 'listening', url: await app.getUrl(), basePath: settings.basePath });
  const { powerSafe, notes } = await log.health();
  if (!powerSafe) logger.warn({ message: 'the log is not power-safe', notes });
}

/** The first signal ends in order: no more requests, answers to those under way, the log's queue drained. A second one, or too long a wait, ends at once. */
function endOn(signals: readonly NodeJS.Signals[], end: () => Promise<void>): void {
  let ending = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (ending) process.exit(1);
    ending = true;
    logger.log({ message: 'ending', signal });
    setTimeout(() => {
      logger.error({ message: `what was under way did not end within ${END_MS_MAX} ms` });
      process.exit(1);
    }, END_MS_MAX).unref();
    end().then(() => process.exit(0), refuse);
  };
  for (const signal of signals) process.on(signal, stop);
}

/** A setting that is wrong ends with 2 and words for a person; anything else with 1 and its stack. */
function refuse(error: unknown): never {
  if (error instanceof SettingsRefused || error instanceof Refusal || error instanceof LogRefused) {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  logger.fatal(error);
  process.exit(1);
}
