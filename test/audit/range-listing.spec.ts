import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  cellText,
  newTable,
  withoutGuard,
  RangeJudge,
  RangeListing,
  type Listed,
  type ListedLines,
} from '#audit';
import { csvWriter } from '#sheets';
import { decoded, type Sent } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';
import { shortTable } from '../kit/short-table.js';
import { TableLog } from '../kit/table.js';

/** Judges a log from its beginning and lists it. */
function listed(events: readonly Sent[], what: Listed = { since: null }): ListedLines {
  const listing = new RangeListing();
  const table = decoded(events[0] as Sent).table;
  const how = { book: BOOK, listed: what, dayOf: (time: string) => time.slice(0, 10) };
  const judge = new RangeJudge(newTable(table), how, listing);
  for (const event of events) judge.take(decoded(event));
  judge.end();
  listing.endTable();
  return listing.take();
}

/** Returns the lines of a CSV as objects by their columns. */
function rowsOf([heading = '', ...lines]: readonly string[]): Record<string, string>[] {
  const names = heading.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, i) => [names[i] ?? '', cell])),
  );
}

describe('the lines of a judged range', () => {
  const played = shortTable({
    ...{ rules: 'punto-banco@1', seed: 5, bets: true, shoes: 3, coups: 6 },
    faults: ['TC-05', 'PY-03'],
  });
  const lines = listed(played);

  it('list each finding as audit prints it, in the order raised', () => {
    const codes = lines['findings.ndjson'].map((line) => JSON.parse(line) as { code: string });
    expect(codes.map(({ code }) => code)).toEqual(expect.arrayContaining(['TC-05', 'PY-03']));
  });

  it('list each shoe with its state: final once it left reach', () => {
    const shoes = rowsOf(lines['shoes.csv']);
    expect(shoes.map(({ state }) => state)).toEqual(['final', 'closed', 'closed']);
    expect(shoes.map(({ coups }) => coups)).toEqual(['6', '6', '6']);
  });

  it('add up to the same commission by seat and by day', () => {
    const sum = (rows: Record<string, string>[], name: string): number =>
      rows.reduce((total, row) => total + Number(row[name]), 0);
    const [seats, days] = [rowsOf(lines['commission.csv']), rowsOf(lines['days.csv'])];
    expect(sum(seats, 'due')).toBeGreaterThan(0);
    for (const name of ['due', 'taken', 'marked', 'collected', 'waived'])
      expect(sum(days, name)).toBe(sum(seats, name));
    expect(sum(days, 'coups')).toBe(18);
  });

  it('begin with the names of the columns, even if nothing is listed', () => {
    const none = listed(played, { shoe: 'another', finding: null });
    expect(none['shoes.csv'][0]).toMatch(/^table,shoe,opening,rules,decks,/);
    expect(Object.values(none).map((each) => each.length)).toEqual([0, 0, 1, 1, 1]);
  });

  it('list one shoe alone if that was asked for', () => {
    const names = rowsOf(lines['shoes.csv']).map(({ shoe }) => shoe ?? '');
    const one = listed(played, { shoe: names[1] ?? '', finding: null });
    expect(rowsOf(one['shoes.csv']).map(({ shoe }) => shoe)).toEqual([names[1]]);
    const rest = listed(played, { since: names[1] ?? '' });
    expect(rowsOf(rest['shoes.csv']).map(({ shoe }) => shoe)).toEqual(names.slice(1));
  });

  it('list what could not be judged', () => {
    const log = new TableLog();
    log.open({ reports: [] });
    log.add('shoe', 'coup-opened', { coup: 1, kind: 'normal' });
    log.draw('P 2S B ?? P 3H B 3C');
    log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
    log.add('terminal', 'coup-closed');
    const [entry] = listed(log.events)['unjudgeable.ndjson'];
    expect(JSON.parse(entry ?? '')).toMatchObject({ table: 'T1', coup: 1 });
  });

  it('keep a table id that a spreadsheet could read as a formula from being one', () => {
    const log = new TableLog('=1+1,"x"');
    log.open({ reports: [] });
    expect(listed(log.events)['shoes.csv'][1]).toMatch(/^"'=1\+1,""x""",S1,/);
  });

  it.each([
    [' =1+1', `"' =1+1"`],
    ['\u00a0=1+1', `"'\u00a0=1+1"`],
    ['\u200b=1+1', `"'\u200b=1+1"`],
    [';=1+1', `"';=1+1"`],
    ['|calc', `"'|calc"`],
    ['＝1+1', `"'＝1+1"`],
    ['a;=1+1', '"a;=1+1"'],
    ['\n=1', `"'\n=1"`],
    [`'=1`, `"''=1"`],
    ['B07', 'B07'],
    ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z'],
  ])('keep %j from being a formula, and an id as it is', (text, cell) => {
    expect(cellText(text)).toBe(cell);
  });

  it('guard every text that a report for people guards, and give each back as it was', () => {
    const sign = fc.constantFrom(...'=+-@|＝＋－＠﹢;\'\t\r\n \u00a0\u200b\ufeff"a1,');
    const text = fc.oneof(
      fc.string(),
      fc.array(sign).map((signs) => signs.join('')),
    );
    fc.assert(
      fc.property(text, (each) => {
        const read = cellText(each)
          .replace(/^"([^]*)"$/, '$1')
          .replaceAll('""', '"');
        expect(withoutGuard(read)).toBe(each);
        const report = csvWriter(false)
          .add([[each]])
          .toString();
        if (report.startsWith(`"'`)) expect(read).toMatch(/^'/);
      }),
    );
  });

  it('list a finding about no shoe with everything, and with one shoe only if it was asked for', () => {
    const log = new TableLog();
    log.shoe = 'nowhere';
    log.draw('P 9S');
    log.shoe = 'S1';
    log.open({ reports: [] });
    const codes = (what: Listed): unknown[] =>
      listed(log.events, what)['findings.ndjson'].map((line) => JSON.parse(line) as unknown);
    const [found] = codes({ since: null }) as [{ id: string; code: string }];
    expect(found).toMatchObject({ code: 'DL-15' });
    expect(codes({ shoe: 'S1', finding: null })).toEqual([]);
    expect(codes({ since: 'S1' })).toEqual([]);
    expect(codes({ shoe: 'S1', finding: found.id })).toEqual([found]);
  });
});
