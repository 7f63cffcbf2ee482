import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

const MACAU: GamingDayRule[] = [{ from: '2000-01-01', zone: 'Asia/Macau', cutover: '06:00' }];
const NEW_YORK: GamingDayRule[] = [
  { from: '2000-01-01', zone: 'America/New_York', cutover: '02:30' },
];
const at = (ms: number): string => new Date(ms).toISOString();

describe('the gaming day', () => {
  it("begins at the cut-over by the house's clocks, not at midnight", () => {
    const day = gamingDays(MACAU);
    expect(day('2026-11-20T21:59:59.999Z')).toBe('2026-11-20');
    expect(day('2026-11-20T22:00:00Z')).toBe('2026-11-21');
    expect(day('2026-11-21T06:00:00+08:00')).toBe('2026-11-21');
    expect(day('2026-11-21T05:59:59+08:00')).toBe('2026-11-20');
  });

  it('begins later by the skipped time if the clocks skip the cut-over', () => {
    const day = gamingDays(NEW_YORK);
    // On 2026-03-08 New York skips from 02:00 EST to 03:00 EDT, so 02:30 does not exist. 03:30 EDT
    // is 07:30 UTC.
    expect(day('2026-03-08T07:29:59Z')).toBe('2026-03-07');
    expect(day('2026-03-08T07:30:00Z')).toBe('2026-03-08');
    expect(day('2026-03-09T06:29:59Z')).toBe('2026-03-08');
    expect(day('2026-03-09T06:30:00Z')).toBe('2026-03-09');
  });

  it('begins at the first of two equal times if the clocks go back over the cut-over', () => {
    const day = gamingDays([{ from: '2000-01-01', zone: 'America/New_York', cutover: '01:30' }]);
    // On 2026-11-01, 01:30 occurs as EDT (05:30 UTC) and again as EST (06:30 UTC).
    expect(day('2026-11-01T05:29:59Z')).toBe('2026-10-31');
    expect(day('2026-11-01T05:30:00Z')).toBe('2026-11-01');
    expect(day('2026-11-01T06:30:00Z')).toBe('2026-11-01');
    expect(day('2026-11-02T06:29:59Z')).toBe('2026-11-01');
    expect(day('2026-11-02T06:30:00Z')).toBe('2026-11-02');
  });

  it('follows a rule from its first day, and the day before ends when that day begins', () => {
    const day = gamingDays([
      ...MACAU,
      { from: '2026-07-01', zone: 'Asia/Macau', cutover: '09:00' },
      { from: '2026-08-01', zone: 'Asia/Tokyo', cutover: '05:00' },
    ]);
    expect(day('2026-06-30T06:00:00+08:00')).toBe('2026-06-30');
    expect(day('2026-07-01T08:59:59+08:00')).toBe('2026-06-30');
    expect(day('2026-07-01T09:00:00+08:00')).toBe('2026-07-01');
    expect(day('2026-08-01T03:59:59+08:00')).toBe('2026-07-31');
    expect(day('2026-08-01T05:00:00+09:00')).toBe('2026-08-01');
  });

  it('follows the first rule for earlier times', () => {
    expect(gamingDays(MACAU)('1999-06-01T05:59:59+08:00')).toBe('1999-05-31');
  });

  it('stays within the years that the calendar and the database support', () => {
    const day = gamingDays([{ from: '2000-01-01', zone: 'UTC', cutover: '12:00' }]);
    expect(day('0000-01-01T00:00:00Z')).toBe('0001-01-01');
    expect(day('0001-01-01T00:00:00Z')).toBe('0001-01-01');
    expect(day('9999-12-31T23:59:59Z')).toBe('9999-12-31');
    expect(
      gamingDays([{ from: '2000-01-01', zone: 'Pacific/Kiritimati', cutover: '00:00' }])(
        '9999-12-31T23:59:59Z',
      ),
    ).toBe('9999-12-31');
  });

  it('throws on a text that is not a time', () => {
    expect(() => gamingDays(MACAU)('yesterday')).toThrow('"yesterday" is not a time');
  });

  const zones = fc.constantFrom(
    'UTC',
    'Asia/Macau',
    'America/New_York',
    'Europe/London',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Pacific/Kiritimati',
    'America/St_Johns',
  );
  const cutovers = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);
  const days = fc
    .date({ min: new Date('2005-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const lists = fc
    .uniqueArray(fc.record({ from: days, zone: zones, cutover: cutovers }), {
      minLength: 1,
      maxLength: 4,
      selector: ({ from }) => from,
    })
    .map((rules) => rules.sort((a, b) => (a.from < b.from ? -1 : 1)))
    .filter((rules) => gamingDayFaults(rules).length === 0);
  const instants = fc.integer({ min: Date.parse('2004-01-01'), max: Date.parse('2031-01-01') });

  it('never goes back as time passes, for any rules and clock changes', () => {
    fc.assert(
      fc.property(
        lists,
        instants,
        fc.array(fc.integer({ min: 0, max: 100 * 3_600_000 }), { maxLength: 100 }),
        (rules, start, steps) => {
          const day = gamingDays(rules);
          let time = start;
          let before = day(at(time));
          for (const step of steps) {
            time += step;
            const now = day(at(time));
            expect(now >= before).toBe(true);
            before = now;
          }
        },
      ),
    );
  });

  it('does not depend on the order of the calls', () => {
    fc.assert(
      fc.property(lists, fc.array(instants, { maxLength: 30 }), (rules, times) => {
        const day = gamingDays(rules);
        for (const time of times) expect(day(at(time))).toBe(gamingDays(rules)(at(time)));
      }),
    );
  });

  it('is the local calendar date at noon, far from any change', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Asia/Macau', 'America/New_York', 'Europe/London', 'Asia/Manila'),
        days,
        (zone, date) => {
          const noon = {
            'Asia/Macau': '+08:00',
            'America/New_York': '-05:00',
            'Europe/London': '+00:00',
            'Asia/Manila': '+08:00',
          }[zone];
          expect(
            gamingDays([{ from: '2000-01-01', zone, cutover: '06:00' }])(`${date}T12:00:00${noon}`),
          ).toBe(date);
        },
      ),
    );
  });
});

