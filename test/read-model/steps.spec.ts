import { describe, expect, it } from '@jest/globals';
import { installedRules } from '#rule-folder';
import { CARDS, type Card, type Due, type Rules } from '#baccarat';
import fc from 'fast-check';
import { stepsOf, type CoupDetail } from '#read-model';

const book = installedRules();
const PUNTO = book.get('punto-banco@1') as Rules;
const CHEMIN = book.get('chemin-de-fer@1') as Rules;

/** `p9S`: to the player hand; `b??`: an unread card to the banker hand; `-9S`: laid nowhere. */
const cards = (text: string): CoupDetail['cards'] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word, i) => ({
      ref: `device/shoe#${i}`,
      card: word.slice(1) === '??' ? null : (word.slice(1) as Card),
      to: word[0] === 'p' ? 'player' : word[0] === 'b' ? 'banker' : null,
      moved: false,
      exposed: false,
      carried: false,
    }));
const words = (dues: readonly Due[]): string =>
  dues
    .map((one) => (one.step === 'card' ? `${one.to}${one.optional ? '?' : ''}` : `=${one.outcome}`))
    .sort()
    .join('|');
const told = (text: string, rules = PUNTO): string[] => {
  const { steps, then } = stepsOf(cards(text), rules);
  return [...steps.map((step) => words(step.due)), words(then)];
};

describe('what was due at each card of a coup', () => {
  it('is the tableau, card by card, and after the last one the outcome', () => {
    expect(told('p2S b3D p3C bTH p6S b6D')).toEqual([
      'player',
      'banker',
      'player',
      'banker',
      'player',
      'banker',
      '=banker',
    ]);
    expect(told('p9S b3D pTC bTH')).toEqual(['player', 'banker', 'player', 'banker', '=player']);
    expect(told('')).toEqual(['player']);
  });

  it('is told against the cards as they lay, right or wrong', () => {
    expect(told('p7S b3D pTC bTH p5S')).toEqual([
      'player',
      'banker',
      'player',
      'banker',
      'banker',
      'banker',
    ]);
    expect(told('p2S b3D p3C bTH')).toEqual(['player', 'banker', 'player', 'banker', 'player']);
  });

  it('passes over cards that lie on no hand', () => {
    expect(told('p9S b3D -KH pTC bTH')).toEqual([
      'player',
      'banker',
      'player',
      'player',
      'banker',
      '=player',
    ]);
  });

  it('is all that may be due where a card was not read, and one thing where its value does not matter', () => {
    // The banker stands on 7 whatever comes; a player on 0 to 5 draws, on 6 and 7 stands, and a natural ends it.
    expect(told('p?? b7D pTC bTH')).toEqual([
      'player',
      'banker',
      'player',
      'banker',
      '=banker|=player|=tie|player',
    ]);
    expect(told('p2S b3D p3C b4H p??')[5]).toBe('=banker|=player|=tie');
    // Against an 8 the banker stands on 3, and 2, 3 and 8 make 3 too.
    expect(told('p2S b3D p3C bTH p??')[5]).toBe('=tie|banker');
  });

  it('says where a hand is free to draw, and what is due once it stood', () => {
    // Player 5 is free. The banker draws on 2 whatever the player does; on 6 it stands once the player stood.
    expect(told('p2S b2D p3C bTH', CHEMIN)[4]).toBe('banker|player?');
    expect(told('p2S b6D p3C bTH', CHEMIN)[4]).toBe('=banker|player?');
    expect(told('p2S b2D p3C bTH p4S', CHEMIN).slice(4)).toEqual(['player?', 'banker']);
    expect(told('p2S b2D p3C bTH b9S', CHEMIN).slice(4)).toEqual(['banker', '=player']);
    expect(told('p2S b6D p3C bTH b9S', CHEMIN).slice(4)).toEqual(['=banker', '=tie']);
  });

  it('with unread cards holds what is due with any cards that they could have been', () => {
    const card = fc.constantFrom(...CARDS);
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            card,
            to: fc.constantFrom('p', 'b'),
            unread: fc.integer({ max: 4, min: 0 }).map((n) => n === 0),
          }),
          { maxLength: 8 },
        ),
        fc.constantFrom(PUNTO, CHEMIN),
        (drawn, rules) => {
          const read = told(drawn.map((one) => `${one.to}${one.card}`).join(' '), rules);
          const partly = told(
            drawn.map((one) => `${one.to}${one.unread ? '??' : one.card}`).join(' '),
            rules,
          );
          for (const [i, what] of read.entries())
            expect((partly[i] as string).split('|')).toEqual(
              expect.arrayContaining(what.split('|')),
            );
        },
      ),
    );
  });
});
