import { describe, expect, it } from '@jest/globals';
import { endOfLog, fold, loadTable, newTable, saveTable } from '#audit';
import { audit, codes, decoded, type Audited, type Sent } from '../kit/audit.js';
import { BOOK, bookOf } from '../kit/house.js';
import { TableLog } from '../kit/table.js';

const SHOE = 'device/T1-shoe';
/** Returns a table whose card shoe says what it missed when it comes online. */
function table(reports: readonly 'outcomes'[] = ['outcomes']): TableLog {
  const log = new TableLog();
  log.add('shoe', 'device-online', { missed: 0 });
  log.open({ reports });
  return log;
}

function coup(log: TableLog, number: number, cards = 'P 9S B KH P KD B 6S'): void {
  log.add('terminal', 'coup-opened', { coup: number });
  if (cards) log.draw(cards);
  log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
  log.add('terminal', 'coup-closed');
}

const coupsOf = ({ unjudgeable }: Audited): (number | undefined)[] => [
  ...new Set(unjudgeable.map((entry) => entry.coup)),
];

describe('the cut card', () => {
  const opens = (log: TableLog, number: number): void =>
    void log.add('terminal', 'coup-opened', { coup: number });
  const SH09 = (audited: Audited): unknown => ({
    raised: audited.findings.filter(({ code }) => code === 'SH-09').map((each) => each.coup),
    listed: audited.unjudgeable.filter(({ codes }) => codes.join() === 'SH-09'),
  });

  it('may have shown after the first card of a coup if cards of that coup are lost', () => {
    const log = table();
    coup(log, 1);
    opens(log, 2);
    const cut = log.add('terminal', 'cut-card-drawn');
    log.add('shoe', 'device-online', { missed: null });
    log.add('terminal', 'coup-closed');
    coup(log, 3);
    coup(log, 4);
    const third = log.events.find(({ data }) => (data as { coup?: number }).coup === 3);
    expect(SH09(audit(log.events))).toMatchObject({
      raised: [4],
      listed: [{ coup: 3, events: [cut, `device/T1-terminal#${third?.id as string}`].sort() }],
    });
  });

  it('is certain to have shown before it if the cards of that coup were seen', () => {
    const log = table();
    coup(log, 1);
    log.add('shoe', 'device-online', { missed: null });
    opens(log, 2);
    log.add('terminal', 'cut-card-drawn');
    log.draw('P 9S B KH P KD B 6S');
    log.add('terminal', 'coup-closed');
    coup(log, 3);
    expect(SH09(audit(log.events))).toMatchObject({ raised: [3], listed: [] });
  });

  it('may have shown in a coup of which nothing was seen', () => {
    const rules = BOOK.get('punto-banco-no-burn@1');
    if (!rules) throw new Error('no punto-banco-no-burn@1');
    const cutCard = { insideCoup: 2, betweenCoups: 1 };
    const book = bookOf({ ...rules, document: { ...rules.document, cutCard } });
    const log = table();
    coup(log, 1);
    log.add('scanner', 'cut-card-drawn');
    log.add('shoe', 'device-online', { missed: null });
    for (const number of [2, 3, 4]) coup(log, number);
    expect(SH09(audit(log.events, { book }))).toMatchObject({ raised: [4], listed: [{ coup: 3 }] });
  });
});

