import { Logger } from '@nestjs/common';
import { openLog } from '#event-log';
import { settingsText } from '#process';
import { migrate } from '#read-model';
import { installedRules } from '#rule-folder';
import { jsonLogger, listening, runProgram, runServer, type Running } from '#server';
import { createApi } from './create-api.js';
import { ensureFirstAdmin } from './identity/accounts/first-admin.js';
import { migrateAccess } from './identity/database/access-database.js';
import { processRegistry } from './operation/metrics.js';
import { type ServerSettings, serverSettings } from './settings/server-settings.js';

const logger = jsonLogger('shoeprint');
Logger.overrideLogger(logger);

await runProgram(logger, async () => {
  const settings = serverSettings(process.env);
  if (settings.logLevels) logger.setLogLevels([...settings.logLevels]);
  if (process.argv.includes('--print-config')) process.stdout.write(`${settingsText(settings)}\n`);
  else await runServer(logger, () => start(settings));
  return 0;
});

async function start(settings: ServerSettings): Promise<Running> {
  const { databaseUrl, adminPassword, port, host, basePath } = settings;
  const book = installedRules(settings.rules);
  await migrateAccess(databaseUrl);
  await migrate(databaseUrl);
  const admin = await ensureFirstAdmin(
    databaseUrl,
    adminPassword === undefined ? {} : { password: adminPassword },
  );
  if (admin && adminPassword === undefined)
    process.stderr.write(
      `created the first account, ${admin.name}, with the password ${admin.password}; it is shown only once, and the first sign-in must change it\n`,
    );
  const log = await openLog(
    settings.log,
    (notice) => void logger.warn({ message: 'event log warning', notice }),
  );
  const registry = processRegistry();
  const app = await createApi({ settings, log, databaseUrl, book, registry, logger });
  await listening(() => app.listen(port, host), 'SHOEPRINT_PORT');
  logger.log({ message: 'listening', url: await app.getUrl(), basePath });
  const { powerSafe, notes } = await log.health();
  if (!powerSafe) logger.warn({ message: 'the log is not power-safe', notes });
  const close = async (): Promise<void> => {
    await app.close();
    await log.close();
  };
  return { close };
}
