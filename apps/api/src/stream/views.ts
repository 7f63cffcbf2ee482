import { keyOf, withoutAccusation, type Change, type FindingLine } from '#read-model';
import type { Identity } from '../identity/identity.js';
import { seesFindings, shownTo } from '../reading/view.js';

/** What decides how an identity sees a change. Readers with equal keys share their messages. */
export interface Viewer {
  readonly roles: Identity['roles'];
  /** The keys of the tables that it may see. */
  readonly tables: 'all' | ReadonlySet<string>;
  /** Equal for viewers of the same roles and tables. */
  readonly key: string;
  /** The person, from whom an accusation is concealed; undefined for what all see alike. */
  readonly person: string | undefined;
}

/** Returns the viewer of an identity. */
export function viewerOf({
  roles,
  tables,
  person,
}: Pick<Identity, 'roles' | 'tables' | 'person'>): Viewer {
  const keys = tables === 'all' ? tables : [...new Set(tables.map(keyOf))].sort();
  return {
    roles,
    tables: keys === 'all' ? keys : new Set(keys),
    key: JSON.stringify([roles.toSorted(), keys]),
    person: person?.id,
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
  if (
    change.is === 'finding' &&
    viewer.person !== undefined &&
    accusedBy(change).includes(viewer.person)
  )
    return shownTo(viewer, concealed(change.finding));
  return shownTo(viewer, thingOf(change));
}

/** Returns whom a change accuses. They do not see that part of it. */
export function accusedBy(change: Change): readonly string[] {
  if (change.is !== 'finding') return [];
  const { review } = change.finding;
  return withoutAccusation(review) === review ? [] : change.people;
}

const concealed = (finding: FindingLine): FindingLine => ({
  ...finding,
  review: withoutAccusation(finding.review),
});

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
