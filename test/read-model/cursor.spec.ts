import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BadCursor, PAGE_MAX } from '#read-model';
import {
  cursorAfter,
  fetchedFor,
  cursorKey,
  pageOf,
  type KeyPart,
} from '../../libs/read-model/src/reading/cursor.js';

const clean = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));

describe('a cursor', () => {
  it('returns the key that it was made from', () => {
    fc.assert(
      fc.property(clean, fc.maxSafeInteger(), (text, number) => {
        expect(
          cursorKey(cursorAfter('coups', [text, number]), 'coups', ['text', 'number']),
        ).toEqual([text, number]);
      }),
    );
  });

  it('is rejected if it is malformed, of another list or of another shape', () => {
    const good = cursorAfter('coups', ['a', 1]);
    for (const bad of [
      '',
      '!',
      'bnVsbA',
      `${good}=`,
      `${good} `,
      good.slice(1),
      cursorAfter('shoes', ['a', 1]),
      cursorAfter('coups', ['a']),
      cursorAfter('coups', ['a', 'b']),
      cursorAfter('coups', ['a', 1.5]),
      cursorAfter('coups', ['a\0', 1]),
    ]) {
      expect(() => cursorKey(bad, 'coups', ['text', 'number'])).toThrow(BadCursor);
    }
  });

  it('is rejected with `BadCursor` for any other text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.json().map((json) => Buffer.from(json).toString('base64url')),
        ),
        (text) => {
          expect(() => cursorKey(text, 'coups', ['text', 'number'])).toThrow(BadCursor);
        },
      ),
    );
  });
});

describe('a part of a cursor', () => {
  it('must be of its kind, so that no other value reaches the database', () => {
    const part = (value: string | number, kind: KeyPart) =>
      cursorKey(cursorAfter('n', [value]), 'n', [kind]);
    expect(part('2026-11-20', 'day')).toEqual(['2026-11-20']);
    expect(part('2026-11-20T23:59:59.999Z', 'time')).toEqual(['2026-11-20T23:59:59.999Z']);
    for (const bad of ['tomorrow', '2026-02-30', '0000-01-01', 20261120])
      expect(() => part(bad, 'day')).toThrow(BadCursor);
    for (const bad of [
      'noon',
      '2026-11-20',
      '2026-11-20T24:00:00.000Z',
      '2026-02-30T00:00:00.000Z',
      '2026-11-20T00:00:00Z',
      '+012026-11-20T00:00:00.000Z',
      5,
    ])
      expect(() => part(bad, 'time')).toThrow(BadCursor);
  });
});

describe('a page', () => {
  it('has a cursor only if more lines follow', () => {
    const keyOfLine = (line: number) => [line];
    expect(pageOf('n', [1, 2, 3], { limit: 3 }, keyOfLine)).toEqual({
      lines: [1, 2, 3],
      next: null,
    });
    expect(pageOf('n', [1, 2, 3], { limit: 2 }, keyOfLine)).toEqual({
      lines: [1, 2],
      next: cursorAfter('n', [2]),
    });
    expect(pageOf('n', [] as number[], { limit: 2 }, keyOfLine)).toEqual({ lines: [], next: null });
  });

  it('has at least one line and at most `PAGE_MAX`', () => {
    expect(fetchedFor({ limit: PAGE_MAX })).toBe(PAGE_MAX + 1);
    for (const limit of [0, -1, 1.5, PAGE_MAX + 1, Number.NaN])
      expect(() => fetchedFor({ limit })).toThrow(RangeError);
  });
});
