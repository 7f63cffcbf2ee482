import { Command, InvalidArgumentError } from 'commander';
import { printJson, printRefusalJson } from './json.js';
import { audit } from './run.js';
import { printText } from './text.js';
import type { LaneSetting } from '#audit';
import { installedRules } from '#rule-folder';
import { logFiles } from '../log/log-source.js';
import { printMalformed } from '../log/malformed.js';
import { BufferedOutput } from '../terminal/page.js';
import { Progress } from '../terminal/progress.js';
import { EXIT } from '../refusal.js';

const WORKERS_MAX = 16;

interface AuditOptions {
  readonly json?: true;
  readonly rules: readonly string[];
  readonly workers: number;
}

const EXAMPLES = `
Examples:
  shoeprint audit examples/faulty-shoe.ndjson       what went wrong, coup by coup
  shoeprint audit monday.ndjson.gz tuesday.ndjson   two files, one log, in this order
  gunzip -c pit.gz | shoeprint audit --json -       from standard input, for a program

Exit codes: 0 nothing found, 1 findings, 2 input refused and nothing judged.`;

/**
 * Returns the command `shoeprint audit`, which folds files of events and prints findings and
 * commission (contract section 6). `lanes` says how lines are folded.
 */
export const auditCommand = (lanes: () => LaneSetting): Command =>
  new Command('audit')
    .description("judge files of table events against the house's rules")
    .argument(
      '<file...>',
      'files of events, one a line, gzip if named .gz; - for standard input; several are one log',
    )
    .option('--json', 'print one JSON object for programs')
    .option(
      '--rules <folder>',
      'use the rule documents of this folder too',
      (folder: string, before: readonly string[]) => [...before, folder],
      [],
    )
    .option(
      '--workers <n>',
      'threads, each for some of the tables and with memory of its own; a pipe is read by one',
      workersAsked,
      1,
    )
    .addHelpText('after', EXAMPLES)
    .action((names: readonly string[], options: AuditOptions) => runAudit(names, options, lanes()));

function workersAsked(text: string): number {
  const workers = Number(text);
  if (!/^\d+$/.test(text) || workers < 1 || workers > WORKERS_MAX)
    throw new InvalidArgumentError(`It must be a number from 1 to ${WORKERS_MAX}.`);
  return workers;
}

async function runAudit(
  names: readonly string[],
  { json, rules, workers }: AuditOptions,
  lanes: LaneSetting,
): Promise<void> {
  const book = installedRules(rules);
  const files = logFiles(names);
  const sizes = files.map(({ size }) => size);
  const progress = new Progress(
    sizes.includes(undefined)
      ? undefined
      : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
  );
  const page = new BufferedOutput();
  const outcome = await audit({
    files,
    book,
    rulesFolders: rules,
    workers,
    lanes,
    progress: progress.at,
  }).finally(() => progress.done());
  if (outcome.malformed) {
    process.exitCode = EXIT.refused;
    if (json) await printRefusalJson(page, outcome.malformed);
    else printMalformed(outcome.malformed, 'nothing was judged');
  } else {
    process.exitCode = outcome.verdict.findings > 0 ? EXIT.found : EXIT.clean;
    if (json) await printJson(page, outcome.verdict);
    else await printText(page, outcome.verdict, book);
  }
  await page.flush();
}
