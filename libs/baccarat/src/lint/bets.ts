import type { LintProblem } from '../rules/json-form.js';
import { parseOdds } from '../bets/odds-notation.js';
import { possibleCoups, reached, type PossibleCoup } from '../tableau/possible-coups.js';
import type { BetText, Predicate, RuleDocument } from '../rules/rule-document.js';
import { tableauOf } from '../tableau/tableau-words.js';

/**
 * Returns the problems of the bets in a document whose form is valid: odds without a profit, a tier
 * that no coup reaches, a bet that cannot win or cannot lose, commission that does not fit.
 */
export function betProblems(
  document: Pick<RuleDocument, 'bets' | 'tableau' | 'decks' | 'commission'>,
): LintProblem[] {
  const tableau = tableauOf(document.tableau);
  const decks = Math.max(...document.decks);
  const plain = possibleCoups(tableau, [], decks);
  const seen = new Set<string>();
  const problems: LintProblem[] = [];
  for (const [i, bet] of document.bets.entries()) {
    const pointer = `/bets/${i}`;
    if (seen.has(bet.id))
      problems.push({ pointer: `${pointer}/id`, problem: `${bet.id} is in the document already` });
    seen.add(bet.id);
    const conditions = conditionsOf(bet).map(({ when }) => when);
    const coups = conditions.some(hasPatterns) ? possibleCoups(tableau, conditions, decks) : plain;
    problems.push(
      ...oddsProblems(bet, pointer),
      ...tierProblems(bet, pointer, coups),
      ...commissionProblems(bet, pointer, document.commission !== undefined),
    );
  }
  if (document.commission && !document.bets.some(({ commission }) => commission === true)) {
    problems.push({ pointer: '/commission', problem: 'no bet bears commission' });
  }
  return problems;
}

const hasPatterns = (when: Predicate): boolean =>
  when.player !== undefined || when.banker !== undefined;

/** Returns a bet's conditions in the order of evaluation, with their JSON pointers. */
const conditionsOf = (bet: BetText): { readonly at: string; readonly when: Predicate }[] => [
  ...(bet.pushes ?? []).map(({ when }, i) => ({ at: `/pushes/${i}`, when })),
  ...bet.pays.map(({ when }, i) => ({ at: `/pays/${i}`, when })),
];

function oddsProblems(bet: BetText, pointer: string): LintProblem[] {
  return bet.pays.flatMap(({ odds }, i) => {
    const at = `${pointer}/pays/${i}/odds`;
    const read = parseOdds(odds);
    if (!read)
      return [{ pointer: at, problem: `"${odds}" returns less than the stake, or has no stake` }];
    return read.profit.num > 0 ? [] : [{ pointer: at, problem: `"${odds}" wins nothing` }];
  });
}

function tierProblems(
  bet: BetText,
  pointer: string,
  coups: readonly PossibleCoup[],
): LintProblem[] {
  const conditions = conditionsOf(bet);
  const { first, ever, none } = reached(
    conditions.map(({ when }) => when),
    coups,
  );
  const problems = conditions.flatMap(({ at }, i) => {
    if (first[i]) return [];
    const why = ever[i]
      ? 'an earlier push or payout covers every coup in which this one holds'
      : 'no coup can satisfy this condition';
    return [{ pointer: `${pointer}${at}/when`, problem: why }];
  });
  if (!none) problems.push({ pointer, problem: 'the bet can never lose' });
  return problems;
}

function commissionProblems(bet: BetText, pointer: string, hasCommission: boolean): LintProblem[] {
  const problems: LintProblem[] = [];
  if (bet.commission === true && !hasCommission)
    problems.push({
      pointer: `${pointer}/commission`,
      problem: 'the bet bears commission and the document has none',
    });
  const specials = [
    ...(bet.pushes ?? []).map(({ special }, i) => ({ special, at: `/pushes/${i}/special` })),
    ...bet.pays.map(({ special }, i) => ({ special, at: `/pays/${i}/special` })),
  ].filter(({ special }) => special === true);
  for (const { at } of specials) {
    if (bet.commission === true)
      problems.push({
        pointer: pointer + at,
        problem:
          'a special push or payout exists instead of commission, and this bet bears commission',
      });
    if (bet.pays.every(({ special }) => special === true))
      problems.push({
        pointer: pointer + at,
        problem: 'a special push or payout is an exception, and this bet has no ordinary payout',
      });
  }
  return problems;
}
