import { describe, expect, it } from '@jest/globals';
import {
  factsOf,
  resultOf,
  scale,
  specialsOf,
  type Bet,
  type Predicate,
  type Rules,
} from '#baccarat';
import { coup } from './coup-in-words.js';
import { house, sixPaysHalf, threeCardSevenPushes } from './house-rules.js';

/** Returns the result of 10.00 on a bet: `wins 80.00`, `push`, `special push`, `loses`. */
function tenOn(bet: string, laid: string, rules: Rules = house): string {
  const hands = coup(laid);
  const result = resultOf(rules.bets.get(bet) as Bet, factsOf(hands), hands);
  switch (result.result) {
    case 'lose':
      return 'loses';
    case 'push':
      return result.special ? 'special push' : 'push';
    case 'win':
      return `${result.special ? 'special, ' : ''}wins ${(scale(1000, result.odds.profit, rules.payoutRounding) / 100).toFixed(2)}`;
  }
}

type Case = readonly [bet: string, laid: string, becomes: string, why: string];

const PLAYER_WINS = 'P 9S KD  B 8H JC';
const BANKER_WINS = 'P 2S KD 4H  B 6H AC';
const TIE = 'P 6S KD  B 6H JC';

const MAIN_BETS: readonly Case[] = [
  ['player', PLAYER_WINS, 'wins 10.00', '9 against 8'],
  ['player', BANKER_WINS, 'loses', '6 against 7'],
  ['player', TIE, 'push', '6 against 6'],
  ['banker', BANKER_WINS, 'wins 10.00', '7 against 6, before commission'],
  ['banker', PLAYER_WINS, 'loses', '8 against 9'],
  ['banker', TIE, 'push', '6 against 6'],
  ['tie', TIE, 'wins 80.00', '9 for 1 is 8 to 1'],
  ['tie', PLAYER_WINS, 'loses', 'no tie'],
  ['tie', BANKER_WINS, 'loses', 'no tie'],
];

const PAIRS: readonly Case[] = [
  ['player-pair', 'P 4S 4D  B KH 6S', 'wins 110.00', 'two fours'],
  ['player-pair', 'P 4S 5D  B 6H 6S', 'loses', "the pair is the other hand's"],
  [
    'player-pair',
    'P JS QD 5H  B KH 6S',
    'loses',
    'a jack and a queen are no pair though both count 0',
  ],
  ['player-pair', 'P TS KD 5H  B KH 6S', 'loses', 'nor are a ten and a king'],
  [
    'player-pair',
    'P JS JD 5H  B KH 6S',
    'wins 110.00',
    'two jacks and a third card are still a pair',
  ],
  ['player-pair', 'P JS 5D JH  B KH 6S', 'loses', 'a third card does not make a pair'],
  ['player-pair', 'P 5S JD JH  B KH 6S', 'loses', 'nor by the second and third'],
  ['banker-pair', 'P 4S 2D AH  B 2H 2C', 'wins 110.00', 'two twos'],
  ['banker-pair', 'P 7S KD  B 2H 2C 9H', 'wins 110.00', 'two twos and a third card'],
  ['banker-pair', 'P 4S 4D  B 6H AC', 'loses', "the pair is the other hand's"],
  ['banker-pair', 'P 7S KD  B KH QC 9H', 'loses', 'a king and a queen'],
  ['either-pair', 'P 4S 4D  B KH 6S', 'wins 50.00', "the player hand's"],
  ['either-pair', 'P 7S KD  B 2H 2C 9H', 'wins 50.00', "the banker hand's, with a third card"],
  ['either-pair', 'P 4S 4D  B 9H 9C', 'wins 50.00', 'both, paid once'],
  ['either-pair', 'P 7S KD  B JH QC 9H', 'loses', 'neither'],
  ['perfect-pair', 'P 4S 4S  B KH 6S', 'wins 250.00', 'one hand, rank and suit'],
  ['perfect-pair', 'P 7S KD  B 2H 2H 9H', 'wins 250.00', 'the banker hand, with a third card'],
  ['perfect-pair', 'P 4S 4S  B 9H 9H', 'wins 2000.00', 'both hands'],
  ['perfect-pair', 'P 4S 4D  B 9H 9C', 'loses', 'two pairs, of mixed suits'],
  ['perfect-pair', 'P 4S 5S  B 9H KH', 'loses', 'suited, but no pairs'],
  ['perfect-pair', 'P 4S AD 4S  B 9H KC', 'loses', 'the first and third card'],
  ['perfect-pair', 'P 4S 4S  B 9H 9C', 'wins 250.00', 'one perfect, one mixed'],
];

