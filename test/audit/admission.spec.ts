import { describe, expect, it } from '@jest/globals';
import { fold, loadTable, newTable, rowsOf, saveTable, takeChanges, type TableState } from '#audit';
import { audit, codes, decoded, type Audited, type Sent } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';
import { play } from '../kit/play.js';
import { TableLog } from '../kit/table.js';

const counts = ({ state }: Audited): Audited['state']['admission']['counts'] =>
  state.admission.counts;
const found = (audited: Audited, code: string): Audited['findings'] =>
  audited.findings.filter((finding) => finding.code === code);
/** Returns the missing numbers that the findings about gaps name. */
const gaps = (audited: Audited): string[] =>
  found(audited, 'DV-04').map(({ expected }) => expected);

/** A device's error report: an event with no effect on the game. */
const report = (sequence: number, code: string | number = sequence, rest: Sent = {}): Sent => ({
  specversion: '1.0',
  type: 'shoeprint.device-error.v1',
  source: 'device/T1-shoe',
  id: `${sequence}`,
  time: '2026-11-20T12:00:00Z',
  table: 'T1',
  session: '1',
  sequence,
  data: { code },
  ...rest,
});
const device = (type: string, sequence: number, rest: Sent = {}): Sent => ({
  ...report(sequence),
  type: `shoeprint.${type}.v1`,
  data: {},
  ...rest,
});
const reports = (from: number, to: number): Sent[] =>
  Array.from({ length: to - from + 1 }, (_, i) => report(from + i));
const declared = (from: number, to: number, session = '1', id = `gap ${from}`): Sent => ({
  specversion: '1.0',
  type: 'shoeprint.gap-declared.v1',
  source: 'system/auditor',
  id,
  time: '2026-11-20T12:00:02Z',
  table: 'T1',
  data: { source: 'device/T1-shoe', session, from, to },
});
const person = (id: string, reason: string): Sent => ({
  specversion: '1.0',
  type: 'shoeprint.supervisor-called.v1',
  source: 'person/sam',
  id,
  time: '2026-11-20T12:00:00Z',
  table: 'T1',
  data: { reason },
});
/** Folds without ending the log, so that a wait continues. */
const live = (events: readonly Sent[]): Audited => audit(events, { end: false });

