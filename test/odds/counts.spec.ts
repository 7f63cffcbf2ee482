import { describe, expect, it } from '@jest/globals';
import {
  decimal,
  exactFraction,
  fullShoe,
  oddsOf,
  oddsOfComposition,
  remaining,
  type CoupOdds,
  type Facts,
} from '#baccarat';
import { countTotals, CELL_FACTS } from '../../libs/baccarat/src/odds/totals.js';
import { drawingOf } from '../../libs/baccarat/src/odds/drawing.js';
import { rulesOf } from './documents.js';
import { countValueSequences } from './value-sequences.js';

const rules = rulesOf([]);
const share = (odds: CoupOdds, outcome: 'banker' | 'player' | 'tie', digits: number): string =>
  decimal(exactFraction(odds.outcomes[outcome], odds.total), digits);

describe('the exact counts of ordered six-card sequences', () => {
  it('match the published counts of eight decks', () => {
    const { total, outcomes } = oddsOf(rules, 8);
    expect(total).toBe(4_998_398_275_503_360n);
    expect(outcomes).toEqual({
      banker: 2_292_252_566_437_888n,
      player: 2_230_518_282_592_256n,
      tie: 475_627_426_473_216n,
    });
  });

  it('match the published counts of six decks', () => {
    const { total, outcomes } = oddsOf(rules, 6);
    expect(total).toBe(878_869_206_895_680n);
    expect(outcomes).toEqual({
      banker: 403_095_751_234_560n,
      player: 392_220_492_728_832n,
      tie: 83_552_962_932_288n,
    });
  });

  it.each([
    [8, '0.458597423', '0.446246609', '0.095155968'],
    [6, '0.458652719', '0.446278570', '0.095068711'],
    [4, '0.458761476', '0.446340350', '0.094898174'],
    [1, '0.459624155', '0.446760430', '0.093615415'],
  ])('match the published shares of %i decks', (decks, banker, player, tie) => {
    const odds = oddsOf(rules, decks);
    expect([share(odds, 'banker', 9), share(odds, 'player', 9), share(odds, 'tie', 9)]).toEqual([
      banker,
      player,
      tie,
    ]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    'cover every sequence of %i decks once',
    (decks) => {
      const { total, outcomes, cards } = oddsOf(rules, decks);
      expect(outcomes.player + outcomes.banker + outcomes.tie).toBe(total);
      expect(cards[4] + cards[5] + cards[6]).toBe(total);
    },
  );

  it('pass 2^53 in twelve decks and still match a count value by value', () => {
    const { total, outcomes } = oddsOf(rules, 12);
    expect(total).toBe(57_628_452_781_710_720n);
    expect(outcomes).toEqual(countValueSequences(rules, [192n, ...new Array<bigint>(9).fill(48n)]));
  });
});

describe('shares of naturals, hand shapes and ties with eight and six decks', () => {
  const shareOf = (decks: number, holds: (facts: Facts) => boolean, digits: number): string => {
    const cells = countTotals(
      [16, 4, 4, 4, 4, 4, 4, 4, 4, 4].map((each) => each * decks),
      drawingOf(rules, undefined),
    );
    const count = cells.reduce(
      (sum, each, cell) => sum + (holds(CELL_FACTS[cell] as Facts) ? each : 0n),
      0n,
    );
    return decimal(exactFraction(count, oddsOf(rules, decks).total), digits);
  };
  const naturals = (winner: Facts['winner']) => (facts: Facts) =>
    (facts.playerNatural || facts.bankerNatural) && facts.winner === winner;

  it('match the published shares of naturals', () => {
    expect(shareOf(8, (facts) => facts.playerNatural || facts.bankerNatural, 6)).toBe('0.343049');
    expect(shareOf(6, (facts) => facts.playerNatural || facts.bankerNatural, 6)).toBe('0.343117');
    expect([
      shareOf(8, naturals('banker'), 6),
      shareOf(8, naturals('player'), 6),
      shareOf(8, naturals('tie'), 6),
    ]).toEqual(['0.162589', '0.162589', '0.017871']);
  });

  it.each([
    [8, ['0.378868', '0.117718', '0.185726', '0.317687']],
    [6, ['0.378925', '0.117742', '0.185797', '0.317535']],
  ])('match the published shares of hand shapes of %i decks', (decks, shapes) => {
    const seen = [
      [2, 2],
      [2, 3],
      [3, 2],
      [3, 3],
    ].map(([p, b]) =>
      shareOf(decks, (facts) => facts.playerCards === p && facts.bankerCards === b, 6),
    );
    expect(seen).toEqual(shapes);
  });

  it.each([
    [8, '.005798 .004101 .004003 .004452 .007261 .007939 .019240 .020350 .010979 .011033'],
    [6, '.005768 .004101 .003995 .004453 .007252 .007944 .019208 .020358 .010955 .011034'],
  ])('match the published shares of ties on 0 to 9 of %i decks', (decks, ties) => {
    const seen = Array.from({ length: 10 }, (_, total) =>
      shareOf(decks, (facts) => facts.winner === 'tie' && facts.playerTotal === total, 6).slice(1),
    );
    expect(seen.join(' ')).toBe(ties);
  });

  it.each([
    [8, '0.037247', '0.016617'],
    [6, '0.037237', '0.016607'],
  ])('match the published shares of a banker six of %i decks', (decks, two, three) => {
    const six = (cards: number) =>
      shareOf(
        decks,
        (facts) =>
          facts.winner === 'banker' && facts.bankerTotal === 6 && facts.bankerCards === cards,
        6,
      );
    expect([six(2), six(3)]).toEqual([two, three]);
  });
});

describe('the odds of a shoe in play', () => {
  it('equal those of a new shoe if nothing was drawn', () => {
    expect(oddsOfComposition(rules, remaining(8, []))).toEqual(
      oddsOfComposition(rules, fullShoe(8)),
    );
  });

  it('are certain if the six cards left can fall in one way only', () => {
    const sixes = new Map([
      ['6S', 2],
      ['6H', 2],
      ['6C', 1],
      ['6D', 1],
    ] as const);
    const { total, outcomes, cards } = oddsOfComposition(rules, sixes);
    expect({ total, tie: outcomes.tie, six: cards[6] }).toEqual({
      total: 720n,
      tie: 720n,
      six: 720n,
    }); // 2 against 2; each draws a six: 8 to 8
  });

  it('have no player win if every card left counts 0', () => {
    const faces = new Map([
      ['KS', 8],
      ['QH', 8],
    ] as const);
    expect(oddsOfComposition(rules, faces).outcomes).toEqual({
      player: 0n,
      banker: 0n,
      tie: 16n * 15n * 14n * 13n * 12n * 11n,
    });
  });

  it('average, over every possible first card, to the odds of the shoe before it', () => {
    const whole = oddsOf(rules, 1);
    const ranks = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K'] as const;
    const after = ranks.map((rank) => oddsOfComposition(rules, remaining(1, [`${rank}S`])));
    // Of 52 first cards and six of the 51 others.
    const sum = after.reduce((banker, { outcomes }) => banker + 4n * outcomes.banker, 0n);
    expect(sum).toBe(whole.outcomes.banker * 46n);
  });
});

describe('a choice in optional cells', () => {
  const open = rulesOf([], { ...rules.document.tableau, player: 'DDDDDOSS' });

  it('is required for a tableau with optional cells, and the error names the option', () => {
    expect(() => oddsOf(open, 8)).toThrow(
      'odds-case@1 leaves 1 cell of its tableau open: set the option choice to "draw" or "stand"',
    );
  });

  it('computes drawing in every optional cell as the standard tableau', () => {
    expect(oddsOf(open, 8, { choice: 'draw' })).toEqual(oddsOf(rules, 8));
  });

  it('computes standing in every optional cell as a tableau that stands', () => {
    expect(oddsOf(open, 8, { choice: 'stand' })).toEqual(
      oddsOf(rulesOf([], { ...rules.document.tableau, player: 'DDDDDSSS' }), 8),
    );
  });
});
