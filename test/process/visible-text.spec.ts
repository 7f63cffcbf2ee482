import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UNSEEN, visible, visibleAll } from '#process';
import { ANY_CHARACTER } from '../kit/any-character.js';

const ANY_UNSEEN = new RegExp(`[${UNSEEN}]`);
const text = fc.string({ unit: ANY_CHARACTER });

describe('a name that a person reads', () => {
  it.each([
    ['\u202etxt.exe', '\\u202etxt.exe'],
    ['B07\u2066\u2069', 'B07\\u2066\\u2069'],
    ['\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
    ['a\nb\u001b[2J\u009b2J', 'a\\u000ab\\u001b[2J\\u009b2J'],
    ['one\u2028two', 'one\\u2028two'],
    ['Ménü 9♠ שלום', 'Ménü 9♠ שלום'],
  ])('shows %j as %j', (name, shown) => {
    expect(visible(name)).toBe(shown);
  });

  it('has no unseen character, whatever it is', () => {
    fc.assert(fc.property(text, (name) => expect(visible(name)).not.toMatch(ANY_UNSEEN)));
  });

  it('is the same name in JSON, which a program reads', () => {
    fc.assert(
      fc.property(text, (name) => {
        const json = visible(JSON.stringify({ name }));
        expect(json).not.toMatch(ANY_UNSEEN);
        expect(JSON.parse(json)).toEqual({ name });
      }),
    );
  });

  it('is found anywhere in plain data, and nothing else of the data changes', () => {
    const data = {
      table: 'a\u202eb',
      coups: [{ n: 1, by: null, refs: ['\u2066'] }],
      on: undefined,
    };
    expect(visibleAll(data)).toEqual({
      table: 'a\\u202eb',
      coups: [{ n: 1, by: null, refs: ['\\u2066'] }],
      on: undefined,
    });
  });
});
