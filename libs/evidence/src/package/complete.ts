import type { Examination } from '../checks/examination.js';
import { PACKAGE_FILES, type PackageStatement } from './files.js';
import { ruleFile, type Judgement, type ReplayedShoe, type ShoeOpening } from './replay.js';
import type { SealedState, Seals } from '../checks/seals.js';
import { SITE_FILES } from './site-files.js';
import type { CheckedTable } from '../checks/table-records.js';

const AT = { file: SITE_FILES.statement };

/** Checks that a package holds the files of its statement and no others in its payload. */
export function verifyFileSet(exam: Examination, statement: PackageStatement): void {
  const due = new Set(dueFiles(statement));
  for (const path of due) if (!exam.reader.has(path)) exam.fileMissing(7, path);
  for (const path of exam.reader.source.files.keys())
    if (path.startsWith('data/') && !due.has(path) && !path.startsWith('data/reports/'))
      exam.altered(7, 'package.json has no place for the file', { file: path });
}

/** Returns the paths of the payload, but for the reports. */
function dueFiles({ tables, rules }: PackageStatement): string[] {
  return Object.keys(PACKAGE_FILES)
    .filter((path) => path.startsWith('data/'))
    .flatMap((path) => {
      if (path.includes('<number>'))
        return tables.map(({ number }) => path.replace('<number>', String(number)));
      return path.includes('<id@version>') ? rules.map(({ id }) => ruleFile(id)) : [path];
    });
}

/** Checks that the range is what the scope of a package asks for. */
export function verifyRange(
  exam: Examination,
  statement: PackageStatement,
  seals: Seals,
  tables: readonly CheckedTable[],
): void {
  const fault = (message: string, table?: string): void =>
    exam.altered(7, message, { ...AT, table });
  const { scope, range } = statement;
  const [first] = seals.range;
  if (range.after !== null && first?.number !== range.after)
    fault(`leaf ${range.after}, after which the range begins, is not a seal`);
  if (seals.range.at(-1)?.number !== range.to)
    fault(`leaf ${range.to}, with which the range ends, is not a seal`);
  if (statement.all !== (scope.table === undefined))
    fault('a scope without a table must have all tables, and only such a scope');
  scopeFaults(scope).forEach((why) => fault(why));
  if (statement.tables.length === 0) fault('it has no table');
  if (scope.table !== undefined && statement.tables.some(({ table }) => table !== scope.table))
    fault(`it has another table than ${scope.table}`);
  const days = daysOf(seals.range, range.after);
  for (const table of tables) {
    const why = rangeFault(statement, sizesOf(statement, table), days);
    if (why !== undefined) fault(why, table.entry.table);
    const following = table.latest.size - table.entry.first - table.records;
    if (following > 0) exam.found.addWarning(followWarning(scope, table.entry.table, following));
  }
}

function followWarning({ kind }: Scope, table: string, count: number): string {
  const reviews = kind === 'finding' ? '; reviews of the finding can be among them' : '';
  return `${count} records of table ${table} follow the range${reviews}`;
}

/** Returns what is wrong with the names in a scope. */
function scopeFaults(scope: Scope): string[] {
  const { kind, from, to } = scope;
  const { must, may } = SCOPE_FIELDS[kind];
  const known = new Set<string>(['kind', ...must, ...may]);
  const lacking = must.filter((field) => scope[field] === undefined);
  const others = Object.keys(scope).filter((field) => !known.has(field));
  return [
    ...lacking.map((field) => `the scope ${kind} must name its ${field}`),
    ...others.map((field) => `the scope ${kind} does not have a ${field}`),
    ...((from === undefined) === (to === undefined) ? [] : ['from and to must both be in a scope']),
  ];
}

type ScopeField = Exclude<keyof Scope, 'kind'>;

/** What a scope of each kind must and may name. */
const SCOPE_FIELDS: Readonly<
  Record<Scope['kind'], Readonly<Record<'must' | 'may', readonly ScopeField[]>>>
