import {
  codesOfReport,
  type DispositionCode,
  type FindingCode,
  type REVIEWER_ROLES,
  type REVIEW_STATES,
  type Severity,
  type Slip,
} from '#audit';
import { Where, type Filter } from '../reading/where.js';
import { ACCUSATION } from './review.js';

/** The statuses that the list of findings can be filtered by. */
export const FINDING_STATUSES = ['standing', 'withdrawn', 'all'] as const;
/** One of `FINDING_STATUSES`. */
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** The reports that count findings. */
export const FINDING_REPORTS = ['misdealt', 'dealers', 'shoes', 'payouts'] as const;
/** One of `FINDING_REPORTS`. */
export type FindingReport = (typeof FINDING_REPORTS)[number];

/** The filter of the list of findings. */
export interface FindingsFilter extends Filter {
  /** The default is `standing`. */
  readonly status?: FindingStatus;
  readonly severity?: readonly Severity[];
  readonly code?: readonly FindingCode[];
  readonly shoeRef?: string;
  readonly coupRef?: string;
  /** Where the review stands. */
  readonly review?: readonly (typeof REVIEW_STATES)[number][];
  /** What the viewer has claimed or proposed, or everything else. */
  readonly mine?: boolean;
  /** The role that it went to, or `true` for any. */
  readonly escalated?: (typeof REVIEWER_ROLES)[number] | 'true';
  readonly overdue?: Overdue;
  /** What left a full desk before a ruling, or everything else. */
  readonly lapsed?: boolean;
  /** What was reopened after a ruling, or everything else. */
  readonly regressed?: boolean;
  readonly videoEnds?: VideoEnds;
  /** What is proposed or was decided, except where it is not shown to the viewer. */
  readonly disposition?: readonly DispositionCode[];
  /**
   * Words that must all be found: each is the beginning of the id or of the code, a part of the
   * shoe's id or of the dealer's, or the number of the coup.
   */
  readonly q?: string;
  /** What this report counts. */
  readonly report?: FindingReport;
  /** Whether a ruling leaves it in the counts of dealers' errors. */
  readonly counts?: boolean;
  /** The bet that it names; '' selects findings that name none. */
  readonly bet?: string;
  /** The slip that explains it; '' selects what no known slip explains. */
  readonly explainedBy?: Slip | '';
  /** The side that the error favored; '' selects what moved no money. */
  readonly favours?: 'house' | 'patron' | '';
  /** The currency of its shoe. */
  readonly currency?: string;
  /** The source of the device that it is about. */
  readonly source?: string;
}

/** What has waited for a ruling since before these times, or everything else. */
interface Overdue {
  readonly is: boolean;
  readonly raisedBefore: Readonly<Record<Severity, string>>;
}

/** What loses its video between two times. */
export interface VideoEnds {
  /** For how many seconds from a coup's opening the house keeps video that nobody holds. */
  readonly kept: number;
  readonly from: string;
  /** Itself included. */
  readonly to: string;
}

/** The parts of the filter that a facet can be counted without. */
export type Facet = 'review' | 'severity' | 'code' | 'table' | 'dealer' | 'lapsed' | 'regressed';

/** Until when the video of a finding `f` was held at the latest; null if nobody held it. */
export const HELD_UNTIL = `(select max(h.held_until) from review_event h
  where h.finding = f.id and h."table" = f."table" and h.held_until is not null)`;

/**
 * The source of the device that a finding `f` is about. The first event that the finding names is
 * the device's own, and the event's reference begins with its source.
 */
export const DEVICE_OF = `(select d.source from device d
  where d."table" = f."table" and starts_with(f.body->'events'->>0, d.source || '#')
  order by length(d.source) desc limit 1)`;

/** Returns the filter of the queue: what waits for a ruling, unless the filter asks otherwise. */
export const queueOf = (filter: FindingsFilter): FindingsFilter => ({
  ...filter,
  review: filter.review ?? ['open', 'proposed'],
  lapsed: filter.lapsed ?? false,
});

/**
 * Returns the conditions of a filter on the rows called `f`. `parameters` holds those of the query
 * so far.
 */
