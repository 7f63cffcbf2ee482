import { parseArgs } from 'node:util';
import { Refusal, reportReady, stopRequest, within } from '#process';
import { listSpool, spoolStatus, verifySpool } from '#spool';
import type { LintProblem } from '#baccarat';
import type { GatewayConfiguration } from '../configuration/configuration.js';
import { readConfiguration } from '../configuration/read.js';
import { isSkip, SKIP_TEXT_MAX } from '../desk/skip.js';
import { readinessOf, type GatewaySnapshot } from '../health/snapshot.js';
import { requestSkip } from '../running/skip-requests.js';
import { startGateway } from '../running/start-gateway.js';
import { liveProblems } from './check-live.js';
import { listenTo } from './listen.js';

/** What a command is asked: the file of the configuration, and what else it takes. */
interface Asked {
  readonly configuration: GatewayConfiguration;
  readonly warnings: readonly LintProblem[];
  readonly file: string;
  readonly rest: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly print: (line: string) => void;
}

/** Each command. Resolves with the exit code. */
const COMMANDS: Readonly<Record<string, (asked: Asked) => Promise<number>>> = {
  run,
  check,
  status,
  listen,
  skip,
  'spool-ls': spoolLs,
  'spool-verify': spoolVerify,
};

const CLEAN = 0;
const FOUND = 1;
/** How long a gateway may take to stop. */
const CLOSE_MS = 20_000;
/** The first words are those of the log of systemd, which adds the time. */
const say = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Runs a command of the gateway: its name, the file of the configuration, and the rest of what the
 * command line has. Resolves with the exit code. Rejects with `Refusal`.
 */
export async function runCommand(
  words: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      live: { type: 'boolean' },
      json: { type: 'boolean' },
      by: { type: 'string' },
      reason: { type: 'string' },
    },
  });
  const [name = '', file, ...rest] = positionals;
  const command = COMMANDS[name];
  if (command === undefined || file === undefined)
    throw new Refusal(`expected one of ${Object.keys(COMMANDS).join(', ')}, and a file`);
  const { configuration, warnings } = readConfiguration(file);
  return command({ configuration, warnings, file, rest, options: values, print });
}

async function run({ configuration, warnings, print }: Asked): Promise<number> {
  for (const { pointer, problem } of warnings) say(`warning: ${pointer}: ${problem}`);
  const gateway = await startGateway(configuration, say);
  const { table, devices } = configuration;
  print(`table ${table}: hearing ${devices.map(({ name }) => name).join(', ')}`);
  reportReady();
  try {
    await Promise.race([stopRequest(), gateway.failed]);
  } finally {
    await within(CLOSE_MS, gateway.close());
  }
  return CLEAN;
}

async function check({ configuration, warnings, file, options, print }: Asked): Promise<number> {
  for (const { pointer, problem } of warnings) print(`warning: ${pointer}: ${problem}`);
  const problems = options.live === true ? await liveProblems(configuration) : [];
  for (const { pointer, problem } of problems) print(`${pointer || '/'}: ${problem}`);
  if (problems.length === 0) print(`${file}: nothing is wrong`);
  return problems.length === 0 ? CLEAN : FOUND;
}

async function status({ configuration, options, print }: Asked): Promise<number> {
  const found = (await spoolStatus(configuration.spool.folder)) as GatewaySnapshot | undefined;
  if (found === undefined) {
    print(`table ${configuration.table}: no gateway is running`);
    return FOUND;
  }
  if (options.json === true) {
    print(JSON.stringify(found));
    return CLEAN;
  }
  const { ready, reasons, devices, delivery, spool, clock } = readinessOf(found, Date.now());
  print(`table ${found.table}: ${ready ? 'ready' : `not ready: ${reasons.join('; ')}`}`);
  print(`delivery: ${found.delivered} events delivered since the start; ${delivery}`);
  print(`spool: ${spool}`);
  for (const [name, words] of Object.entries(devices)) print(`${name}: ${words}`);
  print(`clock: ${clock}`);
  return ready ? CLEAN : FOUND;
}

async function listen({ configuration, print }: Asked): Promise<number> {
  const listening = await listenTo(configuration, print);
  await stopRequest();
  await listening.close();
  return CLEAN;
}

async function skip({ configuration, rest, options }: Asked): Promise<number> {
  const [place = ''] = rest;
  const [, n, event = '1'] = /^(\d+)(?:\.(\d+))?$/.exec(place) ?? [];
  const { by, reason } = options;
  const asked = { n: Number(n), event: Number(event), by, reason };
  if (n === undefined)
    throw new Refusal(
      `the event: "${place}" is not a line of the spool, such as 17, or an event of it, such as 17.2`,
    );
  for (const [name, text] of Object.entries({ by, reason }))
    if (typeof text !== 'string' || text.trim() === '' || text.length > SKIP_TEXT_MAX)
      throw new Refusal(`--${name}: must have 1 to ${SKIP_TEXT_MAX} characters`);
  if (!isSkip(asked)) throw new Refusal(`the event: ${place} is not a number from 1`);
  const { folder } = configuration.spool;
  if ((await spoolStatus(folder)) === undefined)
    throw new Refusal(`${folder}: no gateway is running; start it, so that it records the skip`);
  await requestSkip(folder, asked);
  return CLEAN;
}

async function spoolLs({ configuration, print }: Asked): Promise<number> {
  for (const { name, firstN, bytes } of await listSpool(configuration.spool.folder))
    print(`${name}  from line ${firstN}  ${bytes} bytes`);
  return CLEAN;
}

async function spoolVerify({ configuration, options, print }: Asked): Promise<number> {
  const report = await verifySpool(configuration.spool.folder);
  const { lines, frames, contents, segments, bytes, sent, last, damage, damaged } = report;
  if (options.json === true) print(JSON.stringify(report));
  else {
    print(`${lines} lines, ${frames} frames, ${contents} events in ${segments} files`);
    print(`${bytes} bytes; delivered to line ${sent} of ${last}`);
    for (const { segment, at, bytes: wrong, from, to } of damage)
      print(`damage: ${segment}, byte ${at}, ${wrong} bytes, lines ${from} to ${to ?? 'its end'}`);
    print(damaged === 0 ? 'nothing is wrong' : `damaged places: ${damaged}`);
  }
  return damaged === 0 ? CLEAN : FOUND;
}
