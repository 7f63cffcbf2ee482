import type { Key } from '../words/words.js';
import type { Permission } from './session/me.js';

/** A place of the main navigation: where it leads, what it is called, and who sees it. */
export interface Place {
  readonly to: '/queue' | '/tables' | '/reports' | '/evidence' | '/rules' | '/people' | '/devices';
  readonly name: Key;
  /** One of these permissions is enough. */
  readonly needs: readonly Permission[];
  /** The key after `g`. */
  readonly key: string;
}

/** The main navigation, in its order. The first that a person may see is where they start. */
export const PLACES: readonly Place[] = [
  { to: '/queue', name: 'shell.queue', needs: ['read-findings'], key: 'q' },
  { to: '/tables', name: 'shell.tables', needs: ['read-tables'], key: 't' },
  {
    to: '/reports',
    name: 'shell.reports',
    needs: [
      'report-commission',
      'report-misdealt',
      'report-dealers',
      'report-shoes',
      'report-payouts',
      'report-devices',
    ],
    key: 'r',
  },
  { to: '/evidence', name: 'shell.evidence', needs: ['export-evidence'], key: 'e' },
  { to: '/rules', name: 'shell.rules', needs: ['read-rules'], key: 'l' },
  { to: '/people', name: 'shell.people', needs: ['manage-accounts'], key: 'p' },
  { to: '/devices', name: 'shell.devices', needs: ['manage-keys'], key: 'd' },
];

/** Returns where a person starts: the first place that they may see, or the settings. */
export const startOf = (permissions: readonly Permission[]): Place['to'] | '/settings' =>
  PLACES.find(({ needs }) => needs.some((each) => permissions.includes(each)))?.to ?? '/settings';
