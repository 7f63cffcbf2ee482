import { describe, expect, it } from '@jest/globals';
import {
  CARDS,
  RANKS,
  SUITS,
  isCard,
  rankOf,
  suitOf,
  totalOf,
  valueOf,
  type Card,
} from '#baccarat';
import { cards } from './coup-in-words.js';

describe('a deck', () => {
  it('has 52 different cards, thirteen of each suit', () => {
    expect(CARDS).toHaveLength(52);
    expect(new Set(CARDS).size).toBe(52);
    for (const suit of SUITS)
      expect(CARDS.filter((card) => suitOf(card) === suit).map(rankOf)).toEqual([...RANKS]);
  });

  it('counts the ace 1, two to nine their pips, ten and faces 0, in every suit', () => {
    const printed = {
      A: 1,
      2: 2,
      3: 3,
      4: 4,
      5: 5,
      6: 6,
      7: 7,
      8: 8,
      9: 9,
      T: 0,
      J: 0,
      Q: 0,
      K: 0,
    };
    for (const suit of 'SHDC') {
      for (const [rank, value] of Object.entries(printed))
        expect([rank, suit, valueOf(`${rank}${suit}` as Card)]).toEqual([rank, suit, value]);
    }
  });

  it.each([
    '',
    'A',
    'S',
    'AS ',
    'as',
    '10S',
    '1S',
    'SA',
    'XS',
    'AX',
    '.S',
    'constructor',
    null,
    undefined,
    12,
    ['AS'],
  ])('rejects %j as a card', (text) => {
    expect(isCard(text)).toBe(false);
  });

  it('accepts every card in its list', () => {
    expect(CARDS.every(isCard)).toBe(true);
  });
});

describe('a hand', () => {
  it.each([
    ['', 0],
    ['KS', 0],
    ['9S', 9],
    ['TS JH', 0],
    ['5S 5H', 0],
    ['9S 9H', 8],
    ['7C 6D', 3],
    ['AS 9D', 0],
    ['9S 9H 9D', 7],
    ['AS AH AD', 3],
    ['9S 9H 9D 9C', 6],
  ])('%s totals %d, the last digit of its sum', (hand, total) => {
    expect(totalOf(cards(hand))).toBe(total);
  });
});
