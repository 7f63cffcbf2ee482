import { describe, expect, it } from '@jest/globals';
import { CARDS, due, outcomeOf, valueOf, type Card, type Due, type Hands } from '#baccarat';
import { OF_VALUE, coup } from './coup-in-words.js';
import { house, withChoices } from './house-rules.js';

/** Formats what is due in two words: `card player`, `may player`, `outcome tie`. */
const inWords = (what: Due): string =>
  what.step === 'card' ? `${what.optional ? 'may' : 'card'} ${what.to}` : `outcome ${what.outcome}`;
const dueAfter = (text: string, rules = house, stood = false) =>
  inWords(due(coup(text), rules, stood));

/**
 * The transposed table as rule sheets print it: against third cards of these values, the banker
 * hand draws up to this total.
 */
const DRAWS_UP_TO: readonly (readonly [thirdCards: readonly number[], total: number])[] = [
  [[0, 1, 9], 3],
  [[8], 2],
  [[2, 3], 4],
  [[4, 5], 5],
  [[6, 7], 6],
];
const limitAgainst = (third: number) =>
  (DRAWS_UP_TO.find(([thirds]) => thirds.includes(third)) as readonly [unknown, number])[1];
const winner = (player: number, banker: number) =>
  `outcome ${player === banker ? 'tie' : player > banker ? 'player' : 'banker'}`;

/**
 * Oracle: plays one coup of these values to its end from the prose alone, and returns what is due
 * before each card after the fourth.
 */
function byTheProse([p1, b1, p2, b2]: readonly number[], fifth: number, sixth: number): string[] {
  const player = ((p1 as number) + (p2 as number)) % 10;
  const banker = ((b1 as number) + (b2 as number)) % 10;
  if (player > 7 || banker > 7) return [winner(player, banker)];
  if (player > 5)
    return banker > 5
      ? [winner(player, banker)]
      : ['card banker', winner(player, (banker + fifth) % 10)];
  const after = (player + fifth) % 10;
  if (banker > limitAgainst(fifth)) return ['card player', winner(after, banker)];
  return ['card player', 'card banker', winner(after, (banker + sixth) % 10)];
}

/** Plays the same coup with `due`. */
function byDue(values: readonly number[], fifth: number, sixth: number): string[] {
  const [p1, b1, p2, b2] = values.map((value) => OF_VALUE[value] as Card) as [
    Card,
    Card,
    Card,
    Card,
  ];
  const hands = { player: [p1, p2], banker: [b1, b2] };
  const said: string[] = [];
  for (const next of [fifth, sixth, 0]) {
    const what = due(hands, house);
    said.push(inWords(what));
    if (what.step === 'outcome') break;
    hands[what.to].push(OF_VALUE[next] as Card);
  }
  return said;
}

const VALUES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

describe('the first four cards', () => {
  it.each([
    ['P  B', 'card player'],
    ['P 9S  B', 'card banker'],
    ['P 9S  B 8H', 'card player'],
    ['P 9S KD  B 8H', 'card banker'],
  ])('requires after %s: %s', (laid, next) => {
    expect(dueAfter(laid)).toBe(next);
  });
});

describe('the drawing', () => {
  it('follows the transposed table for all values of the first five cards', () => {
    const wrong: string[] = [];
    for (const p1 of VALUES)
      for (const b1 of VALUES)
        for (const p2 of VALUES)
          for (const b2 of VALUES)
            for (const fifth of VALUES) {
              const sixth = (p1 + 3 * b1 + 7 * b2 + fifth) % 10;
              const [seen, wanted] = [
                byDue([p1, b1, p2, b2], fifth, sixth),
                byTheProse([p1, b1, p2, b2], fifth, sixth),
              ];
              if (seen.join() !== wanted.join())
                wrong.push(
                  `P ${p1} ${p2} B ${b1} ${b2} then ${fifth} ${sixth}: ${seen.join()} and not ${wanted.join()}`,
                );
            }
    expect(wrong).toEqual([]);
  });

  it('follows the table for every two-card total of both hands and every third card of the deck', () => {
    const wrong: string[] = [];
    for (const player of [0, 1, 2, 3, 4, 5])
      for (const banker of [0, 1, 2, 3, 4, 5, 6, 7])
        for (const third of CARDS) {
          const hands = {
            player: ['QC', OF_VALUE[player], third] as Card[],
            banker: ['TH', OF_VALUE[banker]] as Card[],
          };
          const seen = inWords(due(hands, house));
          const wanted =
            banker <= limitAgainst(valueOf(third))
              ? 'card banker'
              : winner((player + valueOf(third)) % 10, banker);
          if (seen !== wanted)
            wrong.push(`player ${player}, ${third}; banker ${banker}: ${seen} and not ${wanted}`);
        }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['P 9S KD  B 2H 3C', 'outcome player', 'a player natural stops a banker hand of 5'],
    ['P 2S KD  B 8H JC', 'outcome banker', 'a banker natural stops a player hand of 2'],
    ['P 9S KD  B 8H JC', 'outcome player', 'nine beats eight'],
    ['P 9S 9D  B 8H JC', 'outcome tie', 'two naturals of 8'],
    ['P 6S KD  B 6H JC', 'outcome tie', 'both stand on 6'],
    ['P 6S KD  B 5H JC', 'card banker', 'the banker hand draws on 5 against a player who stood'],
    ['P 5S KD 6C  B 6H JC', 'card banker', 'six against a third card of 6'],
    [
      'P 2S 3D 3C  B 4H 2C',
      'outcome player',
      'six stands against a third card of 3, though the player hand has 8',
    ],
    [
      'P 2S 3D AC  B 4H 2C',
      'outcome tie',
      'six stands against a third card of 1, though the player hand has 6',
    ],
    ['P 5S KD QC  B 3H JC', 'card banker', 'a face as third card counts 0, and 3 draws'],
    ['P KS KD 8C  B 3H JC', 'outcome player', 'three stands against an 8'],
  ])('requires after %s: %s (%s)', (laid, next) => {
    expect(dueAfter(laid)).toBe(next);
  });
});

