import { resolve } from 'node:path';
import { Command } from 'commander';
import { runApp } from '../server/run-app.js';

const FILE = 'gateway.json';

const EXAMPLES = `
The configuration is gateway.json in this folder unless another file is named. docs/integrating
explains it.

Examples:
  shoeprint gateway check examples/gateway.json --live   what is wrong with it, here and at the api
  shoeprint gateway run gateway.json                     until Ctrl-C
  shoeprint gateway status                               what it hears, keeps and delivers
  shoeprint gateway skip 4711.2 --by mei.chan --reason "a rule document that never existed"`;

interface Asked {
  readonly live?: boolean;
  readonly json?: boolean;
  readonly by?: string;
  readonly reason?: string;
}

/** Returns the command `shoeprint gateway`, the program beside a table. */
export function gatewayCommand(): Command {
  const gateway = new Command('gateway')
    .description('hear the devices of a table, keep what they say, and deliver it')
    .addHelpText('after', EXAMPLES);
  gateway.addCommand(onFile('run', 'hear the devices and deliver, until it is stopped'));
  gateway.addCommand(
    onFile('check', 'say everything that is wrong with a configuration').option(
      '--live',
      'also try ports, clock, key, sources, table and rule document',
    ),
  );
  gateway.addCommand(
    onFile('status', 'what the running gateway hears, keeps and delivers').option(
      '--json',
      'for programs',
    ),
  );
  gateway.addCommand(onFile('listen', 'show what devices send, and record nothing'));
  gateway.addCommand(
    new Command('skip')
      .description('set an event aside that the api refuses')
      .argument('<event>', 'its line of the spool, such as 17, or 17.2 for its second event')
      .argument('[file]', 'the configuration')
      .requiredOption('--by <name>', 'who decided it')
      .requiredOption('--reason <text>', 'why')
      .action((event: string, file: string | undefined, { by, reason }: Asked) =>
        run('skip', file, [event, '--by', by ?? '', '--reason', reason ?? '']),
      ),
  );
  const spool = new Command('spool').description('look into the spool of a gateway');
  spool.addCommand(onFile('ls', 'its files', 'spool-ls'));
  spool.addCommand(
    onFile('verify', 'read all of it, and say what is damaged', 'spool-verify').option(
      '--json',
      'for programs',
    ),
  );
  return gateway.addCommand(spool);
}

const onFile = (name: string, description: string, word = name): Command =>
  new Command(name)
    .description(description)
    .argument('[file]', 'the configuration')
    .action((file: string | undefined, { live, json }: Asked) =>
      run(word, file, [...(live ? ['--live'] : []), ...(json ? ['--json'] : [])]),
    );

const run = (word: string, file: string | undefined, rest: readonly string[]): Promise<void> =>
  runApp('gateway', [word, resolve(file ?? FILE), ...rest]);
