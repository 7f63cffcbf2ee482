import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routesOf, PERMISSIONS, permitted, ROLES, type Role } from '#api';
import { REVIEWER_ROLES } from '#audit';
import { startApi, type TestApi } from '../../kit/api.js';

let api: TestApi;
const tokens = new Map<Role | 'device', string>();

beforeAll(async () => {
  api = await startApi({ settings: { openPages: false } });
  for (const role of ROLES) tokens.set(role, await api.person(role));
  tokens.set('device', await api.device());
});
afterAll(() => api.close());

/** Ids that do not exist, so that no request of this test changes anything. */
const pathOf = (url: string): string =>
  url.replace(/:[A-Za-z]+/g, '0000000000000000').replaceAll('*', 'nothing');
const ROLES_AND_DEVICE = [...ROLES, 'device'] as const;
/** Answered by the gate alone, before the request is examined. */
const refusedByGate = async (
  method: string,
  url: string,
  token?: string,
): Promise<number | undefined> => {
  const { statusCode, body } = await api.app.inject({
    method: method as 'GET',
    url: pathOf(url),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    simulate: { end: true, close: true, split: false, error: false },
  });
  if (statusCode !== 401 && statusCode !== 403) return undefined;
  return /urn:shoeprint:problem:(not-signed-in|not-permitted)"/.test(body) || method === 'HEAD'
    ? statusCode
    : undefined;
};

describe('every route of the server', () => {
  it('declares which permission it requires, or that it is open', () => {
    const silent = routesOf(api.app).filter(({ needs }) => needs === undefined);
    expect(silent.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
    expect(routesOf(api.app).length).toBeGreaterThan(20);
  });

  it('names a permission of the table', () => {
    const known = [...Object.keys(PERMISSIONS), 'nothing'];
    expect(routesOf(api.app).filter(({ needs }) => !known.includes(needs as string))).toEqual([]);
  });

  it('refuses callers without a token, unless it is open', async () => {
    for (const { method, url, needs } of routesOf(api.app)) {
      if (needs !== 'nothing')
        expect([method, url, await refusedByGate(method, url)]).toEqual([method, url, 401]);
    }
  });

  it('refuses an unknown token', async () => {
    const made = `sps_0123456789abcdef_${'x'.repeat(43)}`;
    for (const { method, url, needs } of routesOf(api.app)) {
      if (needs !== 'nothing')
        expect([method, url, await refusedByGate(method, url, made)]).toEqual([method, url, 401]);
    }
  });

  it.each(ROLES_AND_DEVICE)(
    'is open to %s exactly as the table of permissions says',
    async (role) => {
      const routes = routesOf(api.app).filter(
        ({ url }) => !url.endsWith('/stream') && !url.endsWith('/sign-out'),
      );
      for (const { method, url, needs } of routes) {
        if (needs === undefined || needs === 'nothing') continue;
        const expected = permitted(needs, [role]) ? undefined : 403;
        expect([role, method, url, await refusedByGate(method, url, tokens.get(role))]).toEqual([
          role,
          method,
          url,
          expected,
        ]);
      }
    },
  );

  it('is open exactly where everybody must have access', () => {
    const open = routesOf(api.app).filter(({ needs }) => needs === 'nothing');
    expect([...new Set(open.map(({ url }) => url))].sort()).toEqual([
      '/',
      '/console',
      '/console/*',
      '/livez',
      '/readyz',
      '/v1/password-reset',
      '/v1/sign-in',
    ]);
  });
});

describe('the table of permissions', () => {
  it('lets device keys only record, and read their own identity and the documentation', () => {
    expect(
      (Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[]).filter((permission) =>
        permitted(permission, ['device']),
      ),
    ).toEqual(['record-events', 'own-session', 'read-docs']);
  });

  it('separates managing accounts from reading findings', () => {
    expect(
      PERMISSIONS['manage-accounts'].filter((role) => permitted('read-findings', [role])),
    ).toEqual([]);
  });

  it('knows every role that a review policy may name, and lets it review', () => {
    expect(ROLES).toEqual(expect.arrayContaining([...REVIEWER_ROLES]));
    for (const role of REVIEWER_ROLES) expect(permitted('review-findings', [role])).toBe(true);
  });

  it('grants nothing without a role', () => {
    expect(
      (Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[]).filter((permission) =>
        permitted(permission, []),
      ),
    ).toEqual([]);
  });
});