const SIZES: readonly Case[] = [
  ['big', 'P 2S 3D 4H  B 7H JC', 'wins 5.40', 'five cards'],
  ['big', 'P 7S KD  B 2H 2C 9H', 'wins 5.40', "five cards, the fifth the banker hand's"],
  ['big', 'P 2S 3D 4H  B 3H JC 2C', 'wins 5.40', 'six cards'],
  ['big', TIE, 'loses', 'four cards'],
  ['small', TIE, 'wins 15.00', 'four cards'],
  ['small', 'P 2S 3D 4H  B 7H JC', 'loses', 'five cards'],
  ['small', 'P 2S 3D 4H  B 3H JC 2C', 'loses', 'six cards'],
];

const NAMED_HANDS: readonly Case[] = [
  ['dragon-7', 'P 6S KD  B 2H 3C 2D', 'wins 400.00', 'the banker hand wins with 7 in three cards'],
  ['dragon-7', 'P 6S KD  B 2H 5C', 'loses', '7 in two cards'],
  ['dragon-7', 'P 7S KD  B 2H 3C 2D', 'loses', '7 in three cards, but a tie'],
  ['dragon-7', 'P 6S KD  B 2H 3C 3D', 'loses', '8 in three cards'],
  ['dragon-7', 'P 2S 3D 2H  B 5H AC', 'loses', "the player hand's three-card 7"],
  ['panda-8', 'P 2S 3D 3H  B 7H JC', 'wins 250.00', 'the player hand wins with 8 in three cards'],
  ['panda-8', 'P 8S KD  B 7H JC', 'loses', '8 in two cards'],
  ['panda-8', 'P 2S 3D 3H  B 2H JC 6D', 'loses', '8 in three cards, but a tie'],
  ['panda-8', 'P 2S 3D 4H  B 7H JC', 'loses', '9 in three cards'],
  ['panda-8', 'P 6S KD  B 2H 3C 3D', 'loses', "the banker hand's three-card 8"],
  ['super-6', 'P 2S 3D QH  B 6H JC', 'wins 120.00', 'the banker hand wins with 6 in two cards'],
  ['super-6', 'P 2S 3D QH  B 2H JC 4D', 'wins 120.00', 'and in three'],
  ['super-6', TIE, 'loses', '6 against 6'],
  ['super-6', BANKER_WINS, 'loses', 'the banker hand wins with 7'],
  ['super-6', 'P 6S KD  B 2H 3C KD', 'loses', 'the player hand wins with 6'],
  ['lucky-6', 'P 2S 3D QH  B 6H JC', 'wins 120.00', 'two cards, the lower tier'],
  ['lucky-6', 'P 2S 3D QH  B 2H JC 4D', 'wins 200.00', 'three cards, the higher tier'],
  ['lucky-6', 'P 7S KD  B 2H JC 4D', 'loses', '6 against 7'],
  ['lucky-6', TIE, 'loses', '6 against 6'],
];

