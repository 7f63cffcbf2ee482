import { factsOf, resultOf, scale, type Card, type Due, type Rules } from '#baccarat';
import type { CoupBet, CoupDetail, CoupRow } from '../entities/index.js';

/** What the rules require for a bet, in minor units. */
export interface LawfulSettlement {
  readonly stake: 'returned' | 'taken';
  readonly paid: number;
  /** Commission on what is paid, taken or marked. */
  readonly commission: number;
}

/** A seat's bet, its settlement, and what its settlement should have been. */
export type JudgedBet = CoupBet & {
  /** Null if it cannot be known: the hand is not over, or a card was not read. */
  readonly lawful: LawfulSettlement | null;
};

type CoupOfBets = Pick<CoupRow, 'kind' | 'state'> & { readonly then: readonly Due[] };

/** Returns the bets of a coup with what the rules require for each by the cards as they lie. */
export function judgedBets(
  { bets, cards }: Pick<CoupDetail, 'bets' | 'cards'>,
  coup: CoupOfBets,
  rules: Rules,
): JudgedBet[] {
  const hands = readHands(cards, coup.then);
  const facts = hands && factsOf(hands);
  return bets.map((bet) => {
    const { stands, bet: id } = bet;
    const known = rules.bets.get(id);
    if (coup.kind !== 'normal' || coup.state === 'void' || stands === 0)
      return { ...bet, lawful: RETURNED };
    if (!known || !hands || !facts || coup.state === 'open') return { ...bet, lawful: null };
    const result = resultOf(known, facts, hands);
    if (result.result === 'push') return { ...bet, lawful: RETURNED };
    if (result.result === 'lose') return { ...bet, lawful: TAKEN };
    const paid = scale(stands, result.odds.profit, rules.payoutRounding);
    const { commission: charge } = rules;
    const commission =
      known.commission && charge && paid > 0
        ? Math.max(charge.minimum, scale(paid, charge.rate, charge.rounding))
        : 0;
    return { ...bet, lawful: { stake: 'returned', paid, commission } };
  });
}

const RETURNED: LawfulSettlement = { stake: 'returned', paid: 0, commission: 0 };
const TAKEN: LawfulSettlement = { stake: 'taken', paid: 0, commission: 0 };

/** Returns both hands, or undefined if one is not complete or has a card that was not read. */
function readHands(
  cards: CoupDetail['cards'],
  then: readonly Due[],
): Record<'player' | 'banker', Card[]> | undefined {
  if (then.some(({ step }) => step === 'card')) return undefined;
  const hands: Record<'player' | 'banker', Card[]> = { player: [], banker: [] };
  for (const { card, to } of cards) {
    if (to !== 'player' && to !== 'banker') continue;
    if (card === null) return undefined;
    hands[to].push(card);
  }
  return hands.player.length < 2 || hands.banker.length < 2 ? undefined : hands;
}
