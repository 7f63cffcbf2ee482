import type { RangeAsked } from '#audit';
import { tableOfName } from '#evidence';
import type { SealReader } from '#seal-store';
import type { ExportAsked, Scope } from './asked.js';
import { ExportRefusal } from './refusal.js';
import type { ExportRows, LookedUpFinding, RecordPosition } from './rows.js';
import type { SealSpan, ShownState } from './sealed-parts.js';
import type { NumberedTable, TableLog } from './table-log.js';

/** What was asked for, found in what is sealed. */
export interface Resolved {
  /** As package.json has it: with the table, and the id of the shoe. */
  readonly scope: Scope;
  /** By number. */
  readonly tables: readonly NumberedTable[];
  /** The seals of a scope of days; undefined if the seals follow from the range. */
  readonly days: SealSpan | undefined;
  /** What one shoe or finding shows; undefined for a scope of days. */
  readonly shown: Shown | undefined;
  readonly finding: LookedUpFinding | undefined;
}

/** A shoe, or a record with a finding about no shoe. */
export interface Shown {
  readonly of: { readonly is: 'shoe'; readonly ref: string } | { readonly is: 'record' };
  readonly position: RecordPosition;
}

/** What a scope is looked up in. */
export interface LookedIn {
  readonly seals: SealReader;
  readonly rows: ExportRows;
  readonly state: ShownState;
  readonly log: (table: NumberedTable) => TableLog;
}

/** Finds what was asked for. Throws `ExportRefusal` for what does not exist or is not sealed. */
export async function resolve(within: LookedIn, { scope }: ExportAsked): Promise<Resolved> {
  switch (scope.kind) {
    case 'shoe':
      return shoeOf(within, scope);
    case 'finding':
      return findingOf(within, scope);
    case 'table':
    case 'day':
      return daysOf(within, scope);
  }
}

async function shoeOf(within: LookedIn, scope: Scope): Promise<Resolved> {
  const { table = '', shoe = '' } = scope;
  const numbered = await tableNamed(within.seals, table);
  const opening = await within.rows.opening(table, shoe);
  const opened = opening && (await openedAt(within.log(numbered), opening.position, shoe));
  if (!opening || !opened)
    throw new ExportRefusal('unknown-shoe', `table ${table} has no shoe ${shoe}`, 'scope/shoe');
  return {
    scope: { kind: 'shoe', table, shoe: opened.shoe },
    tables: [numbered],
    days: undefined,
    shown: { of: { is: 'shoe', ref: opened.ref }, position: opening.position },
    finding: undefined,
  };
}

/**
 * Returns the shoe that a record opens, by its id or the reference of its opening. Rows keep long
 * ones shortened.
 */
async function openedAt(
  log: TableLog,
  position: RecordPosition,
  named: string,
): Promise<{ readonly ref: string; readonly shoe: string } | undefined> {
  const at = await log.recordAt(position);
  if (at === undefined) return undefined;
  for (const { type, source, id, shoe } of await log.eventsOf(at)) {
    const ref = `${source}#${id}`;
    if (type === 'shoe-opened' && shoe !== undefined && (shoe === named || ref === named))
      return { ref, shoe };
  }
  return undefined;
}

async function findingOf(within: LookedIn, scope: Scope): Promise<Resolved> {
  const { finding: id = '' } = scope;
  const row = await within.rows.finding(id);
  const table = row?.finding.table;
  if (!row || table === undefined || (scope.table !== undefined && scope.table !== table))
    throw new ExportRefusal('unknown-finding', `there is no finding ${id}`, 'scope/finding');
  const numbered = await tableNamed(within.seals, table);
  return {
    scope: { kind: 'finding', table, finding: id },
    tables: [numbered],
    days: undefined,
    shown: await shownOf(within, row, numbered),
    finding: row,
  };
}

/** Returns the shoe of a finding, or the record at which one about no shoe was raised. */
async function shownOf(
  { rows, log }: LookedIn,
  { finding, shoeRef, position }: LookedUpFinding,
  table: NumberedTable,
): Promise<Shown> {
  const named = finding.shoeRef ?? finding.shoe;
  const opening = shoeRef === null ? undefined : await rows.opening(table.id, named);
  const opened = opening && (await openedAt(log(table), opening.position, named));
  if (!opening || !opened) return { of: { is: 'record' }, position };
  return { of: { is: 'shoe', ref: opened.ref }, position: opening.position };
}

async function daysOf({ seals, state }: LookedIn, scope: Scope): Promise<Resolved> {
  const { table } = scope;
  const numbered = table === undefined ? undefined : await tableNamed(seals, table);
  const days = await daySpan(seals, state, scope);
  const tables = numbered ? [numbered] : await allTables(seals, days.to);
  return { scope, tables, days, shown: undefined, finding: undefined };
}

/** Returns the seals that bound the days of a scope: the whole log if it names none. */
async function daySpan(seals: SealReader, { latest }: ShownState, scope: Scope): Promise<SealSpan> {
  const { day, from = day, to = day } = scope;
  if (from === undefined || to === undefined) return { after: null, to: latest.index };
  const sealed = async (named: string) => {
    const seal = await seals.daySeal(named);
    if (seal && seal.index <= latest.index) return seal;
    throw new ExportRefusal('day-not-sealed', `the day ${named} is not sealed`, 'scope');
  };
  const last = await sealed(to);
  const first = from === to ? last : await sealed(from);
  return { after: (await seals.lastDaySeal(first.index))?.index ?? null, to: last.index };
}

async function tableNamed(seals: SealReader, id: string): Promise<NumberedTable> {
  const table = await seals.table(id);
  if (table) return { id, ...table };
  throw new ExportRefusal('unknown-table', `no seal holds table ${id}`, 'scope/table');
}

async function allTables(seals: SealReader, seal: number): Promise<NumberedTable[]> {
  const names = await seals.names(seal);
  return names.map(({ name, number }) => {
    const id = tableOfName(name);
    if (id === undefined) throw new Error(`${name} is not the name of a table`);
    return { id, name, number };
  });
}

/** Returns what a table shows of a shoe or finding, whose record is known. */
export const rangeOfShown = ({ of }: Shown, record: number): RangeAsked =>
  of.is === 'shoe' ? { of: 'shoe', ref: of.ref } : { of: 'record', record };
