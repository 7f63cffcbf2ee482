import { canonical } from './json-form.js';
import { parseOdds } from '../bets/odds-notation.js';
import type { BetText, Irregularity, RuleDocument } from './rule-document.js';
import {
  burnInWords,
  commissionInWords,
  irregularityCase,
  predicateInWords,
  roundingInWords,
} from './rule-words.js';
import { diffTableau, tableauOf } from '../tableau/tableau-words.js';

/**
 * Returns the differences between two rule documents that `lint` accepts, in words, `a` before the
 * arrow and `b` after it: `banker 6 against a third card of 6: draw → stand`. Empty if the same
 * game is played by the same rules. For two versions of one id, titles, sources and provenance are
 * compared too, so that only equal documents have no difference.
 */
export function diffRules(a: RuleDocument, b: RuleDocument): string[] {
  const changes = [
    ...changed('game', a.game, b.game),
    ...changed('decks', setInWords(a.decks.map(String)), setInWords(b.decks.map(String))),
    ...diffTableau(tableauOf(a.tableau), tableauOf(b.tableau)),
    ...diffBets(a.bets, b.bets),
    ...changed('specials', setInWords(a.specials), setInWords(b.specials)),
    ...diffCommission(a, b),
    ...changed(
      'payouts rounded to',
      a.payouts ? roundingInWords(a.payouts.rounding) : '1 (half-up)',
      b.payouts ? roundingInWords(b.payouts.rounding) : '1 (half-up)',
    ),
    ...changed(
      'burn',
      setInWords(a.burn.map(burnInWords), ' or '),
      setInWords(b.burn.map(burnInWords), ' or '),
    ),
    ...changed(
      'coups after the cut card, shown inside a coup',
      a.cutCard.insideCoup,
      b.cutCard.insideCoup,
    ),
    ...changed(
      'coups after the cut card, shown between coups',
      a.cutCard.betweenCoups,
      b.cutCard.betweenCoups,
    ),
    ...changed('clock tolerance in seconds', a.clockTolerance, b.clockTolerance),
    ...diffIrregularities(a.irregularities, b.irregularities),
    ...changed(
      'demonstration hands',
      a.procedure.demonstrationHands ?? 'no limit',
      b.procedure.demonstrationHands ?? 'no limit',
    ),
  ];
  return a.id === b.id ? [...changes, ...diffText(a, b)] : changes;
}

/** Returns a change in words, the value before it and after it, or nothing if both are equal. */
export const changed = (what: string, from: string | number, to: string | number): string[] =>
  from === to ? [] : [`${what}: ${from} → ${to}`];

const setInWords = (items: readonly string[], by = ', '): string =>
  items.length === 0
    ? 'none'
    : [...items].sort((x, y) => x.localeCompare(y, 'en', { numeric: true })).join(by);

function diffCommission(
  { commission: a }: RuleDocument,
  { commission: b }: RuleDocument,
): string[] {
  if (!a || !b)
    return changed(
      'commission',
      a ? commissionInWords(a) : 'none',
      b ? commissionInWords(b) : 'none',
    );
  return [
    ...changed('commission', a.when, b.when),
    ...changed('commission rate', a.rate, b.rate),
    ...changed('commission rounded to', roundingInWords(a.rounding), roundingInWords(b.rounding)),
    ...changed('least commission', a.minimum ?? 'none', b.minimum ?? 'none'),
  ];
}

function diffBets(a: readonly BetText[], b: readonly BetText[]): string[] {
  const before = new Map(a.map((bet) => [bet.id, bet]));
  const after = new Map(b.map((bet) => [bet.id, bet]));
  return [
    ...a.filter(({ id }) => !after.has(id)).map(({ id }) => `bet ${id} removed`),
    ...a.flatMap((bet) => (after.has(bet.id) ? diffBet(bet, after.get(bet.id) as BetText) : [])),
    ...b
      .filter(({ id }) => !before.has(id))
      .map((bet) => `bet ${bet.id} added: pays ${bet.pays.map(({ odds }) => odds).join(', ')}`),
  ];
}

/** A push or a payout of a bet, identified by its condition. */
interface Tier {
  readonly kind: 'pushes' | 'pays';
  readonly where: string;
  readonly odds: string;
  readonly special: boolean;
}

const tiersOf = (bet: BetText): Map<string, Tier> => {
  const tiers: Tier[] = [
    ...(bet.pushes ?? []).map(({ when, special }) => ({
      kind: 'pushes' as const,
      where: predicateInWords(when),
      odds: '',
      special: special === true,
    })),
    ...bet.pays.map(({ when, odds, special }) => ({
      kind: 'pays' as const,
      where: predicateInWords(when),
      odds,
      special: special === true,
    })),
  ];
  return new Map(tiers.map((tier) => [`${tier.kind} ${tier.where}`, tier]));
};

