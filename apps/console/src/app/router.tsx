import {
  createRootRoute,
  createRoute,
  createRouter,
  Navigate,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { FunctionComponent, ReactNode } from 'react';
import { SignInScreen } from '../sign-in/sign-in-screen.js';
import { parseSearch, type Search, writeSearch } from './address.js';
import { NotForYou, ScreenFailed, ScreenMissing } from './failures.js';
import { type LazyPart, lazyPart } from './lazy-part.js';
import { type Permission, useMe } from './session/me.js';
import { PLACES, startOf } from './screens.js';
import { sessionState } from './session/session.js';
import { Shell } from './shell.js';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: ScreenMissing,
  errorComponent: ScreenFailed,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: (search): Search => search as Search,
  component: SignInScreen,
});

/** Everything that needs a session. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: ({ location }) => {
    if (sessionState() === 'none')
      redirect({ to: '/sign-in', search: { to: location.href }, replace: true, throw: true });
  },
});

const start = createRoute({ getParentRoute: () => inside, path: '/', component: Start });

/** Leads to the first place that the person may see. */
function Start() {
  const { permissions } = useMe();
  return <Navigate to={startOf(permissions)} replace />;
}

/**
 * Returns a component for those who have one of the permissions. Others read why they see nothing.
 * The router loads the file of the screen before it leaves the last one: React would hide the
 * whole page meanwhile, and the focus would be lost.
 */
function For(needs: readonly Permission[], Screen: LazyPart<object>): LazyPart<object> {
  function Permitted(): ReactNode {
    const { permissions } = useMe();
    return needs.length === 0 || needs.some((each) => permissions.includes(each)) ? (
      <Screen />
    ) : (
      <NotForYou />
    );
  }
  return Object.assign(Permitted, { preload: Screen.preload });
}

/** Declares a screen: its address, who may see it, and its file, which is loaded when it is shown. */
const screen = <Path extends string, Name extends string>(
  path: Path,
  needs: readonly Permission[],
  load: () => Promise<Readonly<Record<Name, FunctionComponent>>>,
  name: Name,
) =>
  createRoute({
    getParentRoute: () => inside,
    path,
    validateSearch: (search): Search => search as Search,
    component: For(
      needs,
      lazyPart(async () => (await load())[name]),
    ),
  });

const reports = PLACES.find(({ to }) => to === '/reports')?.needs ?? [];
const findings = () => import('../finding/finding-screen.js');
const rules = () => import('../rules/rules-screens.js');
const tables = () => import('../tables/tables-screens.js');

const tree = root.addChildren([
  signIn,
  inside.addChildren([
    start,
    screen('queue', ['read-findings'], () => import('../queue/queue-screen.js'), 'QueueScreen'),
    screen('findings/$id', ['read-findings'], findings, 'FindingScreen'),
    screen('coups/$ref', ['read-coups'], findings, 'CoupScreen'),
    screen('tables', ['read-tables'], tables, 'TablesScreen'),
    screen('tables/$table', ['read-tables'], tables, 'TableScreen'),
    screen('tables/$table/shoes/$ref', ['read-coups'], tables, 'ShoeScreen'),
    screen('reports', reports, () => import('../reports/reports-screen.js'), 'ReportsScreen'),
    screen(
      'reports/$report',
      reports,
      () => import('../reports/reports-screen.js'),
      'ReportScreen',
    ),
    screen(
      'evidence',
      ['export-evidence'],
      () => import('../evidence/evidence-screen.js'),
      'EvidenceScreen',
    ),
    screen('rules', ['read-rules'], rules, 'RulesScreen'),
    screen('rules/diff', ['read-rules'], rules, 'DifferenceScreen'),
    screen('rules/policy', ['read-rules'], rules, 'PolicyScreen'),
    screen('rules/$ref', ['read-rules'], rules, 'RuleDocumentScreen'),
    screen(
      'people',
      ['manage-accounts'],
      () => import('../people/people-screen.js'),
      'PeopleScreen',
    ),
    screen(
      'devices',
      ['manage-keys'],
      () => import('../people/devices/devices-screen.js'),
      'DevicesScreen',
    ),
    screen('settings', [], () => import('../settings/settings-screen.js'), 'SettingsScreen'),
    createRoute({ getParentRoute: () => inside, path: '$', component: ScreenMissing }),
  ]),
]);

/** The screens by their addresses. The address is the whole state of a screen. */
export const router = createRouter({
  routeTree: tree,
  basepath: new URL(document.baseURI).pathname,
  parseSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
