import { factsOf, outcomeOf, type Card, type Facts } from '#baccarat';
import { totals } from './coup.js';
import type { Coup, Laid } from '../state.js';

/** The two hands as the rules library takes them; unread cards are left out, so ask `possibleFacts` where there are any. */
export const handsOf = (coup: Coup): { player: Card[]; banker: Card[] } => ({
  player: read(coup.player),
  banker: read(coup.banker),
});
function read(hand: readonly Laid[]): Card[] {
  const cards: Card[] = [];
  for (const { card } of hand) if (card !== null) cards.push(card);
  return cards;
}

const NO_PAIR = { pair: false, perfect: false };
const PAIR = { pair: true, perfect: false };
const PERFECT = { pair: true, perfect: true };

/** The facts of a coup's final hands, one for every way in which its unread cards could have mattered. */
export function possibleFacts(coup: Coup): Facts[] {
  const { player, banker } = coup;
  if (!player.some(({ card }) => card === null) && !banker.some(({ card }) => card === null))
    return [factsOf(handsOf(coup))];
  const all: Facts[] = [];
  for (const playerTotal of totals(player)) {
    for (const bankerTotal of totals(banker)) {
      for (const p of pairs(player)) {
        for (const b of pairs(banker)) {
          all.push({
            winner: outcomeOf(playerTotal, bankerTotal),
            playerTotal,
            bankerTotal,
            playerCards: player.length,
            bankerCards: banker.length,
            cards: player.length + banker.length,
            margin: Math.abs(playerTotal - bankerTotal),
            playerNatural: player.length === 2 && playerTotal >= 8,
            bankerNatural: banker.length === 2 && bankerTotal >= 8,
            playerPair: p.pair,
            bankerPair: b.pair,
            pairs: Number(p.pair) + Number(b.pair),
            perfectPairs: Number(p.perfect) + Number(b.perfect),
          });
        }
      }
    }
  }
  return all;
}

function pairs([first, second]: readonly Laid[]): readonly (typeof PAIR)[] {
  if (!first || !second) return [NO_PAIR];
  if (first.card === null || second.card === null) return [NO_PAIR, PAIR, PERFECT];
  if (first.card === second.card) return [PERFECT];
  return first.card[0] === second.card[0] ? [PAIR] : [NO_PAIR];
}
