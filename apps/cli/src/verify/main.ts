// First, so that the checks of a package come first in the one file.
import '#evidence';
import { CommanderError } from 'commander';
import { Refusal } from '../refusal.js';
import { endQuietlyWhenNobodyReads } from '../terminal/page.js';
import { verifyCommand } from './command.js';
import published from '../../../../rules/manifest.json' with { type: 'json' };

/** The exit code of a command line that cannot be used: no package was read. */
const UNUSABLE = 3;

// The verifier as one file, dist/shoeprint-verify.mjs: the command and nothing else.
endQuietlyWhenNobodyReads();
try {
  await verifyCommand(() => published)
    .name('shoeprint-verify')
    .exitOverride()
    .parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof CommanderError || error instanceof Refusal)) throw error;
  if (error instanceof Refusal) process.stderr.write(`shoeprint-verify: ${error.message}\n`);
  process.exitCode = error instanceof CommanderError && error.exitCode === 0 ? 0 : UNUSABLE;
}
