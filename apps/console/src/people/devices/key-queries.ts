import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type Answers, api, dataOf } from '../../api/client.js';

/** The device keys that this account may see, revoked ones included. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => dataOf(api.GET('/v1/keys', { signal })),
});

/** The tables that are not judged until somebody decides. */
export const parkedQuery = queryOptions({
  queryKey: ['parked'],
  queryFn: ({ signal }) => dataOf(api.GET('/v1/parked', { signal })),
});

/** What each key delivered, a page at a time. */
export const deliveriesQuery = infiniteQueryOptions({
  queryKey: ['deliveries'],
  queryFn: async ({ signal, pageParam }) => {
    const query = pageParam === '' ? {} : { cursor: pageParam };
    const page = await dataOf(api.GET('/v1/deliveries', { params: { query }, signal }));
    return page as Answers['DeliveriesAnswer']; // the route has files too, which are not asked for
  },
  initialPageParam: '',
  getNextPageParam: ({ next }) => next,
});
