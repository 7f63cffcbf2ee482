import { Logger } from '@nestjs/common';
import { jsonLogger } from '#api';
import { jsonJournal, REBUILD_EXIT, RebuildInterrupted, rebuildOptions } from '#auditor';
import { LogRefused } from '#event-log';
import { Refusal, SettingsRefused, settingsText } from '#process';
import { FolderInUse } from './folder-lock.js';
import { rebuildFolder } from './rebuild-folder.js';
import { standaloneSettings, type StandaloneSettings } from './settings.js';
import { startStandalone, type Standalone } from './standalone.js';

/** What is under way may take so long once the process is told to end. */
const END_MS_MAX = 25_000;
const SAME_REQUEST_MS = 1_000;

// On a terminal people read: what goes wrong is for them too, the rest is in /metrics and /readyz.
const logger = jsonLogger(process.stdout.isTTY ? ['fatal', 'error', 'warn'] : undefined);
Logger.overrideLogger(logger);

let running: Standalone | undefined;
let endingSince: number | undefined;
const [command, ...options] = process.argv.slice(2);

try {
  const settings = standaloneSettings(process.env);
  if (command === '--print-config') process.stdout.write(`${settingsText(settings)}\n`);
  else if (command === 'rebuild')
    process.exitCode = await rebuildFolder(settings, rebuildOptions(options), jsonJournal());
  else if (command === undefined || command === '--sample-day')
    await serve(settings, command === '--sample-day');
  else
    throw new Refusal(
      `there is no command ${command}: none, --sample-day, rebuild, or --print-config`,
    );
} catch (error) {
  refuse(error);
}

async function serve(settings: StandaloneSettings, sampleDay: boolean): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void end());
  process.on('disconnect', () => void end());
  running = await startStandalone({ settings, sampleDay, logger, say });
  if (endingSince !== undefined) await stop(running);
  else tell(running);
}

function say(what: string): void {
  process.stderr.write(`shoeprint: ${what}\n`);
}

function tell({ url, signIn, sampleEvents }: Standalone): void {
  const lines = [
    `Shoeprint answers at ${url}/docs`,
    ...(sampleEvents > 0
      ? [
          `A sample day of ${sampleEvents.toLocaleString('en')} events lies on the log, with faults to find: ${url}/v1/reports/misdealt`,
        ]
      : []),
    signIn ? `Sign in as ${signIn.name} with the password ${signIn.password}` : 'Sign in as before',
    'Ctrl-C stops it; the data stays.',
  ];
  process.stdout.write(`\n${lines.map((line) => `  ${line}`).join('\n')}\n\n`);
}

/** The first signal ends in order; a later one, or too long a wait, at once. What comes right after the first is the same request: a service manager tells a whole group. */
async function end(): Promise<void> {
  if (endingSince !== undefined) {
    if (performance.now() - endingSince > SAME_REQUEST_MS) process.exit(1);
    return;
  }
  endingSince = performance.now();
  if (running) await stop(running);
}

async function stop(server: Standalone): Promise<void> {
  say('stopping');
  setTimeout(() => {
    say(`what was under way did not end within ${END_MS_MAX / 1000} s`);
    process.exit(1);
  }, END_MS_MAX).unref();
  try {
    await server.close();
  } catch (error) {
    refuse(error);
  }
  process.exit(0);
}

/** A setting that is wrong ends with 2 and words for a person; a fault of ours with 1 and its stack, and of a rebuild with 70. */
function refuse(error: unknown): never {
  if (error instanceof RebuildInterrupted) {
    say(error.message);
    process.exit(REBUILD_EXIT.interrupted);
  }
  if (
    error instanceof SettingsRefused ||
    error instanceof Refusal ||
    error instanceof FolderInUse ||
    error instanceof LogRefused
  ) {
    say(error.message);
    process.exit(2);
  }
  logger.fatal(error);
  process.exit(command === 'rebuild' ? REBUILD_EXIT.fault : 1);
}
