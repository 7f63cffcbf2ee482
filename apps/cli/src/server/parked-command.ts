import { Command, InvalidArgumentError } from 'commander';
import type { components } from '#api-types';
import { visible } from '#process';
import { grid } from '../terminal/grid.js';
import { hexDump } from '../terminal/hex-dump.js';
import { counted, BufferedOutput } from '../terminal/page.js';
import { addressAsked, answered, type Api, apiOf, secretFrom } from './server.js';

interface ParkedAsked {
  readonly url: URL;
  readonly tokenFile?: string;
  readonly json?: true;
}

interface PassAsked extends ParkedAsked {
  readonly offset: number;
  readonly sha256: string;
  readonly reason: string;
}

type ParkedTable = components['schemas']['ParkedTableAnswer'];
type Partition = components['schemas']['PartitionAnswer'];
type StoppedRecord = components['schemas']['StoppedRecordAnswer'];
type StoppedPartition = Partition & { readonly stopped: NonNullable<Partition['stopped']> };

const EXAMPLES = `
A table is parked if the auditor could not judge one of its events. Its later events wait in the
log; other tables continue.
A partition is stopped if the log is not what it was, or at a record that cannot be read.
All its tables wait. Resuming skips nothing: repair the log first. Passing leaves out that one
record for ever, and every report of the partition says so.
The token of an administrator is read from --token-file or SHOEPRINT_TOKEN; POST /v1/sign-in
returns one.

Examples:
  shoeprint parked --url http://127.0.0.1:8377             list what waits, since when, why
  shoeprint parked retry B07 --url http://127.0.0.1:8377   judge the event again
  shoeprint parked release B07 --url http://127.0.0.1:8377 continue without that event
  shoeprint parked resume 3 --url http://127.0.0.1:8377    follow it from where it stopped
  shoeprint parked show 3 --url http://127.0.0.1:8377      print the record that stopped it
  shoeprint parked pass 3 --offset 4711 --sha256 9f86d0... --reason "written by a test program"
    --url http://127.0.0.1:8377                            follow partition 3 without that record`;

/**
 * Returns the command `shoeprint parked`, which shows the tables and partitions that wait for a
 * decision, and decides (docs/operating).
 */
