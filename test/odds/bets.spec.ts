import { describe, expect, it } from '@jest/globals';
import { decimal, exactFraction, oddsOf, percent, type BetOdds, type CoupOdds } from '#baccarat';
import { BETS, rulesOf, VARIANTS } from './documents.js';

const rules = rulesOf([...BETS, ...VARIANTS]);
const [eight, six] = [oddsOf(rules, 8), oddsOf(rules, 6)];
const bet = (odds: CoupOdds, id: string): BetOdds => odds.bets.get(id) as BetOdds;
const share = (odds: CoupOdds, count: bigint, digits = 6): string =>
  decimal(exactFraction(count, odds.total), digits);

describe('the exact edge of each bet', () => {
  it.each([
    ['player', '1.2351', '1.2374'],
    ['banker', '1.0579', '1.0558'],
    ['tie', '14.3596', '14.4382'],
    ['tie-9', '4.8440', '4.9313'],
    ['player-pair', '10.3614', '11.2540'],
    ['banker-pair', '10.3614', '11.2540'],
    ['either-pair', '13.7099', '14.5365'],
    ['dragon-bonus-player', '2.6517', '2.6675'],
    ['dragon-bonus-banker', '9.3731', '9.3889'],
    ['dragon-7', '7.6113', '7.6062'],
    ['panda-8', '10.1876', '10.2074'],
    ['banker-ez', '1.0183', '1.0161'],
    ['banker-half-on-6', '1.4581', '1.4548'],
  ])('computes the edge of %s: %s %% with eight decks, %s %% with six', (id, ofEight, ofSix) => {
    expect([percent(bet(eight, id).edge, 4), percent(bet(six, id).edge, 4)]).toEqual([
      ofEight,
      ofSix,
    ]);
  });

  it.each([
    ['perfect-pair', '8.0470'],
    ['perfect-pair-flat', '13.0294'],
    ['big', '4.3457'],
    ['big-52', '5.5880'],
    ['small', '5.2829'],
    ['super-6', '29.9772'],
    ['super-6-at-15', '13.8181'],
    ['lucky-6', '16.6836'],
    ['lucky-6-at-23', '11.6985'],
  ])('computes the edge of %s: %s %% with eight decks', (id, edge) =>
    expect(percent(bet(eight, id).edge, 4)).toBe(edge),
  );

  it('lowers the edge of the banker bet with the commission, and below zero without any', () => {
    const at = (rate: string) =>
      [8, 6].map((decks) =>
        percent(bet(oddsOf(rulesOf(BETS, undefined, rate), decks), 'banker').edge, 4),
      );
    expect(at('0.04')).toEqual(['0.5993', '0.5972']);
    expect(percent(bet(eight, 'banker').edgeBeforeCommission, 4)).toBe('-1.2351');
  });

  it('computes a higher edge on decided bets, which leave out pushes', () => {
    expect(
      ['banker', 'player', 'tie'].map((id) =>
        percent(bet(eight, id).edgePerDecided ?? { num: 0n, den: 1n }, 4),
      ),
    ).toEqual(['1.1692', '1.3650', '14.3596']);
  });

  it('counts every sequence once for every bet', () => {
    for (const odds of [eight, six])
      for (const { win, push, lose } of odds.bets.values())
        expect(win + push + lose).toBe(odds.total);
  });
});

describe('how often each bet wins with eight decks', () => {
  it.each([
    ['player-pair', '0.074699'],
    ['banker-pair', '0.074699'],
    ['either-pair', '0.143817'],
    ['big', '0.621132'],
    ['small', '0.378868'],
    ['banker-ez', '0.436064'],
    ['dragon-7', '0.022534'],
    ['panda-8', '0.034543'],
    ['super-6', '0.053864'],
  ])('computes how often %s wins: %s', (id, probability) =>
    expect(share(eight, bet(eight, id).win)).toBe(probability),
  );

  it.each([
    ['perfect-pair', ['0.000285', '0.033166']],
    ['lucky-6', ['0.037247', '0.016617']],
    ['4-5-6', ['0.378868', '0.303444', '0.317687']],
  ])('splits the wins of %s by payout: %p', (id, tiers) =>
    expect(bet(eight, id).tiers.map((count) => share(eight, count))).toEqual(tiers),
  );

  it('pushes the banker bet of a commission-free house on ties and on a three-card seven', () => {
    expect(bet(eight, 'banker-ez').push).toBe(eight.outcomes.tie + bet(eight, 'dragon-7').win);
  });
});

describe('bets that ask for cards by name', () => {
  const asked = (...bets: Parameters<typeof rulesOf>) => oddsOf(rulesOf(...bets), 8);

  it('computes one suited first card as a quarter of all coups', () => {
    const odds = asked([{ id: 'heart', pays: [{ when: { player: ['?H'] }, odds: '3 to 1' }] }]);
    expect(bet(odds, 'heart').win * 4n).toBe(odds.total);
    expect(bet(odds, 'heart').edge).toEqual({ num: 0n, den: 1n });
  });

  it("computes a banker 3 that stands because the player's third card is an 8", () => {
    const odds = asked([
      {
        id: 'three-eight',
        pays: [
          {
            when: { bankerCards: 2, bankerTotal: 3, player: ['??', '??', '8?'] },
            odds: '200 to 1',
          },
        ],
      },
    ]);
    let fives = 0n;
    const values = Array.from({ length: 416 }, (_, card) =>
      Math.max(0, 10 - Math.floor(card / 32)),
    ).map((value) => value % 10);
    const copies = (value: number) => values.filter((each) => each === value).length;
    for (let code = 0; code < 10_000; code += 1) {
      const [p1, b1, p2, b2] = [
        code % 10,
        Math.floor(code / 10) % 10,
        Math.floor(code / 100) % 10,
        Math.floor(code / 1000),
      ] as [number, number, number, number];
      if ((p1 + p2) % 10 > 5 || (b1 + b2) % 10 !== 3) continue;
      const left = new Map(Array.from({ length: 10 }, (_, value) => [value, copies(value)]));
      let ways = 1n;
      for (const value of [p1, b1, p2, b2, 8]) {
        ways *= BigInt(left.get(value) as number);
        left.set(value, (left.get(value) as number) - 1);
      }
      fives += ways;
    }
    expect(bet(odds, 'three-eight').win).toBe(fives * 411n);
  });

  it('computes a banker bet on hands with any cards as the banker bet', () => {
    const odds = asked([
      ...BETS,
      {
        id: 'worded',
        pushes: [{ when: { winner: 'tie' } }],
        pays: [{ when: { winner: 'banker', banker: ['??', '??'] }, odds: '1 to 1' }],
        commission: true,
      },
    ]);
    expect(bet(odds, 'worded')).toEqual(bet(odds, 'banker'));
  });
});