describe('a repeat', () => {
  it('a repeat with the same content is a duplicate, which is counted and has no other effect', () => {
    const log = new TableLog();
    log.open();
    log.dealer();
    play(log, 1, {
      bets: [[1, 'player', 100]],
      outcome: 'player',
      settled: [[1, 'player', 'returned', 100]],
    });
    const once = audit(log.events);
    const twice = audit([...log.events, ...log.events]);
    expect(once.findings).toEqual([]);
    expect(twice.findings).toEqual([]);
    expect(counts(twice)).toEqual({
      ...counts(once),
      read: 2 * log.events.length,
      duplicates: log.events.length,
    });
  });

  it('a repeat with another content under the same number is an equivocation, and the first content counts', () => {
    const log = new TableLog();
    log.open();
    log.dealer();
    play(log, 1, {
      bets: [[1, 'player', 100]],
      outcome: 'player',
      closed: false,
      settled: [[1, 'player', 'returned', 100]],
    });
    const card = log.events.find(({ type }) => type === 'shoeprint.card-drawn.v1') as Sent;
    log.events.push({ ...card, data: { card: 'KH', to: 'player' } });
    log.add('terminal', 'coup-closed');
    const audited = audit(log.events);
    expect(codes(audited.findings)).toEqual(['DV-15']);
    expect(audited.findings[0]).toMatchObject({
      severity: 1,
      coup: 1,
      events: ['device/T1-shoe#T1-shoe/1/3'],
    });
    expect(counts(audited)).toMatchObject({ equivocal: 1, duplicates: 0 });
  });

  it('a repeat with a third content is counted again, but raises no second finding', () => {
    const audited = audit([report(1), report(1, 'a'), report(1, 'b'), report(1)]);
    expect(codes(audited.findings)).toEqual(['DV-15']);
    expect(counts(audited)).toEqual({
      read: 4,
      admitted: 1,
      duplicates: 1,
      equivocal: 2,
      late: 0,
      stray: 0,
    });
  });

  it('raises no second finding ten shoes later, numbered or not', () => {
    const log = new TableLog();
    log.open();
    const card = log.draw('burn 9S').length;
    const byHand = log.add('person/sam', 'supervisor-called', { reason: 'a card fell' });
    const [numbered, unnumbered] = [log.events.at(-2), log.events.at(-1)] as [Sent, Sent];
    expect([card, byHand]).toEqual([1, 'person/sam#sam/1/1']);
    log.events.push({ ...numbered, time: '2026-11-20T13:00:00Z' });
    log.events.push({ ...unnumbered, time: '2026-11-20T13:00:00Z' });
    for (let shoe = 2; shoe <= 11; shoe += 1) {
      log.add('shoe', 'shoe-closed', { reason: 'end' });
      log.shoe = `S${shoe}`;
      log.open();
      log.events.push({ ...numbered, time: `2026-11-20T14:00:${shoe + 10}Z` });
    }
    const { findings, state } = audit(log.events);
    expect(findings.map(({ code, shoe }) => [code, shoe])).toEqual([
      ['DV-15', 'S1'],
      ['DV-15', 'S1'],
    ]);
    expect(state.admission.counts.equivocal).toBe(12);
  });

  it('raises no second finding in the next shoe, if it was found before a shoe opened', () => {
    const log = new TableLog();
    log.add('person/sam', 'supervisor-called', { reason: 'a card fell' }, { shoe: undefined });
    const call = log.events.at(-1) as Sent;
    log.events.push({ ...call, time: '2026-11-20T13:00:00Z' });
    log.open();
    log.events.push({ ...call, time: '2026-11-20T14:00:00Z' });
    expect(audit(log.events).findings).toMatchObject([{ code: 'DV-15', shoe: '' }]);
  });

  it('a repeat that differs only in its time has another content', () => {
    expect(
      codes(audit([report(1), { ...report(1), time: '2026-11-20T12:00:01Z' }]).findings),
    ).toEqual(['DV-15']);
  });

  it('a repeat of an unnumbered event is recognized by source and id', () => {
    const audited = audit([
      person('1', 'spill'),
      person('1', 'spill'),
      person('1', 'brawl'),
      { ...person('1', 'brawl'), source: 'person/mia' },
    ]);
    expect(codes(audited.findings)).toEqual(['DV-15']);
    expect(audited.findings[0]?.events).toEqual(['person/sam#1']);
    expect(counts(audited)).toEqual({
      read: 4,
      admitted: 2,
      duplicates: 1,
      equivocal: 1,
      late: 0,
      stray: 0,
    });
  });

  it('a repeat of an event that is still held is recognized too', () => {
    const audited = live([report(1), report(3), report(3), report(3, 'other'), report(2)]);
    expect(codes(audited.findings)).toEqual(['DV-15']);
    expect(counts(audited)).toEqual({
      read: 5,
      admitted: 3,
      duplicates: 1,
      equivocal: 1,
      late: 0,
      stray: 0,
    });
  });

  it('is recognized by the number in its own session, not by one of another session or source', () => {
    const audited = audit([
      report(1),
      report(1, 'x', { session: '2' }),
      report(1, 'y', { source: 'device/T1-terminal' }),
    ]);
    expect(audited.findings).toEqual([]);
    expect(counts(audited).admitted).toBe(3);
  });

  it('a repeat of an event more than 4,096 numbers ago counts as a duplicate, whatever its content', () => {
    const events = reports(1, 5000);
    const audited = audit([...events, report(5000 - 4096, 'other')]);
    expect(counts(audited)).toMatchObject({ duplicates: 1, equivocal: 0 });
    expect(counts(audit([...events, report(5000 - 4095, 'other')]))).toMatchObject({
      duplicates: 0,
      equivocal: 1,
    });
    expect(counts(audit([...events, report(5000 - 4095)]))).toMatchObject({
      duplicates: 1,
      equivocal: 0,
    });
  });

  it('a repeat of an unnumbered event is recognized in the open shoe and the one before', () => {
    const opening = (shoe: string): Sent => ({
      ...person(`open ${shoe}`, ''),
      type: 'shoeprint.shoe-opened.v1',
      shoe,
      data: { rules: 'punto-banco@1', decks: 8, kind: 'physical', currency: 'USD', reports: [] },
    });
    const audited = audit([
      opening('S1'),
      person('a', 'spill'),
      opening('S2'),
      person('a', 'spill'),
      opening('S2'),
      opening('S1'),
    ]);
    expect(counts(audited)).toMatchObject({ duplicates: 3, stray: 0 });
    const later = audit([
      opening('S1'),
      person('a', 'spill'),
      opening('S2'),
      opening('S3'),
      opening('S2'),
      person('a', 'spill'),
    ]);
    expect(counts(later)).toMatchObject({ duplicates: 1, stray: 0, admitted: 5 });
  });
});

