import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Answers, answered, api, dataOf } from '../api/client.js';
import { useChanges, useLiveness } from '../live/live.js';

/** Everything of one finding, and by how much the clock of the server is ahead, in milliseconds. */
export type Whole = Answers['FindingWholeAnswer'] & { readonly clockAheadMs: number };
/** A coup as a screen shows it: with a finding or by itself. */
export type Coup = Answers['CoupOfFindingAnswer'];
/** A card as it was drawn, with what was due before it. */
export type Step = Coup['steps'][number];

/** The query for one finding with its coup, review and history. */
const findingQuery = (id: string) =>
  queryOptions({
    queryKey: ['finding', id],
    queryFn: async ({ signal }): Promise<Whole> => {
      const { data, response } = await answered(
        api.GET('/v1/findings/{id}', { params: { path: { id } }, signal }),
      );
      const date = Date.parse(response.headers.get('Date') ?? '');
      const clockAheadMs = Number.isNaN(date) ? 0 : date - Date.now();
      return { ...(data as Answers['FindingWholeAnswer']), clockAheadMs };
    },
  });

/** A coup as the list of its shoe has it. */
type CoupLine = Answers['CoupAnswer'];

/** Returns whether a changed coup changes the road of its shoe, or the coups beside another. */
function changesRoad(
  known: readonly CoupLine[],
  { ref, state, outcome, worst }: CoupLine,
): boolean {
  const before = known.find((coup) => coup.ref === ref);
  return !before || before.state !== state || before.outcome !== outcome || before.worst !== worst;
}

/**
 * Returns one finding, and reads it again when it, its coup or the road of its shoe changes, or the
 * stream is back.
 */
export function useFinding(id: string) {
  const client = useQueryClient();
  const asked = useQuery(findingQuery(id));
  const { finding, coups = [] } = asked.data ?? {};
  const again = () => void client.invalidateQueries({ queryKey: ['finding', id] });
  useChanges((change) => {
    if (change.is === 'finding' && change.finding.id === id) again();
    if (change.is !== 'coup' || change.coup.table !== finding?.table) return;
    const isOwn = change.coup.ref === finding.coupRef;
    if (isOwn || (change.coup.shoeRef === finding.shoeRef && changesRoad(coups, change.coup)))
      again();
  });
  useBackOnline(again);
  return asked;
}

/** The query for a coup by its reference, which is one table's own. */
const coupQuery = (ref: string, table: string | undefined) =>
  queryOptions({
    queryKey: ['coup', table ?? '', ref],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/v1/coups/{id}', {
          params: { path: { id: ref }, query: table === undefined ? {} : { table } },
          signal,
        }),
      ),
  });

/**
 * Returns a coup by itself, and reads it again when it changes, or the stream is back. Reads the
 * coups of its shoe again when one of them changes the road.
 */
export function useCoup(ref: string, table: string | undefined) {
  const client = useQueryClient();
  const asked = useQuery(coupQuery(ref, table));
  const again = () => void client.invalidateQueries({ queryKey: ['coup', table ?? '', ref] });
  useChanges((change) => {
    if (change.is === 'coup' && change.coup.ref === ref) again();
    if (change.is === 'finding' && change.finding.coupRef === ref) again();
    const { shoeRef, table: of } = asked.data ?? {};
    if (change.is !== 'coup' || change.coup.shoeRef !== shoeRef || change.coup.table !== of) return;
    const { queryKey } = coupsQuery(shoeRef, of);
    if (changesRoad(client.getQueryData(queryKey) ?? [], change.coup))
      void client.invalidateQueries({ queryKey });
  });
  useBackOnline(() => {
    again();
    void client.invalidateQueries({ queryKey: ['coups'] });
  });
  return asked;
}

const COUPS_MAX = 1_000;

/** The query for the coups of a shoe, in order, at most 1,000. */
export const coupsQuery = (shoeRef: string, table: string) =>
  queryOptions({
    queryKey: ['coups', table, shoeRef],
    queryFn: async ({ signal }) => {
      const coups: CoupLine[] = [];
      let cursor: string | undefined;
      do {
        // only `format=csv` answers a text
        const page = (await dataOf(
          api.GET('/v1/coups', {
            params: { query: { shoeRef, table, ...(cursor !== undefined && { cursor }) } },
            signal,
          }),
        )) as Answers['CoupsAnswer'];
        coups.push(...page.lines);
        cursor = page.next ?? undefined;
      } while (cursor !== undefined && coups.length < COUPS_MAX);
      return coups.sort((a, b) => a.coup - b.coup);
    },
  });

/** Calls back when changes arrive again after they did not. */
function useBackOnline(back: () => void): void {
  const { is } = useLiveness();
  const latest = useRef(back);
  const wasLost = useRef(false);
  useEffect(() => {
    latest.current = back;
  });
  useEffect(() => {
    if (is === 'live' && wasLost.current) latest.current();
    wasLost.current = is === 'lost' || (wasLost.current && is !== 'live');
  }, [is]);
}
