import { queryOptions } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { type Answers, answered, api } from '../../api/client.js';
import { noteLimits } from './idle.js';

/** The signed-in person: name, roles, permissions, session and house. */
export type Me = Answers['MeAnswer'];
/** The name of a permission. */
export type Permission = Me['permissions'][number];

/** The query for the signed-in person. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const { data, response } = await answered(api.GET('/v1/me', { signal }));
    const me = data as Me;
    noteLimits(me.session, response.headers.get('Date'));
    return me;
  },
  staleTime: 60_000,
});

const MeContext = createContext<Me | undefined>(undefined);

/** Gives every screen the signed-in person. */
export const MeProvider = MeContext.Provider;

/** Returns the signed-in person. Throws outside of the screens that need a session. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('nobody is signed in here');
  return me;
}

/** Returns whether the signed-in person has a permission. */
export const useMay = (permission: Permission): boolean => useMe().permissions.includes(permission);
