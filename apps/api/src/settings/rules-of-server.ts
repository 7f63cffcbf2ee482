import type { Policy, RuleBook } from '#audit';
import { Refusal } from '#process';
import { installedRules } from '#rule-folder';
import type { ListenSettings } from './api-settings.js';

/**
 * Returns the rule documents and review policies of a server. Throws `Refusal` for one that is not
 * as it was published, and if the policy in force is not installed.
 */
export function rulesOfServer({
  rules,
  policy,
}: Pick<ListenSettings, 'rules' | 'policy'>): RuleBook {
  const book = installedRules(rules);
  policyInForce(book, policy);
  return book;
}

/** Returns the review policy in force. Throws `Refusal` if it is not installed. */
export function policyInForce({ policies }: RuleBook, ref: string): Policy {
  const policy = policies.get(ref);
  if (!policy)
    throw new Refusal(
      `SHOEPRINT_POLICY: this review policy is not installed (installed: ${[...policies.keys()].join(', ')})`,
    );
  return policy;
}
