import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { FormatFault, readCheckpoint } from '#evidence';
import type { MadePackage } from '#export';
import { EXPORT_FORMATS, type ExportAsked } from '#export/asked';
import { visible } from '#process';
import { EXIT, fileRefusal, Refusal } from '../refusal.js';
import { addressAsked } from '../server/server.js';
import { counted } from '../terminal/page.js';
import { exportFromFolder } from './from-folder.js';
import { exportFromServer } from './from-server.js';
import { ExportShown } from './shown.js';

interface OptionsAsked {
  readonly url?: URL;
  readonly data?: string;
  readonly tokenFile?: string;
  readonly by?: string;
  readonly table?: string;
  readonly shoe?: string;
  readonly finding?: string;
  readonly day?: string;
  readonly from?: string;
  readonly to?: string;
  readonly since: readonly string[];
  readonly format: readonly string[];
  readonly asItIs?: true;
  readonly purpose: string;
  readonly recipient: string;
  readonly out: string;
  readonly checkpoint?: string;
}

/** What is asked of a server, or of a data folder. */
export interface PackageOrder {
  readonly asked: ExportAsked;
  readonly purpose: string;
  readonly recipient: string;
  /** The zip file to write. */
  readonly out: string;
}

/** How an export ended. `isRefused`: what was asked for does not exist or is not possible. */
export type Exported =
  | { readonly made: MadePackage }
  | { readonly isRefused: boolean; readonly code: string; readonly detail: string };

const EXAMPLES = `
Of one table: all of it, from --from to --to, one --day, one --shoe or one --finding. Of all
tables with the record of the house: --day alone. A package holds what is sealed, and nothing else;
a day, once it is closed by its seal. Who asks, for whom and why is recorded in the house.

With --url the server makes it: the token of a person in compliance or of a regulator is read from
--token-file or SHOEPRINT_TOKEN; POST /v1/sign-in returns one. With --data it is made here, from the
folder of npm start or shoeprint serve, whether that runs or not.

Examples:
  shoeprint export --url http://127.0.0.1:8377 --table B07 --shoe 20261120-3 \\
    --purpose "complaint 88" --recipient DICJ
  shoeprint export --data ./data --day 2026-11-20 --purpose "daily copy" --recipient archive
  shoeprint export --data ./data --table B07 --since last.checkpoint --purpose review \\
    --recipient DICJ

Exit codes: 0 made, 2 refused, 70 failed.`;

const list = (value: string, before: readonly string[]): readonly string[] => [...before, value];

function formats(value: string, before: readonly string[]): readonly string[] {
  if (EXPORT_FORMATS.some((each) => each === value)) return [...before, value];
  throw new InvalidArgumentError(`It must be one of ${EXPORT_FORMATS.join(', ')}.`);
}

/** Returns the command `shoeprint export`, which makes an evidence package (contract section 6). */
export const exportCommand = (): Command =>
  new Command('export')
    .description('make an evidence package, which anyone can verify offline')
    .addOption(
      new Option('--url <address>', 'where the server answers, without /v1')
        .argParser(addressAsked)
        .conflicts('data'),
    )
    .option('--data <folder>', 'the data folder of a server on this machine')
    .option('--token-file <file>', "a file with a person's token, with --url")
    .option('--by <name>', 'who asks, with --data; by default the user of this machine')
    .option('--table <id>', 'the table')
    .addOption(
      new Option('--shoe <id>', 'one shoe of the table').conflicts(['finding', 'day', 'from']),
    )
    .addOption(
      new Option('--finding <id>', 'one finding, with its shoe').conflicts(['day', 'from']),
    )
    .addOption(new Option('--day <day>', 'one gaming day, YYYY-MM-DD').conflicts('from'))
    .option('--from <day>', 'the first gaming day of the table')
    .option('--to <day>', 'the last gaming day of the table')
    .option('--since <file>', 'a checkpoint that the recipient holds; repeatable', list, [])
    .option(
      '--format <form>',
      `also reports for people: ${EXPORT_FORMATS.join(', ')}; repeatable`,
      formats,
      [],
    )
    .option('--as-it-is', 'also if it is not intact, which it then says')
    .requiredOption('--purpose <text>', 'why, for the record of the house')
    .requiredOption('--recipient <text>', 'who gets it, for the record of the house')
    .option('--out <file>', 'the zip file to write', 'package.zip')
    .option('--checkpoint <file>', 'write its checkpoint too, for a later --since and --trusted')
    .addHelpText('after', EXAMPLES)
    .action(run);

