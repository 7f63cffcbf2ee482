import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { millisBetween, millisOf } from '../../apps/auditor/src/fold/times.js';
import { rounds } from '../kit/rounds.js';

const DAYS = ['2026-11-20', '2026-11-21', '2016-12-31', '2024-02-29', '0001-01-01', '0000-01-01'];
const FURTHEST = ['0001-01-02', '9999-12-29', '9999-12-30', '9999-12-31'];
const CLOCKS = ['00:00:00.000', '23:59:59.999', '23:59:60.500', '12:00:00.123', '07:08:09.010'];
const clock = fc
  .nat(86_399_999)
  .map((millis) => new Date(millis).toISOString().slice(11, '00:00:00.000'.length + 11));

/** Times in every form that an event may have, so that two of them are often of one day. */
const time = fc
  .tuple(
    fc.constantFrom(...DAYS, ...FURTHEST),
    fc.oneof(clock, fc.constantFrom(...CLOCKS)),
    fc.constantFrom('T', 'T', 'T', 't'),
    fc.constantFrom('Z', 'Z', 'Z', 'z', '456Z', '+05:30', '-00:00'),
  )
  .map(([day, at, mark, zone]) => `${day}${mark}${at}${zone}`)
  .filter((text) => !text.includes(':60') || /^2016.*(Z|z|-00:00)$/.test(text));

describe('the time between two times of events', () => {
  it('is the difference of their milliseconds, whatever their forms', () => {
    fc.assert(
      fc.property(time, time, (from, to) => {
        expect(millisBetween(from, to)).toBe(millisOf(to) - millisOf(from));
      }),
      { numRuns: rounds(8000) },
    );
  });

  it.each([
    ['of one day', '2026-11-20T12:00:00.123Z', '2026-11-20T12:00:01.456Z', 1333],
    ['backwards in one day', '2026-11-20T23:59:59.999Z', '2026-11-20T00:00:00.000Z', -86_399_999],
    ['over midnight', '2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00.001Z', 2],
    ['of a leap second', '2016-12-31T23:59:59.000Z', '2016-12-31T23:59:60.000Z', 0],
    ['of a day that no row can hold', '9999-12-31T01:00:00.000Z', '9999-12-31T02:00:00.000Z', 0],
  ])('counts times %s', (_, from, to, millis) => {
    expect(millisBetween(from, to)).toBe(millis);
  });
});
