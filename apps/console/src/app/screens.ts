import type { Key } from '../words/words.js';
import type { Permission } from './me.js';

/** A place of the main navigation: where it leads, what it is called, and who sees it. */
export interface Place {
  readonly to: '/queue' | '/tables' | '/reports' | '/rules' | '/people' | '/devices';
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
  { to: '/rules', name: 'shell.rules', needs: ['read-rules'], key: 'l' },
  { to: '/people', name: 'shell.people', needs: ['manage-accounts'], key: 'p' },
  { to: '/devices', name: 'shell.devices', needs: ['manage-keys'], key: 'd' },
];
