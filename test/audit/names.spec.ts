import { describe, expect, it } from '@jest/globals';
import { blockOf } from '#audit';
import { Scanner, type Origin } from '../../libs/audit/src/decode/scan.js';
import { Names, NAME_LENGTH_MAX } from '../../libs/audit/src/events/names.js';
import { HOUSE } from '../kit/house.js';

const charactersOf = (known: ReadonlyMap<string, string>): number =>
  [...known.keys()].reduce((sum, name) => sum + name.length, 0);

describe('a name of a log', () => {
  it('is returned unchanged, long or short, however often it is asked for', () => {
    const names = new Names();
    for (const name of [
      'B07',
      'x'.repeat(NAME_LENGTH_MAX),
      'y'.repeat(16_000),
      '桌😀',
      '__proto__',
    ])
      for (let time = 0; time < 3; time += 1) expect(names.of(name)).toBe(name);
    expect(
      names.ofAll({ source: 'device/a', table: 'B07', shoe: undefined, session: '1' }),
    ).toEqual({ source: 'device/a', table: 'B07', shoe: undefined, session: '1' });
  });

  it('is remembered within bounds, whatever names a sender uses', () => {
    const known = new Map<string, string>();
    const names = new Names(known);
    names.of('z'.repeat(NAME_LENGTH_MAX + 1));
    expect(known.size).toBe(0);
    let [most, mostCharacters] = [0, 0];
    for (let i = 0; i < 150_000; i += 1) {
      names.of(i % 2 === 0 ? `name ${i}` : `${i} ${'n'.repeat(NAME_LENGTH_MAX - 8)}`);
      most = Math.max(most, known.size);
      if (i % 5_000 === 0) mostCharacters = Math.max(mostCharacters, charactersOf(known));
    }
    expect(most).toBeGreaterThan(1_000);
    expect(most).toBeLessThanOrEqual(65_536);
    expect(mostCharacters).toBeLessThanOrEqual(2_000_000);
  });

  it('may be long on the fast path, but long names are not remembered there', () => {
    const kept = new Map<string, Origin>();
    const scanner = new Scanner(HOUSE, new Names(), kept);
    const line = (table: string, shoe: string): string =>
      `{"specversion":"1.0","type":"shoeprint.card-drawn.v1","source":"device/d","id":"1","time":"2026-11-20T12:00:00.123Z","table":"${table}","shoe":"${shoe}","session":"7","sequence":42,"data":{"card":"9S","to":"player"}}`;
    const read = (table: string, shoe = 's'): string | undefined => {
      const bytes = Buffer.from(line(table, shoe));
      const isScanned = scanner.scan(blockOf(bytes, bytes.toString('latin1')), 0, bytes.length);
      return isScanned ? scanner.event().table : undefined;
    };
    for (let i = 0; i < 20; i += 1)
      for (const table of [`B${i}`, `${i}${'L'.repeat(1_000)}`, 'B0'])
        expect(read(table)).toBe(table);
    expect(read('B0', 'L'.repeat(1_000))).toBe('B0');
    expect(kept.size).toBe(20);
    expect([...kept.keys()].every((key) => key.length < 400)).toBe(true);
    expect([...kept.values()].every(({ middle }) => middle.length < 500)).toBe(true);
  });
});
