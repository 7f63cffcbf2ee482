import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { auditCommand } from './audit/command.js';
import { appVersion, asError, lanesAsked, packageFolder, visible } from '#process';
import type { LaneSetting } from '#audit';
import { emulateCommand } from './emulate/command.js';
import { exportCommand } from './export/command.js';
import { oddsCommand } from './odds/command.js';
import { gatewayCommand } from './gateway/command.js';
import { endQuietlyWhenNobodyReads } from './terminal/page.js';
import { EXIT, Refusal } from './refusal.js';
import { parkedCommand } from './server/parked-command.js';
import { rebuildCommand } from './server/rebuild-command.js';
import { rulesCommand } from './rules/command.js';
import { sendCommand } from './server/send-command.js';
import { checkpointCommand, keyCommand, sealCommand, verifyLog } from './server/seal-commands.js';
import { serveCommand } from './server/serve-command.js';
import { simulateCommand } from './simulate/command.js';
import { verifyCommand, type PublishedRules } from './verify/command.js';

const EXAMPLES = `
Examples:
  shoeprint audit examples/faulty-shoe.ndjson   judge a file of table events
  shoeprint simulate --shoes 3 --seed 7         deal lawful shoes as events
  shoeprint odds --decks 6                      exact odds of every bet
  shoeprint rules show punto-banco@1            a rule document, for people

"shoeprint help <command>" describes a command. NO_COLOR=1 turns colors off. SHOEPRINT_DEBUG=1 prints the stack of an internal error.`;

/** Returns the whole command line, ready to parse arguments. */
function program(): Command {
  const whole = new Command('shoeprint')
    .description(
      'Audit of baccarat: what was dealt, what the rules require, what went wrong, what is owed.',
    )
    .version(appVersion(), '--version', 'print the version')
    .addHelpText('after', EXAMPLES)
    .addCommand(auditCommand(lanes))
    .addCommand(verifyCommand({ published: publishedRules, lanes, verifyLog }))
    .addCommand(exportCommand())
    .addCommand(simulateCommand())
    .addCommand(emulateCommand())
    .addCommand(oddsCommand())
    .addCommand(rulesCommand())
    .addCommand(serveCommand())
    .addCommand(sendCommand())
    .addCommand(rebuildCommand())
    .addCommand(parkedCommand())
    .addCommand(sealCommand())
    .addCommand(gatewayCommand())
    .addCommand(keyCommand())
    .addCommand(checkpointCommand());
  strict(whole);
  return whole;
}

const lanes = (): LaneSetting => lanesAsked(process.env);

const publishedRules = (): PublishedRules =>
  JSON.parse(readFileSync(join(packageFolder(), 'rules/manifest.json'), 'utf8')) as PublishedRules;

/**
 * Makes a command and its subcommands throw instead of ending the process, and point to their help.
 */
function strict(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError(`(${pathOf(command)} --help lists the options)`)
    .showSuggestionAfterError();
  command.commands.forEach(strict);
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/**
 * Runs the command line and sets the exit code: the command's own, 2 for a refusal, 70 for an
 * internal error.
 */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  endQuietlyWhenNobodyReads();
  process.on('uncaughtException', (error) => process.exit(codeOf(error)));
  try {
    await program().parseAsync([...argv]);
  } catch (error) {
    process.exitCode = codeOf(error);
  }
}

/** Prints why a command failed, on standard error, and returns the exit code. */
function codeOf(error: unknown): number {
  // commander has printed its message already
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clean : EXIT.refused;
  if (error instanceof Refusal) {
    process.stderr.write(`shoeprint: ${error.message.split('\n').map(visible).join('\n')}\n`);
    return EXIT.refused;
  }
  const { message, stack } = asError(error);
  process.stderr.write(
    `shoeprint: internal error: ${visible(message.split('\n')[0] as string)} (SHOEPRINT_DEBUG=1 prints the stack)\n`,
  );
  if (process.env.SHOEPRINT_DEBUG) process.stderr.write(`${stack}\n`);
  return EXIT.bug;
}