export function findingsWhere(filter: FindingsFilter, parameters: unknown[] = []): Where {
  const { status = 'standing', severity, code, shoeRef, coupRef, review, lapsed } = filter;
  const where = new Where(parameters)
    .filter('f', filter, 'null')
    .given('f.severity = any(?)', severity)
    .given('f.code = any(?)', code)
    .named('f.shoe_ref = ?', shoeRef)
    .named('f.coup_ref = ?', coupRef)
    .given('f.review = any(?)', review);
  // PostgreSQL uses the index of the queue only if the query has its conditions.
  if (review && !review.includes('ruled')) where.and("f.review <> 'ruled'");
  if (lapsed !== undefined) where.and(lapsed ? 'f.lapsed' : 'not f.lapsed');
  if (status !== 'all')
    where.and(`f.withdrawn_because is ${status === 'standing' ? '' : 'not '}null`);
  return underReview(inReport(where, filter), filter);
}

const CURRENCY =
  'exists (select from shoe s where s.ref = f.shoe_ref and s."table" = f."table" and s.currency = ?)';

/**
 * Adds what a report counts. Misdealt is a coup, so the report on them has no finding without one.
 * The report on payouts leaves out what is void.
 */
function inReport(where: Where, filter: FindingsFilter): Where {
  const { report, counts, bet, explainedBy, favours, currency, source } = filter;
  if (report) where.and('f.code = any(?)', codesOfReport(report));
  if (report === 'misdealt') where.and('f.coup_ref is not null');
  if (report === 'payouts') where.and('not f.void');
  if (counts !== undefined) where.and(counts ? 'f.counts' : 'not f.counts');
  if (bet === '') where.and('f.bet is null');
  else where.named('f.bet = ?', bet);
  return where
    .given("coalesce(f.explained_by, '') = ?", explainedBy)
    .given("coalesce(f.impact_favours, '') = ?", favours)
    .given(CURRENCY, currency)
    .named(`${DEVICE_OF} = ?`, source);
}

function underReview(where: Where, filter: FindingsFilter): Where {
  const { viewer = null, mine, escalated, overdue, disposition, q } = filter;
  const { regressed, videoEnds } = filter;
  if (regressed !== undefined) where.and(regressed ? 'f.regressed' : 'not f.regressed');
  if (videoEnds) losesVideo(where, videoEnds);
  if (mine !== undefined)
    where.and(`(? in (f.claimed_by, f.proposed_by)) is ${mine ? '' : 'not '}true`, viewer);
  if (escalated === 'true') where.and('f.escalated is not null');
  else where.given('f.escalated = ?', escalated);
  if (overdue) isOverdue(where, overdue);
  if (disposition)
    where
      .and('f.disposition = any(?)', disposition)
      .and(
        `not (f.disposition = '${ACCUSATION}' and ? in (select json_array_elements_text(f.people)))`,
        viewer ?? '',
      );
  for (const word of q?.split(/\s+/) ?? []) if (word !== '') hasWord(where, word);
  return where;
}

function isOverdue(where: Where, { is, raisedBefore }: Overdue): void {
  const late = Object.entries(raisedBefore).map(
    ([severity, time]) =>
      `(f.severity = ${Number(severity)} and f.raised_at < ${where.parameter(time)})`,
  );
  where.and(
    `(f.review <> 'ruled' and not f.lapsed and (${late.join(' or ')})) is ${is ? '' : 'not '}true`,
  );
}

/**
 * Nearly all of history is older than `to`, and a hold can keep any of it. So holds are looked up
 * only for what would lose its video now without one, and for the few that are still held.
 */
function losesVideo(where: Where, { kept, from, to }: VideoEnds): void {
  const end = `greatest(f.at + make_interval(secs => ${where.parameter(kept)}), ${HELD_UNTIL})`;
  const openedBy = (lost: string): string => new Date(Date.parse(lost) - kept * 1000).toISOString();
  where
    .and('f.at <= ?', openedBy(to))
    .and(
      '(f.at > ? or f.id in (select h.finding from review_event h where h.held_until > ?))',
      ...[openedBy(from), from],
    )
    .and(`${end} > ? and ${end} <= ?`, from, to);
}

function hasWord(where: Where, word: string): void {
  const text = `${where.parameter(word)}::text collate "C"`;
  where.and(
    `(starts_with(f.id, lower(${text})) or starts_with(f.code, upper(${text}))
      or strpos(lower(f.shoe), lower(${text})) > 0 or strpos(lower(f.dealer), lower(${text})) > 0
      or f.coup::text = ${text})`,
  );
}
