import baccaratEngine, { type Card as EngineCard, type GameResult } from 'baccarat-engine';
import { isCard, type Card, type Outcome } from '#baccarat';

/** A coup as the engine dealt and judged it. */
export interface DealtCoup {
  /** The cards in the order in which they left the shoe, with the hand that got each. */
  readonly drawn: readonly { readonly card: Card; readonly to: 'player' | 'banker' }[];
  readonly player: readonly Card[];
  readonly banker: readonly Card[];
  /** The engine's verdict, in its own words. */
  readonly said: GameResult;
  readonly outcome: Outcome;
}

/**
 * A shoe of 8 decks, in the order of drawing: the burn with its indicator card first, the coups,
 * the remaining cards.
 */
export interface DealtShoe {
  readonly burned: readonly Card[];
  readonly coups: readonly DealtCoup[];
  readonly remaining: readonly Card[];
}

const SUITS: Readonly<Record<string, string>> = { spade: 'S', heart: 'H', diamond: 'D', club: 'C' };

/**
 * Deals one shoe of 8 decks with the public package baccarat-engine until its cut card, 16 cards
 * from the end. The shuffle is ours, so that the same seed deals the same shoe. Burning, drawing
 * and judging are the engine's.
 */
export function dealWithBaccaratEngine(seed: number): DealtShoe {
  const engine = new baccaratEngine.BaccaratGameEngine();
  engine.shoe.createDecks();
  shuffle(engine.shoe.cards, seed);
  const { burnCard, burnCards } = engine.burnCards();
  const coups: DealtCoup[] = [];
  while (!engine.isBurnNeeded) coups.push(dealCoup(engine));
  return {
    burned: [burnCard, ...burnCards].map(named),
    coups,
    remaining: [...engine.shoe.cards].reverse().map(named),
  };
}

function dealCoup(engine: InstanceType<typeof baccaratEngine.BaccaratGameEngine>): DealtCoup {
  const before = [...engine.shoe.cards];
  const hand = engine.dealGame();
  const left = before.slice(engine.shoe.cardsLeft).reverse();
  const said = engine.resultsEngine.calculateGameResult(hand);
  return {
    drawn: left.map((card) => ({
      card: named(card),
      to: hand.playerCards.includes(card) ? 'player' : 'banker',
    })),
    player: hand.playerCards.map(named),
    banker: hand.bankerCards.map(named),
    said,
    outcome: String(said.outcome) as Outcome,
  };
}

function named({ value, suit }: EngineCard): Card {
  const name = `${value === '10' ? 'T' : value}${SUITS[suit] ?? '?'}`;
  if (!isCard(name)) throw new Error(`no card: ${value} of ${suit}`);
  return name;
}

/**
 * Fisher-Yates with a multiplicative congruential generator (modulus 2^31 - 1, multiplier 48271):
 * repeatable, and no more than that.
 */
function shuffle(cards: EngineCard[], seed: number): void {
  let state = (seed % 2_147_483_646) + 1;
  for (let last = cards.length - 1; last > 0; last -= 1) {
    state = (state * 48_271) % 2_147_483_647;
    const other = state % (last + 1);
    [cards[last], cards[other]] = [cards[other] as EngineCard, cards[last] as EngineCard];
  }
}
