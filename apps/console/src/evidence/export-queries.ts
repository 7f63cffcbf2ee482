import { queryOptions } from '@tanstack/react-query';
import { type Answers, api, dataOf } from '../api/client.js';

/** An evidence package that was asked for, and how far it is. */
export type Export = Answers['ExportAnswer'];

/** How often an export under way is looked at. The stream of changes has no exports. */
const LOOK_MS = 1_000;

/** Returns whether a package is still to be made. */
export const isUnderWay = ({ state }: Export): boolean => state === 'waiting' || state === 'making';

/** The latest exports of the tables that this account may see. Read again while one is under way. */
export const exportsQuery = queryOptions({
  queryKey: ['exports'],
  queryFn: ({ signal }) => dataOf(api.GET('/v1/exports', { signal })),
  refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? LOOK_MS : false),
});
