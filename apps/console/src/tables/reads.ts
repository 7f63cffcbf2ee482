import { readTableau } from '#baccarat';
import { queryOptions } from '@tanstack/react-query';
import { type Answers, api, dataOf } from '../api/client.js';

/** A table as it stands. */
export type Table = Answers['TableAnswer'];
/** A shoe in a list. */
export type ShoeLine = Answers['ShoeAnswer'];
/** A shoe with its coups and findings. */
export type Shoe = Answers['ShoeWholeAnswer'];

/** The most lines that the api has on a page. */
const PAGE_MAX = 1_000;
const SHOES_SHOWN = 24;
const DAY_MS = 86_400_000;
/** A table that deals day and night needs 24 shoes a day, so these days fit on a page. */
const DAYS_BESIDE = 28;

/** Returns the data of a list. It is JSON, because the console does not ask for a file. */
const listOf = async <Data>(
  answer: Parameters<typeof dataOf<Data>>[0],
): Promise<Exclude<Data, string>> => (await dataOf(answer)) as Exclude<Data, string>;

/** All tables that the person may see, by name. */
export const tablesQuery = queryOptions({
  queryKey: ['tables', 'all'],
  queryFn: async ({ signal }) => {
    const lines: Table[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = { limit: PAGE_MAX, ...(cursor !== undefined && { cursor }) };
      const page = await listOf(api.GET('/v1/tables', { params: { query }, signal }));
      lines.push(...page.lines);
      cursor = page.next;
    }
    return lines;
  },
  staleTime: 0,
});

/** One table, or null if the person may not see it or it does not exist. */
export const tableQuery = (table: string) =>
  queryOptions({
    queryKey: ['tables', 'one', table],
    queryFn: async ({ signal }) => {
      const { lines } = await listOf(
        api.GET('/v1/tables', { params: { query: { table } }, signal }),
      );
      return lines[0] ?? null;
    },
    staleTime: 0,
  });

/** How many findings of each table wait for a ruling, by its name. */
export const waitingQuery = queryOptions({
  queryKey: ['tables', 'waiting'],
  queryFn: async ({ signal }) => {
    const query = { review: ['open' as const, 'proposed' as const], lapsed: false };
    const { table } = await dataOf(api.GET('/v1/findings/facets', { params: { query }, signal }));
    return new Map(table.map(({ value, findings }) => [value, findings]));
  },
  staleTime: 0,
});

/** The latest shoes of a table, the latest first. */
export const shoesQuery = (table: string) =>
  queryOptions({
    queryKey: ['tables', 'shoes', table],
    queryFn: async ({ signal }) => {
      const query = { table, limit: SHOES_SHOWN };
      return (await listOf(api.GET('/v1/shoes', { params: { query }, signal }))).lines;
    },
    staleTime: 0,
  });

/** A shoe with its coups. */
export const shoeQuery = (table: string, ref: string) =>
  queryOptions({
    queryKey: ['tables', 'shoe', table, ref],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/v1/shoes/{id}', { params: { path: { id: ref }, query: { table } }, signal }),
      ),
    staleTime: 0,
  });

/** The shoes of a table before and after one. */
export const besideQuery = ({ table, ref, gamingDay }: ShoeLine) =>
  queryOptions({
    queryKey: ['tables', 'beside', table, ref],
    queryFn: async ({ signal }) => {
      const linesOf = async (query: { from?: string; to?: string; limit: number }) =>
        (await listOf(api.GET('/v1/shoes', { params: { query: { table, ...query } }, signal })))
          .lines;
      const daysFrom = (from: string) =>
        linesOf({ from, to: dayAfter(from, DAYS_BESIDE - 1), limit: PAGE_MAX });
      const lines = await daysFrom(gamingDay);
      const at = lines.findIndex((each) => each.ref === ref);
      const [before] =
        at + 1 < lines.length
          ? [lines[at + 1]]
          : await linesOf({ to: dayAfter(gamingDay, -1), limit: 1 });
      let after = lines[at - 1];
      const [last] = after ? [] : await linesOf({ limit: 1 });
      for (
        let from = dayAfter(gamingDay, DAYS_BESIDE);
        last && !after && from <= last.gamingDay;
        from = dayAfter(from, DAYS_BESIDE)
      )
        after = (await daysFrom(from)).at(-1);
      return { before, after };
    },
    staleTime: 0,
  });

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** The drawing table of a rule document. A published document never changes. */
export const tableauQuery = (rules: string) =>
  queryOptions({
    queryKey: ['tables', 'tableau', rules],
    queryFn: async ({ signal }) => {
      const { tableau } = await dataOf(
        api.GET('/v1/rules/{ref}', { params: { path: { ref: rules } }, signal }),
      );
      return readTableau(tableau.player, tableau.banker, rules);
    },
    staleTime: Infinity,
  });
