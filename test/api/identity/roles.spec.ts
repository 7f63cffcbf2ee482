import { readFileSync } from 'node:fs';
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

/** The routes that each role was let through to, as the walk below tried them. */
const tried = new Map<string, Set<string>>();

/** Returns the table of the page: each permission with its routes, and who may use them. */
function tableOfRoutes(): string {
  const rows = new Map<string, { readonly routes: string[]; readonly who: string }>();
  for (const { method, url, needs } of routesOf(api.app)) {
    if (needs === undefined || needs === 'nothing' || method === 'HEAD') continue;
    const letIn = tried.get(`${method} ${url}`) ?? new Set();
    const who = ROLES_AND_DEVICE.map((role) => (letIn.has(role) ? 'yes' : '')).join(' | ');
    const row = rows.get(needs) ?? { routes: [], who };
    expect([needs, row.who]).toEqual([needs, who]);
    const shown = url.startsWith('/docs')
      ? `\`${method} /docs\` and below`
      : `\`${method} ${url}\``;
    if (!row.routes.includes(shown)) row.routes.push(shown);
    rows.set(needs, row);
  }
  const lines = [...rows].map(
    ([needs, { routes, who }]) => `| \`${needs}\` | ${routes.join(', ')} | ${who} |`,
  );
  return [
    `| permission | routes | ${ROLES_AND_DEVICE.join(' | ')} |`,
    `| --- | --- |${' --- |'.repeat(ROLES_AND_DEVICE.length)}`,
    ...lines.sort(),
  ].join('\n');
}

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
      const isLast = ({ url }: { url: string }): number => Number(url.endsWith('/sign-out'));
      const routes = routesOf(api.app).toSorted((a, b) => isLast(a) - isLast(b));
      for (const { method, url, needs } of routes) {
        if (needs === undefined || needs === 'nothing') continue;
        // a stream has no end, so its head is asked for
        const asked = url.endsWith('/stream') ? 'HEAD' : method;
        const refused = await refusedByGate(asked, url, tokens.get(role));
        const expected = permitted(needs, [role]) ? undefined : 403;
        expect([role, method, url, refused]).toEqual([role, method, url, expected]);
        const route = `${method} ${url}`;
        if (refused === undefined) tried.set(route, (tried.get(route) ?? new Set()).add(role));
      }
    },
  );

  it('is in the table of docs/operating/routes.md, for the roles that were let in', () => {
    expect(readFileSync('docs/operating/routes.md', 'utf8')).toContain(`\n${tableOfRoutes()}\n`);
  });

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
