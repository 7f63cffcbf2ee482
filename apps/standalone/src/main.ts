import { Logger } from '@nestjs/common';
import { REBUILD_EXIT, rebuildOptions } from '#auditor';
import { Refusal, settingsText } from '#process';
import { SEAL_FAULT_EXIT } from '#sealer';
import {
  jsonJournal,
  jsonLogger,
  runProgram,
  runServer,
  ServerLogger,
  warnOfHeap,
  type Running,
} from '#server';
import { exportFolder } from './export-folder.js';
import { rebuildFolder, sealFolder } from './folder-tools.js';
import { standaloneSettings, type StandaloneSettings } from './settings.js';
import { startStandalone, type StartStandalone } from './standalone.js';
import { logReport, terminalReport } from './start-report.js';

const [command, ...options] = process.argv.slice(2);
/**
 * People read a terminal, so there the report shows the progress of the start, and the log only
 * problems.
 */
const isTerminal = process.stdout.isTTY;
const logger = isTerminal
  ? new ServerLogger('shoeprint', { logLevels: ['fatal', 'error', 'warn'], compact: true })
  : jsonLogger('shoeprint');
Logger.overrideLogger(logger);

const FAULT_EXITS = new Map([
  ['rebuild', REBUILD_EXIT.fault],
  ['seal', SEAL_FAULT_EXIT],
]);
await runProgram(logger, run, FAULT_EXITS.get(command ?? '') ?? 1);

async function run(): Promise<number> {
  const settings = standaloneSettings(process.env);
  if (settings.logLevels) logger.setLogLevels([...settings.logLevels]);
  switch (command) {
    case undefined:
    case '--sample-day':
      await runServer(logger, (stopping) => start(settings, { live: isLive(), stopping }), true);
      return 0;
    case 'rebuild':
      return rebuildFolder(settings, rebuildOptions(options), jsonJournal('auditor'));
    case 'seal':
      return sealFolder(settings, options, jsonJournal('sealer'));
    case 'export':
      return exportFolder(settings, options, jsonJournal('exporter'));
    case '--print-config':
      process.stdout.write(`${settingsText(settings)}\n`);
      return 0;
    default:
      throw new Refusal(
        `unknown command ${command}: expected --sample-day, rebuild, seal, export, --print-config or no command`,
      );
  }
}

/** Returns whether to deal a live table. Throws `Refusal` for any other option. */
function isLive(): boolean {
  const other = options.find((option) => option !== '--live');
  if (other !== undefined)
    throw new Refusal(`unknown option ${other}: npm start takes --live or no option`);
  return options.length > 0;
}

async function start(
  settings: StandaloneSettings,
  asked: Pick<StartStandalone, 'live' | 'stopping'>,
): Promise<Running> {
  warnOfHeap(logger, process.env);
  const report = isTerminal ? terminalReport(settings.data) : logReport(logger);
  asked.stopping.addEventListener('abort', report.stopping, { once: true });
  const sampleDay = command === '--sample-day';
  const server = await startStandalone({ settings, sampleDay, logger, report, ...asked });
  report.ready(server);
  return server;
}
