// @ts-check
// Compares the verdicts of two built checkouts:
//   node scripts/compare-verdicts.mjs BASE HEAD [--seeds N] [--without-server]
//
// Findings, unjudgeable entries, ledgers, counts and reports must be equal apart from ids.
// Compares:
// - the examples and all stories,
// - simulated shoes of each seed under each rule document, with and without bets,
// - each fault that can be injected,
// - a day of the sample floor, dealt by the base, as each checkout's server answers it.
// Exits with 0 if all are equal and with 1 if something differs. --seeds 3 takes some minutes; the
// default of 200 takes about half an hour. --only-server compares the day alone.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { audited, simulatorOf, storyLines } from './verdicts/checkout.mjs';
import { compareRecords, unmatched } from './verdicts/differences.mjs';
import { answersAbout, dayOf, RECEIPTS } from './verdicts/sample-day.mjs';

const SEEDS = 200;
/** The most seeds of each fault under each document. */
const FAULT_SEEDS_MAX = 3;
const SHOWN_MAX = 20;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: String(SEEDS) },
    'without-server': { type: 'boolean', default: false },
    'only-server': { type: 'boolean', default: false },
  },
});
const [base = '', head = ''] = positionals.map((folder) => resolve(folder));
if (positionals.length !== 2) {
  process.stderr.write('expected two built checkouts: compare-verdicts.mjs BASE HEAD\n');
  process.exit(2);
}
const seeds = Number(values.seeds);
const folder = mkdtempSync(join(tmpdir(), 'shoeprint-verdicts-'));
/** @type {Set<string>} */
const added = new Set();
/** @type {string[]} */
const shown = [];
let differences = 0;
/** The fields that any finding of the base has. @type {Set<string>} */
const known = new Set();

