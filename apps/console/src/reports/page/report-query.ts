import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { NONE, type Search } from '../../app/address.js';
import { type Answers, api, dataOf, serverPath } from '../../api/client.js';
import { type ReportName, reportOf } from '../report-list.js';

const MAY_BE_NONE = new Set(['dealer', 'bet', 'explainedBy', 'favours']);

/** What the api is asked, as it stands in its address. */
export type Query = Readonly<Record<string, string>>;

/** The parameters of a page or a file, which are no filter. */
const NO_FILTER = new Set(['cursor', 'limit', 'format', 'bom']);

/** Returns the filter of the address as the api takes it. */
export const queryOf = (search: Search): Query =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([name]) => !NO_FILTER.has(name))
      .map(([name, value]) => [name, value === NONE && MAY_BE_NONE.has(name) ? '' : value]),
  );

/** Returns the filter with other values. An empty value takes a filter away. */
export const withFilter = (filter: Search, changed: Search): Search =>
  Object.fromEntries(Object.entries({ ...filter, ...changed }).filter(([, value]) => value !== ''));

/** Returns the part of a filter that other lists have too: table, dealer and days. */
export const placeOf = (filter: Search): Search =>
  Object.fromEntries(
    Object.entries(filter).filter(([name]) => ['table', 'dealer', 'from', 'to'].includes(name)),
  );

/** Returns a value as a filter of the address: `-` for none. */
export const filterFor = (value: string | number | null): string =>
  value === null || value === '' ? NONE : String(value);

/** Returns the filter that the address has. */
export const useFilter = (): Search => useSearch({ strict: false });

/** Returns the address of a report as a file, with the same filter. */
export function fileAddress(name: ReportName, query: Query, format: string): string {
  const asked = new URLSearchParams({ ...query, format });
  if (format === 'csv') asked.set('bom', 'true');
  return `${serverPath}/v1/${reportOf(name).path}?${asked.toString()}`;
}

/** The answers of the api, by the names of the reports. */
interface ReportAnswers {
  commission: Answers['CommissionReportAnswer'];
  misdealt: Answers['MisdealtReportAnswer'];
  dealers: Answers['DealersAnswer'];
  shoes: Answers['ShoesReportAnswer'];
  payouts: Answers['PayoutsAnswer'];
  devices: Answers['DevicesAnswer'];
  'commission-coups': Answers['CommissionCoupsAnswer'];
  'payout-coups': Answers['PayoutCoupsAnswer'];
  coups: Answers['CoupsAnswer'];
  findings: Answers['FindingsAnswer'];
}

/**
 * Asks the api for a report, with the filter as the address has it: the api says what is wrong with
 * it. Throws `Refused` or `Unreachable`.
 */
async function readReport<Name extends ReportName>(
  name: Name,
  query: Query,
  signal: AbortSignal,
): Promise<ReportAnswers[Name]> {
  const path = `/v1/${reportOf(name).path}` as '/v1/reports/shoes';
  const params = { query: query as never };
  const answer: unknown = await dataOf(api.GET(path, { params, signal }));
  return answer as ReportAnswers[Name];
}

type Passed = Answers['PassedRecordAnswer'];

/** Returns the passed records that a report names. A list of coups or findings names none. */
const passedOf = (
  answer: { readonly positions: string; readonly passedRecords?: readonly Passed[] } | undefined,
): readonly Passed[] => answer?.passedRecords ?? [];

/** A report as far as it is read: what its page says around the lines. */
export interface Read {
  /** What went wrong. It is shown beside the lines, or in their place if there are none. */
  readonly error: Error | null;
  readonly again: () => void;
  readonly isReading: boolean;
  /** Whether the lines are those of the filter before, until those of this one are read. */
  readonly isOld: boolean;
  /**
   * The positions that the lines were read at, the first and the last where they differ; undefined
   * until there are lines.
   */
  readonly positions: string | undefined;
  /** Whether all lines were read at the same positions. */
  readonly isOneSnapshot: boolean;
  /** The records that cannot be read and were passed, in the partitions of the report's tables. */
  readonly passed: readonly Passed[];
  /** Absent for a report that comes as a whole. */
  readonly pages?: Pages;
}

/** How much of a report in pages is read, and how to read the rest. */
export interface Pages {
  /** The lines that are read. */
  readonly count: number;
  readonly isWhole: boolean;
  readonly readMore: () => void;
  /** Reads all that is left, 20,000 lines at most. */
  readonly readAll: () => Promise<void>;
}

/** Reads a report that comes as a whole. */
export function useReport<Name extends 'dealers' | 'payouts'>(
  name: Name,
  query: Query,
): Read & { readonly answer: ReportAnswers[Name] | undefined } {
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: ['report', name, query],
    queryFn: ({ signal }) => readReport(name, query, signal),
    placeholderData: keepPreviousData,
  });
  return {
    answer: data,
    positions: data?.positions,
    isOneSnapshot: true,
    passed: passedOf(data),
    error,
    isReading: isFetching,
    isOld: isPlaceholderData,
    again: () => void refetch(),
  };
}

/** Reads the totals of the commission report. */
export const useCommissionTotals = (query: Query) =>
  useQuery({
    queryKey: ['report', 'commission', 'totals', query],
    queryFn: ({ signal }) =>
      readReport('commission', { ...query, by: 'table', limit: '1' }, signal),
  });

/** Lines on a page. */
const PAGE_LINES = 500;
/** Pages that are read for a print. */
const PAGES_MAX = 40;

/** The reports that come in pages. */
type PagedName = Exclude<ReportName, 'dealers' | 'payouts'>;
type LineOf<Name extends PagedName> = ReportAnswers[Name]['lines'][number];

/** The lines of a report that are read so far. */
interface Lines<Line, Answer> extends Read {
  /** The last page that was read. Undefined until there is one. */
  readonly answer: Answer | undefined;
  readonly lines: readonly Line[];
  readonly isWhole: boolean;
}

/** Reads a report a page at a time. */
export function usePages<Name extends PagedName>(
  name: Name,
  query: Query,
): Lines<LineOf<Name>, ReportAnswers[Name]> {
  const read = useInfiniteQuery({
    queryKey: ['report', name, query],
    queryFn: ({ pageParam, signal }) =>
      readReport(
        name,
        { ...query, limit: String(PAGE_LINES), ...(pageParam !== '' && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const { data, error, hasNextPage, fetchNextPage, isPlaceholderData: isOld } = read;
  const lines = useMemo(
    () => data?.pages.flatMap((page): readonly LineOf<Name>[] => page.lines) ?? [],
    [data],
  );
  const readAll = async (): Promise<void> => {
    let more = hasNextPage;
    for (let page = 1; more && page < PAGES_MAX; page += 1)
      more = (await fetchNextPage({ throwOnError: true })).hasNextPage;
  };
  const answer = data?.pages.at(-1);
  const positions = [...new Set(data?.pages.map((page) => page.positions))];
  const isWhole = !hasNextPage && !isOld;
  return {
    ...{ answer, lines, isWhole, isOld, error },
    positions: positions.length > 1 ? `${positions[0]} – ${positions.at(-1)}` : positions[0],
    isOneSnapshot: positions.length <= 1,
    passed: passedOf(answer),
    isReading: read.isFetching,
    again: () => void (read.isFetchNextPageError ? fetchNextPage() : read.refetch()),
    pages: { count: lines.length, isWhole, readMore: () => void fetchNextPage(), readAll },
  };
}
