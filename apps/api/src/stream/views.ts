import { keyOf, type Change } from '#read-model';
import type { Identity } from '../identity/identity.js';
import { seesFindings, shownTo } from '../reading/view.js';

/** What decides how an identity sees a change. Readers with equal keys share their messages. */
export interface Viewer {
  readonly roles: Identity['roles'];
  /** The keys of the tables that it may see. */
  readonly tables: 'all' | ReadonlySet<string>;
  /** Equal for viewers of the same roles and tables. */
  readonly key: string;
}

/** Returns the viewer of an identity. */
export function viewerOf({ roles, tables }: Pick<Identity, 'roles' | 'tables'>): Viewer {
  const keys = tables === 'all' ? tables : [...new Set(tables.map(keyOf))].sort();
  return {
    roles,
    tables: keys === 'all' ? keys : new Set(keys),
    key: JSON.stringify([roles.toSorted(), keys]),
  };
}

/**
 * Returns what a viewer sees of a change, or undefined if it may not see the change. The stream
 * asks here alone.
 */
export function changeFor(viewer: Viewer, change: Change): object | undefined {
  const { tables } = viewer;
  if (tables !== 'all' && !tables.has(changedTable(change))) return undefined;
  if (change.is === 'finding' && !seesFindings(viewer)) return undefined;
  return shownTo(viewer, thingOf(change));
}

/** Returns the key of the table that a change belongs to. */
export const changedTable = (change: Change): string => keyOf(thingOf(change).table);

function thingOf(change: Change): { readonly table: string } {
  switch (change.is) {
    case 'shoe':
      return change.shoe;
    case 'coup':
      return change.coup;
    case 'finding':
      return change.finding;
    case 'table':
      return change.table;
  }
}
