import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { timeOf } from '#audit';
import { msSince } from '../../libs/audit/src/events/time.js';

describe('the time of an event', () => {
  it('is the same instant in every notation', () => {
    const dates = fc.date({
      min: new Date('0000-01-01T00:00:00.000Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => {
        const text = date.toISOString();
        expect(timeOf(text)).toBe(date.getTime());
        for (const other of [
          text.replace('Z', '+00:00'),
          text.replace('T', 't'),
          text.replace('Z', '000Z'),
        ])
          expect(timeOf(other)).toBe(date.getTime());
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not exist on a day that the calendar does not have, or at an hour that the clock does not have', () => {
    for (const text of [
      '2026-02-29T12:00:00.000Z',
      '2100-02-29T12:00:00.000Z',
      '2026-04-31T12:00:00.000Z',
      '2026-13-01T12:00:00.000Z',
      '2026-00-01T12:00:00.000Z',
      '2026-01-00T12:00:00.000Z',
      '2026-01-01T24:00:00.000Z',
      '2026-01-01T12:60:00.000Z',
      '2026-01-01T12:00:60.000Z',
      '2026-01-01 12:00:00.000Z',
      '2026-01-01T12:00:0x.000Z',
    ])
      expect([text, timeOf(text)]).toEqual([text, undefined]);
    expect(timeOf('2000-02-29T12:00:00.000Z')).toBe(Date.UTC(2000, 1, 29, 12));
  });

  it('the time of a leap second is the second before it', () => {
    expect(timeOf('2016-12-31T23:59:60.000Z')).toBe(Date.UTC(2016, 11, 31, 23, 59, 59));
  });
});

describe('the milliseconds since an event', () => {
  const since = msSince('2026-11-20T12:00:00.500Z');

  it('are whole, by the milliseconds that both times name', () => {
    expect(since('2026-11-20T12:00:02.499Z')).toBe(1_999);
    expect(since('2026-11-20T12:00:00.5009Z')).toBe(0);
    expect(since('2026-11-20T12:00:00.4999Z')).toBe(-1);
    expect(since('2026-11-20T13:00:00.500+01:00')).toBe(0);
    expect(msSince('2026-11-20T12:00:00.0005Z')('2026-11-20T12:00:00.001Z')).toBe(1);
  });

  it('are negative for an event whose clock is behind', () => {
    expect(since('2026-11-20T11:59:59.750Z')).toBe(-750);
  });

  it('are unknown if one of the times cannot be read', () => {
    expect(since('noon')).toBeNull();
    expect(msSince('2026-02-29T12:00:00.000Z')('2026-11-20T12:00:00.000Z')).toBeNull();
  });
});
