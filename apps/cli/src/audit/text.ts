import {
  moneyText,
  CATALOGUE,
  type Finding,
  type LedgerLine,
  type RuleBook,
  type Severity,
  type AuditedCoup,
  type AuditedShoe,
  type Unjudgeable,
} from '#audit';
import { stripVTControlCharacters } from 'node:util';
import type { Rules } from '#baccarat';
import { visible, visibleAll } from '#process';
import { colours } from '../terminal/colours.js';
import { renderCoup } from './coup-picture.js';
import {
  ACTION_WORDS,
  seen,
  sentence,
  SEVERITY_WORDS,
  severityText,
  SLIP_WORDS,
} from './finding-words.js';
import { columns, counted, wrapped, type BufferedOutput } from '../terminal/page.js';
import { ruleOf } from '../rules/rule-source.js';
import type { ShoeRecord } from './shoe-record.js';
import { grid } from '../terminal/grid.js';
import type { AuditedReview, ReviewAct, Reviews } from './reviews.js';
import type { Verdict } from './verdict.js';

const INDENT = '     ';
const LABEL = 10;

/**
 * Prints a verdict as text: shoes with their findings, what could not be judged, commission,
 * totals.
 */
export async function printText(
  page: BufferedOutput,
  verdict: Verdict,
  book: RuleBook,
): Promise<void> {
  const severities = new Map<Severity, number>();
  const reviewed = new Set<string>();
  let after: ShoeRecord | undefined;
  for (const recorded of verdict.records()) {
    const record = visibleAll(recorded);
    await page.lines(
      ...(after && after.findings.length + record.findings.length > 0 ? [''] : []),
      ...shoeLines(record),
    );
    after = record;
    for (const finding of record.findings)
      severities.set(finding.severity, (severities.get(finding.severity) ?? 0) + 1);
    for (const group of coupsInTurn(record.findings))
      await page.lines(
        ...groupLines(group, record, (finding) => [
          ...findingLines(finding, record, book.get(finding.rules)),
          ...reviewLines(visibleAll(verdict.reviews.of(finding.id)), reviewed),
        ]),
      );
  }
  await printOtherReviews(page, verdict.reviews, reviewed);
  await printUnjudgeable(page, verdict);
  await printCommission(page, verdict);
  await page.lines(...totalLines(verdict, severities));
}

/** Renders a shoe in one line, or in two if it is too long. */
function shoeLines({ shoe, findings }: ShoeRecord): string[] {
  const count =
    findings.length === 0
      ? colours.green('clean')
      : colours.bold(colours.red(counted(findings.length, 'finding')));
  if (!shoe)
    return [
      `${colours.bold(`Table ${findings[0]?.table ?? ''}`)}  of no shoe within reach · ${count}`,
    ];
  const name = colours.bold(`Table ${shoe.table}  shoe ${shoe.shoe}`);
  const words = `${shoeWords(shoe)} · ${count}`;
  return stripVTControlCharacters(`${name}  ${words}`).length <= columns()
    ? [`${name}  ${words}`]
    : [name, `  ${words}`];
}

const shoeWords = ({ rules, decks, coups, cards, closed }: AuditedShoe): string =>
  `${rules} · ${counted(decks, 'deck')} · ${counted(coups, 'coup')} · ${counted(cards, 'card')} · ${closed ? 'closed' : 'still open'}`;

/** Groups findings in the order raised: those of one coup that follow each other form a group. */
function coupsInTurn(findings: readonly Finding[]): Finding[][] {
  const groups: Finding[][] = [];
  for (const finding of findings) {
    const last = groups.at(-1);
    if (last?.[0] && locationOf(last[0]) === locationOf(finding)) last.push(finding);
    else groups.push([finding]);
  }
  return groups;
}

/** Returns the part of its shoe that a finding is about. */
const locationOf = ({ code, coup }: Finding): string =>
  coup !== undefined
    ? `Coup ${coup}`
    : CATALOGUE[code].about === 'shoe'
      ? 'The shoe as a whole'
      : 'Between coups';

