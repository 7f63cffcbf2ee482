import { CommanderError } from 'commander';
import { EXIT, Refusal } from '../refusal.js';
import { lanesAsked, type Variables } from '#process';
import { verifyCommand } from './command.js';
import published from '../../../../rules/manifest.json' with { type: 'json' };

/** The exit code of a command line that cannot be used: no package was read. */
const UNUSABLE = 3;

/**
 * Runs the verifier with arguments as `process.argv` has them, and sets the exit code of the
 * process. `variables` is its environment. A bug is never a verdict: its exit code is that of no
 * verdict.
 */
export async function runVerifier(argv: readonly string[], variables: Variables): Promise<void> {
  try {
    await verifyCommand({ published: () => published, lanes: () => lanesAsked(variables) })
      .name('shoeprint-verify')
      .exitOverride()
      .parseAsync(argv);
  } catch (error) {
    process.exitCode = exitOf(error);
    if (error instanceof Refusal) process.stderr.write(`shoeprint-verify: ${error.message}\n`);
    else if (process.exitCode === EXIT.bug) console.error(error);
  }
}

function exitOf(error: unknown): number {
  if (error instanceof Refusal) return UNUSABLE;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clean : UNUSABLE;
  return EXIT.bug;
}
