import type { FindingCode, REVIEW_STATES, Severity } from '#audit';
import { whole, type RowQuery, type Snapshot } from '../reading/snapshot-read.js';
import { findingsWhere, type Facet, type FindingsFilter } from './findings-filter.js';

/** How many findings have one value. */
export interface FacetCount<Value> {
  readonly value: Value;
  readonly findings: number;
}

/**
 * How many findings a filter has, by the values of some fields. Each list leaves out the filter of
 * its own field, so it says what another choice there would find. The most frequent come first, at
 * most `VALUES_MAX`.
 */
export interface FindingFacets {
  /** By the whole filter. */
  readonly total: number;
  readonly state: readonly FacetCount<(typeof REVIEW_STATES)[number]>[];
  readonly severity: readonly FacetCount<Severity>[];
  readonly code: readonly FacetCount<FindingCode>[];
  readonly table: readonly FacetCount<string>[];
  /** Null is nobody: no dealer had signed on. */
  readonly dealer: readonly FacetCount<string | null>[];
  readonly lapsed: readonly FacetCount<boolean>[];
  readonly regressed: readonly FacetCount<boolean>[];
}

/** The most values of a list: more tables and dealers than a floor shows. */
const VALUES_MAX = 1_000;

const FACETS = ['review', 'severity', 'code', 'table', 'dealer', 'lapsed', 'regressed'] as const;

interface Counted {
  readonly facet: Facet | 'total';
  readonly value: string | null;
  readonly n: string;
}

/**
 * Counts the findings of a filter by the values of some fields, in one pass over them. Findings
 * alike in all these fields are counted first, so that the lists are made from few rows.
 */
export async function findingFacets(
  read: Snapshot,
  filter: FindingsFilter,
): Promise<FindingFacets> {
  const rows = await read.rows<Counted>(...facetsQuery(filter));
  const listOf = <Value>(
    facet: Facet,
    value: (text: string | null) => Value,
  ): FacetCount<Value>[] =>
    rows
      .filter((row) => row.facet === facet)
      .map((row) => ({ value: value(row.value), findings: whole(row.n) }));
  const text = (value: string | null): string => value ?? '';
  return {
    total: whole(rows.find((row) => row.facet === 'total')?.n ?? 0),
    state: listOf('review', text) as FindingFacets['state'],
    severity: listOf('severity', Number) as FindingFacets['severity'],
    code: listOf('code', text) as FindingFacets['code'],
    table: listOf('table', text),
    dealer: listOf('dealer', (value) => value),
    lapsed: listOf('lapsed', (value) => value === 'true'),
    regressed: listOf('regressed', (value) => value === 'true'),
  };
}

function facetsQuery(filter: FindingsFilter): RowQuery {
  const { review, severity, code, table, dealer, lapsed, regressed, ...others } = filter;
  const own = { review, severity, code, table, dealer, lapsed, regressed };
  const where = findingsWhere(others);
  const flags = FACETS.map((facet) => {
    const only = { status: 'all', [facet]: own[facet] } as FindingsFilter;
    return `${findingsWhere(only, where.parameters).all} as in_${facet}`;
  });
  const without = (facet?: Facet): string =>
    FACETS.filter((other) => other !== facet)
      .map((other) => `in_${other}`)
      .join(' and ');
  const counts = FACETS.map(
    (facet) => `(select '${facet}' as facet, "${facet}"::text as value, sum(alike) as n
      from found where ${without(facet)} group by "${facet}" order by n desc, value limit ${VALUES_MAX})`,
  );
  const fields = FACETS.map((facet) => `f."${facet}"`).join(', ');
  return [
    `with found as materialized (
       select ${fields}, ${flags.join(', ')}, count(*) as alike
       from finding f ${where.sql} group by ${fields})
     select 'total' as facet, null as value, coalesce(sum(alike), 0) as n
     from found where ${without()}
     union all ${counts.join(' union all ')}`,
    where.parameters,
  ];
}
