import { describe, expect, it } from '@jest/globals';
import {
  chooseContext,
  endOfLog,
  findRange,
  fold,
  rowsOf,
  tableFrom,
  takeChanges,
  type Finding,
  type JudgedRange,
  type RangeAsked,
  type SettledRange,
} from '#audit';
import { decoded, type Sent } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';
import { readerOf, recordsOf } from '../kit/table-records.js';
import { TableLog } from '../kit/table.js';

/** Plays one coup that the player hand wins. */
function coup(log: TableLog, number: number): void {
  log.add('shoe', 'coup-opened', { coup: number, kind: 'normal' });
  log.draw('P 9S B 2D P KH B 3C');
  log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
  log.add('terminal', 'coup-closed');
}

/** Opens a shoe that does not report bets, plays a coup and closes it. */
function shoe(log: TableLog, name: string): void {
  log.shoe = name;
  log.open({ reports: ['outcomes', 'dealers'] });
  coup(log, 1);
  log.add('shoe', 'shoe-closed', { reason: 'end' });
}

/** A day of shoes S1 to S5 under one dealer, who signed on in S1, and what else a test adds. */
function day(before: Record<string, (log: TableLog) => void> = {}): TableLog {
  const log = new TableLog();
  log.dealer();
  for (const name of ['S1', 'S2', 'S3', 'S4', 'S5']) {
    before[name]?.(log);
    shoe(log, name);
  }
  return log;
}

const openingOf = (log: TableLog, name: string): number =>
  log.events.findIndex((event) => event.type === 'shoeprint.shoe-opened.v1' && event.shoe === name);

const refOf = ({ source, id }: Sent): string => `${source as string}#${id as string}`;

/** Asks for the range of something in a log whose records have one event each. */
function rangeIn(log: TableLog, asked: RangeAsked): Promise<JudgedRange | undefined> {
  const records = recordsOf(log.events, [1]);
  return findRange(readerOf(records), asked, records.length);
}

/** Returns the range and the context of a shoe. */
async function settled(log: TableLog, name: string): Promise<SettledRange> {
  const ref = refOf(log.events[openingOf(log, name)] as Sent);
  const range = await rangeIn(log, { of: 'shoe', ref });
  if (!range?.shoe) throw new Error(`${name} was not found`);
  return chooseContext(readerOf(recordsOf(log.events, [1])), range, range.shoe.admitted);
}

/** Judges events after a context, to the end of the log. */
function findingsAfter(context: readonly Sent[], events: readonly Sent[]): Finding[] {
  const state = tableFrom('T1', context.map(decoded));
  for (const event of events) fold(state, decoded(event), BOOK);
  endOfLog(state, BOOK);
  const { shoes, outside } = rowsOf(takeChanges(state));
  return [...shoes.flatMap((rows) => rows.findings()), ...outside].map(({ finding }) => finding);
}

const codes = (findings: readonly Finding[]): string[] => findings.map(({ code }) => code);

describe('judging that begins in the middle of a log', () => {
  const log = day();
  const from = openingOf(log, 'S3');
  const rest = log.events.slice(from);

  it('finds nothing in lawful play after its context', async () => {
    const { first, context } = await settled(log, 'S4');
    expect(first).toBe(from);
    expect(
      findingsAfter(
        context.map((n) => log.events[n] as Sent),
        rest,
      ),
    ).toEqual([]);
  });

  it('needs the last record of each device and the sign-on in force', async () => {
    const { context } = await settled(log, 'S4');
    const last = (source: string): number =>
      log.events.findLastIndex((event, n) => n < from && event.source === source);
    expect(context).toEqual(
      [0, last('device/T1-terminal'), last('device/T1-shoe')].toSorted((a, b) => a - b),
    );
  });

  it('finds a gap from number 1 if it knows nothing of a device', () => {
    const found = findingsAfter([], rest);
    expect(found.filter(({ code }) => code === 'DV-04').map(({ gap }) => gap?.from)).toEqual([
      1, 1,
    ]);
  });

  it('finds a gap where a number is missing between the context and the range', () => {
    const { context } = { context: log.events.slice(0, from) };
    const found = findingsAfter(context.slice(0, -1), rest);
    expect(codes(found)).toContain('DV-04');
  });

  it('finds a dealer missing who signed on before it, if the sign-on is left out', () => {
    const context = log.events.slice(1, from);
    expect(codes(findingsAfter(context, rest))).toContain('PR-01');
    expect(codes(findingsAfter([log.events[0] as Sent, ...context], rest))).not.toContain('PR-01');
  });

  it('counts a repeat as a duplicate, and without its first as two contents', () => {
    const repeated = log.events[from - 5] as Sent;
    const last = [log.events[0], ...log.events.slice(from - 4, from)] as Sent[];
    const events = [...rest.slice(0, 3), repeated, ...rest.slice(3)];
    expect(codes(findingsAfter([repeated, ...last], events))).toEqual([]);
    expect(codes(findingsAfter(last, events))).toContain('DV-15');
  });

  it('needs the opening before it whose id a later one repeats: that one opens no shoe', async () => {
    const repeated = day({
      S3: (log) => {
        const { id } = log.events[openingOf(log, 'S1')] as Sent;
        log.shoe = 'S9';
        log.add('shoe', 'shoe-opened', undefined, { id, data: log.events[1]?.data });
      },
    });
    const { first, context } = await settled(repeated, 'S3');
    expect(first).toBe(openingOf(repeated, 'S2'));
    expect(context).toContain(openingOf(repeated, 'S1'));
    const events = context.map((n) => repeated.events[n] as Sent);
    const after = repeated.events.slice(first);
    expect(codes(findingsAfter(events, after))).toEqual(['DV-15']);
    const without = events.filter(({ type }) => type !== 'shoeprint.shoe-opened.v1');
    expect(codes(findingsAfter(without, after))).not.toContain('DV-15');
  });

  it('names the boot of a session as a finding does', () => {
    const state = tableFrom('T1', [], [{ source: 'device/x', session: '7', boot: 3 }]);
    const lost = { ...(rest[1] as Sent), source: 'device/x', session: '7', sequence: 2 };
    fold(state, decoded(lost), BOOK);
    endOfLog(state, BOOK);
    const [found] = rowsOf(takeChanges(state)).outside;
    expect(found?.finding.gap).toMatchObject({ session: '7', boot: 3, from: 1, to: 1 });
  });
});

