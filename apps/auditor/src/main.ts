import { Logger } from '@nestjs/common';
import { Refusal, settingsText } from '#process';
import { installedRules } from '#rule-folder';
import { Registry } from 'prom-client';
import {
  journalOn,
  jsonLogger,
  keepHeapSmall,
  processRegistry,
  runProgram,
  runServer,
  serveStart,
  Start,
  warnOfHeap,
  type Running,
} from '#server';
import { auditorProbes } from './health.js';
import { REBUILD_EXIT, runRebuild, rebuildOptions } from './rebuild-command.js';
import { auditorSettings, type AuditorSettings } from './settings.js';
import { startAuditor } from './start-auditor.js';

const [command, ...options] = process.argv.slice(2);
const logger = jsonLogger('auditor');
const journal = journalOn(logger, 'auditor');
Logger.overrideLogger(logger);

await runProgram(logger, run, command === 'rebuild' ? REBUILD_EXIT.fault : 1);

async function run(): Promise<number> {
  const settings = auditorSettings(process.env);
  if (settings.logLevels) logger.setLogLevels([...settings.logLevels]);
  switch (command) {
    case undefined:
      await runServer(logger, () => follow(settings));
      return 0;
    case 'rebuild':
      return rebuild(settings);
    case '--print-config':
      process.stdout.write(`${settingsText(settings)}\n`);
      return 0;
    default:
      throw new Refusal(
        `unknown command ${command} (expected rebuild, --print-config or no command)`,
      );
  }
}

async function follow(settings: AuditorSettings): Promise<Running> {
  keepHeapSmall();
  warnOfHeap(logger, process.env);
  const book = installedRules(settings.rules);
  const start = new Start(logger);
  const health = await serveStart(start, settings);
  journal.info('starting', { probes: health.url });
  const log = await start.openLog(settings.log);
  const { databaseUrl, gamingDays, leaseMs, lanes } = settings;
  const given = { log, databaseUrl, book, gamingDays, leaseMs, lanes, journal };
  const auditor = await startAuditor({ ...given, warmsUp: true }, start.reaching);
  const registry = Registry.merge([processRegistry(log), auditor.registry]);
  health.answerWith(auditorProbes({ log, auditor, registry, pages: settings }));
  journal.info('following', {
    owner: auditor.owner,
    health: health.url,
    log: log.id,
    partitions: log.partitions,
  });
  const { powerSafe, notes } = await log.health();
  if (!powerSafe) logger.warn({ message: 'the log is not power-safe', notes });
  const close = async (): Promise<void> => {
    await auditor.close();
    await health.close();
    await log.close();
  };
  return { close, standstill: () => log.standstill() };
}

async function rebuild({
  rules,
  databaseUrl,
  gamingDays,
  lanes,
  log: where,
}: AuditorSettings): Promise<number> {
  const asked = rebuildOptions(options);
  const book = installedRules(rules);
  const log = await Start.ofCommand(logger).openLog(where);
  try {
    return await runRebuild({ log, book, databaseUrl, gamingDays, lanes, journal }, asked);
  } finally {
    await log.close();
  }
}
