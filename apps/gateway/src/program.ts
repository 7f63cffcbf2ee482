import { asError, errorCode, Refusal } from '#process';
import { SpoolDiskFault, SpoolHeld } from '#spool';
import { runCommand } from './commands/commands.js';
import { PortHeld } from './ports/port.js';

/**
 * Refused configurations and options; a spool, a port or an address of another process; a bug; a
 * disk that refuses. Only the first stays as it is until a person changes a file or an option.
 */
const EXIT = { refused: 2, held: 4, bug: 70, disk: 74 } as const;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Runs the command of these words, prints why it failed if it does, and ends the process with the
 * exit code.
 */
export async function runProgram(words: readonly string[]): Promise<never> {
  try {
    // The channel to the process that started this one would keep it alive.
    process.exit(await runCommand(words, print));
  } catch (error) {
    process.stderr.write(`${error instanceof Refusal ? error.message : asError(error).stack}\n`);
    process.exit(codeOf(error));
  }
}

function codeOf(error: unknown): number {
  const code = errorCode(error);
  if (error instanceof SpoolHeld || error instanceof PortHeld || code === 'EADDRINUSE')
    return EXIT.held;
  if (error instanceof SpoolDiskFault) return EXIT.disk;
  const isUsage = code?.startsWith('ERR_PARSE_ARGS') === true;
  return error instanceof Refusal || isUsage ? EXIT.refused : EXIT.bug;
}
