import { Command } from 'commander';
import { runApp } from './run-app.js';

interface SealAsked {
  readonly data?: string;
  readonly reason?: string;
  readonly by?: string;
}

const WHERE = `
Works on the database and the keys that the sealer's settings name, or with --data on the folder
of npm start or shoeprint serve, whether that runs or not.`;

const SEAL_EXAMPLES = `${WHERE}

Examples:
  shoeprint seal status --data ./data
  shoeprint seal resume 3 --reason "the broker's disk was replaced" --by mei.chan
  shoeprint seal trust checkpoint.txt --reason "log.key.last was lost with the disk"`;

/** Returns the command `shoeprint seal`, which shows what is sealed and goes on after a fault. */
export function sealCommand(): Command {
  const seal = new Command('seal')
    .description('show what is sealed, and go on after a fault')
    .addHelpText('after', SEAL_EXAMPLES);
  seal.addCommand(onSite('status', 'the last seal, and the partitions that are stopped'));
  seal.addCommand(
    changing(onSite('resume', 'seal a stopped partition again, once its log is mended')).argument(
      '<partition>',
      'its number',
    ),
  );
  seal.addCommand(
    changing(
      onSite('trust', 'let the key go on after a checkpoint, if its .last file is lost'),
    ).argument('<checkpoint>', 'a file with a checkpoint that the key signed'),
  );
  return seal;
}

/** Returns the command `shoeprint key`, which shows the keys of the site. */
export function keyCommand(): Command {
  return new Command('key')
    .description('show the keys of the site')
    .addHelpText('after', WHERE)
    .addCommand(onSite('show', 'the public halves of the keys that sign now', 'keys'));
}

/** Returns the command `shoeprint checkpoint`, which prints the last one and compares two. */
export function checkpointCommand(): Command {
  const whole = onSite('checkpoint', 'print the last signed checkpoint').addHelpText(
    'after',
    `${WHERE}

Exit codes of compare: 0 one history, 1 a fork, 2 refused.`,
  );
  return whole.addCommand(
    onSite('compare', 'say whether two checkpoints are of one history')
      .argument('<one>', 'a file with a checkpoint')
      .argument('<other>', 'a file with another one'),
  );
}

/** Returns a command that the sealer's program runs, under a name of its own there. */
function onSite(name: string, describes: string, runs = name): Command {
  return new Command(name)
    .description(describes)
    .option('--data <folder>', 'the data folder of a server on this machine')
    .action(async (...given: unknown[]) => {
      const command = given.at(-1);
      if (!(command instanceof Command)) throw new Error(`${name} got no command`);
      const { data, reason, by }: SealAsked = command.optsWithGlobals();
      const options = [
        'seal',
        runs,
        ...command.args,
        ...(reason === undefined ? [] : ['--reason', reason]),
        ...(by === undefined ? [] : ['--by', by]),
      ];
      await (data === undefined
        ? runApp('sealer', options)
        : runApp('standalone', options, { SHOEPRINT_DATA: data }));
    });
}

/** Adds the options of a command that changes something, which the record of the house keeps. */
const changing = (command: Command): Command =>
  command
    .requiredOption('--reason <text>', 'why, for the record of the house')
    .option('--by <name>', 'who asks; by default the user of this machine');
