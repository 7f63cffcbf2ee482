import { codesOfReport, type FindingCode, type Severity } from '#audit';
import { FINDING, type FindingRow } from '../entities/index.js';
import { cursorKey, limitOf, pageOf, type Page, type Paging } from '../reading/cursor.js';
import {
  FINDING_SELECT,
  findingLine,
  type FindingLine,
  type FindingRead,
} from '../findings/findings.js';
import { keyOf } from '../database/schema-keys.js';
import { whole, type RowQuery, type Slices, type Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/**
 * The codes that make a coup misdealt: about dealing, third cards, the result, and shoe codes about
 * one coup.
 */
export const MISDEALT_CODES: readonly FindingCode[] = codesOfReport('misdealt');

/** The filter of the report on misdealt coups. */
export interface MisdealtFilter extends Filter {
  /** Only these codes. Codes that are not in `MISDEALT_CODES` match nothing. */
  readonly code?: readonly FindingCode[];
  readonly severity?: readonly Severity[];
}

/** The number of findings with one value in a column, and of their coups. */
export interface MisdealtCount<Value> {
  readonly value: Value;
  readonly findings: number;
  readonly coups: number;
}

/**
 * Counts of everything that matches the filter. In each list, the findings add up to `findings`. By
 * table, dealer and day, the coups add up to `coups`. By code and severity they do so only if no
 * coup has findings of two.
 */
export interface MisdealtSummary {
  readonly coups: number;
  readonly findings: number;
  /** The coups among them that are void. */
  readonly voidCoups: number;
  /** The findings among them whose prescribed remedy was done. */
  readonly remedied: number;
  readonly byCode: readonly MisdealtCount<FindingCode>[];
  readonly bySeverity: readonly MisdealtCount<Severity>[];
  readonly byTable: readonly MisdealtCount<string>[];
  /** Null for coups without a dealer signed on. */
  readonly byDealer: readonly MisdealtCount<string | null>[];
  readonly byDay: readonly MisdealtCount<string>[];
}

/** A misdealt coup with its findings, the gravest first. */
export interface MisdealtLine {
  readonly coupRef: string;
  readonly shoeRef: string;
  readonly table: string;
  readonly shoe: string;
  readonly coup: number;
  readonly dealer: string | null;
  /** When the coup was opened. */
  readonly at: string;
  readonly gamingDay: string;
  readonly void: boolean;
  readonly findings: readonly FindingLine[];
}

/** A page of the report on misdealt coups, with the summary of all pages. */
export interface MisdealtReport extends Page<MisdealtLine> {
  readonly summary: MisdealtSummary;
}

const LIST = 'misdealt';
const OF_COUP = ['coupRef', 'table', 'gamingDay', 'at'] as const;
type MisdealtCoup = Pick<FindingRow, (typeof OF_COUP)[number]>;

/**
 * Returns misdealt coups, the latest first. A coup whose findings were all withdrawn is not
 * misdealt. A coup that was voided, or whose fault was remedied, is misdealt and has a flag for it.
 * A card drawn outside any coup raises a finding without a coup, which is not counted here. Every
 * page has the summary of all pages.
 */
export async function misdealtCoups(
  read: Snapshot,
  filter: MisdealtFilter,
  paging: Paging,
): Promise<MisdealtReport> {
  const coups = await read.rows<MisdealtCoup>(...misdealtQuery(filter, paging));
  const page = pageOf(LIST, coups, paging, ({ gamingDay, at, coupRef, table }) => [
    gamingDay,
    at,
    coupRef as string,
    table,
  ]);
  return {
    lines: await linesOf(read, filter, page.lines),
    next: page.next,
    summary: await summaryOf(read, filter),
  };
}

/** Yields all the coups that `misdealtCoups` returns in pages. */
export async function* everyMisdealt(read: Snapshot, filter: MisdealtFilter): Slices<MisdealtLine> {
  for await (const coups of read.slices<MisdealtCoup>(...misdealtQuery(filter)))
    yield await linesOf(read, filter, coups);
}

function misdealtQuery(filter: MisdealtFilter, paging?: Paging): RowQuery {
  const where = conditions(filter);
  if (paging?.cursor !== undefined)
    where.and(
      '(f.gaming_day, f.at, f.coup_ref, f."table") < (?, ?, ?, ?)',
      ...cursorKey(paging.cursor, LIST, ['day', 'time', 'text', 'text']),
    );
  return [
    `select ${FINDING.select('f', OF_COUP)} from finding f ${where.sql}
     group by f.coup_ref, f."table", f.gaming_day, f.at order by f.gaming_day desc, f.at desc, f.coup_ref desc, f."table" desc ${limitOf(paging)}`,
    where.parameters,
  ];
}

/** Returns these coups with their findings. */
async function linesOf(
  read: Snapshot,
  filter: MisdealtFilter,
  coups: readonly MisdealtCoup[],
): Promise<MisdealtLine[]> {
  const all = await findingsOf(
    read,
    filter,
    coups.map(({ coupRef }) => coupRef),
  );
  const found = new Map<string, FindingLine[]>();
  for (const finding of all) {
    const key = JSON.stringify([finding.coupRef, keyOf(finding.table)]);
    found.set(key, [...(found.get(key) ?? []), finding]);
  }
  return coups.map(({ coupRef, table }) =>
    lineOf(found.get(JSON.stringify([coupRef, table])) ?? []),
  );
}

/** Returns the findings of these coups that match the filter, the gravest first. */
async function findingsOf(
  read: Snapshot,
  filter: MisdealtFilter,
  coupRefs: readonly (string | null)[],
): Promise<FindingLine[]> {
  const found = conditions(filter).and('f.coup_ref = any(?)', coupRefs);
  const rows = await read.rows<FindingRead>(
    `select ${FINDING_SELECT} from finding f ${found.sql} order by f.severity, f.code, f.id`,
    found.parameters,
  );
  return rows.map((row) => findingLine(row, filter.viewer));
}

function lineOf(findings: readonly FindingLine[]): MisdealtLine {
  const { coupRef, shoeRef, table, shoe, coup, dealer, at, gamingDay } = findings[0] as FindingLine;
  return {
    coupRef: coupRef as string,
    shoeRef: shoeRef as string,
    table,
    shoe,
    coup: coup as number,
    dealer,
    at,
    gamingDay,
    void: findings.some((finding) => finding.void),
    findings,
  };
}

function conditions(filter: MisdealtFilter): Where {
  const codes = filter.code
    ? filter.code.filter((code) => MISDEALT_CODES.includes(code))
    : MISDEALT_CODES;
  return new Where()
    .and('f.coup_ref is not null')
    .and('f.withdrawn_because is null')
    .and('f.code = any(?)', codes)
    .filter('f', filter, 'null')
    .given('f.severity = any(?)', filter.severity);
}

interface Counted {
  readonly by: 'code' | 'severity' | 'table' | 'dealer' | 'day' | 'all';
  readonly value: string | null;
  readonly findings: string;
  readonly coups: string;
  readonly void_coups: string;
  readonly remedied: string;
}

async function summaryOf(read: Snapshot, filter: MisdealtFilter): Promise<MisdealtSummary> {
  const where = conditions(filter);
  const rows = await read.rows<Counted>(
    `select case when grouping(f.code) = 0 then 'code' when grouping(f.severity) = 0 then 'severity' when grouping(f."table") = 0 then 'table'
                 when grouping(f.dealer) = 0 then 'dealer'
                 when grouping(f.gaming_day) = 0 then 'day' else 'all' end as by,
            coalesce(f.code, f.severity::text, f."table", f.dealer, f.gaming_day::text) as value,
            count(*) as findings, count(distinct (f.coup_ref, f."table")) as coups,
            count(distinct (f.coup_ref, f."table")) filter (where f.void) as void_coups,
            count(*) filter (where f.remedied) as remedied
     from finding f ${where.sql}
     group by grouping sets ((f.code), (f.severity), (f."table"), (f.dealer), (f.gaming_day), ())
     order by 2 nulls first`,
    where.parameters,
  );
  const counts = <Value>(
    by: Counted['by'],
    read: (text: string | null) => Value,
  ): MisdealtCount<Value>[] =>
    rows
      .filter((row) => row.by === by)
      .map((row) => ({
        value: read(row.value),
        findings: whole(row.findings),
        coups: whole(row.coups),
      }));
  const [all] = rows.filter(({ by }) => by === 'all') as [Counted];
  return {
    coups: whole(all.coups),
    findings: whole(all.findings),
    voidCoups: whole(all.void_coups),
    remedied: whole(all.remedied),
    byCode: counts('code', (code) => code as FindingCode),
    bySeverity: counts('severity', (severity) => Number(severity) as Severity),
    byTable: counts('table', (table) => table as string),
    byDealer: counts('dealer', (dealer) => dealer),
    byDay: counts('day', (day) => day as string),
  };
}
