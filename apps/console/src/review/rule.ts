import { decimalsOf } from '#baccarat';
import type { Whole } from '../finding/coup/whole.js';
import { useWords } from '../words/words.js';
import type { BodyOf } from './act.js';
import { type Fields, filled, minorOf, typedOf, useFields } from './sheets/fields.js';
import type { Policy } from './policy.js';
import { asksForTwo } from './two-persons.js';

/** A proposal while it is typed. */
export interface Rule {
  readonly fields: Fields;
  readonly set: (name: string, value: string) => void;
  readonly clear: () => void;
  /** What the chosen disposition needs. */
  readonly needs: Policy['dispositions'][number]['needs'];
  /** What is wrong with each field, in a sentence. */
  readonly errors: Readonly<Partial<Record<string, string>>>;
  readonly currency: string | undefined;
  readonly needsTwo: boolean;
  /** Returns what is sent, or undefined while something is wrong. */
  readonly body: (policyRef: string, evidence: string) => BodyOf<'propose'> | undefined;
}

/** Returns the proposal that is typed into the sheet of a finding. It is kept as it is typed. */
export function useRule({ finding, currency: ofShoe, review }: Whole, policy: Policy): Rule {
  const { impact } = finding;
  const currency = ofShoe ?? undefined;
  const { fields, set, clear } = useFields(
    `rule/${finding.id}`,
    impact && { amount: typedOf(impact.amount, impact.currency), favours: impact.favours },
  );
  const { disposition, note, video, favours, amount: typed = '' } = filled(fields);
  const chosen = policy.dispositions.find(({ code }) => code === disposition);
  const needs = chosen?.needs ?? [];
  const needsAmount = needs.includes('amount');
  const amount = needsAmount && currency !== undefined ? minorOf(typed, currency) : undefined;
  const errors = useErrors({ chosen, needs, note, video, amount, favours, currency });
  const body: Rule['body'] = (policyRef, evidence) =>
    chosen && Object.keys(errors).length === 0
      ? {
          disposition: chosen.code,
          policy: policyRef,
          evidence,
          ...(note !== undefined && { note }),
          ...(video !== undefined && { video }),
          ...(amount !== undefined && { amount, favours: favours as 'house' | 'patron' }),
        }
      : undefined;
  const needsTwo = review.two || asksForTwo(policy, { disposition, amount, currency });
  return { fields, set, clear, needs, errors, currency, body, needsTwo };
}

interface Typed extends Pick<Rule, 'needs' | 'currency'> {
  readonly chosen: unknown;
  readonly note: string | undefined;
  readonly video: string | undefined;
  readonly amount: number | undefined;
  readonly favours: string | undefined;
}

function useErrors({ chosen, needs, currency, ...typed }: Typed): Rule['errors'] {
  const words = useWords();
  const required = words('review.required');
  const needsAmount = needs.includes('amount');
  // a hundred units, written as the currency is
  const example =
    currency === undefined ? '' : typedOf(100 * 10 ** (decimalsOf(currency) ?? 0), currency);
  return {
    ...(chosen === undefined && { disposition: required }),
    ...(needsAmount && currency === undefined && { disposition: words('review.noCurrency') }),
    ...(needs.includes('note') && typed.note === undefined && { note: required }),
    ...(needs.includes('video') && typed.video === undefined && { video: required }),
    ...(needsAmount && typed.favours === undefined && { favours: required }),
    ...(needsAmount &&
      typed.amount === undefined && { amount: words('review.badAmount', { example }) }),
  };
}
