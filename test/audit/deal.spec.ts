import { describe, expect, it } from '@jest/globals';
import { audit, codes } from '../kit/audit.js';
import { found, judged } from '../kit/story.js';
import { TableLog } from '../kit/table.js';

const CLEAN = 'player: 9S KH\nbanker: 5C 3D\ndeclared: player';

describe('a card before betting closed (DL-01)', () => {
  it.each([
    [
      'raises DL-01 once, however many cards came too early',
      'betting: never closed\ndealt: P 9S B KH P KD\nbetting: closed\ndealt: B 6S\ndeclared: player',
      ['DL-01'],
    ],
    [
      'raises DL-01 if all cards came first',
      'betting: never closed\ndealt: P 9S B KH P KD B 6S\nbetting: closed\ndeclared: player',
      ['DL-01'],
    ],
    ['raises nothing if betting closed first', CLEAN, []],
    ['raises nothing in a coup whose betting never closed', `betting: never closed\n${CLEAN}`, []],
    [
      'raises nothing if betting closed between coups, which counts for the next one',
      `${CLEAN}\nover:\nbetting: closed\ncoup:\nbetting: never closed\n${CLEAN}`,
      [],
    ],
    [
      'raises nothing if it is a burned card',
      'dealt: burn 4D\nbetting: closed\nplayer: 9S KH\nbanker: 5C 3D\ndeclared: player',
      [],
    ],
    [
      'raises nothing if it was carried over from the coup before',
      `${CLEAN}\ndealt: - 4D\nmoved: 4D to next, by mira because it was one too many\ncoup:\nbetting: closed\ndealt: B 3S P 5H B 4C\ndeclared: player`,
      ['DL-06'],
    ],
  ])('%s', (_, lines, codes) => {
    expect(found(lines)).toEqual(codes);
  });

  /**
   * A coup whose first card comes `ms` before another device closes betting, each by its own clock.
   */
  const apart = (ms: number, closer = 'terminal') => {
    const log = new TableLog();
    log.open({ reports: [] });
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.add(
      'shoe',
      'card-drawn',
      { card: '9S', to: 'player' },
      { time: '2026-11-20T13:00:00.000Z' },
    );
    log.add(
      closer,
      'betting-closed',
      {},
      { time: new Date(Date.parse('2026-11-20T13:00:00.000Z') + ms).toISOString() },
    );
    log.draw('B KH P KD B 6S');
    log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
    return audit(log.events);
  };

  it.each([1001, 60_000])('raises DL-01 if the clocks of two devices differ by %i ms', (ms) => {
    expect(codes(apart(ms).findings)).toEqual(['DL-01']);
    expect(apart(ms).unjudgeable).toEqual([]);
  });

  it.each([1000, 1, 0, -5000])(
    'cannot be judged if the clocks of two devices differ by %i ms',
    (ms) => {
      const { findings, unjudgeable } = apart(ms);
      expect(codes(findings)).toEqual([]);
      expect(unjudgeable).toMatchObject([
        {
          coup: 1,
          codes: ['DL-01'],
          events: ['device/T1-shoe#T1-shoe/1/2', 'device/T1-terminal#T1-terminal/1/2'],
        },
      ]);
    },
  );

  it.each([1, 0, -5000])('raises DL-01 within one device whatever its clock says (%i ms)', (ms) => {
    expect(codes(apart(ms, 'shoe').findings)).toEqual(['DL-01']);
  });
});

describe('the first four cards (DL-02)', () => {
  it.each([
    ['P 9S B KH P 4D B 6S', []],
    ['P 9S P 4D B KH B 6S', ['DL-02']],
    ['B KH P 9S B 6S P 4D', ['DL-02']],
    ['P 9S B KH B 6S P 4D', ['DL-02']],
    ['B KH B 6S P 9S P 4D', ['DL-02']],
  ])('must go player, banker, player, banker: %s', (cards, wanted) => {
    expect(found(`dealt: ${cards}\ndealt: P 8C\ndeclared: banker`)).toEqual([...wanted]);
  });

  it('are judged by where they first went: a move withdraws nothing', () => {
    expect(
      found(
        'dealt: P 9S B KH P 4D P 6S\nmoved: 6S to banker, by mira because it was misplaced\ndealt: P 8C\ndeclared: banker',
      ),
    ).toEqual(['DL-02']);
  });
});

