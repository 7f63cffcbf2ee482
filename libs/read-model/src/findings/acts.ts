import { keyOf } from '../database/schema-keys.js';
import { FINDING, REVIEW_EVENT, type FindingRow, type ReviewEventRow } from '../entities/index.js';
import type { RowQuery, SchemaQuery, Snapshot } from '../reading/snapshot-read.js';
import { Where } from '../reading/where.js';
import { findingsWhere, type FindingsFilter } from './findings-filter.js';
import { REVIEW_FIELDS, type ReviewRead } from './review.js';

const FINDING_FIELDS = [
  'id',
  'code',
  'severity',
  'impactAmount',
  'shoeRef',
  'coupRef',
  'seat',
  'withdrawnBecause',
  'body',
  'partition',
  'changed',
  ...REVIEW_FIELDS,
] as const;

/** A finding as somebody who acts on it needs it. */
export interface FindingAtHand
  extends ReviewRead, Pick<FindingRow, (typeof FINDING_FIELDS)[number]> {
  /** Whether its table is parked, so that nothing new is judged there. */
  readonly isParked: boolean;
  readonly isCoupOpen: boolean;
  /** The currency of its shoe; null if it is about none. */
  readonly currency: string | null;
}

const AT_HAND = `${FINDING.select('f', FINDING_FIELDS)},
  (select s.currency from shoe s where s.ref = f.shoe_ref and s."table" = f."table") as currency,
  exists (select from parked p where p."table" = f."table") as "isParked",
  exists (select from coup c
    where c.ref = f.coup_ref and c."table" = f."table" and c.state = 'open') as "isCoupOpen"`;

/** Returns the findings with these ids at these tables (default: all), in no order. */
export function findingsAtHand(
  read: Snapshot,
  ids: readonly string[],
  scope: readonly string[] | undefined,
): Promise<FindingAtHand[]> {
  const where = new Where()
    .and('f.id = any(?)', ids)
    .given('f."table" = any(?)', scope?.map(keyOf));
  return read.rows<FindingAtHand>(
    `select ${AT_HAND} from finding f ${where.sql}`,
    where.parameters,
  );
}

const ACT_FIELDS = [
  'ref',
  'table',
  'finding',
  'type',
  'by',
  'as',
  'at',
  'data',
  'outcome',
  'partition',
  'changed',
] as const;

/** An act on a finding, and what became of it. */
export type ActLine = Pick<ReviewEventRow, (typeof ACT_FIELDS)[number]>;

/** Returns the acts with these references at a table, in no order. */
export const actsByReference = (
  read: Snapshot,
  refs: readonly string[],
  tables: readonly string[],
): Promise<ActLine[]> =>
  read.rows<ActLine>(
    `select ${REVIEW_EVENT.select('e', ACT_FIELDS)} from review_event e
     where e.ref = any($1) and e."table" = any($2)`,
    [refs.map(keyOf), tables.map(keyOf)],
  );

/**
 * Returns the SQL of the reference of a claim: `<source>#claim/<finding>/<key>`. All three are SQL
 * too, and `source` is `person/<person id>`.
 */
export const claimReference = (
  of: Readonly<Record<'source' | 'finding' | 'key', string>>,
): string => `${of.source} || '#claim/' || ${of.finding} || '/' || ${of.key}`;

/**
 * Returns the query for the claims of a person that took effect under an id `claim/<finding>/<key>`,
 * the first by the clock of the apis first. `source` is `person/<person id>`.
 */
export const claimsUnder =
  (source: string, key: string): SchemaQuery =>
  (schema) => [
    // as the index of claims has it: what follows the finding's id
    `select ${REVIEW_EVENT.select('e', ACT_FIELDS)} from ${schema}.review_event e
     where substr(e.ref, strpos(e.ref, '#claim/' || e.finding || '/') + length(e.finding) + 8) = $2
       and e.type = 'finding-claimed' and e.outcome = 'taken'
       and e.ref = ${claimReference({ source: '$1::text', finding: 'e.finding', key: '$2' })}
     order by e."at", e.ref`,
    [source, key],
  ];

/** The most findings of `nextInQueue`. */
const NEXT_MAX = 32;

/**
 * Returns the query for the ids of findings that a person may take next, the worst and oldest
 * first: they stand and are open and unclaimed, and the person is not known to be involved. Leaves
 * out those that `without`, a query in SQL, returns.
 */
export function nextInQueue(
  filter: Omit<FindingsFilter, 'status'>,
  person: string,
  without: string,
): RowQuery {
  const where = findingsWhere(filter)
    .and(`f.review = 'open' and not f.lapsed`)
    .and('(f.claimed_until is null or f.claimed_until <= now())')
    .and(
      'not exists (select from json_array_elements_text(f.people) who where who.value = ?)',
      person,
    )
    .and(
      `not exists (select from review_event e where e.finding = f.id
         and (e.outcome = 'out-of-reach' or e.outcome = 'conflict-of-interest' and e."by" = ?))`,
      person,
    )
    // not as a join, of which PostgreSQL thinks that it leaves nothing where there are few tables
    .and('f."table" not in (select p."table" from parked p)')
    .and(`f.id not in (${without})`);
  return [
    `select f.id from finding f ${where.sql}
     order by f.severity, f.raised_at, f.id limit ${NEXT_MAX}`,
    where.parameters,
  ];
}
