import { once } from 'node:events';
import { Command, InvalidArgumentError } from 'commander';
import { codesWhere, REFUSALS } from '#audit';
import { installedRules, policyNamed, rulesNamed } from '#rule-folder';
import { Refusal } from '../refusal.js';
import { wrapped } from '../terminal/page.js';
import { dealtTables } from './simulated-tables.js';
import { pieces, writeJson, writeLines } from './written-file.js';

interface SimulateAsked {
  readonly shoes: number;
  readonly seed: string;
  readonly rules: string;
  readonly decks?: number;
  readonly bets?: true;
  readonly faults?: readonly string[];
  readonly reviews?: true;
  readonly reviewFaults?: readonly string[];
  readonly table?: string;
  readonly tables: number;
  readonly start?: string;
  readonly out?: string;
  readonly expected?: string;
}

const EXAMPLES = `
Faults are finding codes, separated by commas, each injected once: TC-05 in a coup of its own
choice, TC-05@17 in coup 17, TC-05@2/17 in coup 17 of the second shoe. Repeat a code to inject
it more often. Faults about bets bring bets with them.

With --reviews people claim the findings of the faults, propose rulings and sign them, under the
newest review policy. Review faults are refusals, separated by commas, each caused once. They bring
reviews with them. They are:
${wrapped(REFUSALS.join(', '), 100).join('\n')}.

Examples:
  shoeprint simulate --shoes 1 --seed 7 > shoe.ndjson                     a lawful shoe, cards alone
  shoeprint simulate --shoes 10 --seed 7 --bets --out shoes.ndjson.gz     with bets, compressed
  shoeprint simulate --shoes 4 --seed 7 --faults TC-05 --review-faults same-person > reviewed.ndjson
                                                      with rulings, and a refused one
  shoeprint simulate --shoes 1 --seed 7 --bets --faults TC-05,PY-03@12 --out faulty.ndjson
                                                                          what must be found: faulty.ndjson.expected.json`;

/**
 * Returns the command `shoeprint simulate`: lawful shoes from a seed as events, and named faults
 * with the findings that they must cause (contract section 6).
 */
export const simulateCommand = (): Command =>
  new Command('simulate')
    .description('deal lawful shoes from a seed as events, and inject named faults')
    .requiredOption('--shoes <n>', 'shoes at each table', wholeNumber)
    .requiredOption('--seed <text>', 'the same seed deals the same bytes')
    .option('--rules <document>', 'rule document, id@version', 'punto-banco@1')
    .option('--decks <n>', 'decks in a shoe; 8, or the most that the rules allow', wholeNumber)
    .option('--bets', 'place and settle bets, with commission')
    .option('--faults <codes>', 'finding codes to inject, with @coup if you choose it', faultsAsked)
    .option('--reviews', 'rule on the findings of the faults')
    .option('--review-faults <refusals>', 'refusals of reviews to cause', refusalsAsked)
    .option('--table <id>', 'table id; with several tables, the prefix of their ids')
    .option('--tables <n>', 'tables dealt at the same time', wholeNumber, 1)
    .option('--start <time>', 'when it begins, RFC 3339; 2026-11-20T12:00:00Z')
    .option('--out <file>', 'write the events to a file, compressed if the name ends in .gz')
    .option('--expected <file>', 'write what is expected here; FILE.expected.json with --out')
    .addHelpText('after', EXAMPLES)
    .action(runSimulate);

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(text);
}

const faultsAsked = listOf('a finding code, such as TC-05');
const refusalsAsked = listOf('a refusal of a review, such as same-person');

/** Returns a parser for an option that lists words and may be repeated. */
function listOf(what: string): (text: string, before?: readonly string[]) => string[] {
  return (text, before = []) => {
    const words = text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
    if (words.length === 0) throw new InvalidArgumentError(`It must name ${what}.`);
    return [...before, ...words];
  };
}

/** Faults that only a table with bets can have. */
const ABOUT_BETS: ReadonlySet<string> = new Set(codesWhere(({ withBets }) => withBets));
/** The code of a fault as asked for: `TC-05@17` names TC-05. */
const codeOf = (fault: string): string => fault.split('@', 1)[0] ?? '';

async function runSimulate({
  rules: name,
  table,
  tables,
  out,
  expected: expectedAt,
  reviews: isReviewed,
  reviewFaults,
  ...asked
}: SimulateAsked): Promise<void> {
  const expectedFile = expectedAt ?? (out === undefined ? undefined : `${out}.expected.json`);
  if (out !== undefined && out === expectedFile)
    throw new Refusal(`${out}: events and expected findings cannot go to the same file`);
  const bets = asked.bets ?? asked.faults?.some((fault) => ABOUT_BETS.has(codeOf(fault))) ?? false;
  const book = installedRules();
  const { lines, expected, reviews } = dealtTables({
    ...asked,
    bets,
    rules: rulesNamed(book, name),
    ...((isReviewed || reviewFaults) && {
      reviews: { book, policy: policyNamed(book, 'review'), faults: reviewFaults ?? [] },
    }),
    tables: tableIds(table, tables),
  });
  if (out !== undefined) await writeLines(out, lines);
  else await print(lines);
  if (expectedFile !== undefined)
    await writeJson(expectedFile, { findings: expected(), reviews: reviews() });
}

/**
 * Returns the table ids: `B07` for one table, `B07-1`, `B07-2`… for several, `T1`, `T2`… without a
 * name.
 */
const tableIds = (table: string | undefined, tables: number): string[] =>
  tables === 1
    ? [table ?? 'T1']
    : Array.from({ length: tables }, (_, i) =>
        table === undefined ? `T${i + 1}` : `${table}-${i + 1}`,
      );

/** Prints lines no faster than they are read. Ends quietly when the reader closes the pipe. */
async function print(lines: Iterable<string>): Promise<void> {
  for (const piece of pieces(lines))
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
}
