import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.js';

/** The key of the queries for accounts. */
export const accountsKey = ['accounts'] as const;
/** The key of the query for what waits for another administrator. */
export const grantsKey = ['grants'] as const;

/** The accounts that this administrator may see. */
export const accountsQuery = queryOptions({
  queryKey: accountsKey,
  queryFn: ({ signal }) => dataOf(api.GET('/v1/accounts', { signal })),
});

/** The roles and tables that wait for another administrator. */
export const grantsQuery = queryOptions({
  queryKey: grantsKey,
  queryFn: ({ signal }) => dataOf(api.GET('/v1/grants', { signal })),
});

/** The sessions of an account. The newest use says when it was last seen. */
export const sessionsOf = (name: string) =>
  queryOptions({
    queryKey: [...accountsKey, name, 'sessions'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/v1/accounts/{name}/sessions', { params: { path: { name } }, signal })),
  });
