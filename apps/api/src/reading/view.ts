import type { Identity } from '../identity/identity.js';
import { permitted } from '../identity/permissions.js';
import { Problem } from '../problems/problems.js';

/** The fields that hold findings, their number or what they are about, in any answer. */
const FINDING_FIELDS: ReadonlySet<string> = new Set([
  'findings',
  'worst',
  'raised',
  'unjudgeable',
  'variance',
]);
/** The filters that separate what has findings from what has none. */
const FINDING_FILTERS = ['flagged'] as const;

/** Returns whether an identity sees findings, wherever an answer holds them. */
export const seesFindings = ({ roles }: Pick<Identity, 'roles'>): boolean =>
  permitted('read-findings', roles);

/** Returns the part of an answer that the identity may see: all of it, or all but findings. */
export function shownTo<Answer>(identity: Pick<Identity, 'roles'>, answer: Answer): Answer {
  return seesFindings(identity) ? answer : (withoutFindings(answer) as Answer);
}

function withoutFindings(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFindings);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !FINDING_FIELDS.has(name))
      .map(([name, part]) => [name, withoutFindings(part)]),
  );
}

/** Throws `not-permitted` if a filter asks about findings and the identity may not see them. */
export function refuseHiddenFilters(identity: Identity, filter: object): void {
  const hidden = FINDING_FILTERS.find(
    (name) => (filter as Readonly<Record<string, unknown>>)[name] !== undefined,
  );
  if (hidden !== undefined && !seesFindings(identity))
    throw new Problem(
      'not-permitted',
      `the filter ${hidden} requires the permission read-findings`,
    );
}
