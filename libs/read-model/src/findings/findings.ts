import type { Finding, FindingCode, Severity } from '#audit';
import { fetchedFor, cursorKey, pageOf, type Page, type Paging } from '../reading/cursor.js';
import type { Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

export const FINDING_STATUSES = ['standing', 'withdrawn', 'all'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];
/** `newest`: by time, the latest first. `worst`: by severity, the gravest first, and then by time. */
export const FINDING_ORDERS = ['newest', 'worst'] as const;
export type FindingOrder = (typeof FINDING_ORDERS)[number];

/** A finding as it was raised (contract section 4), and where it stands. */
export interface FindingLine extends Finding {
  readonly status: 'standing' | 'withdrawn';
  /** The reference of the event that took it back. */
  readonly withdrawnBecause: string | null;
  readonly shoeRef: string | null;
  readonly coupRef: string | null;
  /** Who dealt; null where nobody had signed on. */
  readonly dealer: string | null;
  /** The time of the coup's opening, else of the event that raised it. */
  readonly at: string;
  readonly gamingDay: string;
}

export interface FindingsFilter extends Filter {
  /** `standing` where it is not said. */
  readonly status?: FindingStatus;
  readonly severity?: readonly Severity[];
  readonly code?: readonly FindingCode[];
  readonly shoeRef?: string;
  readonly coupRef?: string;
}

export interface FindingRowRead {
  readonly id: string;
  readonly severity: number;
  readonly body: Finding;
  readonly withdrawn_because: string | null;
  readonly shoe_ref: string | null;
  readonly coup_ref: string | null;
  readonly dealer: string | null;
  readonly at: Date;
  readonly gaming_day: string;
}

export const FINDING_COLUMNS =
  'f.id, f.severity, f.body, f.withdrawn_because, f.shoe_ref, f.coup_ref, f.dealer, f.at, f.gaming_day';

export const findingLine = (row: FindingRowRead): FindingLine => ({
  ...row.body,
  status: row.withdrawn_because === null ? 'standing' : 'withdrawn',
  withdrawnBecause: row.withdrawn_because,
  shoeRef: row.shoe_ref,
  coupRef: row.coup_ref,
  dealer: row.dealer,
  at: row.at.toISOString(),
  gamingDay: row.gaming_day,
});

/**
 * Findings, a page at a time. A withdrawn one does not hold any more and is only in `withdrawn` and `all`; one that is void
 * (its coup was) or remedied stands, and says so.
 */
export async function findings(
  read: Snapshot,
  filter: FindingsFilter,
  paging: Paging & { readonly order?: FindingOrder },
): Promise<Page<FindingLine>> {
  const order = paging.order ?? 'newest';
  const list = `findings/${order}`;
  const where = conditions(filter);
  if (paging.cursor !== undefined) {
    // Severities are sorted the other way round than times, which a comparison of rows cannot say: their sign is turned.
    const key = cursorKey(
      paging.cursor,
      list,
      order === 'worst' ? ['number', 'day', 'time', 'text'] : ['day', 'time', 'text'],
    );
    where.and(
      order === 'worst'
        ? '(-f.severity, f.gaming_day, f.at, f.id) < (?, ?, ?, ?)'
        : '(f.gaming_day, f.at, f.id) < (?, ?, ?)',
      ...key,
    );
  }
  const rows = await read.rows<FindingRowRead>(
    `select ${FINDING_COLUMNS} from finding f ${where.sql}
     order by ${order === 'worst' ? '-f.severity desc, ' : ''}f.gaming_day desc, f.at desc, f.id desc limit ${fetchedFor(paging)}`,
    where.parameters,
  );
  const { lines, next } = pageOf(list, rows, paging, (row) => [
    ...(order === 'worst' ? [-row.severity] : []),
    row.gaming_day,
    row.at.toISOString(),
    row.id,
  ]);
  return { lines: lines.map(findingLine), next };
}

function conditions(filter: FindingsFilter): Where {
  const { status = 'standing', severity, code, shoeRef, coupRef } = filter;
  const where = new Where()
    .filter('f', filter, 'null')
    .given('f.severity = any(?)', severity)
    .given('f.code = any(?)', code)
    .named('f.shoe_ref = ?', shoeRef)
    .named('f.coup_ref = ?', coupRef);
  if (status === 'all') return where;
  return where.and(
    status === 'standing' ? 'f.withdrawn_because is null' : 'f.withdrawn_because is not null',
  );
}