/** Returns the coup that a finding is about. */
const coupOf = ({ coupRef }: Finding, { coups }: ShoeRecord): AuditedCoup | undefined =>
  coups.find(({ ref }) => ref === coupRef);

function groupLines(
  group: readonly Finding[],
  record: ShoeRecord,
  linesOf: (finding: Finding) => string[],
): string[] {
  const [first] = group as [Finding];
  const coup = coupOf(first, record);
  const title = record.shoe || first.coup !== undefined ? locationOf(first) : 'Outside any shoe';
  return [
    '',
    `  ${colours.bold(title)} ${colours.dim('─'.repeat(Math.max(0, columns() - title.length - 3)))}`,
    ...(coup ? renderCoup(coup, group) : []),
    ...group.flatMap((finding) => ['', ...linesOf(finding)]),
  ];
}

function findingLines(finding: Finding, record: ShoeRecord, rules: Rules | undefined): string[] {
  const currency = record.shoe?.currency ?? '';
  const coup = coupOf(finding, record);
  const rule = rules && ruleOf(finding, rules, coup, currency);
  const { impact, explainedBy, disposition } = finding;
  const marks = [
    finding.void ? 'in a coup declared void' : '',
    finding.remedied ? 'remedied: what the rules prescribe was done' : '',
  ].filter((mark) => mark !== '');
  const text = wrapped(sentence(finding, currency), columns() - INDENT.length - LABEL - 8);
  return [
    `${INDENT}${severityText(finding.severity, LABEL)}${colours.bold(finding.code)}   ${text.join(`\n${INDENT}${' '.repeat(LABEL + 8)}`)}`,
    ...entry('due', [seen(finding.expected, finding, currency)]),
    ...entry('seen', [seen(finding.observed, finding, currency)]),
    ...(impact
      ? entry('money', [
          colours.bold(
            `${moneyText(impact.amount, impact.currency)} in favor of the ${impact.favours}`,
          ),
        ])
      : []),
    ...(explainedBy ? entry('slip', [SLIP_WORDS[explainedBy]]) : []),
    ...(rule ? entry('rule', rule.rule) : []),
    ...(rule?.source ? entry('source', [rule.source]) : []),
    ...(disposition
      ? entry('to do', [
          `${disposition.do.map((action) => ACTION_WORDS[action]).join(', then ')} (${disposition.source}, ${disposition.section})`,
        ])
      : []),
    ...(marks.length > 0 ? entry('mark', [marks.join('; ')]) : []),
    ...entry('id', [colours.dim(finding.id)]),
  ];
}

/** Renders the review of a finding, and notes in `reviewed` that it was rendered. */
function reviewLines(review: AuditedReview | undefined, reviewed: Set<string>): string[] {
  if (!review) return [];
  reviewed.add(review.finding);
  const refused = review.events.filter(({ outcome }) => outcome !== 'taken');
  return [
    ...entry('review', [reviewWords(review)]),
    ...refused.flatMap((act) => entry('refused', [refusalWords(act)])),
  ];
}

/** Says where a review stands, and who decided. */
function reviewWords(review: AuditedReview): string {
  const { state, disposition, proposedBy, signedBy, regressed, touched } = review;
  const marks = [
    ...(regressed ? ['it had been ruled before'] : []),
    ...(touched ? ['its coup changed after the ruling'] : []),
  ];
  const people = [
    ...(proposedBy === null ? [] : [`proposed by ${proposedBy}`]),
    ...(signedBy === null ? [] : [`signed by ${signedBy}`]),
  ];
  const what =
    disposition === null ? (state ?? 'of a finding unknown here') : `${state}: ${disposition}`;
  return [what, ...people, ...marks].join(', ');
}

const refusalWords = ({ type, by, outcome }: ReviewAct): string =>
  `${type.replace('finding-', '')} by ${by}: ${outcome}`;

/** Prints the reviews of findings that do not stand, or were never raised. */
async function printOtherReviews(
  page: BufferedOutput,
  reviews: Reviews,
  reviewed: ReadonlySet<string>,
): Promise<void> {
  if (reviews.size === reviewed.size) return;
  await page.lines('', colours.bold('Reviews of findings that do not stand'));
  for (const review of reviews) {
    if (reviewed.has(review.finding)) continue;
    const shown = visibleAll(review);
    await page.lines(
      ...reviewLines(shown, new Set()),
      ...entry('id', [colours.dim(shown.finding)]),
    );
  }
}

