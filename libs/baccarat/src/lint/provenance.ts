import { isRecord, leadsSomewhere, pointerTo } from '../rules/json-pointer.js';
import type { LintProblem } from '../rules/json-form.js';
import type { RuleDocument } from '../rules/rule-document.js';

/** The fields that hold the rules. All other fields describe the document and its origin. */
const RULES = [
  'decks',
  'tableau',
  'bets',
  'specials',
  'commission',
  'payouts',
  'burn',
  'cutCard',
  'clockTolerance',
  'irregularities',
  'procedure',
] as const;

/**
 * Returns values without a source, sources that do not exist, and pointers to nothing. The form
 * must be valid.
 */
export function provenanceProblems(document: RuleDocument): LintProblem[] {
  const { provenance, sources } = document;
  const problems: LintProblem[] = [];
  for (const [pointer, { source }] of Object.entries(provenance)) {
    const at = pointerTo('/provenance', pointer);
    if (!leadsSomewhere(document, pointer))
      problems.push({ pointer: at, problem: `${pointer} leads to no value of this document` });
    if (!Object.hasOwn(sources, source))
      problems.push({
        pointer: `${at}/source`,
        problem: `"${source}" is not a source of this document`,
      });
  }
  for (const name of RULES) {
    for (const pointer of unsourced(document[name], `/${name}`, Object.keys(provenance))) {
      problems.push({ pointer, problem: 'has no provenance' });
    }
  }
  return problems;
}

/** A bet's name is not a rule, so it needs no source. */
const NAME = /^\/bets\/\d+\/(id|title)$/;

/**
 * Returns the largest parts of `value` that no pointer covers. Absent and empty values need no
 * source.
 */
function unsourced(value: unknown, pointer: string, sourced: readonly string[]): string[] {
  if (value === undefined || sourced.includes(pointer) || NAME.test(pointer)) return [];
  const members = Array.isArray(value)
    ? [...value.entries()]
    : isRecord(value)
      ? Object.entries(value)
      : undefined;
  if (members?.length === 0) return [];
  if (!members || !sourced.some((other) => other.startsWith(`${pointer}/`))) return [pointer];
  return members.flatMap(([key, member]) => unsourced(member, pointerTo(pointer, key), sourced));
}
