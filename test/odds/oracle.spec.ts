import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  CARDS,
  due,
  factsOf,
  oddsOfComposition,
  RANKS,
  resultOf,
  SUITS,
  type BetText,
  type Card,
  type Choice,
  type Composition,
  type CoupOdds,
  type Facts,
  type Hands,
  type Predicate,
  type Rules,
  type TableauText,
} from '#baccarat';
import { BETS, CHEMIN_DE_FER, rulesOf, STANDARD, VARIANTS } from './documents.js';
import { rounds } from '../kit/rounds.js';

/**
 * Computes the same counts by dealing: every order of the single cards, one card at a time, asking
 * the rules what is due. It is slow and shares nothing with the library's counting.
 */
function dealEveryOrder(rules: Rules, cards: readonly Card[], choice: Choice) {
  const outcomes = { player: 0n, banker: 0n, tie: 0n };
  const bets = new Map(
    [...rules.bets].map(([id, bet]) => [id, { tiers: bet.pays.map(() => 0n), push: 0n, lose: 0n }]),
  );
  const settle = (hands: Hands, left: number): void => {
    const facts = factsOf(hands);
    let sequences = 1n;
    for (let cardsUsed = cards.length - left; cardsUsed < 6; cardsUsed += 1)
      sequences *= BigInt(cards.length - cardsUsed);
    outcomes[facts.winner] += sequences;
    for (const [id, bet] of rules.bets) {
      const counts = bets.get(id) as { tiers: bigint[]; push: bigint; lose: bigint };
      const became = resultOf(bet, facts, hands);
      if (became.result === 'win')
        counts.tiers[became.tier] = (counts.tiers[became.tier] as bigint) + sequences;
      else counts[became.result] += sequences;
    }
  };
  const deal = (hands: Hands, left: readonly Card[], stood: boolean): void => {
    const next = due(hands, rules, stood);
    if (next.step === 'outcome') return settle(hands, left.length);
    if (next.optional && choice === 'stand')
      return next.to === 'player' ? deal(hands, left, true) : settle(hands, left.length);
    left.forEach((card, i) =>
      deal({ ...hands, [next.to]: [...hands[next.to], card] }, left.toSpliced(i, 1), stood),
    );
  };
  deal({ player: [], banker: [] }, cards, false);
  return { outcomes, bets: Object.fromEntries(bets) };
}

const compositionOf = (cards: readonly Card[]): Composition =>
  new Map(CARDS.map((card) => [card, cards.filter((each) => each === card).length]));

const countsOf = ({ outcomes, bets }: CoupOdds) => ({
  outcomes,
  bets: Object.fromEntries(
    [...bets].map(([id, { tiers, push, lose }]) => [id, { tiers, push, lose }]),
  ),
});

const choice = fc.constantFrom<Choice>('draw', 'stand');
const row = (width: number) =>
  fc.string({ unit: fc.constantFrom('D', 'S', 'O'), minLength: width, maxLength: width });
const tableau: fc.Arbitrary<TableauText> = fc.record({
  player: row(8),
  banker: fc.array(
    row(11).map((cells) => `${cells.slice(0, 10)} ${cells.slice(10)}`),
    { minLength: 8, maxLength: 8 },
  ),
});

// Few ranks and suits, so that pairs, perfect pairs and named cards are common among eight cards.
const fewCards = fc.constantFrom(
  '7S',
  '7H',
  '8S',
  '8H',
  '2D',
  '3D',
  '6S',
  'TS',
  'TH',
  'JS',
  'KH',
  'KS',
  'AC',
  '9C',
  '5S',
  '4H',
) as fc.Arbitrary<Card>;
const shoe = fc.array(fewCards, { minLength: 6, maxLength: 8 });

const total = fc.integer({ min: 0, max: 9 });
const oneOrMore = <T>(each: fc.Arbitrary<T>) =>
  fc.oneof(each, fc.uniqueArray(each, { minLength: 1, maxLength: 4 }));
const pattern = fc
  .tuple(fc.constantFrom('?', '?', ...RANKS), fc.constantFrom('?', '?', ...SUITS))
  .map((both) => both.join(''));
