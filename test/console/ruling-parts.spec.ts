import { describe, expect, it } from '@jest/globals';
import { CURRENCIES, moneyText } from '#audit';
import { differenceOf } from '../../apps/console/src/finding/coup/difference.js';
import { gapBefore } from '../../apps/console/src/finding/coup/playback.js';
import { isWebAddress } from '../../apps/console/src/finding/web-address.js';
import { minorOf, typedOf } from '../../apps/console/src/review/sheets/fields.js';
import { asksForTwo } from '../../apps/console/src/review/two-persons.js';
import { moneyOf } from '../../apps/console/src/words/money.js';

describe('an amount that is typed', () => {
  it.each([
    ['1234.5', 'MOP', 123_450],
    ['1 234,05', 'MOP', 123_405],
    ['250000', 'VND', 250_000],
    ['0.01', 'USD', 1],
    ['1.25', 'LAK', 125],
    ['1.255', 'IQD', 1_255],
  ])('takes %s in %s', (text, currency, minor) => {
    expect(minorOf(text, currency)).toBe(minor);
  });

  it.each([
    ['', 'MOP'],
    ['0', 'MOP'],
    ['-5', 'MOP'],
    ['1.234', 'MOP'],
    ['1.5', 'VND'],
    ['1.5', 'QQQ'],
    ['1,234.50', 'MOP'],
    ['1e3', 'MOP'],
    ['12 MOP', 'MOP'],
    ['9999999999999', 'MOP'],
  ])('refuses %j in %s', (text, currency) => {
    expect(minorOf(text, currency)).toBeUndefined();
  });

  it('is written so that it is read again as the same', () => {
    for (const [minor, currency] of [
      [35_000, 'MOP'],
      [5, 'MOP'],
      [250_000, 'VND'],
      [12_345, 'LAK'],
      [12_345, 'IQD'],
    ] as const)
      expect(minorOf(typedOf(minor, currency), currency)).toBe(minor);
  });
});

describe('an amount that is shown', () => {
  it.each([
    [123_456, 'MOP', 'MOP 1,234.56'],
    [123_456, 'LAK', 'LAK 1,234.56'],
    [123_456, 'MMK', 'MMK 1,234.56'],
    [123_456, 'IQD', 'IQD 123.456'],
    [123_456, 'VND', '₫123,456'],
    [123_456, 'QQQ', '123,456 QQQ'],
  ])('is %d minor units of %s as %s', (minor, currency, text) => {
    expect(moneyOf('en-US', 'auto')(minor, currency).replaceAll('\u00a0', ' ')).toBe(text);
  });

  it('has the decimals that the auditor writes, in every currency', () => {
    const digits = (text: string): string | undefined => /\d[\d.,]*/.exec(text)?.[0];
    for (const currency of CURRENCIES) {
      const shown = moneyOf('en-US', 'auto')(1_234_567, currency);
      expect([currency, digits(shown)]).toEqual([currency, digits(moneyText(1_234_567, currency))]);
    }
  });
});

describe('the address of a video', () => {
  it.each(['https://video.example/b04?t=1', 'http://10.0.0.8/clip'])('may be %s', (text) => {
    expect(isWebAddress(text)).toBe(true);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'camera 4, 18:00',
    '',
  ])('is text if it is %j', (text) => {
    expect(isWebAddress(text)).toBe(false);
  });
});

describe('the difference of a bet', () => {
  const taken = { stake: 'taken', paid: 0 } as const;
  const returned = (paid: number) => ({ stake: 'returned', paid }) as const;
  const settled = <Paid extends object>(paid: Paid) => ({
    ...paid,
    commissionTaken: 0,
    commissionMarked: 0,
    ms: null,
  });
  const lawful = <Paid extends object>(paid: Paid) => ({ ...paid, commission: 0 });

  it('counts the stake that was taken although the bet won', () => {
    const bet = { stands: 100, lawful: lawful(returned(100)), settled: settled(taken) };
    expect(differenceOf(bet)).toBe(-200);
  });

  it('is what was paid too much', () => {
    const bet = { stands: 100, lawful: lawful(returned(800)), settled: settled(returned(900)) };
    expect(differenceOf(bet)).toBe(100);
  });

  it('is unknown while the bet is not settled or the cards were not read', () => {
    expect(differenceOf({ stands: 1, lawful: null, settled: settled(taken) })).toBeNull();
    expect(differenceOf({ stands: 1, lawful: lawful(taken), settled: null })).toBeNull();
  });
});

describe('playing the cards', () => {
  it('waits as long as at the table, a minute at most, and 1.5 s if the times do not compare', () => {
    const times = [16_295, 18_352, null, 9_000, 8_000, 200_000];
    expect([1, 2, 3, 4, 5].map((next) => gapBefore(times, next))).toEqual([
      2_057, 1_500, 1_500, 1_500, 60_000,
    ]);
  });
});

describe('whether the policy asks for a second person', () => {
  const policy = { two: { dispositions: ['no-error'], from: { MOP: 1_000_000 } } };
  const ask = (disposition: string, amount?: number, currency = 'MOP'): boolean =>
    asksForTwo(policy, { disposition, amount, currency });

  it('follows from the disposition, from the amount, and from a currency without a limit', () => {
    expect(ask('no-error')).toBe(true);
    expect(ask('payout-error', 999_999)).toBe(false);
    expect(ask('payout-error', 1_000_000)).toBe(true);
    expect(ask('payout-error', 1, 'VND')).toBe(true);
    expect(ask('dealer-error-corrected')).toBe(false);
  });
});