const DRAGON_BONUS: readonly Case[] = [
  ['dragon-bonus-player', 'P 8S KD  B 7H JC', 'wins 10.00', 'a natural 8 by 1'],
  [
    'dragon-bonus-player',
    'P 9S KD  B QH JC',
    'wins 10.00',
    'a natural 9 by 9 is paid as a natural',
  ],
  ['dragon-bonus-player', 'P 9S KD  B 9H JC', 'push', 'two naturals of 9'],
  ['dragon-bonus-player', 'P 9S KD  B 8H JC', 'wins 10.00', 'a natural against a natural'],
  ['dragon-bonus-player', 'P 8S KD  B 9H JC', 'loses', 'the lower natural'],
  ['dragon-bonus-player', 'P 2S 3D 4H  B QH JC KC', 'wins 300.00', 'by 9 without a natural'],
  ['dragon-bonus-player', 'P 2S 3D 3H  B QH JC KC', 'wins 100.00', 'by 8'],
  ['dragon-bonus-player', 'P 2S 5D  B QH JC KC', 'wins 60.00', 'by 7'],
  ['dragon-bonus-player', 'P 2S 5D  B QH JC AC', 'wins 40.00', 'by 6'],
  ['dragon-bonus-player', 'P 2S 5D  B QH JC 2C', 'wins 20.00', 'by 5'],
  ['dragon-bonus-player', 'P 2S 5D  B QH JC 3C', 'wins 10.00', 'by 4'],
  ['dragon-bonus-player', 'P 2S 5D  B QH JC 4C', 'loses', 'by 3'],
  ['dragon-bonus-player', 'P 2S 5D  B 7H JC', 'loses', 'a tie without naturals'],
  ['dragon-bonus-player', 'P 2S KD QH  B 9H JC', 'loses', 'the banker hand won'],
  ['dragon-bonus-banker', 'P 7S KD  B 8H JC', 'wins 10.00', 'a natural 8 by 1'],
  ['dragon-bonus-banker', 'P 9S KD  B 9H JC', 'push', 'two naturals of 9'],
  ['dragon-bonus-banker', 'P 8S KD  B 9H JC', 'wins 10.00', 'a natural against a natural'],
  ['dragon-bonus-banker', 'P 2S KD 8H  B 4H 5C', 'wins 10.00', 'a natural 9 by 9'],
  ['dragon-bonus-banker', 'P 2S KD 8H  B 4H JC 5C', 'wins 300.00', 'by 9 without a natural'],
  ['dragon-bonus-banker', 'P 2S KD 8H  B 4H JC 4C', 'wins 100.00', 'by 8'],
  ['dragon-bonus-banker', 'P 2S KD 8H  B 7H JC', 'wins 60.00', 'by 7'],
  ['dragon-bonus-banker', 'P 2S KD 8H  B 6H JC', 'wins 40.00', 'by 6'],
  ['dragon-bonus-banker', 'P 2S KD 9H  B 6H JC', 'wins 20.00', 'by 5'],
  ['dragon-bonus-banker', 'P 2S KD AH  B 7H JC', 'wins 10.00', 'by 4'],
  ['dragon-bonus-banker', 'P 2S KD 2H  B 7H JC', 'loses', 'by 3'],
  ['dragon-bonus-banker', 'P 9S KD  B QH JC', 'loses', 'the player hand won'],
];

describe.each([
  ['the main bets', MAIN_BETS],
  ['pairs, by rank of the first two cards', PAIRS],
  ['big and small, by all cards of the coup', SIZES],
  ['bets on a hand that has a name', NAMED_HANDS],
  ['the dragon bonus, by margin', DRAGON_BONUS],
] as const)('%s', (_, cases) => {
  it.each(cases)('%s: %s %s (%s)', (bet, laid, becomes) => {
    expect(tenOn(bet, laid)).toBe(becomes);
  });
});

describe('a banker bet without commission', () => {
  it.each([
    ['P 6S KD  B 2H 3C 2D', 'special push', '7 in three cards'],
    ['P 6S KD  B 2H 5C', 'wins 10.00', '7 in two cards'],
    ['P 6S KD  B 2H 3C 3D', 'wins 10.00', '8 in three cards'],
    ['P 7S KD  B 2H 3C 2D', 'push', 'a tie on 7 is a common push'],
    ['P 8S KD  B 7H JC', 'loses', '7 against 8'],
  ])('pushes a three-card seven: %s %s (%s)', (laid, becomes) => {
    expect(tenOn('banker', laid, threeCardSevenPushes)).toBe(becomes);
  });

  it.each([
    ['P 2S 3D QH  B 6H JC', 'special, wins 5.00', '6 in two cards'],
    ['P 2S 3D QH  B 2H JC 4D', 'special, wins 5.00', '6 in three cards'],
    [BANKER_WINS, 'wins 10.00', '7 against 6'],
    [TIE, 'push', 'a tie on 6'],
    ['P 7S KD  B 6H JC', 'loses', '6 against 7'],
  ])('pays half on a banker 6: %s %s (%s)', (laid, becomes) => {
    expect(tenOn('banker', laid, sixPaysHalf)).toBe(becomes);
  });
});

