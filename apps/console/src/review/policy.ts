import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.js';
import { useMe } from '../app/me.js';
import type { BodyOf } from './act.js';

/** A code of the review policy. */
type Disposition = BodyOf<'propose'>['disposition'];

/** What the console reads of a review policy. Times are in seconds, amounts in minor units. */
export interface Policy {
  readonly lease: number;
  readonly undo: number;
  /** How long a finding may wait for its ruling, by severity. */
  readonly due: Readonly<Record<1 | 2 | 3 | 4, number>>;
  /** How long the house keeps video. */
  readonly video: { readonly kept: number };
  readonly two: {
    readonly dispositions: readonly string[];
    readonly from: Readonly<Record<string, number>>;
  };
  readonly dispositions: readonly {
    readonly code: Disposition;
    readonly needs: readonly ('note' | 'amount' | 'video')[];
  }[];
}

/** The query for a review policy. A version never changes. */
export const policyQuery = (ref: string) =>
  queryOptions({
    queryKey: ['policy', ref],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/v1/policies/{ref}', { params: { path: { ref } }, signal }),
      ) as Promise<unknown> as Promise<Policy>,
    staleTime: Infinity,
  });

/** Returns the review policy in force, once it has been read. */
export const usePolicy = (): Policy | undefined => useQuery(policyQuery(useMe().house.policy)).data;
