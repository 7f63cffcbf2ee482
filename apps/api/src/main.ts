import { Logger } from '@nestjs/common';
import { openLog } from '#event-log';
import { Refusal, settingsText } from '#process';
import { migrate, onceReachable } from '#read-model';
import { migrateSeal } from '#seal-store';
import {
  jsonLogger,
  keepHeapSmall,
  listening,
  processRegistry,
  runProgram,
  runServer,
  Start,
  warnOfHeap,
  type Running,
} from '#server';
import { createApi } from './create-api.js';
import { listenAt } from './http/listen-at.js';
import { answerWhileStarting } from './operation/answer-while-starting.js';
import { warnOfPlainHttp } from './http/plain-http.js';
import { ensureFirstAdmin } from './identity/accounts/first-admin.js';
import { migrateAccess } from './identity/database/access-database.js';
import { limitSealer } from './operation/sealer-limit.js';
import { rulesOfServer } from './settings/rules-of-server.js';
import { type ServerSettings, serverSettings } from './settings/server-settings.js';

const [command] = process.argv.slice(2);
const logger = jsonLogger('shoeprint');
Logger.overrideLogger(logger);

await runProgram(logger, async () => {
  const settings = serverSettings(process.env);
  if (settings.logLevels) logger.setLogLevels([...settings.logLevels]);
  switch (command) {
    case undefined:
      await runServer(logger, () => start(settings));
      return 0;
    case 'migrate':
      await Start.ofCommand(logger).withDatabase(() => migrateAll(settings));
      return 0;
    case '--print-config':
      process.stdout.write(`${settingsText(settings)}\n`);
      return 0;
    default:
      throw new Refusal(
        `unknown command ${command} (expected migrate, --print-config or no command)`,
      );
  }
});

/**
 * Creates or migrates every schema of the database, and makes the grants of the roles that exist,
 * as the owner of the schemas. Then the other programs may run as users who own nothing.
 */
async function migrateAll({ databaseUrl, log }: ServerSettings): Promise<void> {
  await migrateAccess(databaseUrl);
  await migrate(databaseUrl);
  await migrateSeal(databaseUrl);
  if (log.kind === 'postgres') {
    await (await openLog(log)).close();
    await limitSealer(log.url);
  }
  logger.log({ message: 'migrated' });
}

async function start(settings: ServerSettings): Promise<Running> {
  keepHeapSmall();
  warnOfHeap(logger, process.env);
  const { databaseUrl, basePath } = settings;
  const book = rulesOfServer(settings);
  const starting = new Start(logger);
  const answers = await listening(() => answerWhileStarting(settings, starting), 'SHOEPRINT_PORT');
  logger.log({ message: 'starting', address: answers.url });
  const migrated = async (): Promise<void> => {
    await migrateAccess(databaseUrl);
    await migrate(databaseUrl);
  };
  await starting.withDatabase(migrated);
  await makeFirstAdmin(settings);
  const log = await starting.openLog(settings.log);
  const exportFrom = { log: settings.log, rules: settings.rules };
  const app = await starting.withDatabase(async () => {
    await migrated(); // PostgreSQL may have gone away while Kafka was waited for
    const registry = processRegistry(log);
    return createApi({ settings, log, databaseUrl, book, registry, logger, exportFrom });
  });
  await answers.close();
  await listenAt(app, settings);
  warnOfPlainHttp(settings, logger);
  logger.log({ message: 'listening', url: await app.getUrl(), basePath });
  const { powerSafe, notes } = await log.health();
  if (!powerSafe) logger.warn({ message: 'the log is not power-safe', notes });
  const close = async (): Promise<void> => {
    await app.close();
    await log.close();
  };
  return { close, standstill: () => log.standstill() };
}

/** Makes the first account of a new database, and prints its password unless it was given. */
async function makeFirstAdmin({ databaseUrl, adminPassword }: ServerSettings): Promise<void> {
  const first = adminPassword === undefined ? {} : { password: adminPassword };
  // not tried again: a second try would not return the password that the first may have made
  const admin = await onceReachable(() => ensureFirstAdmin(databaseUrl, first), {
    onRetry: () => undefined,
    forMs: 0,
  });
  if (admin && adminPassword === undefined)
    process.stderr.write(
      `created the first account, ${admin.name}, with the password ${admin.password}; it is shown only once, and the first sign-in must change it\n`,
    );
}