describe('a device that comes online and does not know what it missed (DV-06)', () => {
  it('raises it once, about the open coup, and the coups beside stay judged', () => {
    const log = table();
    coup(log, 1);
    log.add('terminal', 'coup-opened', { coup: 2 });
    log.draw('P 9S B KH');
    const online = log.add('shoe', 'device-online', { missed: null, unit: 'S-42' });
    log.add('terminal', 'coup-closed');
    coup(log, 3, 'P 2S B KH P 4D B 6S P 2D');
    const audited = audit(log.events);
    expect(audited.findings).toMatchObject([
      {
        code: 'DV-06',
        severity: 3,
        coup: 2,
        event: online,
        events: [online],
        observed: 'not known',
        message: `${SHOE} came online and does not know what it missed.`,
      },
      { code: 'TC-04', coup: 3 },
    ]);
    expect(coupsOf(audited)).toEqual([undefined, 2]);
    expect(audited.unjudgeable[0]?.why).toBe(`${SHOE} may have missed what happened at the table`);
  });

  it('says how much the device missed', () => {
    const log = table();
    coup(log, 1);
    log.add('shoe', 'device-online', { missed: 3 });
    expect(audit(log.events).findings).toMatchObject([{ code: 'DV-06', observed: '3 missed' }]);
  });

  it.each([
    ['it missed nothing', { missed: 0 }],
    ['it says nothing of it', {}],
  ])('raises nothing if %s', (_, data) => {
    const log = table();
    coup(log, 1);
    log.add('shoe', 'device-online', data);
    const { findings, unjudgeable } = audit(log.events);
    expect([findings, unjudgeable]).toEqual([[], []]);
  });

  it('raises nothing if another device draws the cards', () => {
    const log = table();
    coup(log, 1);
    log.add('device/display', 'device-online', { missed: null });
    expect(audit(log.events).findings).toEqual([]);
  });

  it('raises nothing while no shoe is open', () => {
    const log = table();
    coup(log, 1);
    log.add('terminal', 'shoe-closed', { reason: 'end' });
    log.add('shoe', 'device-online', { missed: null }, { shoe: undefined });
    expect(audit(log.events).findings).toEqual([]);
  });

  it('raises it for the first cards of a shoe, and reaches into the shoe before', () => {
    const log = table();
    coup(log, 1);
    log.add('terminal', 'shoe-closed', { reason: 'end', remaining: 400 });
    log.shoe = 'S2';
    log.add('terminal', 'shoe-opened', {
      ...{ rules: 'punto-banco@1', decks: 8, kind: 'physical', currency: 'USD' },
      reports: ['burns', 'outcomes'],
    });
    log.add('shoe', 'device-online', { missed: null });
    coup(log, 1, '');
    const audited = audit(log.events);
    expect(codes(audited.findings)).toEqual(['DL-04', 'DV-06']);
    expect(audited.withdrawn.map(({ finding }) => finding.code)).toEqual(['SH-04']);
    expect(
      audited.unjudgeable.flatMap((entry) => (entry.shoe === 'S2' ? entry.codes : [])),
    ).toEqual(expect.arrayContaining(['SH-06', 'SH-07']));
  });

  it('stays, and judges its coup again, if a correction says that it missed nothing', () => {
    const log = table();
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.draw('P 9S B KH P KD');
    const event = log.add('shoe', 'device-online', { missed: null });
    log.add('terminal', 'coup-closed');
    log.add('person/mira', 'observation-corrected', {
      ...{ event, data: { missed: 0 } },
      ...{ by: 'mira', reason: 'video' },
    });
    const audited = audit(log.events);
    expect(codes(audited.findings)).toEqual(['DL-04', 'DV-06']);
    expect(audited.unjudgeable).toEqual([]);
  });
});

