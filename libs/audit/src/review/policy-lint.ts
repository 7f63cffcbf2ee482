import { formProblems, isRecord, isSound, pointerTo, type LintProblem } from '#baccarat';
import { isCurrency } from '../events/currency.js';
import { FINDING_CODES, SEVERITIES } from '../findings/catalogue.js';
import type { PolicyDocument } from './policy.js';
import { POLICY_FORM } from './policy-form.js';

/**
 * Returns whether a JSON value is meant as a review policy, valid or not: whether it has its id, or
 * dispositions, which no rule document has.
 */
export const isPolicy = (json: unknown): boolean =>
  isRecord(json) && (json.id === 'review' || Object.hasOwn(json, 'dispositions'));

/**
 * Checks a JSON value as a review policy: its form (rules/policies/policy.schema.json),
 * deadlines in the order of severity, finding codes and currencies known, dispositions unique.
 * `readPolicy` accepts a policy without problems. Never throws on a JSON value.
 */
export function lintPolicy(json: unknown): { readonly problems: readonly LintProblem[] } {
  const form = formProblems(json, POLICY_FORM);
  const sound = (...fields: readonly (keyof PolicyDocument)[]): boolean =>
    isSound(json, form, fields);
  const read = json as PolicyDocument;
  const problems = [...form];
  if (sound('due')) problems.push(...dueProblems(read));
  if (sound('two')) problems.push(...codeProblems(read), ...currencyProblems(read));
  if (sound('dispositions')) problems.push(...dispositionProblems(read));
  if (sound('two', 'dispositions')) problems.push(...absentProblems(read));
  return { problems };
}

/** A graver finding is ruled on no later than a lesser one. */
const dueProblems = ({ due }: PolicyDocument): LintProblem[] =>
  SEVERITIES.slice(1).flatMap((severity) => {
    const graver = (severity - 1) as 1 | 2 | 3;
    return due[graver] <= due[severity]
      ? []
      : [
          {
            pointer: `/due/${severity}`,
            problem: `is ${due[severity]} and should be at least ${due[graver]}, the deadline of the graver severity ${graver}`,
          },
        ];
  });

const codeProblems = ({ two }: PolicyDocument): LintProblem[] =>
  two.codes.flatMap((code, i) =>
    FINDING_CODES.includes(code)
      ? []
      : [{ pointer: `/two/codes/${i}`, problem: `"${code}" is not the code of a finding` }],
  );

const currencyProblems = ({ two }: PolicyDocument): LintProblem[] =>
  Object.keys(two.from).flatMap((currency) =>
    isCurrency(currency)
      ? []
      : [
          {
            pointer: pointerTo('/two/from', currency),
            problem: 'is not a currency code of ISO 4217, such as "MOP"',
          },
        ],
  );

function dispositionProblems({ dispositions }: PolicyDocument): LintProblem[] {
  const problems = dispositions.flatMap(({ code }, i) =>
    dispositions.findIndex((other) => other.code === code) < i
      ? [{ pointer: `/dispositions/${i}/code`, problem: `${code} is in the policy already` }]
      : [],
  );
  for (const counts of [true, false])
    if (!dispositions.some((each) => each.counts === counts))
      problems.push({
        pointer: '/dispositions',
        problem: `has no disposition that ${counts ? 'counts' : 'does not count'}`,
      });
  return problems;
}

const absentProblems = ({ two, dispositions }: PolicyDocument): LintProblem[] =>
  two.dispositions.flatMap((code, i) =>
    dispositions.some((each) => each.code === code)
      ? []
      : [
          {
            pointer: `/two/dispositions/${i}`,
            problem: `${code} is not a disposition of this policy`,
          },
        ],
  );