describe('the opening of a shoe under an id that was used before', () => {
  const opening = (shoe: string, id: string, number?: readonly [string, number]): Sent => ({
    ...person(id, ''),
    source: 'device/T1-shoe',
    type: 'shoeprint.shoe-opened.v1',
    shoe,
    ...(number && { session: number[0], sequence: number[1] }),
    data: { rules: 'punto-banco@1', decks: 8, kind: 'physical', currency: 'USD', reports: [] },
  });
  const shoesOf = (audited: Audited): readonly string[] => audited.state.shoes;

  it.each([
    ['numbered, of one without a number', [opening('S1', '1'), opening('S2', '1', ['1', 1])]],
    ['without a number, of a numbered one', [opening('S1', '1', ['1', 1]), opening('S2', '1')]],
    [
      'of another session',
      [opening('S1', '1', ['1', 1]), report(1, 1, { session: '2' }), opening('S2', '1', ['2', 2])],
    ],
  ])('is an equivocation, and opens no shoe: %s', (_, events) => {
    const audited = audit([...events, events.at(-1) as Sent]);
    expect(audited.findings).toMatchObject([
      { code: 'DV-15', shoe: 'S1', repeat: { source: 'device/T1-shoe', id: '1' } },
    ]);
    expect(audited.findings[0]?.repeat).not.toHaveProperty('sequence');
    expect(audited.findings[0]?.message).toBe(
      'device/T1-shoe sent id 1 again with another content.',
    );
    expect(shoesOf(audited)).toEqual(['S1']);
    const isNumbered = events.at(-1)?.sequence !== undefined;
    expect(counts(audited)).toMatchObject(
      isNumbered ? { duplicates: 1, stray: 1, equivocal: 0 } : { stray: 0, equivocal: 2 },
    );
  });

  it('uses its number, so that what follows is not missed', () => {
    const events = [opening('S1', '1'), opening('S2', '1', ['1', 1]), report(2)];
    const audited = audit(events);
    expect(codes(audited.findings)).toEqual(['DV-15']);
    expect(counts(audited)).toEqual({
      ...{ read: 3, admitted: 3, stray: 1 },
      ...{ duplicates: 0, equivocal: 0, late: 0 },
    });
  });

  it('is recognized in the open shoe and the one before, from saved state too', () => {
    const shoes = [opening('S1', '1', ['1', 1]), opening('S2', '2', ['1', 2])];
    const state = loadTable(saveTable(audit(shoes).state), BOOK);
    fold(state, decoded(opening('S3', '1', ['1', 3])), BOOK);
    expect(state.shoes).toEqual(['S1', 'S2']);
    const third = [...shoes, opening('S3', '3', ['1', 3]), opening('S4', '1', ['1', 4])];
    expect(shoesOf(audit(third))).toEqual(['S1', 'S2', 'S3', 'S4']);
  });
});