> = {
  shoe: { must: ['table', 'shoe'], may: [] },
  finding: { must: ['table', 'finding'], may: ['shoe'] },
  table: { must: ['table'], may: ['from', 'to'] },
  day: { must: ['day'], may: ['table'] },
};

/** The days that the seals of a range close: at its begin, between, and at its end. */
interface Days {
  readonly after: string | undefined;
  readonly between: readonly string[];
  readonly to: string | undefined;
}

function daysOf(range: readonly SealedState[], after: number | null): Days {
  const inside = after === null ? range : range.slice(1);
  return {
    after: after === null ? undefined : range[0]?.closes,
    between: inside.slice(0, -1).flatMap(({ closes }) => closes ?? []),
    to: inside.at(-1)?.closes,
  };
}

/** The range of a table, and its sizes at the seals that bound it. */
interface RangeSizes {
  readonly first: number;
  readonly end: number;
  readonly after: number;
  readonly beforeTo: number;
  readonly afterNext: number;
  readonly to: number;
  readonly latest: number;
}

function sizesOf(
  { range }: PackageStatement,
  { entry, sizes, records, latest }: CheckedTable,
): RangeSizes {
  const inside = sizes.filter(({ seal }) => seal !== range.after);
  return {
    first: entry.first,
    end: entry.first + records,
    after: sizes.find(({ seal }) => seal === range.after)?.size ?? 0,
    afterNext: inside[0]?.size ?? 0,
    beforeTo: inside.at(-2)?.size ?? 0,
    to: inside.at(-1)?.size ?? 0,
    latest: latest.size,
  };
}

/** Returns what makes a range another than its scope asks for. */
function rangeFault(
  { scope, range }: PackageStatement,
  sizes: RangeSizes,
  days: Days,
): string | undefined {
  switch (scope.kind) {
    case 'day':
      return dayFault(scope, days) ?? daysFault(sizes, days, range.after);
    case 'table':
      if (scope.from === undefined && scope.to === undefined)
        return sizes.first === 0 && sizes.end === sizes.latest
          ? undefined
          : 'it does not reach from record 0 to the latest';
      return fromToFault(scope, days) ?? daysFault(sizes, days, range.after);
    case 'shoe':
    case 'finding':
      return recordsFault(sizes);
  }
}

type Scope = PackageStatement['scope'];

function dayFault({ day = 'a day' }: Scope, days: Days): string | undefined {
  if (days.to !== day) return `the last seal closes ${days.to ?? 'no day'}, not ${day}`;
  const [between] = days.between;
  return between === undefined ? undefined : `it holds the seal of ${between} too`;
}

function fromToFault({ from = '', to = 'a day' }: Scope, days: Days): string | undefined {
  if (days.to !== to) return `the last seal closes ${days.to ?? 'no day'}, not ${to}`;
  if (days.after !== undefined && days.after >= from) return 'it begins after its first day';
  const [first = to] = days.between;
  return first < from ? 'it begins before its first day' : undefined;
}

/** Checks that the seals of a range are those just around its records. */
function recordsFault(sizes: RangeSizes): string | undefined {
  if (sizes.after > sizes.first) return 'the seal before it has records of it';
  if (sizes.afterNext <= sizes.first) return 'a later seal stands before it';
  if (sizes.beforeTo >= sizes.end) return 'an earlier seal covers it';
  return sizes.to < sizes.end ? 'the last seal does not cover it' : undefined;
}

function daysFault(
  { first, after, end, to }: RangeSizes,
  days: Days,
  from: number | null,
): string | undefined {
  if (from !== null && days.after === undefined) return 'it does not begin with the seal of a day';
  if (first > after) return 'it begins after the seal of the day before';
  return end === to ? undefined : 'it does not end with the seal of its day';
}

