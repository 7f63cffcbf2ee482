import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CARDS, decidingCell, dueOfReadings, type Card, type Rules } from '#baccarat';
import { installedRules } from '#rule-folder';

const book = installedRules();
const PUNTO = book.get('punto-banco@1') as Rules;
const CHEMIN = book.get('chemin-de-fer@1') as Rules;

const hand = (text: string): { card: Card | null }[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((card) => ({ card: card === '??' ? null : (card as Card) }));
const cell = (player: string, banker: string, to: 'player' | 'banker', { tableau } = PUNTO) =>
  decidingCell({ player: hand(player), banker: hand(banker) }, to, tableau);

describe('the cell that decides about a third card', () => {
  it('is the place in the printed table, and what stands there', () => {
    expect(cell('2S 3C', '3D TH', 'player')).toEqual({
      table: 'player',
      row: null,
      column: 5,
      says: 'draw',
      name: 'player on 5',
    });
    expect(cell('7H 3D 3D', 'JD 6C', 'banker')).toEqual({
      table: 'banker',
      row: 6,
      column: 3,
      says: 'stand',
      name: 'banker 6 against a third card of 3',
    });
    expect(cell('7S TC', '5H KD', 'banker')).toEqual({
      table: 'banker',
      row: 5,
      column: 'stood',
      says: 'draw',
      name: 'banker 5 when the player stood',
    });
    expect(cell('2S 3C', '3D TH', 'player', CHEMIN)).toMatchObject({ says: 'optional' });
  });

  it("is the player's while the player hand must draw first", () => {
    expect(cell('2S 2C', '3D TH', 'banker')).toMatchObject({ table: 'player', column: 4 });
    expect(cell('2S 3C', '3D TH', 'banker', CHEMIN)).toMatchObject({ column: 'stood' });
  });

  it('is null for another card, after a natural and where an unread card hides it', () => {
    expect(cell('2S', '3D', 'player')).toBeNull();
    expect(cell('2S 2C', '3D', 'player')).toBeNull();
    expect(cell('2S 2C 4D', '3D TH 2S', 'banker')).toBeNull();
    expect(cell('2S 3C', '9D TH', 'player')).toBeNull();
    expect(cell('8S TC', '2D TH', 'banker')).toBeNull();
    expect(cell('2S ??', '3D TH', 'player')).toBeNull();
    expect(cell('2S 3C', '?? TH', 'player')).toBeNull();
    expect(cell('2S 3C ??', '3D TH', 'banker')).toBeNull();
  });

  it('says draw or optional if and only if the rules have that card due', () => {
    const card = fc.constantFrom(...CARDS).map((one) => ({ card: one }));
    const two = fc.array(card, { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(
        fc.array(card, { minLength: 2, maxLength: 3 }),
        two,
        fc.constantFrom(PUNTO, CHEMIN),
        (player, banker, { tableau }) => {
          const hands = { player, banker };
          for (const to of ['player', 'banker'] as const) {
            const found = decidingCell(hands, to, tableau);
            const due = dueOfReadings(hands, tableau, to === 'banker' ? 'stood' : 'asked');
            const says = due.flatMap((one) =>
              one.step === 'card' && one.to === to ? [one.optional ? 'optional' : 'draw'] : [],
            );
            const isOwn = found?.table === to && found.says !== 'stand';
            expect(says).toEqual(isOwn ? [found.says] : []);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
