import { Command } from 'commander';
import { grid } from '../terminal/grid.js';
import { counted, Page } from '../terminal/page.js';
import { addressAsked, askServer, secretFrom } from './server.js';

interface ParkedAsked {
  readonly url: URL;
  readonly tokenFile?: string;
  readonly json?: true;
}

interface ParkedTable {
  readonly table: string;
  readonly partition: number;
  readonly offset: number;
  readonly line: number;
  readonly reason: string;
  readonly parkedAt: string;
  readonly asked: string | null;
}

interface StoppedPartition {
  readonly partition: number;
  readonly stopped: {
    readonly reason: string;
    readonly offset: number | null;
    readonly at: string | null;
  };
}

const EXAMPLES = `
A table is parked where the auditor could not judge one of its events: its later events wait on the log, other tables go on.
A partition is stopped where the log is not what it was: all its tables wait. Resuming skips nothing: mend the log first.
The token of an administrator is read from --token-file or SHOEPRINT_TOKEN; POST /v1/sign-in returns one.

Examples:
  shoeprint parked --url http://127.0.0.1:8377             which tables and partitions, since when, why
  shoeprint parked retry B07 --url http://127.0.0.1:8377   judge the event again, as after an upgrade
  shoeprint parked release B07 --url http://127.0.0.1:8377 go on without judging that one event; who asked is recorded
  shoeprint parked resume 3 --url http://127.0.0.1:8377    follow partition 3 again from where it stopped`;

/**
 * Returns the command `shoeprint parked`, which shows the tables and partitions that wait for a
 * decision, and decides (docs/operating).
 */
export function parkedCommand(): Command {
  const parked = new Command('parked')
    .description(
      'show what could not be judged further; retry or release tables, resume partitions',
    )
    .addHelpText('after', EXAMPLES);
  parked
    .requiredOption('--url <address>', 'where the server answers, without /v1', addressAsked)
    .option('--token-file <file>', "a file with an administrator's token")
    .option('--json', 'print one JSON object for programs')
    .action(show);
  for (const [what, says] of [
    ['retry', 'judge the event again that the table stopped at'],
    ['release', 'go on without judging that one event'],
  ] as const) {
    parked.addCommand(
      new Command(what)
        .description(says)
        .argument('<table>', 'table id')
        .action(async (table: string, _own: unknown, command: Command) =>
          decide(what, table, command.optsWithGlobals()),
        ),
    );
  }
  parked.addCommand(
    new Command('resume')
      .description('follow a stopped partition again from where it stopped')
      .argument('<partition>', 'its number')
      .action(async (partition: string, _own: unknown, command: Command) =>
        resume(partition, command.optsWithGlobals()),
      ),
  );
  return parked;
}

const tokenOf = ({ tokenFile }: ParkedAsked): string =>
  secretFrom(
    tokenFile,
    'SHOEPRINT_TOKEN',
    'no token: pass --token-file or set SHOEPRINT_TOKEN; POST /v1/sign-in returns one',
  );

async function show(asked: ParkedAsked): Promise<void> {
  const [parked, stopped] = await Promise.all([parkedTables(asked), stoppedPartitions(asked)]);
  const page = new Page();
  if (asked.json) await page.lines(JSON.stringify({ parked, stopped }));
  else if (parked.length + stopped.length === 0)
    await page.lines('no table is parked, and no partition is stopped');
  else await page.lines(...[...tablesShown(parked), ...partitionsShown(stopped)].slice(0, -1));
  await page.flush();
}

const ask = <Item>(
  path: string,
  asked: ParkedAsked,
): Promise<{ readonly items: readonly Item[] }> =>
  askServer(new URL(path, asked.url), tokenOf(asked)) as Promise<{
    readonly items: readonly Item[];
  }>;

const parkedTables = async (asked: ParkedAsked): Promise<readonly ParkedTable[]> =>
  (await ask<ParkedTable>('v1/parked', asked)).items;

async function stoppedPartitions(asked: ParkedAsked): Promise<StoppedPartition[]> {
  const { items } = await ask<
    StoppedPartition | { readonly partition: number; readonly stopped: null }
  >('v1/positions', asked);
  return items
    .filter((item): item is StoppedPartition => item.stopped !== null)
    .map(({ partition, stopped }) => ({ partition, stopped }));
}

/**
 * Renders a grid and its count, with an empty line at the end, or nothing if no table is parked.
 */
function tablesShown(parked: readonly ParkedTable[]): string[] {
  if (parked.length === 0) return [];
  const rows = parked.map(({ table, parkedAt, partition, offset, line, asked, reason }) => [
    table,
    parkedAt,
    `${partition}:${offset}:${line}`,
    asked ?? '',
    reason,
  ]);
  return [
    ...grid(['table', 'since', 'position', 'asked', 'why'], rows),
    '',
    `${counted(parked.length, 'table')} parked`,
    '',
  ];
}

function partitionsShown(stopped: readonly StoppedPartition[]): string[] {
  if (stopped.length === 0) return [];
  const rows = stopped.map(({ partition, stopped: { at, offset, reason } }) => [
    String(partition),
    at ?? '',
    String(offset ?? ''),
    reason,
  ]);
  return [
    ...grid(['partition', 'since', 'offset', 'why'], rows),
    '',
    `${counted(stopped.length, 'partition')} stopped`,
    '',
  ];
}

async function decide(what: 'retry' | 'release', table: string, asked: ParkedAsked): Promise<void> {
  await askServer(
    new URL(`v1/parked/${encodeURIComponent(table)}/${what}`, asked.url),
    tokenOf(asked),
    'POST',
  );
  process.stdout.write(
    `${table}: ${what} asked for; the auditor that owns it does it within seconds\n`,
  );
}

async function resume(partition: string, asked: ParkedAsked): Promise<void> {
  await askServer(
    new URL(`v1/positions/${encodeURIComponent(partition)}/resume`, asked.url),
    tokenOf(asked),
    'POST',
  );
  process.stdout.write(
    `partition ${partition}: an auditor follows it again within seconds, and stops it again where the cause is still there\n`,
  );
}