async function run(options: OptionsAsked): Promise<void> {
  const { purpose, recipient, out, checkpoint } = options;
  for (const file of [out, checkpoint])
    if (file !== undefined && existsSync(file))
      throw new Refusal(`${file}: exists already; name another file`);
  const order: PackageOrder = { asked: askedOf(options), purpose, recipient, out };
  const shown = new ExportShown();
  const exported = await exportTo(order, options, shown).finally(() => shown.done());
  if ('made' in exported) return void report(exported.made, options);
  const { code, detail, isRefused } = exported;
  process.stderr.write(`shoeprint: ${code}: ${visible(detail)}\n`);
  process.exitCode = isRefused ? EXIT.refused : EXIT.bug;
}

async function exportTo(
  order: PackageOrder,
  { url, data, tokenFile, by }: OptionsAsked,
  shown: ExportShown,
): Promise<Exported> {
  if (url) return exportFromServer({ url, tokenFile }, order, shown);
  if (data !== undefined) return exportFromFolder({ data, by }, order, shown);
  throw new Refusal('no server given: pass --url, or --data with the folder of one');
}

/** Returns what is asked for. Throws `Refusal` for options that do not go together. */
function askedOf(options: OptionsAsked): ExportAsked {
  const { table, shoe, finding, day, from, to, since, format, asItIs } = options;
  if ((from === undefined) !== (to === undefined)) throw new Refusal('--from and --to go together');
  if (table === undefined && (shoe ?? from) !== undefined)
    throw new Refusal(`--${shoe === undefined ? 'from' : 'shoe'} needs --table`);
  if (table === undefined && finding === undefined && day === undefined)
    throw new Refusal('nothing to export: pass --table, --finding or --day');
  return {
    scope: {
      kind: kindOf(options),
      ...Object.fromEntries(
        Object.entries({ table, shoe, finding, day, from, to }).filter(([, value]) => value),
      ),
    },
    since: [...new Set(since.map(sizeIn))],
    formats: EXPORT_FORMATS.filter((each) => format.includes(each)),
    asItIs: asItIs ?? false,
  };
}

function kindOf({ shoe, finding, day }: OptionsAsked): ExportAsked['scope']['kind'] {
  if (shoe !== undefined) return 'shoe';
  if (finding !== undefined) return 'finding';
  return day === undefined ? 'table' : 'day';
}

/** Returns the size of the checkpoint in a file. */
function sizeIn(file: string): number {
  try {
    return readCheckpoint(readFileSync(file)).size;
  } catch (error) {
    if (error instanceof FormatFault) throw new Refusal(`--since: ${file}: ${error.message}`);
    throw fileRefusal(file, error);
  }
}

/** Says what was written, and how to verify it. */
function report(made: MadePackage, { out, checkpoint }: OptionsAsked): void {
  const { id, records, size, sha256, note, warnings } = made;
  if (checkpoint !== undefined) writeFileSync(checkpoint, note, { flag: 'wx' });
  const lines = [
    `${visible(out)}: ${visible(id)}, ${counted(records, 'record')}, ${size} bytes`,
    `  sha256      ${sha256}`,
    `  checkpoint  of size ${made.checkpoint}${checkpoint === undefined ? '' : `, in ${visible(checkpoint)}`}`,
    `  warnings    ${warnings.length === 0 ? 'none' : warnings.map(visible).join('\n              ')}`,
    `  verify      node shoeprint-verify.mjs ${visible(basename(out))} --key KEY`,
    `              KEY is the key of the site that the reader was given apart from the package`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
