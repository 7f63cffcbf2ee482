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
  type Rules,
} from '#baccarat';
import {
  diffPolicies,
  isPolicy,
  lintPolicy,
  type Policy,
  type PolicyDocument,
  type RuleBook,
} from '#audit';
import { colours } from '../terminal/colours.js';
import { grid } from '../terminal/grid.js';
import { installedRules, policyNamed, readJson, rulesNamed } from '#rule-folder';
import { counted, BufferedOutput } from '../terminal/page.js';
import { EXIT, Refusal } from '../refusal.js';
import { policyPage } from './policy-page.js';
import { documentPage } from './rule-page.js';

interface OutputOptions {
  readonly json?: true;
}

/** Returns the command `shoeprint rules`: list, show, lint and diff (contract section 6). */
export const rulesCommand = (): Command =>
  new Command('rules')
    .description('rule documents and review policies: what a house plays by, and reviews by')
    .addHelpText(
      'after',
      `
Examples:
  shoeprint rules list
  shoeprint rules show nsw-crown@1
  shoeprint rules lint my-house@1.json rules/charts/seed-001.json
  shoeprint rules diff punto-banco@1 super-6@1
  shoeprint rules show review`,
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(lintCommand())
    .addCommand(diffCommand());

const listCommand = (): Command =>
  new Command('list')
    .description('the installed rule documents and review policies')
    .option('--json', 'for programs')
    .action(listRules);

const showCommand = (): Command =>
  new Command('show')
    .description('a rule document, as a rule book prints it, or a review policy')
    .argument('<document>', 'id@version, or id for its latest version')
    .option('--json', 'the document itself')
    .action(showRules);

const lintCommand = (): Command =>
  new Command('lint')
    .description(
      'accept rule documents, review policies or published charts, or report what is wrong with them, and where',
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
    .description('what differs between two rule documents, or two review policies, in words')
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
  const book = installedRules();
  const policies = [...book.policies.values()];
  if (json)
    return print(
      JSON.stringify([
        ...[...book.values()].map(({ ref, hash, document }) => ({
          rules: ref,
          title: document.title,
          game: document.game,
          decks: document.decks,
          hash,
        })),
        ...policies.map(({ ref, hash, document: { title } }) => ({ policy: ref, title, hash })),
      ]),
    );
  const rows = [...book.values()].map(({ ref, document }) => [
    `${ref.padEnd(22)}${document.title}`,
    document.decks.length > 3
      ? `${document.decks[0]} to ${document.decks.at(-1)}`
      : document.decks.join(' or '),
  ]);
  await print(
    ...grid(['document              title', 'decks'], rows),
    '',
    colours.dim('review policy         title'),
    ...policies.map(({ ref, document }) => `${ref.padEnd(22)}${document.title}`),
  );
}

async function showRules(name: string, { json }: OutputOptions): Promise<void> {
  const found = installed(installedRules(), name);
  if (json) return print(JSON.stringify(found.document, null, 2));
  const { hash } = found;
  await print(
    ...('dispositions' in found
      ? policyPage(found.document, hash)
      : documentPage(found.document, hash)),
  );
}

/** Returns a review policy or a rule document by its name. The id of every policy is "review". */
const installed = (book: RuleBook, name: string): Policy | Rules =>
  /^review(@|$)/.test(name) ? policyNamed(book, name) : rulesNamed(book, name);

/** What a file holds, by what it says itself, and what its linter says. */
interface Linted {
  readonly is: 'chart' | 'review policy' | 'rule document';
  readonly report: LintReport | ChartReport;
}

function lintedAs(json: unknown): Linted {
  if (isChart(json)) return { is: 'chart', report: lintChart(json) };
  if (isPolicy(json))
    return { is: 'review policy', report: { ...lintPolicy(json), departures: [] } };
  return { is: 'rule document', report: lint(json) };
}

async function lintRules(files: readonly string[], { json }: OutputOptions): Promise<void> {
  const read = files.map((file) => ({ file, json: readJson(file).json }));
  const reports = read.map(({ file, json: value }) => ({ file, ...lintedAs(value) }));
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
  const differences = differencesOf(from, to);
  process.exitCode = differences.length > 0 ? EXIT.found : EXIT.clean;
  if (json) return print(JSON.stringify({ from: nameOf(from), to: nameOf(to), differences }));
  await print(
    `${colours.bold(nameOf(from))} → ${colours.bold(nameOf(to))}: ${differences.length === 0 ? colours.green('no difference') : counted(differences.length, 'difference')}`,
    ...differences.map((difference) => `  ${difference}`),
  );
}

/** A document that can be compared with another of its kind. */
type Comparable = RuleDocument | PolicyDocument;

const isOfPolicy = (document: Comparable): document is PolicyDocument => isPolicy(document);

function differencesOf(from: Comparable, to: Comparable): string[] {
  if (isOfPolicy(from) && isOfPolicy(to)) return diffPolicies(from, to);
  if (!isOfPolicy(from) && !isOfPolicy(to)) return diffRules(from, to);
  throw new Refusal(
    `${nameOf(from)} and ${nameOf(to)} cannot be compared: one is a review policy, the other a rule document`,
  );
}

const nameOf = ({ id, version }: Comparable): string => `${id}@${version}`;

/**
 * Returns an installed document by name, or the document in a file. Throws `Refusal` for a file
 * that its linter rejects, because it cannot be compared.
 */
function documentNamed(book: RuleBook, name: string): Comparable {
  if (book.has(name) || book.policies.has(name) || !existsSync(name))
    return installed(book, name).document;
  const { json } = readJson(name);
  const [problem] = (isPolicy(json) ? lintPolicy(json) : lint(json)).problems;
  if (problem)
    throw new Refusal(
      `${name}: ${problem.pointer || '(the whole)'} ${problem.problem}; "shoeprint rules lint ${name}" lists every problem`,
    );
  return json as Comparable;
}
