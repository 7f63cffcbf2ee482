import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.js';
import { useMe } from '../app/session/me.js';

/** The query for a review policy, `review@version`. A published version never changes. */
export const policyQuery = (ref: string) =>
  queryOptions({
    queryKey: ['policies', ref],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/v1/policies/{ref}', { params: { path: { ref } }, signal })),
    staleTime: Infinity,
  });

/** A review policy. Times are in seconds, amounts in minor units. */
export type Policy = NonNullable<ReturnType<typeof usePolicy>>;

/** Returns the review policy in force, once it has been read. */
export const usePolicy = () => useQuery(policyQuery(useMe().house.policy)).data;
