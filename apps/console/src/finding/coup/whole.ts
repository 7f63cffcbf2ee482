import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Answers, api, dataOf } from '../../api/client.js';
import { useReread } from '../../live/reread.js';
import { findingQuery, READ_WHEN_OPENED } from '../finding-query.js';

export type { Whole } from '../finding-query.js';

/** A coup as a screen shows it: with a finding or by itself. */
export type Coup = Answers['CoupOfFindingAnswer'];
/** A card as it was drawn, with what was due before it. */
export type Step = Coup['steps'][number];

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

/** Returns one finding, and reads it again when it, its coup or the road of its shoe changes. */
export function useFinding(id: string) {
  const query = findingQuery(id);
  const asked = useQuery(query);
  const { finding, coups = [] } = asked.data ?? {};
  useReread([query.queryKey], (change) => {
    if (change.is === 'finding') return change.finding.id === id;
    if (change.is !== 'coup') return false;
    if (!finding) return true; // its coup is not known yet
    if (change.coup.table !== finding.table) return false;
    if (change.coup.ref === finding.coupRef) return true;
    return change.coup.shoeRef === finding.shoeRef && changesRoad(coups, change.coup);
  });
  return asked;
}

/** The query for a coup by its reference, which is one table's own. */
const coupQuery = (ref: string, table: string | undefined) =>
  queryOptions({
    ...READ_WHEN_OPENED,
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
 * Returns a coup by itself, and reads it again when it changes. Reads the coups of its shoe again
 * when one of them changes the road.
 */
export function useCoup(ref: string, table: string | undefined) {
  const client = useQueryClient();
  const query = coupQuery(ref, table);
  const asked = useQuery(query);
  const { shoeRef, table: of } = asked.data ?? {};
  const road = of === undefined || shoeRef === undefined ? [] : [coupsQuery(shoeRef, of).queryKey];
  useReread([query.queryKey], (change) => {
    if (change.is === 'coup') return change.coup.ref === ref;
    return change.is === 'finding' && change.finding.coupRef === ref;
  });
  useReread(road, (change) => {
    if (change.is !== 'coup') return false;
    if (change.coup.shoeRef !== shoeRef || change.coup.table !== of) return false;
    return road.every((key) => changesRoad(client.getQueryData(key) ?? [], change.coup));
  });
  return asked;
}

const COUPS_MAX = 1_000;

/** The query for the coups of a shoe, in order, at most 1,000. */
export const coupsQuery = (shoeRef: string, table: string) =>
  queryOptions({
    ...READ_WHEN_OPENED,
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