describe('a possible excess card after an unread card', () => {
  it.each([
    ['4D', 'DL-06'],
    ['4D!', 'DL-07'],
  ])('is listed only under the one code that it could be: %s, %s', (card, code) => {
    expect(
      judged(`dealt: P 2S B KH P KD B 6S - ??\ndealt: - ${card}\ndeclared: banker`).unjudgeable,
    ).toEqual([code, 'RS-02']);
  });
});

describe('a card taken out of the coup among the first four', () => {
  it.each([
    [
      'may be replaced without DL-02 after it was burned',
      'dealt: P 5S!\nmoved: 5S to burn, by mira because it lay face up\ndealt: P 9S B KH P 4D B 6S P 8C\ndeclared: banker',
      [],
    ],
    [
      'leaves its hand due again after it was discarded',
      'dealt: P 9S B 5S!\nmoved: 5S to discard, by mira because it lay face up\ndealt: - KH 4D 6S 8C\ndeclared: banker',
      [],
    ],
    [
      'leaves its hand due again after it was carried over',
      'dealt: - 5S!\nmoved: 5S to next, by mira because it lay face up\ndealt: - 9S KH 4D 6S 8C\ndeclared: banker',
      [],
    ],
    [
      'leaves the order of the other cards to be judged, up to the last',
      'dealt: P 5S!\nmoved: 5S to burn, by mira because it lay face up\ndealt: P 9S B KH P 4D P 8C B 6S\ndeclared: banker',
      ['DL-02'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a hand of fewer than two cards (DL-04)', () => {
  it.each([
    [
      'raises DL-04 when an outcome is declared',
      'dealt: P 9S B KH P KD\ndeclared: player',
      ['DL-04'],
    ],
    [
      'raises DL-04 when an outcome is declared, even if the card follows',
      'dealt: P 9S B KH P KD\ndeclared: player\ndealt: B 6S\ndeclared: tie',
      ['DL-04'],
    ],
    ['raises DL-04 once when the coup ends, and then no RS-07', 'dealt: P 9S B KH P KD', ['DL-04']],
    [
      'raises DL-04 in a coup without cards',
      'coup:\ncoup:\nplayer: 9S KH\nbanker: 5C 3D\ndeclared: player',
      ['DL-04'],
    ],
    ['raises DL-04 in a dummy coup', 'kind: dummy\ndealt: P 9S B KH P KD', ['DL-04']],
    ['raises nothing in a complete coup', CLEAN, []],
    [
      'raises nothing in a void coup',
      'dealt: P 9S B KH P KD\nvoid: by mira because the shoe jammed',
      [],
    ],
    [
      'suppresses findings on results, settlements and commission',
      'bet: seat 1 banker 100\ndealt: P 9S B KH P KD\ndeclared: banker 9 to 8 with natural\ndeclared: tie\nsettled: seat 1 banker returned 70 marked 1',
      ['DL-04'],
    ],
    [
      'suppresses findings on settlements before the outcome and after the close',
      'bet: seat 1 banker 100\ndealt: P 9S B KH P KD\nsettled: seat 1 banker taken\ndeclared: player\nover:\nsettled: seat 1 banker taken',
      ['DL-04'],
    ],
    [
      'does not suppress the judgment of who declared a void',
      'dealt: P 9S B KH P KD\ndeclared: player\nvoid: by mira',
      ['DL-04 (void)', 'RS-09'],
    ],
    [
      'suppresses findings on third cards',
      'dealt: P 9S B KH P KD\ndeclared: tie\ndealt: B 6S P 4D P 5D B 7S B 8S B 2S',
      ['DL-04'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a card face up in the shoe (DL-05)', () => {
  const EXPOSED = 'dealt: P 9S B KH! P KD B 6S\ndeclared: player';
  it.each([
    [
      'raises DL-05 if the rules have an entry for it',
      `rules: macau-2011@1\nburned: AS 2S\n${EXPOSED}`,
      ['DL-05'],
    ],
    [
      'raises DL-05 for each such card',
      'rules: macau-2011@1\nburned: AS 2S\ndealt: P 9S! B KH! P KD B 6S\ndeclared: player',
      ['DL-05', 'DL-05'],
    ],
    ['raises nothing if the rules have no entry for it', EXPOSED, []],
    [
      'raises nothing for cards face down',
      'rules: macau-2011@1\nburned: AS 2S\ndealt: P 9S B KH P KD B 6S\ndeclared: player',
      [],
    ],
    [
      'raises nothing if the card was not due to that hand',
      'rules: macau-2011@1\nburned: AS 2S\ndealt: P 9S B KH P KD B 6S B 2D!\ndeclared: player',
      ['TC-02'],
    ],
    [
      'raises nothing for a burned card',
      'rules: macau-2011@1\nburned: AS! 2S\ndealt: P 9S B KH P KD B 6S\ndeclared: player',
      [],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a card reported without a hand', () => {
  it.each([
    [
      'goes to the hand that is due, until the end of the coup',
      'dealt: - 9S KH 4D 6S 8C\ndeclared: banker 1 to 6',
      [],
    ],
    [
      'goes to the banker hand if the player hand stands',
      'dealt: - 9S KH 7D 5S 8C\ndeclared: player 6 to 3',
      [],
    ],
    [
      'goes to the hand that may draw',
      'rules: chemin-de-fer@1\ndealt: - 2S KH 3D 7S 8C\ndeclared: banker 3 to 7',
      [],
    ],
    ['is an excess card if none is due (DL-06)', `${CLEAN}\ndealt: - 4D`, ['DL-06']],
    ['is an excess card each time', `${CLEAN}\ndealt: - 4D 4D 5D`, ['DL-06', 'DL-06', 'DL-06']],
    [
      'is a seen excess card if it was exposed (DL-07)',
      `${CLEAN}\ndealt: - 4D! 5D`,
      ['DL-06', 'DL-07'],
    ],
    [
      'changes no hand if it is an excess card',
      'player: 9S KH\nbanker: 5C 3D\ndealt: - 4D\ndeclared: player 9 to 8',
      ['DL-06'],
    ],
    [
      'is an excess card if none is due, even without a natural',
      'player: 2S KH 8D\nbanker: 5C AD\ndealt: - 4D!\ndeclared: banker',
      ['DL-07'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it('cannot be judged if an unread card leaves open whether one is due', () => {
    expect(judged('dealt: P 2S B KH P KD B 6S - ??\ndealt: - 4D\ndeclared: banker')).toEqual({
      finds: ['DV-01'],
      unjudgeable: ['DL-06', 'RS-02'],
    });
  });

  it('leaves calls and outcomes unjudgeable then, and announcements that depend on the card', () => {
    const lines = (declared: string): string =>
      `dealt: P 2S B KH P KD B 6S - ??\ndealt: - 4D\ncalled: banker 6\ndeclared: ${declared} by the device`;
    expect(judged(lines('banker with nothing'))).toEqual({
      finds: ['DV-01'],
      unjudgeable: ['DL-06', 'RS-01', 'RS-03'],
    });
    expect(judged(lines('banker with natural'))).toEqual({
      finds: ['DV-01', 'RS-05'],
      unjudgeable: ['DL-06', 'RS-01', 'RS-03'],
    });
  });

  it('leaves payments open then, except those that no result would make right', () => {
    const lines = (settled: string): string =>
      `bet: seat 1 banker 100\ndealt: P 2S B KH P KD B 6S - ??\ndealt: - 4D\ndeclared: banker\nsettled: seat 1 banker ${settled}`;
    expect(judged(lines('returned 100 marked 5'))).toEqual({
      finds: ['DV-01'],
      unjudgeable: ['CM-04', 'DL-06', 'PY-02', 'PY-04', 'RS-02'],
    });
    expect(judged(lines('taken'))).toEqual({
      finds: ['DV-01'],
      unjudgeable: ['DL-06', 'PY-01', 'PY-04', 'RS-02'],
    });
    expect(judged(lines('returned 0 marked 4'))).toEqual({
      finds: ['CM-04', 'DV-01'],
      unjudgeable: ['DL-06', 'PY-01', 'PY-02', 'RS-02'],
    });
  });

  it('is an excess card if every value of an unread card makes it one', () => {
    expect(judged('dealt: P 2S B KH P KD B 7S - ??\ndealt: - 4D\ndeclared: banker')).toEqual({
      finds: ['DL-06', 'DV-01'],
      unjudgeable: ['RS-02'],
    });
  });
});

describe('a card carried over to the next coup', () => {
  const EXCESS = `${CLEAN}\ndealt: - 4D\nmoved: 4D to next, by mira because it was one too many\n`;
  it.each([
    [
      "is the first card of that coup, the player hand's",
      `${EXCESS}coup:\ndealt: B 3S P 3H B 5C\ndeclared: banker 7 to 8 with natural`,
      ['DL-06'],
    ],
    [
      'is its first card, so another first card to the player hand is misplaced',
      `${EXCESS}coup:\ndealt: P 3S B 3H B 5C\ndeclared: banker 7 to 8`,
      ['DL-02', 'DL-06'],
    ],
    [
      'counts when the draws are judged',
      `${EXCESS}coup:\ndealt: B 3S P AH B 5C\ndeclared: banker`,
      ['DL-06'],
    ],
    [
      'counts when missing draws are judged',
      `${EXCESS}coup:\ndealt: B 3S P AH B 4C\ndeclared: banker`,
      ['DL-06', 'TC-03'],
    ],
    [
      'may be one of two, which are then the first two cards',
      `${CLEAN}\ndealt: - 4D 5D\nmoved: 4D to next, by mira because of rule 11\nmoved: 5D to next, by mira because of rule 11\ncoup:\ndealt: P 5S B 4C\ndeclared: tie 9 to 9`,
      ['DL-06', 'DL-06'],
    ],
    ['may be the only card of the next coup', `${EXCESS}coup:`, ['DL-04', 'DL-06']],
    [
      'counts once among the cards of the shoe',
      `${EXCESS}coup:\ndealt: B 3S P 3H B 5C\ndeclared: banker\nremaining: 408`,
      ['DL-06'],
    ],
    [
      'leaves its former coup, whose hands are judged without it',
      `player: 9S 4D 8C\nbanker: KH 6S 2D\nmoved: 2D to next, by mira because it was not due\ndeclared: banker 1 to 6\ncoup:\ndealt: B 3S P 7H B 5C\ndeclared: player 9 to 8`,
      ['TC-08'],
    ],
    [
      'may be exposed without DL-05 if the document has no entry for it',
      `${CLEAN}\ndealt: - 4D!\nmoved: 4D to next, by mira because it was seen\ncoup:\ndealt: B 3S P 3H B 5C\ndeclared: banker`,
      ['DL-07'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a coup without any bet (DL-10)', () => {
  const REPORTS = 'reports: outcomes bets\n';
  it.each([
    ['raises DL-10 if the table reports bets', `${REPORTS}${CLEAN}`, ['DL-10']],
    [
      'raises DL-10 if every bet was withdrawn',
      `${REPORTS}bet: seat 1 player 5\nwithdrawn: seat 1 player 5\n${CLEAN}`,
      ['DL-10'],
    ],
    [
      'raises DL-10 if the only bet came too late',
      `${REPORTS}${CLEAN}\nbet: seat 1 player 5`,
      ['BT-01', 'DL-10'],
    ],
    [
      'raises nothing if there is a bet',
      `${REPORTS}bet: seat 1 player 5\nwithdrawn: seat 1 player 3\n${CLEAN}\nsettled: seat 1 player returned 2`,
      [],
    ],
    [
      'raises nothing if the bet was placed between coups',
      `${REPORTS}bet: seat 1 player 5\n${CLEAN}\nsettled: seat 1 player returned 5\nover:\nbet: seat 1 player 5\ncoup:\n${CLEAN}\nsettled: seat 1 player returned 5`,
      [],
    ],
    ['raises nothing if the table does not report bets', `reports: outcomes\n${CLEAN}`, []],
    ['raises nothing in a dummy coup', `${REPORTS}kind: dummy\n${CLEAN}`, []],
    ['raises nothing in a demonstration coup', `${REPORTS}kind: demonstration\n${CLEAN}`, []],
    ['raises nothing in a free coup', `${REPORTS}kind: free\n${CLEAN}`, []],
    ['raises nothing in a void coup', `${REPORTS}${CLEAN}\nvoid: by mira because nobody bet`, []],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a card outside any coup (DL-15)', () => {
  it.each([
    [
      'raises DL-15 for each card to a hand',
      `${CLEAN}\nover:\ndealt: P 4D B 5D`,
      ['DL-15', 'DL-15'],
    ],
    ['raises nothing for a card to an unknown hand', `${CLEAN}\nover:\ndealt: - 4D`, []],
    ['raises nothing for a burned card', `${CLEAN}\nover:\ndealt: burn 4D`, []],
    ['raises nothing inside a coup', CLEAN, []],
    [
      'raises DL-15 after a void',
      `${CLEAN}\nvoid: by mira because two cards stuck\ndealt: P 4D`,
      ['DL-15'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it('raises DL-15 about its shoe, without a coup, before the first coup', () => {
    const log = new TableLog();
    log.open({ reports: [] });
    const [card] = log.draw('P 9S');
    expect(audit(log.events).findings).toMatchObject([
      { code: 'DL-15', severity: 2, shoe: 'S1', events: [card] },
    ]);
    expect(audit(log.events).findings[0]).not.toHaveProperty('coup');
  });

  it('counts among the cards of the shoe even if it went to an unknown hand', () => {
    const nine = Array.from({ length: 9 }, () => '4D').join(' ');
    expect(found(`${CLEAN}\nover:\ndealt: - ${nine}\nremaining: 403`)).toEqual(['SH-02']);
    expect(found(`${CLEAN}\nover:\ndealt: - ${nine}\nremaining: 412`)).toEqual(['SH-02', 'SH-04']);
  });

  it('raises DL-15 if its shoe was never opened, even while a coup is open', () => {
    const log = new TableLog();
    log.open({ reports: [] });
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.add('shoe', 'card-drawn', { card: '9S', to: 'player' }, { shoe: 'S9' });
    log.draw('P 9S B KH P KD B 6S');
    const { findings, state } = audit(log.events);
    expect(findings).toMatchObject([{ code: 'DL-15', severity: 2, shoe: 'S9' }]);
    expect(findings[0]).not.toHaveProperty('coup');
    expect(state.admission.counts.stray).toBe(1);
  });

  it('is stray and raises nothing if its shoe was opened and is closed', () => {
    const log = new TableLog();
    log.open({ reports: [] });
    log.add('terminal', 'shoe-closed', { reason: 'end' });
    log.shoe = 'S2';
    log.open({ reports: [] });
    log.add('shoe', 'card-drawn', { card: '9S', to: 'player' }, { shoe: 'S1' });
    const { findings, state } = audit(log.events);
    expect(findings).toEqual([]);
    expect(state.admission.counts.stray).toBe(1);
  });
});

describe('the number of a coup (DL-16)', () => {
  it.each([
    ['follows the last one', `${CLEAN}\ncoup: 2\n${CLEAN}\ncoup: 3\n${CLEAN}`, []],
    ['starts at 1', `coup: 2\n${CLEAN}`, ['DL-16 in coup 2']],
    [
      'raises DL-16 if it skips one, and the next number follows the new one',
      `${CLEAN}\ncoup: 7\n${CLEAN}\ncoup: 8\n${CLEAN}`,
      ['DL-16 in coup 7'],
    ],
    ['raises DL-16 if it repeats', `${CLEAN}\ncoup: 1\n${CLEAN}`, ['DL-16 in coup 1']],
    [
      'raises DL-16 if it goes back, and the next number follows the new one',
      `${CLEAN}\ncoup: 2\n${CLEAN}\ncoup: 1\n${CLEAN}\ncoup: 2\n${CLEAN}`,
      ['DL-16 in coup 1'],
    ],
    ['starts at 1 again in the next shoe', `${CLEAN}\nclosed: end\nshoe: S2\n${CLEAN}`, []],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted.map((each) => each.slice(0, 5)));
    if (wanted.length > 0) expect(found(`${lines}\nfinds: TC-01 in coup 1`)).toEqual(wanted);
  });

  it('counts void and dummy coups like any other', () => {
    expect(
      found(
        `${CLEAN}\nvoid: by mira because two cards stuck\ncoup: 2\nkind: dummy\nplayer: 9S KH\nbanker: 5C 3D\ncoup: 3\n${CLEAN}`,
      ),
    ).toEqual([]);
  });
});
