import { Command, InvalidArgumentError } from 'commander';
import { keepRunning } from '#process';
import { runApp } from './run-app.js';

interface ServeAsked {
  readonly data?: string;
  readonly host?: string;
  readonly port?: number;
}

const EXAMPLES = `
Runs the api and the auditor in one process, with a PostgreSQL of its own. Everything is kept in
the data folder. The options can also be set as SHOEPRINT_DATA, SHOEPRINT_HOST and
SHOEPRINT_PORT. docs/operating describes the other settings. If the server crashes or is killed,
it is started again. Ctrl-C stops it.

Examples:
  shoeprint serve                               data in ./data, http://127.0.0.1:8377
  shoeprint serve --data /var/lib/shoeprint --port 9000`;

/**
 * Returns the command `shoeprint serve`, which runs everything on this machine, embedded (contract
 * section 6).
 */
export const serveCommand = (): Command =>
  new Command('serve')
    .description('run the whole server on this machine')
    .option('--data <folder>', 'where everything is kept; created if it is missing')
    .option('--host <address>', 'the address to listen on')
    .option('--port <n>', 'the port to listen on; 0 takes a free one', portAsked)
    .addHelpText('after', EXAMPLES)
    .action(async ({ data, host, port }: ServeAsked) => {
      const env = {
        ...(data !== undefined && { SHOEPRINT_DATA: data }),
        ...(host !== undefined && { SHOEPRINT_HOST: host }),
        ...(port !== undefined && { SHOEPRINT_PORT: String(port) }),
      };
      await runApp('standalone', [], env, keepRunning);
    });

function portAsked(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}