try {
  if (!values['only-server']) {
    const examples = readdirSync(join(head, 'examples')).filter((name) => name.endsWith('.ndjson'));
    for (const name of examples.sort())
      compareFile(`examples/${name}`, join(head, 'examples', name));
    compareStories(await storyLines(head));
    await compareSimulations();
  }
  if (!values['without-server']) await compareServers();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (added.size > 0) process.stdout.write(`New fields: ${[...added].sort().join(' ')}\n`);
for (const difference of shown) process.stdout.write(`${difference}\n`);
process.stdout.write(
  differences === 0 ? 'All verdicts are equal.\n' : `${differences} differences.\n`,
);
process.exitCode = differences === 0 ? 0 : 1;

/** @param {string} log @param {readonly string[]} lines */
function compareLines(log, lines) {
  const file = join(folder, 'log.ndjson');
  writeFileSync(file, `${lines.join('\n')}\n`);
  compareFile(log, file);
}

/**
 * Compares the stories whose events the base can read. The others have events or fields that are
 * newer than the base, and are only named.
 *
 * @param {readonly import('./verdicts/checkout.mjs').Story[]} stories
 */
function compareStories(stories) {
  const file = join(folder, 'log.ndjson');
  const unread = stories.filter(({ lines }) => {
    writeFileSync(file, `${lines.join('\n')}\n`);
    return 'refused' in audited(base, file);
  });
  for (const { name } of unread) process.stdout.write(`newer than the base: ${name}\n`);
  const read = stories.filter((story) => !unread.includes(story));
  compareLines(
    `${read.length} of ${stories.length} stories`,
    read.flatMap(({ lines }) => lines),
  );
}

/** @param {string} log @param {string} file */
function compareFile(log, file) {
  const [before, after] = [audited(base, file), audited(head, file)];
  if ('refused' in before || 'refused' in after) {
    const refusals = [before, after].map((each) => JSON.stringify(placesOf(each)));
    report(log, [compareRecords('refused events', [refusals[0]], [refusals[1]])]);
    return;
  }
  const counts = compareRecords('counts', [before.events], [after.events]);
  const kinds = /** @type {const} */ (['shoes', 'findings', 'unjudgeable', 'commission']);
  const compared = kinds.map((kind) =>
    compareRecords(kind, before[kind], after[kind], kind === 'findings' ? { known } : {}),
  );
  report(`${log}, ${before.events['read']} events`, [counts, ...compared]);
  note(log, unmatched(before.findings, after.findings));
}

/** Returns how many lines are malformed, and where. The words may change. @param {any} verdict */
function placesOf({ refused }) {
  return (
    refused && {
      malformed: refused.malformed,
      faults: refused.faults.map((/** @type {any} */ { line, pointer }) => [line, pointer]),
    }
  );
}

async function compareSimulations() {
  const [ours, theirs] = await Promise.all([simulatorOf(base), simulatorOf(head)]);
  for (const document of ours.documents) {
    for (const bets of [false, true]) {
      const lawful = Array.from({ length: seeds }, (_, i) =>
        dealtAlike(ours, theirs, { document, seed: String(i + 1), table: `D${i + 1}`, bets }),
      );
      compareLines(`${seeds} shoes, ${document}${bets ? ', bets' : ''}`, lawful.flat());
    }
    const faulty = ours.codes.flatMap((code) =>
      Array.from({ length: Math.min(seeds, FAULT_SEEDS_MAX) }, (_, i) =>
        dealtAlike(ours, theirs, {
          document,
          seed: String(i + 1),
          table: `${code}-${i + 1}`,
          bets: true,
          faults: [code],
        }),
      ),
    );
    const dealt = faulty.filter((lines) => lines.length > 0);
    compareLines(`each fault, ${document} (${dealt.length} shoes)`, dealt.flat());
  }
}

/**
 * Deals a shoe with both checkouts and notes differences of their events or expected findings.
 * Returns the events, or an empty list if the shoe cannot be dealt.
 *
 * @param {Awaited<ReturnType<typeof simulatorOf>>} ours
 * @param {Awaited<ReturnType<typeof simulatorOf>>} theirs
 * @param {Parameters<Awaited<ReturnType<typeof simulatorOf>>['deal']>[0]} asked
 */
function dealtAlike(ours, theirs, asked) {
  const [before, after] = [ours.deal(asked), theirs.deal(asked)];
  if (digestOf(before) !== digestOf(after))
    note('simulate', [`${JSON.stringify(asked)} deals other events or expects other findings`]);
  return before?.lines ?? [];
}

/** @param {unknown} value */
function digestOf(value) {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

async function compareServers() {
  const every = seeds < SEEDS ? 20 : 1;
  const day = dayOf(await simulatorOf(base));
  const answers = [];
  for (const [name, checkout] of Object.entries({ base, head })) {
    const place = join(folder, name);
    mkdirSync(place);
    answers.push(await answersAbout(checkout, place, day, every));
  }
  const [before, after] = answers;
  for (const [path, lines] of before ?? [])
    report(path, [compareRecords('lines', lines, after?.get(path) ?? [], { ignored: RECEIPTS })]);
  for (const path of after?.keys() ?? [])
    if (!before?.has(path)) process.stdout.write(`newer than the base: ${path}\n`);
}

/**
 * Prints one line about a log: the number of records of each kind (for base and head, if they
 * differ) and the number of differences.
 *
 * @param {string} log
 * @param {readonly import('./verdicts/differences.mjs').Compared[]} compared
 */
function report(log, compared) {
  const counts = compared.map(({ kind, base: before, head: after }) =>
    `${kind} ${before === after ? before : `${before}/${after}`}`.padEnd(18),
  );
  const ids = compared.reduce((sum, each) => sum + each.ids, 0);
  const differing = compared.flatMap((each) => each.differing);
  for (const { kind, added: paths } of compared)
    for (const path of paths) added.add(`${kind}${path}`);
  note(log, differing);
  process.stdout.write(
    `${log.padEnd(44)} ${counts.join(' ')} ${ids} new ids, ${differing.length} differences\n`,
  );
}

/** @param {string} log @param {readonly string[]} found */
function note(log, found) {
  differences += found.length;
  shown.push(...found.slice(0, SHOWN_MAX).map((each) => `${log}: ${each}`));
  if (found.length > SHOWN_MAX) shown.push(`${log}: and ${found.length - SHOWN_MAX} more`);
}
