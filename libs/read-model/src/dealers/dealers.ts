import { codesOfReport, type FindingCode } from '#audit';
import { poissonLimits, type PoissonLimits } from '../reading/poisson.js';
import { whole, type Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/**
 * The codes of a dealer's errors: in dealing, calling, taking bets, paying and charging. A device's
 * slip, a patron's late bet and a supervisor's ruling are not a dealer's errors.
 */
export const DEALER_ERRORS: readonly FindingCode[] = codesOfReport('dealers');

/**
 * A count of errors and its rate per 1,000 coups, with exact 95 % limits. The rate and limits are
 * null if no coup was dealt.
 */
export interface DealerAccuracy {
  /** Coups that are over, including void ones. */
  readonly coups: number;
  readonly cards: number;
  /** Findings of any code that are not withdrawn. */
  readonly findings: number;
  /** The findings among them whose code is one of `DEALER_ERRORS`. */
  readonly errors: number;
  /** Coups with at least one error. One slip may raise several findings. */
  readonly coupsInError: number;
  readonly errorsPer1000: number | null;
  readonly lower95: number | null;
  readonly upper95: number | null;
}

/** A dealer's line. `dealer` is null for the coups without a dealer signed on. */
export interface DealerLine extends DealerAccuracy {
  readonly dealer: string | null;
}

/** The report on the accuracy of dealers. */
export interface DealersReport {
  /** In descending order of the lower limit, then by name. */
  readonly lines: readonly DealerLine[];
  readonly total: DealerAccuracy;
}

interface Counted {
  readonly dealer: string;
  readonly coups: string;
  readonly cards: string;
  readonly findings: string;
  readonly errors: string;
  readonly coups_in_error: string;
}

/** The filter of the report on dealers. */
export interface DealersFilter extends Filter {
  /** Whether findings that a ruling takes out of the counts are left out. */
  readonly counted?: boolean;
}

/**
 * Returns how much each dealer dealt and how often each erred. A withdrawn finding does not count.
 * A void or remedied one does, because the error was made. With `counted`, one does not if a ruling
 * says so; one without a ruling does. A coup and its findings belong to the
 * dealer at the coup's end. The limits assume that errors follow a Poisson distribution, which is
 * nearly true while errors are rare and independent.
 */
export async function dealerAccuracy(
  read: Snapshot,
  filter: DealersFilter,
): Promise<DealersReport> {
  const dealt = new Where().filter('d', filter, 'empty');
  const found = new Where(dealt.parameters)
    .and('f.withdrawn_because is null')
    .filter('f', filter, 'null');
  if (filter.counted === true) found.and('f.counts');
  const errors = found.parameter(DEALER_ERRORS);
  const rows = await read.rows<Counted>(
    `select coalesce(d.dealer, f.dealer) as dealer, coalesce(d.coups, 0) as coups,
            coalesce(d.cards, 0) as cards, coalesce(f.findings, 0) as findings,
            coalesce(f.errors, 0) as errors, coalesce(f.coups_in_error, 0) as coups_in_error
     from (select d.dealer, sum(d.coups) as coups, sum(d.cards) as cards
           from dealt d ${dealt.sql} group by d.dealer) d
     full join (select coalesce(f.dealer, '') as dealer, count(*) as findings,
                       count(*) filter (where f.code = any(${errors})) as errors,
                       count(distinct (f.coup_ref, f."table")) filter (
                         where f.coup_ref is not null and f.code = any(${errors})
                       ) as coups_in_error
                from finding f ${found.sql} group by coalesce(f.dealer, '')) f on f.dealer = d.dealer`,
    found.parameters,
  );
  // Many dealers have the same count of errors, so compute the limits of each count once.
  const known = new Map<number, PoissonLimits>();
  const limitsOf = (errors: number): PoissonLimits => {
    const limits = known.get(errors) ?? poissonLimits(errors);
    known.set(errors, limits);
    return limits;
  };
  const lines = rows.map((row) => ({ dealer: row.dealer || null, ...accuracy([row], limitsOf) }));
  lines.sort(
    (a, b) =>
      (b.lower95 ?? -1) - (a.lower95 ?? -1) || ((a.dealer ?? '') < (b.dealer ?? '') ? -1 : 1),
  );
  return { lines, total: accuracy(rows, limitsOf) };
}

function accuracy(
  rows: readonly Counted[],
  limitsOf: (errors: number) => PoissonLimits,
): DealerAccuracy {
  const sum = (name: Exclude<keyof Counted, 'dealer'>): number =>
    rows.reduce((total, row) => total + whole(row[name]), 0);
  const [coups, errors] = [sum('coups'), sum('errors')];
  const { lower, upper } = limitsOf(errors);
  const rate = (count: number): number | null => (coups === 0 ? null : (count * 1000) / coups);
  return {
    coups,
    cards: sum('cards'),
    findings: sum('findings'),
    errors,
    coupsInError: sum('coups_in_error'),
    errorsPer1000: rate(errors),
    lower95: rate(lower),
    upper95: rate(upper),
  };
}
