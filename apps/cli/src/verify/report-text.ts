import { VERDICTS, type PackageFault, type PackageReport, type PackageStatement } from '#evidence';
import { visible } from '#process';

/** Returns the exit code of a report. */
export const exitOf = ({ verdict }: PackageReport): number => VERDICTS[verdict];

/** Returns a report for programs, as one line of JSON. */
export function reportJson(report: PackageReport): string {
  const { verdict, faults, warnings, counts, key, sealed } = report;
  return JSON.stringify({
    verdict,
    faults: faults.map(faultJson),
    warnings,
    counts,
    key: key?.vkey ?? null,
    sealed: { after: sealed.after ?? null, to: sealed.to ?? null },
  });
}

/** Returns a fault with all fields in their order. A field that is not known is null. */
function faultJson(fault: PackageFault): Readonly<Record<string, unknown>> {
  const { step, kind, file, table, record, partition, offset, line, seal, message } = fault;
  const at = { file, table, record, partition, offset, line, seal };
  const known = Object.fromEntries(
    Object.entries(at).map(([name, value]) => [name, value ?? null] as const),
  );
  return { step, kind, ...known, message };
}

/** What the reader gave to the verifier. */
export interface Given {
  readonly hasKey: boolean;
  /** The sizes of the checkpoints that the reader holds. */
  readonly sizes: readonly number[];
}

/** Returns a report for people, line by line. */
export function reportLines(report: PackageReport, given: Given): string[] {
  const { verdict, statement, counts, faults, warnings } = report;
  const [first = 'none', ...others] = warnings;
  const further = counts.faults - faults.length;
  return [
    `${verdict}  ${subjectOf(report)}`,
    ...(onlySignerUnknown(report) ? [`  whole in itself, but ${faults[0]?.message}`] : []),
    ...(onlySignerUnknown(report) ? [] : faults.map((fault) => `  ${faultText(fault)}`)),
    ...(further > 0 ? [`  and ${counted(further, 'more fault')}`] : []),
    ...(statement ? provenLines(report, given) : []),
    ...(statement ? countLines(report, statement) : []),
    `  warnings   ${first}`,
    ...others.map((warning) => `${' '.repeat(LABEL)}${warning}`),
  ].map(visible);
}

/** Where the text begins after a label, and the second column. */
const LABEL = 13;
const COLUMN = 60;

function subjectOf({ statement, counts }: PackageReport): string {
  if (!statement) return 'this is not a package that can be read';
  const { id, all, tables } = statement;
  const names = tables.map(({ table }) => table).join(', ');
  const of = all ? `all ${counted(tables.length, 'table')}` : `table ${names}`;
  const { events, records, seals } = counts;
  return `${id}: ${counted(events, 'event')} in ${counted(records, 'record')} of ${of}, ${counted(seals, 'seal')}`;
}

/** Returns whether the only fault is that the reader gave no key. */
const onlySignerUnknown = ({ verdict, key, faults }: PackageReport): boolean =>
  verdict === 'INCOMPLETE' && key?.isTrusted === false && faults.length === 1;

/** Returns who signed, who cosigned, what history shows and when it was sealed. */
function provenLines({ key, cosigned, grownSince, sealed }: PackageReport, given: Given): string[] {
  const whose =
    key?.isTrusted !== true ? 'unknown to you' : given.hasKey ? 'the key you gave' : 'yours';
  const signed = key ? `${key.vkey.split('+').slice(0, 2).join('+')} (${whose})` : 'by nobody';
  const witnesses = cosigned.map(({ name, time }) => `${name} ${timeText(time)}`).join(', ');
  return [
    ['signed', signed, 'cosigned', witnesses || 'not checked: no witness was named'],
    ['history', historyOf(grownSince, given), 'sealed', `${spanOf(sealed)} by the house's clock`],
  ].map(
    ([left = '', text = '', right = '', more = '']) =>
      `  ${left.padEnd(LABEL - 2)}${text.padEnd(COLUMN - 2)}  ${right.padEnd(10)}${more}`,
  );
}

/** Returns from when to when a range was sealed. The day is not repeated. */
function spanOf({ after, to = 'unknown' }: PackageReport['sealed']): string {
  if (after === undefined) return `the first seal to ${plainTime(to)}`;
  const isOneDay = after.slice(0, 10) === to.slice(0, 10);
  return `${plainTime(after)} to ${isOneDay ? to.slice(11) : plainTime(to)}`;
}

function historyOf(grownSince: readonly number[], { sizes }: Given): string {
  if (sizes.length === 0) return 'not checked: no earlier checkpoint was given';
  const text = (list: readonly number[]): string =>
    `your ${list.length === 1 ? 'checkpoint' : 'checkpoints'} of size ${list.map(grouped).join(', ')}`;
  const others = sizes.filter((size) => !grownSince.includes(size));
  return [
    ...(grownSince.length > 0 ? [`only grew since ${text(grownSince)}`] : []),
    ...(others.length > 0 ? [`not shown since ${text(others)}`] : []),
  ].join('; ');
}

/** Returns how much of the package was checked and judged. */
function countLines(report: PackageReport, { tables, rules }: PackageStatement): string[] {
  const { counts, judgement } = report;
  const records = tables.reduce((sum, table) => sum + table.records, 0);
  const checked = [
    share(counts.seals, report.sealsDue, 'seals'),
    share(counts.records, records, 'records'),
  ];
  if (!judgement) return [`  ${checked.join(', ')}, findings not judged`];
  const { sessions, sessionsWithHole, findings, same, parked } = judgement;
  const under = rules.map(({ id }) => id).filter((id) => !id.startsWith('policies/'));
  const judged = [
    share(sessions - sessionsWithHole, sessions, 'sessions without a hole'),
    `${share(same, findings, 'findings the same')} under ${under.join(', ') || 'no rules'}`,
  ];
  return [
    `  ${[...checked, ...judged].join(', ')}`,
    ...parked.map(
      ({ table, record, last }) =>
        `  judged to record ${grouped(record)} of ${grouped(last)} of table ${table}`,
    ),
  ];
}

const grouped = (count: number): string => count.toLocaleString('en-US');
const share = (of: number, all: number, what: string): string =>
  `${grouped(of)}/${grouped(all)} ${what}`;

/** Returns a time of a seal without its T. */
const plainTime = (time: string): string => time.replace('T', ' ');

const timeText = (seconds: number): string =>
  `${plainTime(new Date(seconds * 1_000).toISOString().slice(0, 19))}Z`;

/** Renders a fault: where it is, as finely as it is known, and what is wrong there. */
function faultText({ step, kind, message, ...at }: PackageFault): string {
  const { file, table, record, partition, offset, line, seal } = at;
  const where = [
    file,
    table === undefined ? undefined : `table ${table}`,
    record === undefined ? undefined : `record ${record}`,
    partition === undefined ? undefined : `partition ${partition} offset ${offset ?? '?'}`,
    line === undefined ? undefined : `line ${line}`,
    seal === undefined ? undefined : `seal ${seal}`,
  ].filter((part) => part !== undefined);
  return `${kind}, step ${step}: ${[where.join(', '), message].filter((part) => part !== '').join(': ')}`;
}

const counted = (count: number, what: string): string =>
  `${grouped(count)} ${what}${count === 1 ? '' : 's'}`;