/**
 * Renders a label and its text, which may continue below it. Several lines are columns and are not
 * wrapped.
 */
function entry(label: string, lines: readonly string[]): string[] {
  const room = columns() - INDENT.length - LABEL * 2;
  const broken = lines.length === 1 ? wrapped(lines[0] as string, room) : lines;
  return broken.map(
    (line, i) =>
      `${INDENT}${' '.repeat(LABEL)}${colours.dim((i === 0 ? label : '').padEnd(LABEL - 2))}${line}`,
  );
}

async function printUnjudgeable(page: BufferedOutput, verdict: Verdict): Promise<void> {
  let begun = false;
  for (const { unjudgeable } of verdict.records()) {
    for (const doubt of unjudgeable) {
      await page.lines(
        ...(begun ? [] : ['', colours.bold('Could not be judged')]),
        ...doubtLines(visibleAll(doubt)),
      );
      begun = true;
    }
  }
}

function doubtLines({ table, shoe, coup, codes, why }: Unjudgeable): string[] {
  const where = `Table ${table}  shoe ${shoe}  ${coup === undefined ? 'the shoe as a whole' : `coup ${coup}`}`;
  const codesToo = wrapped(`not judged: ${codes.join(' ')}`, columns() - INDENT.length);
  return [
    ...wrapped(`${where}: ${why}`, columns() - 4).map(
      (line, i) => `  ${i === 0 ? '' : '  '}${line}`,
    ),
    ...codesToo.map((line) => `${INDENT}${colours.dim(line)}`),
  ];
}

async function printCommission(page: BufferedOutput, verdict: Verdict): Promise<void> {
  let begun = false;
  for (const { ledger, shoe } of verdict.records()) {
    if (ledger.length === 0 || !shoe) continue;
    await page.lines(
      ...(begun ? [] : ['', colours.bold('Commission')]),
      `  Table ${visible(shoe.table)}  shoe ${visible(shoe.shoe)}`,
      ...grid(
        ['seat', 'due', 'taken', 'marked', 'collected', 'waived', 'outstanding'],
        ledgerRows(ledger, shoe.currency),
      ).map((line) => `  ${line}`),
    );
    begun = true;
  }
}

function ledgerRows(ledger: readonly LedgerLine[], currency: string): string[][] {
  const money = (amount: number): string => moneyText(amount, currency);
  return ledger.map(({ seat, due, taken, marked, collected, waived, outstanding }) => [
    String(seat),
    ...[due, taken, marked, collected, waived].map(money),
    outstanding > 0 ? colours.bold(colours.red(money(outstanding))) : money(outstanding),
  ]);
}

function totalLines(
  { events, findings }: Verdict,
  severities: ReadonlyMap<Severity, number>,
): string[] {
  const { read, admitted, duplicates, equivocal, late, stray } = events;
  const n = (count: number): string => count.toLocaleString('en');
  const rest = [
    [duplicates, 'duplicate', 'duplicates'],
    [equivocal, 'equivocal', 'equivocal'],
    [late, 'late', 'late'],
    [stray, 'stray', 'stray'],
  ] as const;
  const others = rest
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${n(count)} ${count === 1 ? one : many}`);
  return [
    '',
    `${colours.bold('Events')}    ${n(read)} read, ${n(admitted)} admitted${others.length > 0 ? `, ${others.join(', ')}` : ''}`,
    `${colours.bold('Findings')}  ${findings === 0 ? colours.green('none') : n(findings)}`,
    ...([1, 2, 3, 4] as const)
      .filter((severity) => severities.has(severity))
      .map(
        (severity) =>
          `          ${n(severities.get(severity) ?? 0).padStart(5)}  ${severityText(severity, 8)} ${colours.dim(SEVERITY_WORDS[severity].meaning)}`,
      ),
  ];
}
