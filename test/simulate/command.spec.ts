import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ExpectedFinding, ExpectedReview } from '#audit';
import { simulateCommand } from '../../apps/cli/src/simulate/command.js';
import { audit, decoded } from '../kit/audit.js';
import { inShort, simulated } from './simulated.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'simulate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const run = (...words: string[]): Promise<unknown> =>
  simulateCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .parseAsync(words, { from: 'user' });

const expectedIn = (name: string): ExpectedFinding[] =>
  (JSON.parse(readFileSync(at(name), 'utf8')) as { findings: ExpectedFinding[] }).findings;
const reviewsIn = (name: string): ExpectedReview[] =>
  (JSON.parse(readFileSync(at(name), 'utf8')) as { reviews: ExpectedReview[] }).reviews;
const linesOf = (text: string): string[] => text.trimEnd().split('\n');
/** Avoids `toEqual`, which would print thousands of lines. */
const sameLines = (text: string, lines: readonly string[]): boolean =>
  text === `${lines.join('\n')}\n`;

describe('shoeprint simulate', () => {
  it('writes the events to a file, one a line, and the expected findings beside it', async () => {
    await run(
      '--shoes',
      '2',
      '--seed',
      '7',
      '--bets',
      '--faults',
      'TC-05,PY-03@12',
      '--out',
      at('faulty.ndjson'),
    );
    const text = readFileSync(at('faulty.ndjson'), 'utf8');
    expect(text.endsWith('}\n')).toBe(true);
    expect(
      sameLines(
        text,
        simulated({
          rules: 'punto-banco@1',
          seed: '7',
          shoes: 2,
          bets: true,
          faults: ['TC-05', 'PY-03@12'],
        }).lines,
      ),
    ).toBe(true);
    expect(inShort(audit(linesOf(text)).findings)).toEqual(
      inShort(expectedIn('faulty.ndjson.expected.json')),
    );
    expect(expectedIn('faulty.ndjson.expected.json')).toHaveLength(2);
  });

  it('compresses a file whose name ends in .gz, with the same bytes each time', async () => {
    await run(
      '--shoes',
      '1',
      '--seed',
      'a',
      '--rules',
      'ez-baccarat',
      '--decks',
      '6',
      '--out',
      at('one.ndjson.gz'),
      '--expected',
      at('found.json'),
    );
    await run(
      '--shoes',
      '1',
      '--seed',
      'a',
      '--rules',
      'ez-baccarat@1',
      '--decks',
      '6',
      '--out',
      at('two.ndjson.gz'),
    );
    const bytes = readFileSync(at('one.ndjson.gz'));
    expect(bytes.equals(readFileSync(at('two.ndjson.gz')))).toBe(true);
    expect(
      sameLines(
        gunzipSync(bytes).toString('utf8'),
        simulated({ rules: 'ez-baccarat@1', seed: 'a', shoes: 1, decks: 6 }).lines,
      ),
    ).toBe(true);
    expect(expectedIn('found.json')).toEqual([]);
    expect(existsSync(at('one.ndjson.gz.expected.json'))).toBe(false);
  });

  it('deals several tables at once, with events in order of time, and gives them faults in turn', async () => {
    await run(
      '--shoes',
      '1',
      '--seed',
      '7',
      '--tables',
      '3',
      '--table',
      'B',
      '--faults',
      'TC-05,TC-05,TC-05,SH-10',
      '--out',
      at('floor.ndjson'),
    );
    const events = linesOf(readFileSync(at('floor.ndjson'), 'utf8')).map(decoded);
    const times = events.map(({ time }) => time);
    expect(times).toEqual([...times].sort());
    const tables = ['B-1', 'B-2', 'B-3'];
    expect([...new Set(events.map(({ table }) => table))].sort()).toEqual(tables);
    const found = tables.flatMap(
      (table) => audit(events.filter((event) => event.table === table)).findings,
    );
    expect(inShort(found)).toEqual(inShort(expectedIn('floor.ndjson.expected.json')));
    expect(inShort(found).map((text) => text.slice(0, 9))).toEqual([
      'SH-10 B-1',
      'TC-05 B-1',
      'TC-05 B-2',
      'TC-05 B-3',
    ]);
  });

  it.each(['BT-01', 'PY-03@4', 'CM-01', 'DL-10', 'TC-05,PY-03'])(
    'takes bets by itself if a fault is about bets (%s)',
    async (faults) => {
      await run('--shoes', '1', '--seed', '7', '--faults', faults, '--out', at('unasked.ndjson'));
      await run(
        '--shoes',
        '1',
        '--seed',
        '7',
        '--faults',
        faults,
        '--bets',
        '--out',
        at('asked.ndjson'),
      );
      expect(readFileSync(at('unasked.ndjson')).equals(readFileSync(at('asked.ndjson')))).toBe(
        true,
      );
      expect(
        inShort(expectedIn('unasked.ndjson.expected.json')).map((text) => text.slice(0, 5)),
      ).toEqual(
        faults
          .split(',')
          .map((fault) => fault.slice(0, 5))
          .sort(),
      );
    },
  );

  it('adds reviews, and writes what must become of each beside the findings', async () => {
    const options = ['--shoes', '3', '--seed', '7', '--faults', 'TC-05,TC-08,RS-01'];
    await run(...options, '--reviews', '--out', at('lawful.ndjson'));
    const lawful = reviewsIn('lawful.ndjson.expected.json');
    expect(new Set(lawful.map(({ outcome }) => outcome))).toEqual(new Set(['taken']));
    const events = linesOf(readFileSync(at('lawful.ndjson'), 'utf8')).map(decoded);
    expect(events.filter(({ type }) => type.startsWith('finding-'))).toHaveLength(lawful.length);
    expect(expectedIn('lawful.ndjson.expected.json')).toHaveLength(3);
    await run(...options, '--out', at('alone.ndjson'));
    expect(reviewsIn('alone.ndjson.expected.json')).toEqual([]);
  });

  it('adds reviews that are refused as asked for, and the lawful ones with them', async () => {
    const words = ['same-person', 'conflict-of-interest', 'evidence-changed'];
    const options = ['--shoes', '2', '--seed', '7', '--faults', 'TC-05'];
    await run(...options, '--review-faults', words.join(','), '--out', at('both.ndjson'));
    const outcomes = reviewsIn('both.ndjson.expected.json').map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome !== 'taken').sort()).toEqual(words.toSorted());
    expect(outcomes).toContain('taken');
  });

  it('leaves no file behind if no finding allows a refusal', async () => {
    const options = ['--shoes', '1', '--seed', '7', '--faults', 'SH-10'];
    await expect(
      run(...options, '--review-faults', 'coup-open', '--out', at('none.ndjson')),
    ).rejects.toThrow('coup-open cannot be caused: no finding of table T1 was raised while');
    expect(existsSync(at('none.ndjson'))).toBe(false);
  });

  it.each([
    [['--shoes', '1', '--seed', '1', '--rules', 'no-such'], 'unknown rule document no-such'],
    [
      ['--shoes', '1', '--seed', '1', '--decks', '7'],
      'punto-banco@1 is played with 6 or 8 decks, not 7',
    ],
    [
      ['--shoes', '1', '--seed', '1', '--rules', 'chemin-de-fer', '--faults', 'CM-01'],
      'CM-01 cannot be injected: chemin-de-fer@1 has no bets',
    ],
    [['--shoes', '1', '--seed', '1', '--start', 'noon'], '"noon" is not a time of RFC 3339'],
    [['--shoes', '0', '--seed', '1'], 'It must be a whole number of at least 1.'],
    [['--shoes', '1'], "required option '--seed <text>' not specified"],
    [['--shoes', '1', '--seed', '1', '--faults', ','], 'It must name a finding code'],
    [['--shoes', '1', '--seed', '1', '--review-faults', ','], 'It must name a refusal of a review'],
    [
      ['--shoes', '1', '--seed', '1', '--faults', 'TC-05', '--review-faults', 'bribe'],
      '"bribe" is not a refusal of a review; it must be one of idempotency-key-reused,',
    ],
    [
      ['--shoes', '1', '--seed', '1', '--review-faults', 'same-person'],
      'same-person cannot be caused: a review needs a finding',
    ],
  ])('refuses %j with a reason', async (words, why) => {
    await expect(run(...words, '--out', at('refused.ndjson'))).rejects.toThrow(why);
    expect(existsSync(at('refused.ndjson'))).toBe(false);
  });

  it('refuses a file that cannot be written, and one file for both outputs', async () => {
    await expect(
      run('--shoes', '1', '--seed', '1', '--out', join(folder, 'nowhere', 'x.ndjson')),
    ).rejects.toThrow('its folder does not exist');
    await expect(run('--shoes', '1', '--seed', '1', '--out', folder)).rejects.toThrow(
      'is a folder, not a file',
    );
    await expect(
      run('--shoes', '1', '--seed', '1', '--out', at('x'), '--expected', at('x')),
    ).rejects.toThrow('cannot go to the same file');
  });
});