describe('the range of a shoe', () => {
  const of = (log: TableLog, name: string): RangeAsked => ({
    of: 'shoe',
    ref: refOf(log.events[openingOf(log, name)] as Sent),
  });

  it('goes from the opening of the shoe before to the opening of the next but one', async () => {
    const log = day();
    expect(await rangeIn(log, of(log, 'S3'))).toMatchObject({
      first: openingOf(log, 'S2'),
      end: openingOf(log, 'S5') + 1,
      leftReach: true,
      shoe: { name: 'S3', admitted: openingOf(log, 'S3') },
    });
  });

  it('begins with record 0 for the first shoe', async () => {
    const log = day();
    expect(await rangeIn(log, of(log, 'S1'))).toMatchObject({ first: 0 });
  });

  it('ends with the log if the shoe is still within reach', async () => {
    const log = day();
    expect(await rangeIn(log, of(log, 'S4'))).toMatchObject({
      end: log.events.length,
      leftReach: false,
    });
  });

  it('begins with the first record that the table held back when the shoe before opened', async () => {
    const log = day({ S2: (lost) => lost.add('device/x', 'device-error', {}, { sequence: 2 }) });
    const { first } = (await rangeIn(log, of(log, 'S3'))) as JudgedRange;
    expect(log.events[first]).toMatchObject({ source: 'device/x' });
    expect(first).toBe(openingOf(log, 'S2') - 1);
  });

  it('begins with a gap that may hide who signed on, while nobody signs on after it', async () => {
    const lose = (log: TableLog): void => log.lose('terminal');
    const log = day({ S1: lose });
    const { first } = (await rangeIn(log, of(log, 'S4'))) as JudgedRange;
    expect(first).toBeLessThan(openingOf(log, 'S2'));
    const again = day({ S1: lose, S2: (signed) => void signed.dealer('ivan') });
    expect(await rangeIn(again, of(again, 'S4'))).toMatchObject({ first: openingOf(again, 'S3') });
  });

  it('is undefined for a shoe that the log does not have', async () => {
    expect(await rangeIn(day(), { of: 'shoe', ref: 'device/x#1' })).toBeUndefined();
  });
});

describe('the range of a part of a table’s log', () => {
  it('begins with the opening of the shoe before the one then open', async () => {
    const log = day();
    const span = { from: openingOf(log, 'S3') + 4, to: log.events.length - 2 };
    expect(await rangeIn(log, { of: 'span', ...span })).toMatchObject({
      first: openingOf(log, 'S2'),
      end: span.to,
      shoe: { name: 'S3' },
    });
  });

  it('takes records that nobody judges for records, where it begins and where it ends', async () => {
    const log = day();
    const one = recordsOf(log.events, [1]);
    const at = openingOf(log, 'S4') + 2;
    const passed = [...one.slice(0, at), one.at(0), ...one.slice(at), one.at(0)].map(
      (of, record) => ({
        record,
        events: record === at || record > one.length ? [] : (of?.events ?? []),
      }),
    );
    const ask = (asked: RangeAsked): Promise<JudgedRange | undefined> =>
      findRange(readerOf(passed), asked, passed.length);
    const to = passed.length;
    const first = openingOf(log, 'S3');
    expect(await ask({ of: 'span', from: at, to })).toMatchObject({ first, end: to });
    expect(await ask({ of: 'record', record: at })).toMatchObject({ first, end: to });
    const ref = refOf(log.events[openingOf(log, 'S5')] as Sent);
    expect(await ask({ of: 'shoe', ref })).toMatchObject({ end: to, leftReach: false });
    expect(await ask({ of: 'span', from: to - 1, to })).toMatchObject({
      first: openingOf(log, 'S4'),
      end: to,
    });
  });

  it('is the whole log of a table that has records and no event', async () => {
    const records = [0, 1, 2].map((record) => ({ record, events: [] }));
    const range = await findRange(readerOf(records), { of: 'span', from: 1, to: 3 }, 3);
    expect(range).toMatchObject({ first: 0, end: 3, shoe: null, isSure: true });
  });

  it('begins with record 0 if that was asked for', async () => {
    expect(await rangeIn(day(), { of: 'span', from: 0, to: 7 })).toMatchObject({
      first: 0,
      end: 7,
    });
  });

  it('the range of a finding about no shoe is that of the last shoe opened before it', async () => {
    const log = day();
    const record = openingOf(log, 'S3') + 2;
    expect(await rangeIn(log, { of: 'record', record })).toMatchObject({
      first: openingOf(log, 'S2'),
      end: openingOf(log, 'S5') + 1,
      shoe: { name: 'S3' },
    });
    expect(await rangeIn(log, { of: 'record', record: 0 })).toMatchObject({
      first: 0,
      end: openingOf(log, 'S2') + 1,
      shoe: null,
    });
  });
});