describe('an event that skips numbers', () => {
  it('waits, and all later events of its table wait with it, in log order', () => {
    const whole = new TableLog();
    whole.open();
    whole.dealer();
    play(whole, 1, {
      bets: [[1, 'player', 100]],
      outcome: 'player',
      settled: [[1, 'player', 'returned', 100]],
    });
    play(whole, 2, { bets: [[1, 'banker', 100]], outcome: 'player' });
    const at = whole.events.findIndex(({ type }) => type === 'shoeprint.card-drawn.v1');
    const [lost] = whole.events.slice(at, at + 1) as [Sent];
    const rest = whole.events.filter((event) => event !== lost);
    const waiting = live(rest);
    expect(counts(waiting).admitted).toBe(at);
    expect(waiting.findings).toEqual([]);
    const filled = audit([...rest, lost]);
    const cards = (audited: Audited): unknown =>
      audited.coups.map(({ detail }) => detail.cards.map(({ card, to }) => `${to} ${card}`));
    const asDrawn = ['player 4S', 'banker 2H', 'player 5D', 'banker 5C'];
    expect(cards(filled)).toEqual([asDrawn, asDrawn]);
    expect(codes(filled.findings)).toEqual(codes(audit(whole.events).findings));
    expect(counts(filled).admitted).toBe(whole.events.length);
  });

  it('waits for number 1 if it is the first of its session', () => {
    expect(counts(live([report(2)])).admitted).toBe(0);
    expect(counts(live([report(2), report(1)])).admitted).toBe(2);
    expect(gaps(audit([report(3)]))).toEqual(['numbers 1 to 2']);
  });

  it('waits again if another source skips numbers while its own hole is open', () => {
    const other = (sequence: number): Sent =>
      report(sequence, sequence, { source: 'device/T1-terminal' });
    const events = [report(1), report(3), other(2), report(2)];
    expect(counts(live(events)).admitted).toBe(3);
    expect(counts(live([...events, other(1)])).admitted).toBe(5);
    expect(gaps(audit([...events, other(1)]))).toEqual([]);
    expect(gaps(audit(events))).toEqual(['number 1']);
  });
});

describe('a wait for missing numbers ends', () => {
  const hole = [report(1), report(4)];

  it('a wait ends without a gap once the hole is filled, in any order', () => {
    const audited = live([...hole, report(3), report(2)]);
    expect(gaps(audited)).toEqual([]);
    expect(counts(audited).admitted).toBe(4);
  });

  it('once 64 events of the table wait, including those of other sources', () => {
    const others = Array.from({ length: 62 }, (_, i) => person(`p${i}`, 'noise'));
    expect(gaps(live([...hole, ...others]))).toEqual([]);
    const ended = live([...hole, ...others, report(3)]);
    expect(gaps(ended)).toEqual(['number 2']);
    expect(counts(ended).admitted).toBe(65);
  });

  it('a wait ends at shoe-closed and device-offline of the table, from any source', () => {
    const closed = {
      ...device('shoe-closed', 1, { source: 'device/T1-terminal', shoe: 'S1' }),
      data: { reason: 'end' },
    };
    expect(gaps(live([...hole, closed]))).toEqual(['numbers 2 to 3']);
    expect(
      gaps(live([...hole, device('device-offline', 1, { source: 'device/T1-camera' })])),
    ).toEqual(['numbers 2 to 3']);
    expect(gaps(live([report(1), device('device-offline', 4)]))).toEqual(['numbers 2 to 3']);
    expect(
      gaps(live([...hole, device('device-error-cleared', 1, { source: 'device/T1-camera' })])),
    ).toEqual([]);
  });

  it('a wait ends at another session of the same source, but not of another source', () => {
    expect(gaps(live([...hole, report(1, 'boot', { session: '2' })]))).toEqual(['numbers 2 to 3']);
    expect(
      gaps(live([...hole, report(1, 'boot', { session: '2', source: 'device/T1-terminal' })])),
    ).toEqual([]);
  });

  it('a wait ends at a gap-declared event for its numbers, but not for another session', () => {
    expect(gaps(live([...hole, declared(2, 3)]))).toEqual(['numbers 2 to 3']);
    expect(gaps(live([...hole, declared(1, 9)]))).toEqual(['numbers 2 to 3']);
    expect(gaps(live([...hole, declared(2, 3, '2')]))).toEqual([]);
    expect(gaps(live([...hole, declared(2, 2)]))).toEqual([]);
    expect(gaps(live([...hole, declared(2, 2), declared(3, 3)]))).toEqual(['numbers 2 to 3']);
    expect(gaps(live([...hole, declared(2, 2), report(3)]))).toEqual(['number 2']);
    expect(gaps(live([declared(2, 3), ...hole]))).toEqual([]);
  });

  it('a wait ends at the end of the log', () => {
    expect(gaps(live(hole))).toEqual([]);
    expect(gaps(audit(hole))).toEqual(['numbers 2 to 3']);
  });

  it('a wait ends with one finding for each hole', () => {
    const audited = live([
      report(1),
      report(6),
      report(4),
      declared(1, 9),
      report(9),
      declared(7, 8),
    ]);
    expect(gaps(audited)).toEqual(['numbers 2 to 3', 'number 5', 'numbers 7 to 8']);
    expect(found(audited, 'DV-04')[0]).toMatchObject({ severity: 3, events: ['device/T1-shoe#4'] });
  });
});

