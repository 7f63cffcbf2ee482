import { describe, expect, it } from '@jest/globals';
import { installedRules } from '#rule-folder';
import { CARDS, type Card, type Due, type Rules } from '#baccarat';
import fc from 'fast-check';
import { stepsOf, type CoupDetail } from '#read-model';

const book = installedRules();
const PUNTO = book.get('punto-banco@1') as Rules;
const CHEMIN = book.get('chemin-de-fer@1') as Rules;

/**
 * Parses cards. `p9S` goes to the player hand, `b??` is an unread card on the banker hand, and
 * `-9S` lies on no hand.
 */
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
      ms: i,
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

describe('the steps of a coup', () => {
  it('follow the tableau card by card and end with the outcome', () => {
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

  it('depend on the cards as they lay, right or wrong', () => {
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

  it('ignore cards that lie on no hand', () => {
    expect(told('p9S b3D -KH pTC bTH')).toEqual([
      'player',
      'banker',
      'player',
      'player',
      'banker',
      '=player',
    ]);
  });

  it('list every possibility after an unread card, and one if its value does not matter', () => {
    // The banker stands on 7 in every case. A player hand draws on 0 to 5 and stands on 6 and 7. A
    // natural ends the coup.
    expect(told('p?? b7D pTC bTH')).toEqual([
      'player',
      'banker',
      'player',
      'banker',
      '=banker|=player|=tie|player',
    ]);
    expect(told('p2S b3D p3C b4H p??')[5]).toBe('=banker|=player|=tie');
    // Against an 8 the banker stands on 3, and 2, 3 and 8 also make 3.
    expect(told('p2S b3D p3C bTH p??')[5]).toBe('=tie|banker');
  });

  it('list every outcome when a hand has an unread third and an unread fourth card', () => {
    // Against a third card of 2 to 7 the banker draws on 4. Against the others it stands, and the
    // fourth card gives the player hand any total.
    expect(told('pAS pAS p?? b5C b9D p??').at(-1)).toBe('=banker|=player|=tie|banker');
  });

  it('show where a hand is free to draw, and what is due once it stood', () => {
    // The player hand is free on 5. The banker draws on 2 in both cases. On 6 the banker stands if
    // the player hand stood.
    expect(told('p2S b2D p3C bTH', CHEMIN)[4]).toBe('banker|player?');
    expect(told('p2S b6D p3C bTH', CHEMIN)[4]).toBe('=banker|player?');
    expect(told('p2S b2D p3C bTH p4S', CHEMIN).slice(4)).toEqual(['player?', 'banker']);
    expect(told('p2S b2D p3C bTH b9S', CHEMIN).slice(4)).toEqual(['banker', '=player']);
    expect(told('p2S b6D p3C bTH b9S', CHEMIN).slice(4)).toEqual(['=banker', '=tie']);
  });

  it('include what is due for every value of the unread cards', () => {
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

  it('name the cell that decided about a third card, and its source', () => {
    const source = {
      title: 'Pennsylvania Code, title 58, chapter 631a',
      section: '§ 631a.11',
      edition: 'pacodeandbulletin.gov, undated',
      provisional: false,
    };
    const { steps, thenCell } = stepsOf(cards('p7H bJD p3D b6C p3D b4C'), PUNTO);
    expect(steps.map(({ cell }) => cell)).toEqual([
      ...[null, null, null, null],
      { table: 'player', row: null, column: 0, says: 'draw', name: 'player on 0', source },
      {
        ...{ table: 'banker', row: 6, column: 3, says: 'stand' },
        ...{ name: 'banker 6 against a third card of 3', source },
      },
    ]);
    expect(thenCell).toBeNull();
    expect(stepsOf(cards('p7H bJD p3D b5C p4D'), PUNTO).thenCell).toMatchObject({
      name: 'banker 5 against a third card of 4',
      says: 'draw',
      source,
    });
    const { document } = PUNTO;
    const banker = { source: 'nsw-rules', provisional: true } as const;
    const provenance = { '/tableau/player': { source: 'pa-631a' }, '/tableau/banker/5': banker };
    const split = { ...PUNTO, document: { ...document, provenance } };
    expect(stepsOf(cards('p7H bJD p3D b5C p4D'), split).thenCell?.source).toEqual({
      ...document.sources['nsw-rules'],
      provisional: true,
    });
  });
});
