import { describe, expect, it } from '@jest/globals';
import { verdictOf } from '../../apps/gateway/src/delivery/verdict.js';

const NOW = Date.parse('2026-11-24T05:00:00Z');
const KEY = 'spk_0123456789';
const answered = (status: number, text = '', retryAfter?: string) =>
  verdictOf(
    { is: 'answer', status, text, retryAfter, location: undefined },
    { now: NOW, key: KEY },
  );

describe('the verdict about an answer', () => {
  it.each([
    ['2', 2_000],
    ['0', 0],
    ['86400', 60_000],
    ['Tue, 24 Nov 2026 05:00:20 GMT', 20_000],
    ['Tue, 24 Nov 2026 04:00:00 GMT', 0],
    ['Wed, 25 Nov 2026 05:00:00 GMT', 60_000],
    ['soon', 0],
    [undefined, 0],
  ])('waits as Retry-After %s says, and a minute at most', (retryAfter, afterMs) => {
    expect(answered(503, '', retryAfter)).toMatchObject({ is: 'again', afterMs });
  });

  it('is that events are durable after 202 only, of all answers', () => {
    const taken = Array.from({ length: 500 }, (_, i) => i + 100).filter(
      (status) => answered(status).is === 'taken',
    );
    expect(taken).toEqual([202]);
  });

  it('sends again after 408, 429 and every 5xx, fewer after 413, and is blocked otherwise', () => {
    const kinds = (is: string): number[] =>
      Array.from({ length: 500 }, (_, i) => i + 100).filter((status) => answered(status).is === is);
    const faults = Array.from({ length: 100 }, (_, i) => i + 500);
    expect(kinds('again')).toEqual([408, 429, ...faults]);
    expect(kinds('too-large')).toEqual([413]);
    expect(kinds('refused')).toHaveLength(500 - 1 - 102 - 1);
  });

  it.each([
    ['', 'answered 400'],
    ['<html>', 'answered 400'],
    ['[1]', 'answered 400'],
    ['{"detail":7}', 'answered 400'],
    ['{"title":"Bad","detail":null}', 'Bad (400)'],
    ['{"title":"Bad","detail":"Very bad."}', 'Very bad (400)'],
    [`{"detail":"${'x'.repeat(1_000)}"}`, `${'x'.repeat(300)}… (400)`],
  ])('is said in the words of a problem document, if the body %j is one', (text, why) => {
    expect(answered(400, text)).toEqual({ is: 'refused', why, faults: [] });
  });

  it.each([
    ['whole', `a ${KEY} b`],
    ['with escapes', `a ${KEY.replace('s', '\\u0073')} b`],
    ['at the end of what is shown', `${'x'.repeat(295)}${KEY}${'y'.repeat(300)}`],
  ])('never has the key that a server repeats %s', (_, text) => {
    const said = `{"detail":"${text}","errors":[{"pointer":"${text}","reason":"${text}"}]}`;
    const verdict = JSON.stringify([400, 401, 413, 503].map((status) => answered(status, said)));
    expect(verdict).not.toMatch(/spk_|0123/);
    expect(verdict).toContain('…');
  });

  it('ignores faults that are not objects, and members of other types', () => {
    const errors = [1, null, { position: 'x', pointer: 3, reason: {} }, { position: 2 }];
    expect(answered(400, JSON.stringify({ errors }))).toMatchObject({
      faults: [
        { pointer: '', reason: 'is refused' },
        { position: 2, pointer: '', reason: 'is refused' },
      ],
    });
  });
});