describe('a device that goes offline (DV-06)', () => {
  /** A link that is lost in coup 2, and coup 3 called by the dealer. */
  function lostLink(online: Sent = { missed: 0 }): TableLog {
    const log = new TableLog();
    log.add('shoe', 'device-online', online);
    log.open({ reports: ['outcomes'] });
    coup(log, 1);
    log.add('terminal', 'coup-opened', { coup: 2 });
    log.draw('P 9S B KH');
    log.add('shoe', 'device-offline', {});
    log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
    log.add('terminal', 'coup-closed');
    coup(log, 3, '');
    return log;
  }
  const back = (log: TableLog, data: Sent): void => void log.add('shoe', 'device-online', data);

  it('raises it at once, and never accuses anybody of what followed', () => {
    const log = lostLink();
    const audited = audit(log.events);
    expect(audited.findings).toMatchObject([{ code: 'DV-06', coup: 2, observed: 'offline' }]);
    expect(audited.withdrawn).toEqual([]);
    expect(coupsOf(audited)).toEqual([undefined, 2, 3]);
  });

  it('raises it once if the device comes back and does not know what it missed', () => {
    const log = lostLink();
    back(log, { missed: null });
    coup(log, 4);
    const audited = audit(log.events);
    expect(codes(audited.findings)).toEqual(['DV-06']);
    expect(coupsOf(audited)).toEqual([undefined, 2, 3]);
  });

  it('raises another when the device goes offline again', () => {
    const log = lostLink();
    back(log, { missed: null });
    log.add('shoe', 'device-offline', {});
    expect(codes(audit(log.events).findings)).toEqual(['DV-06', 'DV-06']);
  });

  it('changes nothing in a log whose devices never say what they missed', () => {
    const log = lostLink({});
    const { findings, unjudgeable } = audit(log.events);
    expect(codes(findings)).toEqual(['DL-04', 'DL-04']);
    expect(unjudgeable).toEqual([]);
    back(log, {});
    expect(codes(audit(log.events).findings)).toEqual(['DL-04', 'DL-04']);
  });

  it('judges a coup whose first card comes after the device knows that it missed nothing', () => {
    const log = lostLink();
    log.add('terminal', 'coup-opened', { coup: 4 });
    back(log, { missed: 0 });
    for (const [i, card] of (['9S', 'KH', 'KD', '6S', '2D'] as const).entries())
      log.add('shoe', 'card-drawn', { card, to: i % 2 ? 'banker' : 'player' });
    expect(codes(audit(log.events).findings)).toEqual(['DV-06', 'TC-01']);
  });

  it('counts in the next shoe too, but not in a third without a card of the device', () => {
    const log = lostLink();
    for (const shoe of ['S2', 'S3']) {
      log.add('terminal', 'shoe-closed', { reason: 'end' });
      log.shoe = shoe;
      const { data } = log.events[1] as { data: Record<string, unknown> };
      log.add('terminal', 'shoe-opened', data as never);
      coup(log, 1, '');
    }
    const { findings } = audit(log.events);
    expect(findings.map(({ code, shoe }) => `${code} ${shoe}`)).toEqual(['DV-06 S1', 'DL-04 S3']);
  });

  it('raises it with the next coup if no shoe was open', () => {
    const log = table();
    coup(log, 1);
    log.add('terminal', 'shoe-closed', { reason: 'end' });
    log.add('shoe', 'device-offline', {}, { shoe: undefined });
    expect(audit(log.events).findings).toEqual([]);
    log.shoe = 'S2';
    const { data } = log.events[1] as { data: Record<string, unknown> };
    log.add('terminal', 'shoe-opened', data as never);
    expect(audit(log.events).findings).toEqual([]);
    coup(log, 1, '');
    coup(log, 2, '');
    const audited = audit(log.events);
    expect(audited.findings).toMatchObject([{ code: 'DV-06', shoe: 'S2', coup: 1 }]);
    expect(audited.unjudgeable.filter(({ shoe }) => shoe === 'S1')).toEqual([]);
  });

  it('is judged in the same way from saved state, wherever it is saved', () => {
    const log = lostLink();
    back(log, { missed: null });
    coup(log, 4);
    const whole = audit(log.events);
    for (let cut = 1; cut < log.events.length; cut += 1) {
      const events = log.events.map(decoded);
      const before = newTable('T1');
      for (const event of events.slice(0, cut)) fold(before, event, BOOK);
      const state = loadTable(saveTable(before), BOOK);
      for (const event of events.slice(cut)) fold(state, event, BOOK);
      endOfLog(state, BOOK);
      expect(saveTable(state)).toBe(saveTable(whole.state));
    }
  });
});

describe('a card drawn to "out"', () => {
  it('raises DL-11 inside a coup, and lies on no hand', () => {
    const log = table();
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.draw('P 9S B KH P KD B 6S');
    const [card] = log.draw('out 7D');
    log.add('terminal', 'outcome-declared', {
      outcome: 'player',
      player: 9,
      banker: 6,
      by: 'dealer',
    });
    log.add('terminal', 'coup-closed');
    expect(audit(log.events).findings).toMatchObject([
      { code: 'DL-11', severity: 2, coup: 1, event: card, observed: '7D' },
    ]);
  });

  it('raises nothing outside coups', () => {
    const log = table();
    log.draw('out 7D');
    coup(log, 1);
    log.draw('out 8D');
    expect(audit(log.events).findings).toEqual([]);
  });

  it('counts for the cards of the shoe (SH-02, SH-04)', () => {
    const log = table();
    log.draw(`out ${Array.from({ length: 9 }, () => '7D').join(' ')}`);
    log.add('terminal', 'shoe-closed', { reason: 'end', remaining: 416 });
    expect(codes(audit(log.events).findings)).toEqual(['SH-02', 'SH-04']);
  });
});
