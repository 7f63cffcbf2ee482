import { describe, expect, it } from '@jest/globals';
import { audit, codes, type Sent } from '../kit/audit.js';
import { play } from '../kit/play.js';
import { TableLog } from '../kit/table.js';

const won = {
  bets: [[1, 'player', 100]],
  outcome: 'player',
  settled: [[1, 'player', 'returned', 100]],
} as const;
const WHY = { by: 'sam', reason: 'camera' };

/** Returns a table with one played coup, and the reference of its last card. */
function played(): { readonly log: TableLog; readonly card: string } {
  const log = new TableLog();
  log.open();
  log.dealer();
  play(log, 1, won);
  const { source, id } = log.events.findLast(({ type }) =>
    String(type).includes('card-drawn'),
  ) as Record<'source' | 'id', string>;
  return { log, card: `${source}#${id}` };
}

/** What a person can do to the record, from this source and with this remark. */
const ACTS = {
  'a void': (log: TableLog, source: string, _card: string, who: Sent) => {
    log.add(source, 'coup-voided', { coup: 1, ...who });
    log.add('terminal', 'bet-settled', { seat: 1, bet: 'player', stake: 'returned', paid: 0 });
  },
  'a move': (log: TableLog, source: string, card: string, who: Sent) =>
    log.add(source, 'card-moved', { event: card, to: 'banker', ...who }),
  'a correction': (log: TableLog, source: string, card: string, who: Sent) =>
    log.add(source, 'observation-corrected', {
      event: card,
      data: { card: '5C', to: 'banker' },
      ...who,
    }),
  'a waiver': (log: TableLog, source: string, _card: string, who: Sent) =>
    log.add(source, 'commission-waived', { seat: 1, amount: 0, ...who }),
} as const;
const acts = Object.entries(ACTS);

/** Returns the PR-10 findings after an act. */
const raised = (act: (typeof acts)[number][1], source: string, who: Sent): readonly object[] => {
  const { log, card } = played();
  act(log, source, card, who);
  return audit(log.events).findings.filter(({ code }) => code === 'PR-10');
};

describe('PR-10', () => {
  it.each(acts)('is not raised if the person named sent %s', (_, act) => {
    expect(raised(act, 'person/sam', WHY)).toEqual([]);
  });

  it.each(acts)('is not raised if %s names nobody', (_, act) => {
    expect(raised(act, 'person/sam', { reason: 'camera' })).toEqual([]);
    expect(raised(act, 'terminal', { reason: 'camera' })).toEqual([]);
  });

  it.each(
    acts.flatMap(([what, act]) =>
      [
        'device/T1-terminal',
        'virtual/T1',
        'system/x',
        'person/mei',
        'person/Sam',
        'person/sam ',
      ].map((source) => [what, source, act] as const),
    ),
  )('is raised for %s that %s sent in the name of sam', (_, source, act) => {
    expect(raised(act, source, WHY)).toMatchObject([
      {
        severity: 2,
        void: false,
        event: expect.stringContaining(`${source}#`),
        expected: 'sent by person/sam',
        observed: `sent by ${source}`,
      },
    ]);
  });

  it('names the coup of the event, and none for a waiver', () => {
    const coup = ([, act]: (typeof acts)[number]): unknown =>
      (raised(act, 'terminal', WHY)[0] as { coup?: number }).coup;
    expect(acts.map(coup)).toEqual([1, 1, 1, undefined]);
  });

  it('is raised beside PR-09 if the reference is unknown, and names the open coup', () => {
    const { log } = played();
    log.add('terminal', 'coup-opened', { coup: 2 });
    log.add('person/mei', 'coup-voided', { coup: 7, ...WHY });
    log.add('person/mei', 'card-moved', { event: 'a#b', to: 'burn', ...WHY });
    log.add('person/mei', 'observation-corrected', { event: 'a#b', data: {}, ...WHY });
    const { findings } = audit(log.events, { end: false });
    expect(codes(findings)).toEqual([
      ...['PR-09', 'PR-09', 'PR-09'],
      ...['PR-10', 'PR-10', 'PR-10'],
    ]);
    expect(findings.map(({ coup }) => coup)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  it('is not raised for what reaches no shoe: that is PR-09 alone', () => {
    const { log } = played();
    log.add('person/mei', 'coup-voided', WHY, { shoe: 'S9' });
    log.add('person/mei', 'commission-waived', { seat: 1, amount: 5, ...WHY }, { shoe: 'S9' });
    log.add('person/mei', 'card-moved', { event: 'a#b', to: 'burn', ...WHY }, { shoe: 'S9' });
    expect(codes(audit(log.events).findings)).toEqual(['PR-09', 'PR-09', 'PR-09']);
    const empty = new TableLog();
    empty.add('person/mei', 'observation-corrected', { event: 'a#b', data: {}, ...WHY });
    expect(codes(audit(empty.events).findings)).toEqual(['PR-09']);
  });

  it('stays when its event is corrected, and judges a corrected name by the source of its event', () => {
    const { log } = played();
    const voided = log.add('person/sam', 'coup-voided', { coup: 1, ...WHY });
    log.add('terminal', 'bet-settled', { seat: 1, bet: 'player', stake: 'returned', paid: 0 });
    const name = (by: string): void =>
      void log.add('person/sam', 'observation-corrected', {
        event: voided,
        data: { coup: 1, by, reason: 'camera' },
        ...WHY,
      });
    expect(codes(audit(log.events).findings)).toEqual([]);
    name('mei');
    expect(audit(log.events).findings).toMatchObject([{ code: 'PR-10', event: voided, coup: 1 }]);
    name('sam');
    expect(audit(log.events).findings).toMatchObject([{ code: 'PR-10', event: voided, coup: 1 }]);
  });

  it('is marked void if its coup is declared void after it, and not by its own void', () => {
    const { log, card } = played();
    ACTS['a move'](log, 'terminal', card, WHY);
    ACTS['a void'](log, 'terminal', card, WHY);
    const { findings } = audit(log.events);
    expect(findings.filter(({ code }) => code === 'PR-10').map((each) => each.void)).toEqual([
      true,
      false,
    ]);
  });

  it('does not concern the names in what devices say of themselves', () => {
    const { log } = played();
    log.add('terminal', 'device-setting-changed', { text: 'brightness 60', by: 'sam' });
    expect(audit(log.events).findings).toEqual([]);
  });
});