describe('hands dealt against the rules', () => {
  it.each([
    ['P 9S  B', 'card banker', 'one card'],
    ['P  B 8H', 'card player', 'the banker hand got the first card'],
    ['P  B 8H 2C', 'card player', 'the banker hand got the first two'],
    ['P 9S  B 8H 2C', 'card player', 'then one to the player hand'],
    ['P 2S 3D 4C  B 8H', 'card banker', 'three cards to the player hand before the fourth card'],
    ['P 2S 3D 4C  B', 'card banker', 'three cards to the player hand and none to the banker'],
    [
      'P 7S KD 4C  B 6H JC',
      'outcome banker',
      'the player hand drew on 7: 1 against 6, and 6 stands against a 4',
    ],
    [
      'P 7S KD 6C  B 6H JC',
      'card banker',
      'the player hand drew a 6 on 7: the banker hand on 6 is judged by that card',
    ],
    [
      'P 2S KD  B 6H JC 2C',
      'card player',
      'the banker third card came first: the player hand is still due its own',
    ],
    ['P 2S KD 7H  B 6H JC 2C', 'outcome player', 'then it is over: 9 against 8'],
    [
      'P 6S KD  B 6H JC 2C',
      'outcome banker',
      'the banker hand drew against a standing player: 6 against 8',
    ],
    [
      'P 9S KD AC  B 2H 3C',
      'outcome banker',
      'a card on a natural makes 0, and nothing more is drawn',
    ],
    ['P 2S KD  B 8H JC 5C', 'outcome banker', 'the banker hand drew on its natural 8: 3 against 2'],
    ['P 2S 3D 4C 9H  B 7H JC', 'outcome player', 'a fourth card counts: 8 against 7'],
    [
      'P 2S 3D 4C 9H  B 5H JC',
      'card banker',
      'a fourth card does not change that the third was a 4',
    ],
  ])('takes hands as they lie, after %s: %s (%s)', (laid, next) => {
    expect(dueAfter(laid)).toBe(next);
  });

  it('never throws and always reaches an outcome, for hands of up to four cards each', () => {
    const wrong: string[] = [];
    const some: readonly Card[] = ['KS', '2D', '5H', '6D', '9H'];
    const handsOf = (n: number): Card[][] =>
      n === 0 ? [[]] : handsOf(n - 1).flatMap((hand) => some.map((card) => [...hand, card]));
    const upToFour: Card[][] = [
      ...[0, 1, 2, 3].flatMap(handsOf),
      ...handsOf(2).map((hand): Card[] => [...hand, 'AS', '7C']),
    ];
    for (const player of upToFour)
      for (const banker of upToFour) {
        let hands: Hands = { player, banker };
        let steps = 0;
        for (
          let what = due(hands, house);
          what.step === 'card';
          what = due(hands, house), steps += 1
        ) {
          hands = { ...hands, [what.to]: [...hands[what.to], '5H'] };
          if (steps > 6) break;
        }
        if (steps > 6) wrong.push(`${player.join(' ')} / ${banker.join(' ')}`);
      }
    expect(wrong).toEqual([]);
  });
});

describe('optional cells', () => {
  it.each([
    ['P 5S KD  B 3H JC', 'may player'],
    ['P 4S KD  B 3H JC', 'card player'],
    ['P 5S KD 9C  B 3H JC', 'may banker'],
    ['P 5S KD 4C  B 5H JC', 'may banker'],
    ['P 5S KD 5C  B 5H JC', 'card banker'],
    ['P 5S KD 8C  B 3H JC', 'outcome tie'],
  ])('allows a choice after %s: %s', (laid, next) => {
    expect(dueAfter(laid, withChoices)).toBe(next);
  });

  it('continues with the banker hand when the player hand declined', () => {
    expect(dueAfter('P 5S KD  B 5H JC', withChoices, true)).toBe('card banker');
    expect(dueAfter('P 5S KD  B 6H JC', withChoices, true)).toBe('outcome banker');
  });

  it('ends when the banker hand drew while the player hand, free to choose, did not', () => {
    expect(dueAfter('P 5S KD  B 3H JC 2C', withChoices)).toBe('outcome tie');
  });

  it('requires nothing of a player hand that has its third card', () => {
    expect(dueAfter('P 5S KD 2C  B 7H JC', withChoices)).toBe('outcome tie');
  });
});

describe('the outcome', () => {
  it('declares the hand nearer nine the winner, for all totals', () => {
    for (const player of VALUES)
      for (const banker of VALUES)
        expect(`outcome ${outcomeOf(player, banker)}`).toBe(winner(player, banker));
  });
});