function diffBet(a: BetText, b: BetText): string[] {
  const before = tiersOf(a);
  const after = tiersOf(b);
  const changes = changed(`${a.id}: title`, a.title ?? a.id, b.title ?? b.id);
  for (const [key, tier] of before) {
    const now = after.get(key);
    if (!now) changes.push(`${a.id}: no longer ${tierInWords(tier)}`);
    else changes.push(...diffTier(a.id, tier, now, before.size + after.size > 2));
  }
  for (const [key, tier] of after)
    if (!before.has(key)) changes.push(`${a.id}: now ${tierInWords(tier)}`);
  const kept = (tiers: Map<string, Tier>, others: Map<string, Tier>): string =>
    [...tiers.keys()].filter((key) => others.has(key)).join('; ');
  if (kept(before, after) !== kept(after, before))
    changes.push(`${a.id}: tried in another order: ${kept(after, before)}`);
  if (a.commission !== b.commission)
    changes.push(
      `${a.id}: ${a.commission ? 'bears commission' : 'bears no commission'} → ${b.commission ? 'bears commission' : 'bears no commission'}`,
    );
  return changes;
}

const tierInWords = ({ kind, where, odds, special }: Tier): string =>
  `${kind}${odds && ` ${odds}`} where ${where}${special ? ' (special)' : ''}`;

function diffTier(bet: string, from: Tier, to: Tier, several: boolean): string[] {
  const where = several ? ` where ${from.where}` : '';
  const changes: string[] = [];
  if (from.odds !== to.odds) {
    const [a, b] = [parseOdds(from.odds)?.profit, parseOdds(to.odds)?.profit];
    const same = a !== undefined && b !== undefined && a.num === b.num && a.den === b.den;
    changes.push(
      `${bet} pays ${from.odds} → ${to.odds}${where}${same ? ' (the same profit)' : ''}`,
    );
  }
  if (from.special !== to.special)
    changes.push(
      `${bet} ${from.kind}${where}: ${from.special ? 'special → ordinary' : 'ordinary → special'}`,
    );
  return changes;
}

/** Compares entries code by code, in the order in which they are evaluated. */
function diffIrregularities(a: readonly Irregularity[], b: readonly Irregularity[]): string[] {
  const cases = (entries: readonly Irregularity[]): Map<string, string> =>
    new Map(
      entries.flatMap((entry) =>
        entry.codes.map(
          (code) =>
            [
              irregularityCase(code, entry),
              `${[...entry.do].sort().join(' + ')} (${entry.source}, ${entry.section})`,
            ] as const,
        ),
      ),
    );
  const before = cases(a);
  const after = cases(b);
  const changes: string[] = [];
  for (const [name, does] of before)
    changes.push(...changed(name, does, after.get(name) ?? 'nothing prescribed'));
  for (const [name, does] of after)
    if (!before.has(name)) changes.push(`${name}: nothing prescribed → ${does}`);
  for (const code of new Set(a.flatMap(({ codes }) => codes))) {
    const order = (entries: Map<string, string>, others: Map<string, string>): string =>
      [...entries.keys()]
        .filter((name) => name.split(' ')[0] === code && others.has(name))
        .join('; ');
    if (order(before, after) !== order(after, before))
      changes.push(`${code}: tried in another order: ${order(after, before)}`);
  }
  return changes;
}

/** Compares what two versions of one document say about themselves. */
function diffText(a: RuleDocument, b: RuleDocument): string[] {
  const changes = changed('title', a.title, b.title);
  for (const key of new Set([...Object.keys(a.sources), ...Object.keys(b.sources)])) {
    if (!a.sources[key]) changes.push(`source ${key} added`);
    else if (!b.sources[key]) changes.push(`source ${key} removed`);
    else if (canonical(a.sources[key]) !== canonical(b.sources[key]))
      changes.push(`source ${key} changed`);
  }
  const origin = ({ provenance }: RuleDocument, pointer: string): string => {
    const from = provenance[pointer];
    return from ? `${from.source}${from.provisional ? ' (provisional)' : ''}` : 'not stated';
  };
  for (const pointer of new Set([...Object.keys(a.provenance), ...Object.keys(b.provenance)])) {
    changes.push(...changed(`source of ${pointer}`, origin(a, pointer), origin(b, pointer)));
  }
  return changes;
}
