import { Command } from 'commander';
import { existsSync } from 'node:fs';
import {
  diffRules,
  isChart,
  lint,
  lintChart,
  type ChartReport,
  type LintReport,
  type RuleDocument,
} from '#baccarat';
import type { RuleBook } from '#audit';
import { colours } from '../terminal/colours.js';
import { grid } from '../terminal/grid.js';
import { installedRules, readJson, rulesNamed } from '#rule-folder';
import { counted, BufferedOutput } from '../terminal/page.js';
import { EXIT, Refusal } from '../refusal.js';
import { documentPage } from './rule-page.js';

interface OutputOptions {
  readonly json?: true;
}

/** Returns the command `shoeprint rules`: list, show, lint and diff (contract section 6). */
export const rulesCommand = (): Command =>
  new Command('rules')
    .description('rule documents: what a house draws, pays, takes and burns')
    .addHelpText(
      'after',
      `
Examples:
  shoeprint rules list
  shoeprint rules show nsw-crown@1
  shoeprint rules lint my-house@1.json rules/charts/seed-001.json
  shoeprint rules diff punto-banco@1 super-6@1`,
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(lintCommand())
    .addCommand(diffCommand());

const listCommand = (): Command =>
  new Command('list')
    .description('the installed rule documents')
    .option('--json', 'for programs')
    .action(listRules);

const showCommand = (): Command =>
  new Command('show')
    .description('a rule document, as a rule book prints it')
    .argument('<document>', 'id@version, or id for its latest version')
    .option('--json', 'the document itself')
    .action(showRules);

const lintCommand = (): Command =>
  new Command('lint')
    .description(
      'accept rule documents or published charts, or report what is wrong with them, and where',
    )
    .argument('<file...>', 'JSON files')
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      '\nExit codes: 0 accepted, 1 problems, 2 a file that cannot be read or is not JSON.',
    )
    .action(lintRules);

const diffCommand = (): Command =>
  new Command('diff')
    .description('what differs between two rule documents, in words')
    .argument('<a>', 'id@version or a file')
    .argument('<b>', 'id@version or a file')
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      '\nExit codes: 0 the same, 1 differences, 2 a document that cannot be read.',
    )
    .action(diffDocuments);

async function print(...lines: readonly string[]): Promise<void> {
  const page = new BufferedOutput();
  await page.lines(...lines);
  await page.flush();
}

async function listRules({ json }: OutputOptions): Promise<void> {
  const book = [...installedRules().values()];
  if (json)
    return print(
      JSON.stringify(
        book.map(({ ref, hash, document }) => ({
          rules: ref,
          title: document.title,
          game: document.game,
          decks: document.decks,
          hash,
        })),
      ),
    );
  const rows = book.map(({ ref, document }) => [
    `${ref.padEnd(22)}${document.title}`,
    document.decks.length > 3
      ? `${document.decks[0]} to ${document.decks.at(-1)}`
      : document.decks.join(' or '),
  ]);
  await print(...grid(['document              title', 'decks'], rows));
}

async function showRules(name: string, { json }: OutputOptions): Promise<void> {
  const { document, hash } = rulesNamed(installedRules(), name);
  await print(...(json ? [JSON.stringify(document, null, 2)] : documentPage(document, hash)));
}

async function lintRules(files: readonly string[], { json }: OutputOptions): Promise<void> {
  const read = files.map((file) => ({ file, json: readJson(file).json }));
  const reports = read.map(({ file, json: value }) => ({
    file,
    is: isChart(value) ? ('chart' as const) : ('rule document' as const),
    report: isChart(value) ? lintChart(value) : lint(value),
  }));
  if (reports.some(({ report }) => report.problems.length > 0)) process.exitCode = EXIT.found;
  if (json)
    return print(JSON.stringify(reports.map(({ file, is, report }) => ({ file, is, ...report }))));
  for (const { file, is, report } of reports) await print(...lintLines(file, is, report));
}

function lintLines(
  file: string,
  is: string,
  { problems, departures }: LintReport | ChartReport,
): string[] {
  const verdict =
    problems.length === 0
      ? colours.green(`accepted as a ${is}`)
      : colours.bold(colours.red(`refused as a ${is}: ${counted(problems.length, 'problem')}`));
  return [
    `${colours.bold(file)}: ${verdict}`,
    ...problems.map(
      ({ pointer, problem }) =>
        `  ${colours.dim(pointer === '' ? '(the whole)' : pointer)} ${problem}`,
    ),
    ...(departures.length > 0
      ? [
          `  for information, ${counted(departures.length, 'departure')} from the standard table:`,
          ...departures.map((departure) => `    ${departure}`),
        ]
      : []),
  ];
}

async function diffDocuments(a: string, b: string, { json }: OutputOptions): Promise<void> {
  const book = installedRules();
  const [from, to] = [documentNamed(book, a), documentNamed(book, b)];
  const differences = diffRules(from, to);
  process.exitCode = differences.length > 0 ? EXIT.found : EXIT.clean;
  if (json) return print(JSON.stringify({ from: nameOf(from), to: nameOf(to), differences }));
  await print(
    `${colours.bold(nameOf(from))} → ${colours.bold(nameOf(to))}: ${differences.length === 0 ? colours.green('no difference') : counted(differences.length, 'difference')}`,
    ...differences.map((difference) => `  ${difference}`),
  );
}

const nameOf = ({ id, version }: RuleDocument): string => `${id}@${version}`;

/**
 * Returns an installed document by name, or the document in a file. Throws `Refusal` for a file
 * that `lint` rejects, because it cannot be compared.
 */
function documentNamed(book: RuleBook, name: string): RuleDocument {
  if (book.has(name) || !existsSync(name)) return rulesNamed(book, name).document;
  const { json } = readJson(name);
  const [problem] = lint(json).problems;
  if (problem)
    throw new Refusal(
      `${name}: ${problem.pointer || '(the whole)'} ${problem.problem}; "shoeprint rules lint ${name}" lists every problem`,
    );
  return json as RuleDocument;
}