describe('an event that arrives after its number was declared a gap', () => {
  it('is late: it is counted and named in the finding, and has no effect on the game', () => {
    const log = new TableLog();
    log.open();
    log.dealer();
    play(log, 1, { bets: [[1, 'player', 100]], closed: false });
    const lost = log.events.splice(-2, 1)[0] as Sent;
    log.events.push(declared(lost.sequence as number, lost.sequence as number), lost);
    const audited = live(log.events);
    expect(found(audited, 'DV-04')[0]?.events).toEqual([
      'device/T1-shoe#T1-shoe/1/6',
      'device/T1-shoe#T1-shoe/1/5',
    ]);
    expect(counts(audited)).toMatchObject({ late: 1, equivocal: 0, duplicates: 0 });
    expect(audited.state.open?.drawn).toBe(3);
  });

  it('is a duplicate if it repeats, and an equivocation if its content differs', () => {
    const audited = live([
      report(1),
      report(3),
      declared(2, 2),
      report(2),
      report(2),
      report(2, 'other'),
    ]);
    expect(counts(audited)).toEqual({
      read: 6,
      admitted: 3,
      duplicates: 1,
      equivocal: 1,
      late: 1,
      stray: 0,
    });
  });

  it('is late even while its table still waits for other numbers', () => {
    const audited = live([report(1), report(4), declared(2, 2), report(2), report(3)]);
    expect(counts(audited)).toMatchObject({ admitted: 4, late: 1 });
    expect(gaps(audited)).toEqual(['number 2']);
  });
});

describe('a device that comes online with new content under an old session id', () => {
  const online = (sequence: number, firmware: string): Sent =>
    device('device-online', sequence, { id: firmware, data: { firmware } });

  it('restarts that session', () => {
    const audited = audit([
      online(1, 'v1'),
      report(2),
      report(3),
      online(1, 'v2'),
      report(2, 'after'),
      report(3, 'after'),
    ]);
    expect(audited.findings).toEqual([]);
    expect(counts(audited)).toMatchObject({ admitted: 6, duplicates: 0, equivocal: 0 });
  });

  it('does not restart the session if the content is the old one: that is a duplicate', () => {
    const audited = audit([
      online(1, 'v1'),
      report(2),
      report(3),
      online(1, 'v1'),
      report(2, 'after'),
    ]);
    expect(counts(audited)).toMatchObject({ admitted: 3, duplicates: 1, equivocal: 1 });
  });

  it('is recognized as a duplicate if it repeats old content, however much later', () => {
    const once = [online(1, 'v1'), report(2), online(1, 'v2')];
    const more = Array.from({ length: 4200 }, (_, i) => report(i + 2, 'after'));
    const audited = audit([...once, ...more, online(1, 'v1'), online(1, 'v2')]);
    expect(counts(audited)).toMatchObject({ admitted: 3 + 4200, duplicates: 2 });
  });

  it('restarts the session even if its numbers have gone far beyond those remembered', () => {
    const audited = audit([
      online(1, 'v1'),
      ...Array.from({ length: 4200 }, (_, i) => report(i + 2)),
      online(1, 'v2'),
      report(2, 'after'),
    ]);
    expect(counts(audited)).toMatchObject({ admitted: 4203, duplicates: 0 });
  });

  it('is late if its own number was declared a gap', () => {
    const audited = live([report(1), report(3), declared(2, 2), online(2, 'v2'), report(4)]);
    expect(counts(audited)).toMatchObject({ admitted: 4, late: 1 });
  });

  it('leaves a separate hole at a number that was missing before the restart', () => {
    const audited = live([
      online(1, 'v1'),
      report(3),
      declared(2, 2),
      online(1, 'v2'),
      report(3, 'after'),
      declared(2, 2, '1', 'gap 2 again'),
      report(2, 'late'),
    ]);
    const holes = found(audited, 'DV-04');
    expect(holes.map(({ gap, events }) => [gap?.boot, gap?.from, events.length])).toEqual([
      [1, 2, 1],
      [2, 2, 2],
    ]);
    expect(new Set(holes.map(({ id }) => id)).size).toBe(2);
  });

  it('ends the wait of its source with a gap', () => {
    const audited = live([
      online(1, 'v1'),
      report(2),
      report(5),
      online(1, 'v2'),
      report(2, 'after'),
    ]);
    expect(gaps(audited)).toEqual(['numbers 3 to 4']);
    expect(counts(audited)).toMatchObject({ admitted: 5, equivocal: 0 });
  });
});