describe('a list of gaming-day rules', () => {
  it('reports every fault by its JSON pointer', () => {
    expect(gamingDayFaults(MACAU)).toEqual([]);
    expect(gamingDayFaults([])).toHaveLength(1);
    expect(gamingDayFaults('06:00')).toHaveLength(1);
    expect(
      gamingDayFaults([
        null,
        { from: '2026-02-30', zone: 'Mars/Olympus', cutover: '24:00', shift: 1 },
      ]),
    ).toEqual([
      '/0: not an object',
      '/1/from: not a day, YYYY-MM-DD',
      '/1/zone: not a time zone of the IANA database',
      '/1/cutover: not a time, HH:MM',
      '/1/shift: unknown',
    ]);
  });

  it('must have its rules in order, each from another day', () => {
    const [rule] = MACAU as [GamingDayRule];
    expect(gamingDayFaults([rule, rule])).toEqual([
      '/1/from: 2000-01-01 does not come after 2000-01-01',
    ]);
  });

  it('must not make a day end before it begins', () => {
    const change = [
      { from: '2000-01-01', zone: 'Pacific/Pago_Pago', cutover: '23:00' },
      { from: '2026-07-01', zone: 'Pacific/Kiritimati', cutover: '00:00' },
    ];
    expect(gamingDayFaults(change)).toEqual([
      '/1: the day before 2026-07-01 would end before it begins',
    ]);
    expect(() => gamingDays(change)).toThrow('would end before it begins');
  });
});

describe('a day', () => {
  it('must exist in the calendar', () => {
    for (const good of ['2024-02-29', '0001-01-01', '9999-12-31']) expect(isDay(good)).toBe(true);
    for (const bad of [
      '2026-02-29',
      '2026-13-01',
      '0000-01-01',
      '2026-1-1',
      '2026-01-01T00:00Z',
      20260101,
      null,
    ])
      expect(isDay(bad)).toBe(false);
  });
});
import { gamingDayFaults, gamingDays, isDay, type GamingDayRule } from '#read-model';