const patterns = fc.array(pattern, { minLength: 1, maxLength: 4 });
const facts: { readonly [F in keyof Facts]: fc.Arbitrary<Facts[F] | Facts[F][]> } = {
  winner: oneOrMore(fc.constantFrom('player', 'banker', 'tie')),
  playerTotal: oneOrMore(total),
  bankerTotal: oneOrMore(total),
  playerCards: oneOrMore(fc.constantFrom(2, 3)),
  bankerCards: oneOrMore(fc.constantFrom(2, 3)),
  cards: oneOrMore(fc.constantFrom(4, 5, 6)),
  margin: oneOrMore(total),
  playerNatural: fc.boolean(),
  bankerNatural: fc.boolean(),
  playerPair: fc.boolean(),
  bankerPair: fc.boolean(),
  pairs: oneOrMore(fc.constantFrom(0, 1, 2)),
  perfectPairs: oneOrMore(fc.constantFrom(0, 1, 2)),
};
const anything = { ...facts, player: patterns, banker: patterns };
const predicate = fc
  .uniqueArray(fc.constantFrom(...(Object.keys(anything) as (keyof typeof anything)[])), {
    maxLength: 3,
  })
  .chain((asked) =>
    fc.record(
      Object.fromEntries(asked.map((fact) => [fact, anything[fact] as fc.Arbitrary<unknown>])),
    ),
  ) as fc.Arbitrary<Predicate>;
const bets: fc.Arbitrary<BetText[]> = fc
  .array(
    fc.record({
      pushes: fc.array(fc.record({ when: predicate }), { maxLength: 2 }),
      pays: fc.array(
        fc.record({ when: predicate, odds: fc.constantFrom('1 to 1', '9 for 1', '0.95 to 1') }),
        { maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((several) => several.map((bet, i) => ({ id: `bet-${i}`, ...bet })));

describe('the exact counts are what dealing every order of a few cards gives', () => {
  it.each(Object.entries({ STANDARD, CHEMIN_DE_FER }))(
    'match for every bet of the contract under the tableau %s',
    (_, cells) => {
      const rules = rulesOf([...BETS, ...VARIANTS], cells);
      fc.assert(
        fc.property(shoe, choice, (cards, chosen) => {
          expect(
            countsOf(oddsOfComposition(rules, compositionOf(cards), { choice: chosen })),
          ).toEqual(dealEveryOrder(rules, cards, chosen));
        }),
        { numRuns: rounds(24) },
      );
    },
  );

  it('match for any tableau and any bets', () => {
    fc.assert(
      fc.property(shoe, tableau, bets, choice, (cards, cells, asked, chosen) => {
        const rules = rulesOf(asked, cells);
        expect(
          countsOf(oddsOfComposition(rules, compositionOf(cards), { choice: chosen })),
        ).toEqual(dealEveryOrder(rules, cards, chosen));
      }),
      { numRuns: rounds(150) },
    );
  });

  it('match for bets that name third cards', () => {
    const suited = (hand: 'player' | 'banker') =>
      SUITS.map((suit) => ({
        when: { [hand]: [`?${suit}`, `?${suit}`, `?${suit}`] },
        odds: '20 to 1',
      }));
    const rules = rulesOf([
      { id: 'suited', pays: [...suited('player'), ...suited('banker')] },
      {
        id: 'third-of-either',
        pushes: [{ when: { perfectPairs: 1, player: ['??', '??', '?S'] } }],
        pays: [
          { when: { player: ['??', '??', '?H'] }, odds: '2 to 1' },
          { when: { banker: ['??', '?S', '7?'] }, odds: '9 to 1' },
        ],
      },
      {
        id: 'pair-and-third',
        pays: [
          { when: { pairs: [1, 2], banker: ['??', '??', '?H'] }, odds: '9 to 1' },
          { when: { winner: 'player', player: ['?H', '?S', '??'] }, odds: '3 to 1' },
        ],
      },
    ]);
    fc.assert(
      fc.property(shoe, (cards) => {
        expect(countsOf(oddsOfComposition(rules, compositionOf(cards)))).toEqual(
          dealEveryOrder(rules, cards, 'draw'),
        );
      }),
      { numRuns: rounds(48) },
    );
  });

  it('match for ten cards', () => {
    const rules = rulesOf(BETS);
    const cards: Card[] = ['7S', '7S', '8H', '2D', 'KS', 'KS', 'JH', '6C', '5D', '9C'];
    expect(countsOf(oddsOfComposition(rules, compositionOf(cards)))).toEqual(
      dealEveryOrder(rules, cards, 'draw'),
    );
  });
});

describe('counting by cards and counting by totals', () => {
  it('agree on every bet that totals decide, with any number of decks', () => {
    // A pattern that matches any card makes the same bets use the count by cards.
    const worded = BETS.map((bet) => ({
      ...bet,
      pays: bet.pays.map((pay) => ({ ...pay, when: { ...pay.when, player: ['??'] } })),
    }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), tableau, choice, (decks, cells, chosen) => {
        const cards = new Map(CARDS.map((card) => [card, decks]));
        const [byTotals, byCards] = [rulesOf(BETS, cells), rulesOf(worded, cells)].map((rules) =>
          countsOf(oddsOfComposition(rules, cards, { choice: chosen })),
        );
        expect(byCards).toEqual(byTotals);
      }),
      { numRuns: rounds(16) },
    );
  });
});
