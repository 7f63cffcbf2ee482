import { describe, expect, it } from '@jest/globals';
import { gamingDays } from '#read-model';
import { dueDay, RHYTHM, whySeal, type DayStanding } from '../../apps/sealer/src/sealing/rhythm.js';

const NOTHING = { sinceSealMs: 1_000, unsealed: 0, isAsked: false, day: undefined };

describe('a seal is made', () => {
  it.each([
    ['after a minute with something new', { sinceSealMs: 60_000, unsealed: 1 }, 'time'],
    ['not after a minute with nothing new', { sinceSealMs: 60_000 }, undefined],
    ['not within a minute with something new', { sinceSealMs: 59_999, unsealed: 1 }, undefined],
    ['at 50,000 new records', { unsealed: 50_000 }, 'records'],
    [
      'when somebody asks, five seconds after the last',
      { sinceSealMs: 5_000, unsealed: 1, isAsked: true },
      'asked',
    ],
    [
      'not when somebody asks sooner',
      { sinceSealMs: 4_999, unsealed: 1, isAsked: true },
      undefined,
    ],
    ['not when somebody asks and nothing is new', { sinceSealMs: 5_000, isAsked: true }, undefined],
    ['when a gaming day is over, even if nothing is new', { day: '2026-11-20' }, 'day'],
    ['after an hour, even if nothing is new', { sinceSealMs: 3_600_000 }, 'age'],
  ])('%s', (_, standing, reason) => {
    expect(whySeal({ ...NOTHING, ...standing }, RHYTHM)).toBe(reason);
  });
});

describe('a gaming day is closed', () => {
  const dayOf = gamingDays([{ from: '2000-01-01', zone: 'Asia/Macau', cutover: '06:00' }]);
  const due = (now: string, changed: Partial<DayStanding> = {}): string | undefined =>
    dueDay({
      nowMs: Date.parse(now),
      graceMs: RHYTHM.graceMs,
      dayOf,
      lastDay: '2026-11-18',
      firstSealed: '2026-11-01T00:00:00Z',
      ...changed,
    });

  it('a quarter of an hour after its cut-over', () => {
    expect(due('2026-11-19T22:14:59Z')).toBeUndefined();
    expect(due('2026-11-19T22:15:00Z')).toBe('2026-11-19');
  });

  it('once', () => {
    expect(due('2026-11-20T10:00:00Z', { lastDay: '2026-11-19' })).toBeUndefined();
  });

  it('as the last one only, if the sealer slept through several', () => {
    expect(due('2026-11-23T10:00:00Z')).toBe('2026-11-22');
  });

  it('no gaming day is closed before the first seal of the site, and none before that day', () => {
    const first = { lastDay: undefined, firstSealed: '2026-11-19T23:00:00Z' };
    expect(due('2026-11-20T10:00:00Z', { ...first, firstSealed: undefined })).toBeUndefined();
    expect(due('2026-11-20T10:00:00Z', first)).toBeUndefined();
    expect(due('2026-11-20T22:15:00Z', first)).toBe('2026-11-20');
  });

  it('never a second time if the clock goes back', () => {
    expect(due('2026-11-17T10:00:00Z')).toBeUndefined();
  });
});
