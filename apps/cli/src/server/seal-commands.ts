import { resolve } from 'node:path';
import { Command } from 'commander';
import { runApp } from './run-app.js';

interface SealAsked {
  readonly data?: string;
  readonly reason?: string;
  readonly by?: string;
  readonly safeKey?: string;
}

const WHERE = `
Works on the database and the keys that the sealer's settings name, or with --data on the folder
of npm start or shoeprint serve, whether that runs or not.`;

const SEAL_EXAMPLES = `${WHERE}

Examples:
  shoeprint seal status --data ./data
  shoeprint seal resume 3 --reason "the broker's disk was replaced" --by mei.chan
  shoeprint seal trust checkpoint.txt --reason "log.key.last was lost with the disk"
  shoeprint seal restore /srv/tiles --reason "the database was restored to Monday"`;

/** Returns the command `shoeprint seal`, which shows what is sealed and continues after a fault. */
export function sealCommand(): Command {
  const seal = new Command('seal')
    .description('show what is sealed, and continue after a fault')
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
      onSite('trust', 'let the key continue after a checkpoint, if its .last file is lost'),
    ).argument('<checkpoint>', 'a file with a checkpoint that the key signed'),
  );
  seal.addCommand(
    changing(
      onSite(
        'restore',
        'bring back the site log, after the database was restored to an older state',
      ),
    ).argument('<tiles>', 'the folder that the site log was published to'),
  );
  return seal;
}

const KEY_EXAMPLES = `${WHERE} It works where the key files are.

Examples:
  shoeprint key show --data ./data
  shoeprint key rotate --reason "a year is over" --by mei.chan
  shoeprint key revoke 0c930f44 8214 --safe-key /mnt/safe/safe.key --reason "the disk was stolen"`;

/** Returns the command `shoeprint key`, which shows and changes the keys of the site. */
export function keyCommand(): Command {
  const key = new Command('key')
    .description('show the keys of the site, replace one, revoke one')
    .addHelpText('after', KEY_EXAMPLES);
  key.addCommand(onSite('show', 'the public halves of the keys that sign now', 'keys'));
  key.addCommand(changing(onSite('rotate', 'add a new log key, which replaces the one in use')));
  key.addCommand(
    changing(onSite('revoke', 'end a stolen key with the key from the safe'))
      .argument('<key>', 'its public half, or the eight digits of its id')
      .argument('<size>', 'no checkpoint of this size or more counts on its word')
      .option('--safe-key <file>', 'the second log key; by default where it was made'),
  );
  return key;
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
      const { data, reason, by, safeKey }: SealAsked = command.optsWithGlobals();
      const options = [
        'seal',
        runs,
        ...command.args,
        ...(reason === undefined ? [] : ['--reason', reason]),
        ...(by === undefined ? [] : ['--by', by]),
        ...(safeKey === undefined ? [] : ['--safe-key', resolve(safeKey)]),
      ];
      await runOnSite(data, options);
    });
}

/** What `shoeprint verify --log` is asked. */
interface LogAsked {
  readonly data?: string | undefined;
  readonly key?: string | undefined;
  readonly trusted: readonly string[];
  readonly json?: boolean | undefined;
}

/** Runs `shoeprint verify --log`, which verifies the log of the house against its seals. */
export const verifyLog = ({ data, key, trusted, json }: LogAsked): Promise<void> =>
  runOnSite(data, [
    'seal',
    'verify',
    ...(key === undefined ? [] : ['--key', key.includes('+') ? key : resolve(key)]),
    ...trusted.flatMap((file) => ['--trusted', resolve(file)]),
    ...(json === true ? ['--json'] : []),
  ]);

/** Runs a command of the sealer's program on its settings, or on a data folder. */
const runOnSite = (data: string | undefined, options: readonly string[]): Promise<void> =>
  data === undefined
    ? runApp('sealer', options)
    : runApp('standalone', options, { SHOEPRINT_DATA: data });

/** Adds the options of a command that changes something, which the record of the house keeps. */
const changing = (command: Command): Command =>
  command
    .requiredOption('--reason <text>', 'why, for the record of the house')
    .option('--by <name>', 'who asks; by default the user of this machine');