describe('an event of another shoe than the open one', () => {
  const shoe = (name: string): TableLog => {
    const log = new TableLog();
    log.shoe = name;
    log.open();
    return log;
  };

  it('is stray: it is counted among the admitted and has no effect', () => {
    const log = shoe('S1');
    log.shoe = 'S0';
    log.add('terminal', 'bet-placed', { seat: 1, bet: 'tie', amount: 5 });
    log.add('terminal', 'coup-opened', { coup: 7 });
    const audited = audit(log.events);
    expect(audited.findings).toEqual([]);
    expect(counts(audited)).toMatchObject({ admitted: 3, stray: 2 });
    expect(audited.state.open?.coups).toEqual([]);
  });

  it('raises DL-15 if it is a card of a shoe that was never opened', () => {
    const log = shoe('S1');
    log.shoe = 'S0';
    log.draw('P 9S');
    const audited = audit(log.events);
    expect(audited.findings).toMatchObject([{ code: 'DL-15', severity: 2, shoe: 'S0' }]);
    expect(counts(audited).stray).toBe(1);
    expect(audited.state.open?.drawn).toBe(0);
  });

  it('leaves DL-15 open if its opening may be lost, also after a restart and a correction', () => {
    const log = shoe('S1');
    log.add('shoe', 'cut-card-drawn');
    const lost = log.events.pop() as { [name: string]: string };
    const numbers = { from: Number(lost.sequence), to: Number(lost.sequence) };
    log.shoe = 'S0';
    const [card] = log.draw('P 9S');
    log.add('system/auditor', 'gap-declared', {
      source: lost.source as string,
      session: '1',
      ...numbers,
    });
    const state = audit(log.events, { end: false }).state;
    const listed = (of: TableState): unknown =>
      [...(of.open?.unjudgeable.values() ?? [])].filter(({ entry }) =>
        entry.codes.includes('DL-15'),
      );
    expect(listed(state)).toMatchObject([
      { coup: null, entry: { events: expect.arrayContaining([card]) } },
    ]);

    const restarted = loadTable(saveTable(state), BOOK);
    expect(listed(restarted)).toEqual(listed(state));
    const opening = log.events.find(({ type }) => type === 'shoeprint.shoe-opened.v1') as Sent;
    log.shoe = 'S1';
    const data = {
      event: `${opening.source as string}#${opening.id as string}`,
      data: opening.data,
    };
    log.add('person/sam', 'observation-corrected', data as never);
    fold(state, decoded(log.events.at(-1) as Sent), BOOK);
    expect(listed(state)).toEqual(listed(restarted));
  });

  it('is not stray if somebody signs on or is relieved: people belong to the table', () => {
    const log = new TableLog();
    log.open();
    log.shoe = 'S9';
    log.dealer('cora');
    log.shoe = 'S1';
    play(log, 1);
    const { findings, state } = audit(log.events);
    expect(codes(findings)).not.toContain('PR-01');
    expect(state.admission.counts.stray).toBe(0);
    expect(state.duty.dealer).toBe('cora');
  });

  it('raises nothing if it is a card of a closed shoe', () => {
    const log = shoe('S1');
    log.add('shoe', 'shoe-closed', { reason: 'end' });
    log.draw('P 9S');
    expect(audit(log.events).findings).toEqual([]);
    expect(counts(audit(log.events)).stray).toBe(1);
  });

  it('is stray if it reopens one of the last 1,024 shoes, but not if it reopens an older one', () => {
    const log = new TableLog();
    for (let i = 1; i <= 1025; i += 1) {
      log.shoe = `S${i}`;
      log.open();
      log.add('shoe', 'shoe-closed', { reason: 'end' });
    }
    log.shoe = 'S2';
    log.open();
    const audited = audit(log.events);
    expect(counts(audited).stray).toBe(1);
    expect(audited.state.open?.name).toBe('S1025');
    log.events.pop();
    log.shoe = 'S1';
    log.lose('shoe', -1);
    log.open();
    expect(audit(log.events).state.open?.name).toBe('S1');
  });
});

