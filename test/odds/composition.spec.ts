import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CARDS, fullShoe, oddsOfComposition, OddsRefusal, remaining, type Card } from '#baccarat';
import { rulesOf } from './documents.js';

const rules = rulesOf([]);

describe('a shoe as a composition', () => {
  it.each([0, 13, 1.5, -1, NaN])('rejects %p decks', (decks) => {
    expect(() => fullShoe(decks)).toThrow(
      new OddsRefusal(`decks must be a whole number from 1 to 12, not ${decks}`),
    );
  });

  it('holds each card once a deck', () => {
    expect([...fullShoe(6)].every(([, copies]) => copies === 6)).toBe(true);
    expect(fullShoe(6).size).toBe(52);
  });

  it('removes the cards drawn, in any order', () => {
    const drawing = fc.shuffledSubarray([...CARDS, ...CARDS]);
    fc.assert(
      fc.property(drawing, (drawn) => {
        const left = remaining(2, drawn);
        expect(remaining(2, [...drawn].reverse())).toEqual(left);
        for (const card of CARDS)
          expect(left.get(card)).toBe(2 - drawn.filter((each) => each === card).length);
      }),
    );
  });

  it('rejects one copy of a card more than the decks hold', () => {
    expect(() => remaining(1, ['9S', '9H', '9S'])).toThrow(
      new OddsRefusal('9S is drawn 2 times, but the shoe holds 1'),
    );
  });

  it('rejects a key that is not a card', () => {
    expect(() => remaining(1, ['1S' as Card])).toThrow(new OddsRefusal('"1S" is not a card'));
    expect(() => oddsOfComposition(rules, new Map([['XX' as Card, 6]]))).toThrow(
      new OddsRefusal('"XX" is not a card'),
    );
  });

  it('rejects a shoe with fewer than six cards', () => {
    expect(() => oddsOfComposition(rules, remaining(1, CARDS.slice(0, 47)))).toThrow(
      new OddsRefusal('a shoe needs at least 6 cards for a coup, and 5 are left'),
    );
    expect(oddsOfComposition(rules, remaining(1, CARDS.slice(0, 46))).total).toBe(720n);
  });

  it.each([-1, 13, 0.5])('rejects %p copies of a card', (copies) => {
    expect(() =>
      oddsOfComposition(rules, new Map([...fullShoe(1), ['KD', copies] as const])),
    ).toThrow(new OddsRefusal(`copies of KD must be a whole number from 0 to 12, not ${copies}`));
  });
});
