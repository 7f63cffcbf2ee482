import { describe, expect, it } from '@jest/globals';
import { installedRules } from '#rule-folder';
import type { FindingCode } from '#audit';
import { isCard, type Rules } from '#baccarat';
import { stepsOf, type CardFault } from '#read-model';
import { faultOf } from '../../libs/read-model/src/coups/fault.js';

const PUNTO = installedRules().get('punto-banco@1') as Rules;

/** Returns the fault of a finding that names cards by their numbers, in a coup of these cards. */
function faultAt(
  code: FindingCode,
  cards: string,
  named: readonly number[] = [],
): CardFault | null {
  const laid = cards.split(' ').map((word, i) => ({
    ref: `shoe#${i + 1}`,
    card: isCard(word.slice(1)) ? word.slice(1) : null,
    to: word.startsWith('p') ? 'player' : 'banker',
    ...{ moved: false, exposed: false, carried: false, ms: i },
  }));
  const events = [...named.map((number) => `shoe#${number}`), 'terminal#7'];
  return faultOf({ code, events }, stepsOf(laid as never, PUNTO));
}
const card = (number: number): CardFault => ({ is: 'card', ref: `shoe#${number}` });

describe('the fault of a finding', () => {
  it('is the card that it names', () => {
    expect(faultAt('TC-08', 'p2S b6D p4C bTH p6S b2C', [6])).toEqual(card(6));
    expect(faultAt('DL-01', 'p2S b6D', [1])).toEqual(card(1));
  });

  it('is the card that came out of turn, and not the one that was due', () => {
    expect(faultAt('TC-09', 'p2S b3H p3D bKC b6C p4S', [5, 6])).toEqual(card(5));
  });

  it('is the fourth card of a hand', () => {
    expect(faultAt('TC-11', 'p2S b3H p3D bKC p4S b6C p5H', [1, 3, 5, 7])).toEqual(card(7));
  });

  it('is a card that a hand lacks, unless it came after all', () => {
    const coup = 'p2S b2D p3C bTH p6S';
    expect(faultAt('TC-07', coup, [1, 2, 3, 4, 5])).toEqual({ is: 'missing', hand: 'banker' });
    expect(faultAt('TC-07', `${coup} b9S`, [1, 2, 3, 4, 5])).toBeNull();
    expect(faultAt('TC-03', 'p2S b6D p3C bTH', [1, 2, 3, 4])).toMatchObject({ hand: 'player' });
    expect(faultAt('DL-04', 'p2S b6D p3C', [1, 2, 3])).toMatchObject({ hand: 'banker' });
  });

  it('is null for what was said, paid or staked, although cards are named', () => {
    expect(faultAt('RS-01', 'p2S b6D p3C bTH', [1, 3])).toBeNull();
    expect(faultAt('BT-01', 'p2S b6D', [1])).toBeNull();
    expect(faultAt('PR-07', 'p2S b6D', [2])).toBeNull();
  });

  it('is null where unread cards leave open which card it is', () => {
    expect(faultAt('DL-06', 'p?? b6D p3C bTH p6S b2C', [5, 6])).toBeNull();
  });
});