describe('the saved state of a table', () => {
  it('does not grow with the number of shoes played, apart from the desk of findings', () => {
    const log = new TableLog();
    log.dealer();
    const shoe = (name: string): void => {
      log.shoe = name;
      log.open();
      for (let coup = 1; coup <= 3; coup += 1) {
        play(log, coup, {
          bets: [[1, 'banker', 100]],
          cards: 'P 2S B 4H P 5D B 5C',
          outcome: 'banker',
          settled: [[1, 'banker', 'returned', 100, coup === 2 ? 4 : 5]],
        });
      }
      log.add(
        'person/sam',
        'commission-collected',
        { seat: 1, amount: 14 },
        { id: `collected ${name}` },
      );
      log.add('shoe', 'shoe-closed', { reason: 'end' });
      log.draw('P 9S');
    };
    for (let i = 1; i <= 1300; i += 1) shoe(`S${10_000 + i}`);
    const state = newTable('T1');
    const sizes: number[] = [];
    let closed = 0;
    for (const event of log.events) {
      fold(state, decoded(event), BOOK);
      if (event.type !== 'shoeprint.shoe-closed.v1') continue;
      closed += 1;
      if (closed !== 1150 && closed !== 1300) continue;
      const { desk: _, ...saved } = JSON.parse(saveTable(state)) as { readonly desk: unknown };
      sizes.push(JSON.stringify(saved).length);
    }
    const [earlier, later] = sizes as [number, number];
    expect(Math.abs(later - earlier)).toBeLessThan(200);
    expect(loadTable(saveTable(state), BOOK).shoes.length).toBe(1024);
  });

  it('is refused if another version of the fold made it', () => {
    const saved = saveTable(newTable('T1')).replace(/"foldVersion":\d+/, '"foldVersion":0');
    expect(() => loadTable(saved, BOOK)).toThrow('rebuild it from the log');
  });

  it('can hold a waiting correction with any data', () => {
    const deep = `{"specversion":"1.0","type":"shoeprint.observation-corrected.v1","source":"person/sam","id":"c","time":"2026-11-20T12:00:00Z","table":"T1","data":{"event":"a#b","data":{"deep":${'['.repeat(7500)}${']'.repeat(7500)}}}}`;
    const state = newTable('T1');
    for (const event of [decoded(report(2)), decoded(deep)]) fold(state, event, BOOK);
    const loaded = loadTable(saveTable(state), BOOK);
    fold(loaded, decoded(report(1)), BOOK);
    const { outside } = rowsOf(takeChanges(loaded));
    expect(codes(outside.map(({ finding }) => finding))).toEqual(['PR-09']);
  });
});

describe('a gap while no shoe is open', () => {
  it('names a late event in the finding about its own hole, even if source and session read alike in words', () => {
    // In a sentence, both read "device/a, session 1, session 2".
    const [one, other] = [
      { source: 'device/a', session: '1, session 2' },
      { source: 'device/a, session 1', session: '2' },
    ] as const;
    const log = new TableLog();
    for (const from of [one, other])
      for (const sequence of [2, 1])
        log.add(
          'device/x',
          'device-online',
          {},
          { ...from, sequence, id: `${from.source} ${sequence}`, shoe: undefined },
        );
    const sent = (from: typeof one | typeof other, sequence: number) =>
      log.events.find((event) => event.source === from.source && event.sequence === sequence) ?? {};
    const declared = (from: typeof one | typeof other) => ({
      ...sent(from, 1),
      type: 'shoeprint.gap-declared.v1',
      source: 'system/auditor',
      id: `gap of ${from.source}`,
      session: undefined,
      sequence: undefined,
      data: { ...from, from: 1, to: 1 },
    });
    const { findings } = audit(
      [
        { ...sent(one, 2), type: 'shoeprint.device-error.v1' },
        declared(one),
        { ...sent(other, 2), type: 'shoeprint.device-error.v1' },
        declared(other),
        { ...sent(other, 1), type: 'shoeprint.device-error.v1' },
      ],
      { end: false },
    );
    expect(findings.map(({ code, events }) => [code, ...events])).toEqual([
      ['DV-04', 'device/a#device/a 2'],
      [
        'DV-04',
        'device/a, session 1#device/a, session 1 2',
        'device/a, session 1#device/a, session 1 1',
      ],
    ]);
  });
});