export function parkedCommand(): Command {
  const parked = new Command('parked')
    .description(
      'show what could not be judged further; retry or release tables, resume partitions, pass records',
    )
    .addHelpText('after', EXAMPLES);
  parked
    .requiredOption('--url <address>', 'where the server answers, without /v1', addressAsked)
    .option('--token-file <file>', "a file with an administrator's token")
    .option('--json', 'print one JSON object for programs')
    .action(show);
  for (const [what, says] of [
    ['retry', 'judge the event that the table stopped at again'],
    ['release', 'continue without judging that one event'],
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
      .argument('<partition>', 'its number', numberAsked)
      .action(async (partition: number, _own: unknown, command: Command) =>
        resume(partition, command.optsWithGlobals()),
      ),
  );
  addRecordCommands(parked);
  return parked;
}

/** Adds the commands about the record at which a partition is stopped. */
function addRecordCommands(parked: Command): void {
  parked.addCommand(
    new Command('show')
      .description('print the record that stopped a partition, as it lies in the log')
      .argument('<partition>', 'its number', numberAsked)
      .action(async (partition: number, _own: unknown, command: Command) =>
        showRecord(partition, command.optsWithGlobals()),
      ),
  );
  parked.addCommand(
    new Command('pass')
      .description('follow a stopped partition without the record that stopped it')
      .argument('<partition>', 'its number', numberAsked)
      .requiredOption('--offset <number>', 'the offset of the record', offsetAsked)
      .requiredOption('--sha256 <digest>', 'the SHA-256 of its value, as "parked show" prints it')
      .requiredOption('--reason <text>', 'why it is passed: every report of the partition says it')
      .action(async (partition: number, _own: unknown, command: Command) =>
        pass(partition, command.optsWithGlobals()),
      ),
  );
}

function offsetAsked(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError('It must be the offset of a record.');
  return Number(text);
}

function numberAsked(text: string): number {
  if (!/^\d{1,6}$/.test(text))
    throw new InvalidArgumentError('It must be the number of a partition.');
  return Number(text);
}

const apiFor = ({ url, tokenFile }: ParkedAsked): Api =>
  apiOf(
    url,
    secretFrom(
      tokenFile,
      'SHOEPRINT_TOKEN',
      'no token: pass --token-file or set SHOEPRINT_TOKEN; POST /v1/sign-in returns one',
    ),
  );

async function show(asked: ParkedAsked): Promise<void> {
  const api = apiFor(asked);
  const [{ items: parked }, { items: partitions }] = await Promise.all([
    answered(asked.url, api.GET('/v1/parked')),
    answered(asked.url, api.GET('/v1/positions')),
  ]);
  const stopped = partitions
    .filter((item): item is StoppedPartition => item.stopped !== null)
    .map(({ partition, stopped }) => ({ partition, stopped }));
  const page = new BufferedOutput();
  if (asked.json) await page.lines(JSON.stringify({ parked, stopped }));
  else if (parked.length + stopped.length === 0)
    await page.lines('no table is parked, and no partition is stopped');
  else await page.lines(...[...tablesShown(parked), ...partitionsShown(stopped)].slice(0, -1));
  await page.flush();
}

/**
 * Renders a grid and its count, with an empty line at the end, or nothing if no table is parked.
 */
function tablesShown(parked: readonly ParkedTable[]): string[] {
  if (parked.length === 0) return [];
  const rows = parked.map(({ table, parkedAt, partition, offset, line, asked, reason }) =>
    [table, parkedAt, `${partition}:${offset}:${line}`, asked ?? '', reason].map(visible),
  );
  return [
    ...grid(['table', 'since', 'position', 'asked', 'why'], rows),
    '',
    `${counted(parked.length, 'table')} parked`,
    '',
  ];
}

function partitionsShown(
  stopped: readonly Pick<StoppedPartition, 'partition' | 'stopped'>[],
): string[] {
  if (stopped.length === 0) return [];
  const rows = stopped.map(({ partition, stopped: { at, offset, about, reason } }) => [
    String(partition),
    at,
    String(offset),
    about,
    visible(reason),
  ]);
  return [
    ...grid(['partition', 'since', 'offset', 'about', 'why'], rows),
    '',
    `${counted(stopped.length, 'partition')} stopped`,
    '',
  ];
}

async function decide(what: 'retry' | 'release', table: string, asked: ParkedAsked): Promise<void> {
  const params = { path: { table } };
  const api = apiFor(asked);
  await answered(
    asked.url,
    what === 'retry'
      ? api.POST('/v1/parked/{table}/retry', { params })
      : api.POST('/v1/parked/{table}/release', { params }),
  );
  process.stdout.write(
    `${visible(table)}: ${what} requested; the auditor that owns the table carries it out within seconds\n`,
  );
}

async function resume(partition: number, asked: ParkedAsked): Promise<void> {
  const params = { path: { partition } };
  await answered(asked.url, apiFor(asked).POST('/v1/positions/{partition}/resume', { params }));
  process.stdout.write(
    `partition ${partition}: an auditor continues it within seconds, and stops it again if the cause is still there\n`,
  );
}

async function showRecord(partition: number, asked: ParkedAsked): Promise<void> {
  const params = { path: { partition } };
  const record = await answered(
    asked.url,
    apiFor(asked).GET('/v1/positions/{partition}/record', { params }),
  );
  const page = new BufferedOutput();
  await page.lines(...(asked.json ? [JSON.stringify(record)] : recordShown(record)));
  await page.flush();
}

/** Renders a record: where it lies, what is wrong with it, and its bytes. */
function recordShown(record: StoppedRecord): string[] {
  const { partition, offset, key, time, size, sha256, value, line, reason } = record;
  const bytes = Buffer.from(value, 'base64');
  const facts = [
    ['partition', String(partition)],
    ['offset', String(offset)],
    ['key', visible(key)],
    ['time', time ?? 'not kept by this log'],
    ['size', counted(size, 'byte')],
    ['sha256', sha256],
    ['line', `${line}, counted from 0`],
    ['why', visible(reason)],
  ] as const;
  const rest = size - bytes.length;
  return [
    ...facts.map(([name, text]) => `${name.padEnd(FACT_WIDTH)}${text}`),
    '',
    ...hexDump(bytes),
    ...(rest > 0 ? [`${counted(rest, 'more byte')} not shown`] : []),
  ];
}

const FACT_WIDTH = 11;

async function pass(partition: number, asked: PassAsked): Promise<void> {
  const { offset, sha256, reason } = asked;
  await answered(
    asked.url,
    apiFor(asked).POST('/v1/positions/{partition}/pass', {
      params: { path: { partition } },
      body: { offset, sha256, reason },
    }),
  );
  process.stdout.write(
    `partition ${partition}: record ${offset} is passed; an auditor continues behind it within seconds, and every report of the partition says so\n`,
  );
}
