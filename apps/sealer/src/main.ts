import { Logger } from '@nestjs/common';
import { Refusal, settingsText } from '#process';
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
import { runSealCommand, SEAL_FAULT_EXIT, sealedSite } from './commands/seal-command.js';
import { sealerProbes } from './health.js';
import { sealerSettings, type SealerSettings } from './settings.js';
import { startSealer } from './start-sealer.js';

const [command, ...words] = process.argv.slice(2);
const logger = jsonLogger('sealer');
const journal = journalOn(logger, 'sealer');
Logger.overrideLogger(logger);

await runProgram(logger, run, command === 'seal' ? SEAL_FAULT_EXIT : 1);

async function run(): Promise<number> {
  const settings = sealerSettings(process.env);
  if (settings.logLevels) logger.setLogLevels([...settings.logLevels]);
  switch (command) {
    case undefined:
      await runServer(logger, () => seal(settings));
      return 0;
    case 'seal':
      return runCommand(settings);
    case '--print-config':
      process.stdout.write(`${settingsText(settings)}\n`);
      return 0;
    default:
      throw new Refusal(`unknown command ${command} (expected seal, --print-config or no command)`);
  }
}

async function runCommand({ log: where, databaseUrl, keyFiles }: SealerSettings): Promise<number> {
  await sealedSite(databaseUrl); // first, because opening a log in PostgreSQL creates a missing one
  const log = await Start.ofCommand(logger).openLog(
    where.kind === 'kafka' ? { ...where, create: false } : where,
  );
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    return await runSealCommand(words, { databaseUrl, log, keyFiles, print });
  } finally {
    await log.close();
  }
}

async function seal(settings: SealerSettings): Promise<Running> {
  keepHeapSmall();
  warnOfHeap(logger, process.env);
  const { databaseUrl, gamingDays } = settings;
  const start = new Start(logger);
  const health = await serveStart(start, settings);
  journal.info('starting', { probes: health.url });
  const log = await start.openLog(settings.log);
  const asked = { log, databaseUrl, settings, gamingDays, journal };
  const sealer = await startSealer(asked, start.reaching);
  const registry = Registry.merge([processRegistry(log), sealer.registry]);
  health.answerWith(sealerProbes({ log, sealer, registry, pages: settings }));
  const { owner, origin, vkey, safeKeyHere } = sealer;
  journal.info('sealer started', { owner, origin, vkey, health: health.url, log: log.id });
  if (safeKeyHere !== undefined)
    logger.warn({ message: 'the second log key belongs in a safe', file: safeKeyHere });
  const close = async (): Promise<void> => {
    await sealer.close();
    await health.close();
    await log.close();
  };
  return { close, standstill: () => log.standstill() };
}
