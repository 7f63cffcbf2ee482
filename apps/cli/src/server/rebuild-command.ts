import { Argument, Command } from 'commander';
import { runApp } from './run-app.js';

interface RebuildAsked {
  readonly data?: string;
  readonly acceptDifferences?: true;
}

const EXAMPLES = `
Rebuilds the rows from the log beside the live ones, compares both at the same position, and
swaps them in one transaction. The next rebuild resumes an interrupted one. Reads DATABASE_URL
and the settings of the log, as the auditor does. With --data it finds the database of npm start
or shoeprint serve, whether that runs or not. Give it the same SHOEPRINT_GAMING_DAY and
SHOEPRINT_RULES as the server. Progress is a bar on a terminal, otherwise a JSON object a line.

Examples:
  DATABASE_URL=postgres://... shoeprint rebuild rows
  shoeprint rebuild rows --data ./data

Exit codes: 0 swapped, 1 the rebuilt rows differ from the live ones and were not swapped,
2 refused, 70 failed, 130 interrupted.`;

/**
 * Returns the command `shoeprint rebuild`, which rebuilds the rows beside the live ones, compares,
 * and swaps (contract section 6).
 */
export const rebuildCommand = (): Command =>
  new Command('rebuild')
    .description('rebuild the read model from the log, beside the live one, and swap')
    .addArgument(new Argument('[projection]', 'what to rebuild').choices(['rows']).default('rows'))
    .option(
      '--data <folder>',
      'the data folder of a server on this machine (npm start, shoeprint serve)',
    )
    .option(
      '--accept-differences',
      'swap even if the rebuilt rows differ from the live ones, as after an upgrade of the judges',
    )
    .addHelpText('after', EXAMPLES)
    .action(async (_projection: string, { data, acceptDifferences }: RebuildAsked) => {
      const options = [
        'rebuild',
        ...(process.stderr.isTTY ? ['--progress'] : []),
        ...(acceptDifferences ? ['--accept-differences'] : []),
      ];
      await (data === undefined
        ? runApp('auditor', options)
        : runApp('standalone', options, { SHOEPRINT_DATA: data }));
    });