/** Checks the shoes of a package against those that its records open. */
export function verifyShoes(
  exam: Examination,
  statement: PackageStatement,
  judgement: Judgement,
  checked: readonly CheckedTable[],
): void {
  for (const table of checked) {
    const { entry } = table;
    const fault: Fault = (message) => exam.altered(7, message, { ...AT, table: entry.table });
    const stopped = judgement.parked.find((each) => each.table === entry.table)?.record;
    const listed = judgement.shoes.filter((each) => each.table === entry.table);
    const inReach = listed.filter(({ hasLeftReach }) => !hasLeftReach);
    for (const { shoe, isClosed } of inReach) {
      if (!isClosed) exam.found.addWarning(`shoe ${shoe} of table ${entry.table} is not closed`);
      exam.found.addWarning(
        `corrections to shoe ${shoe} of table ${entry.table} are still possible`,
      );
    }
    // where judging stopped, the shoes after it are not known
    if (stopped === undefined) verifyOpened(statement, table, { listed, fault });
    const openings = judgement.openings.get(entry.table);
    if (openings) verifyListed(statement, table, { openings, stopped, fault });
  }
}

type Fault = (message: string) => void;

/** Checks that the named shoes are opened, and that the one of the scope can no longer change. */
function verifyOpened(
  { scope }: PackageStatement,
  { entry, records, latest }: CheckedTable,
  { listed, fault }: { readonly listed: readonly ReplayedShoe[]; readonly fault: Fault },
): void {
  const opened = new Map(listed.map((each) => [each.shoe, each]));
  for (const shoe of entry.shoes)
    if (!opened.has(shoe)) fault(`the records do not open shoe ${shoe}`);
  // a finding about no shoe is shown with the shoe before it, which it says nothing about
  const asked = scope.kind === 'shoe' || scope.kind === 'finding' ? scope.shoe : undefined;
  if (asked === undefined) return;
  const found = opened.get(asked);
  if (!found) fault(`the records do not open shoe ${asked}`);
  if (found?.hasLeftReach === false && entry.first + records < latest.size)
    fault(`the range ends while shoe ${asked} can still be corrected`);
}

/** The openings of a table, and the record at which judging stopped. */
interface Opened {
  readonly openings: readonly ShoeOpening[];
  readonly stopped: number | undefined;
  readonly fault: Fault;
}

/**
 * Checks the shoe with which listing begins. The range has the opening of the shoe before it,
 * because corrections and late money reach that far. A range from record 0 has all, and lists all.
 */
function verifyListed(statement: PackageStatement, table: CheckedTable, opened: Opened): void {
  const { scope } = statement;
  const { first, shoes } = table.entry;
  const begin = scope.shoe ?? shoes[0];
  const [earliest] = opened.openings;
  if (first === 0) return;
  if (earliest && earliest.shoe === begin)
    opened.fault(`the range begins after the opening of the shoe before ${begin}`);
  if (scope.kind === 'day' || scope.kind === 'table')
    verifyDays(table.entry, sizesOf(statement, table).after, opened);
}

/**
 * Checks that listing begins with the shoe that was open when the days of a range began, at the
 * record `after`, and that every later one is named.
 */
function verifyDays(
  { records, shoes }: CheckedTable['entry'],
  after: number,
  { openings, stopped = Infinity, fault }: Opened,
): void {
  if (stopped < after) return;
  const open = openings.findLast(({ record }) => record < after);
  if (!open && records > 0)
    fault('the range does not have the opening of the shoe with which its days begin');
  if (!open) return;
  if (open.shoe !== shoes[0])
    return fault(`its shoes begin with ${shoes[0] ?? 'none'}, and its days with shoe ${open.shoe}`);
  const named = new Set(shoes);
  for (const { shoe } of openings.slice(openings.indexOf(open)))
    if (!named.has(shoe)) fault(`the records open shoe ${shoe}, which is not named`);
}
