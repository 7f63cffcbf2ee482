import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvOf } from '../../apps/api/src/reading/csv.js';

const one = (value: string | number | null): string =>
  csvOf(
    [
      { heading: 'h', value: () => value },
      { heading: 'k', value: () => 'k' },
    ],
    [{}],
  );

describe('a report as CSV', () => {
  it.each(['=1+1', '+1', '-1+cmd', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1'])(
    'keeps a spreadsheet from running %j',
    (text) => {
      expect(one(text).split('\r\n').slice(1).join('\r\n')).toMatch(/^"?'/);
    },
  );

  it('leaves numbers unchanged, negative ones too', () => {
    expect(one(-500)).toBe('h,k\r\n-500,k\r\n');
  });

  it('leaves a cell empty if the value is unknown', () => {
    expect(one(null)).toBe('h,k\r\n,k\r\n');
  });

  it('quotes line breaks and separators', () => {
    expect(one('a,"b"\nc')).toBe('h,k\r\n"a,""b""\nc",k\r\n');
  });

  it('never starts a cell like a formula, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const cell = one(text).slice('h,k\r\n'.length).replace(/^"/, '');
        expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
      }),
    );
  });
});