describe('all bets of the house', () => {
  const all = [...MAIN_BETS, ...PAIRS, ...SIZES, ...NAMED_HANDS, ...DRAGON_BONUS];

  it.each([...house.bets.keys()])('settles %s as won and as lost in the cases above', (bet) => {
    const seen = all.filter(([id]) => id === bet).map(([, , becomes]) => becomes.split(' ')[0]);
    expect(seen).toEqual(expect.arrayContaining(['wins', 'loses']));
  });

  it('names the tier that pays', () => {
    const hands = coup('P 2S 3D QH  B 2H JC 4D');
    expect(resultOf(house.bets.get('lucky-6') as Bet, factsOf(hands), hands)).toMatchObject({
      result: 'win',
      tier: 1,
      special: false,
    });
  });

  it('charges commission on the banker bet only', () => {
    expect(
      [...house.bets.values()].filter(({ commission }) => commission).map(({ id }) => id),
    ).toEqual(['banker']);
  });
});

describe('a bet on cards in order', () => {
  const bet = (when: Predicate): Bet => ({
    id: 'x',
    title: 'x',
    pushes: [],
    pays: [
      {
        when,
        odds: { text: '200 to 1', notation: 'to', profit: { num: 200, den: 1 } },
        special: false,
      },
    ],
    commission: false,
  });
  const wins = (when: Predicate, laid: string) =>
    resultOf(bet(when), factsOf(coup(laid)), coup(laid)).result === 'win';

  it.each<[Predicate, string, boolean, string]>([
    [
      { player: ['??', '??', '8?'], bankerTotal: 3 },
      'P 2S 3D 8H  B 3H JC',
      true,
      "the player hand's third card is an 8",
    ],
    [
      { player: ['??', '??', '8?'], bankerTotal: 3 },
      'P 8S 3D 2H  B 3H JC',
      false,
      'an 8, but the first card',
    ],
    [{ player: ['??', '??', '8?'] }, 'P 8S KD  B 3H JC', false, 'no third card'],
    [{ banker: ['?H'] }, 'P 8S KD  B 3H JC', true, 'the banker hand begins with a heart'],
    [{ banker: ['?H', '?H'] }, 'P 8S KD  B 3H JC', false, 'two hearts are asked for'],
    [{ player: ['KS'], winner: 'tie' }, 'P KS 6D  B 6H JC', true, 'that very card, and a tie'],
    [{ player: ['KS'], winner: 'tie' }, 'P KC 6D  B 6H JC', false, 'the suit differs'],
    [{}, TIE, true, 'nothing is asked'],
  ])('evaluates %j of %s as %s (%s)', (when, laid, expected) => {
    expect(wins(when, laid)).toBe(expected);
  });
});

describe('names announced with a result', () => {
  it.each([
    ['P 9S KD  B 6H JC', ['natural']],
    ['P 4S 4D  B 6H JC', ['natural', 'player-pair']],
    ['P 6S KD  B 2H 3C 2D', ['dragon-7']],
    ['P 2S 3D 3H  B 7H JC', ['panda-8']],
    ['P 2S 3D 4H  B 2H JC 7C', []],
    ['P 6S KD  B 2H 3C 3D', []],
    ['P 6S KD  B 8H JC', ['natural']],
  ])('announces for %s: %j', (laid, announced) => {
    expect(specialsOf(house, factsOf(coup(laid)), coup(laid))).toEqual(announced);
  });
});

describe('the facts of two hands', () => {
  it('describe the cards as they lie, lawful or not', () => {
    expect(factsOf(coup('P 4S 4S 9H AD  B 9H 9C'))).toEqual({
      winner: 'tie',
      playerTotal: 8,
      bankerTotal: 8,
      playerCards: 4,
      bankerCards: 2,
      cards: 6,
      margin: 0,
      playerNatural: true,
      bankerNatural: true,
      playerPair: true,
      bankerPair: true,
      pairs: 2,
      perfectPairs: 1,
    });
  });

  it('can be computed from incomplete hands', () => {
    expect(factsOf(coup('P 4S  B'))).toMatchObject({
      winner: 'player',
      cards: 1,
      playerPair: false,
      bankerPair: false,
      pairs: 0,
      perfectPairs: 0,
      bankerNatural: false,
    });
  });
});
