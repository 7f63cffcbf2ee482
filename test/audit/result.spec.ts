import { describe, expect, it } from '@jest/globals';
import { codesWhere, FINDING_CODES } from '#audit';
import { audit } from '../kit/audit.js';
import { found, judged, readStory } from '../kit/story.js';

/** The codes that a gap in play makes unjudgeable in the coups that it touches. */
const LOST_TO_A_GAP = codesWhere(({ gap }) => gap.includes('play'));
/** Player 9, banker 8, both naturals. */
const HANDS = 'player: 9S KH\nbanker: 5C 3D';
const VOID = 'void: by mira because two cards stuck';

describe('a called or declared total (RS-01)', () => {
  it.each([
    [
      'is right if the cards make it',
      `${HANDS}\ncalled: player 9\ncalled: banker 8\ndeclared: player 9 to 8`,
      [],
    ],
    [
      'raises RS-01 if it is wrong for the player hand',
      `${HANDS}\ncalled: player 8\ndeclared: player`,
      ['RS-01'],
    ],
    [
      'raises RS-01 if it is wrong for the banker hand',
      `${HANDS}\ncalled: banker 9\ndeclared: player`,
      ['RS-01'],
    ],
    [
      'raises RS-01 if it is declared wrong with the outcome',
      `${HANDS}\ndeclared: player 9 to 7`,
      ['RS-01'],
    ],
    [
      'raises RS-01 once a coup',
      `${HANDS}\ncalled: player 8\ncalled: banker 9\ndeclared: player 7 to 7\ndeclared: player 1 to 1 by the device`,
      ['RS-01'],
    ],
    [
      'raises RS-01 in each coup',
      `${HANDS}\ncalled: player 8\ndeclared: player\ncoup:\n${HANDS}\ncalled: player 8\ndeclared: player`,
      ['RS-01', 'RS-01'],
    ],
    [
      'is judged on the hand at that moment',
      'dealt: P 2S B KC P KH B 7H\ncalled: player 2\ncalled: banker 7\ndealt: P 5D\ncalled: player 7\ndeclared: tie 7 to 7',
      [],
    ],
    [
      'is wrong at that moment, even if a later card makes it right',
      'dealt: P 2S B KC P KH B 7H\ncalled: player 7\ndealt: P 5D\ndeclared: tie',
      ['RS-01'],
    ],
    [
      'is judged on the hand after a move',
      "player: TS 6H 9D\nbanker: KC 3H\nmoved: 9D to banker, by mira because it was the banker hand's\ncalled: player 6\ncalled: banker 2\ndeclared: player",
      ['TC-04'],
    ],
    [
      'counts tens and pictures as 0 and an ace as 1',
      'player: TS KH AD\nbanker: QC 7D\ncalled: player 1\ndeclared: banker 1 to 7',
      [],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it('cannot be judged on a hand with an unread card, but can on the other hand', () => {
    expect(
      judged(
        'player: ?? KH\nbanker: 5C 3D\ncalled: player 9\nvoid: by mira because of the unread card',
      ),
    ).toEqual({ finds: ['DV-01 (void)'], unjudgeable: ['RS-01'] });
    expect(
      judged(
        'player: ?? KH\nbanker: 5C 3D\ncalled: banker 9\nvoid: by mira because of the unread card',
      ),
    ).toEqual({ finds: ['DV-01 (void)', 'RS-01 (void)'], unjudgeable: [] });
  });
});

describe('a declared outcome', () => {
  it.each([
    [
      'is right if the cards make it, by dealer and device',
      `${HANDS}\ndeclared: player by the device\ndeclared: player`,
      [],
    ],
    ['raises RS-02 if the dealer is wrong', `${HANDS}\ndeclared: banker`, ['RS-02']],
    ['raises RS-03 if the device is wrong', `${HANDS}\ndeclared: tie by the device`, ['RS-03']],
    [
      'raises RS-02 and RS-03 if both are wrong',
      `${HANDS}\ndeclared: tie by the device\ndeclared: tie`,
      ['RS-02', 'RS-03'],
    ],
    [
      'is a tie if the totals are equal, naturals or not',
      'player: TS 6H\nbanker: KC 5D AH\ndeclared: tie',
      [],
    ],
    [
      'is not a win for a natural 8 against a 9',
      'player: TS 8H\nbanker: KC 9D\ndeclared: player',
      ['RS-02'],
    ],
    [
      'before a draw is judged by its totals only',
      'dealt: P 2S B KC P KH B 7H\ndeclared: banker 2 to 7 with natural\ndealt: P 7D\ndeclared: player',
      ['TC-03'],
    ],
    [
      'before a draw raises RS-01 for wrong totals',
      'dealt: P 2S B KC P KH B 7H\ndeclared: banker 3 to 7\ndealt: P 7D\ndeclared: player',
      ['RS-01', 'TC-03'],
    ],
    [
      'before a move is judged by its totals only',
      "player: TS 6H 9D\nbanker: KC 3H\ndeclared: tie 5 to 3\nmoved: 9D to banker, by mira because it was the banker hand's\ndeclared: player 6 to 2",
      ['TC-04', 'TC-07'],
    ],
    [
      'before a card that no hand gets is judged completely',
      `${HANDS}\ndeclared: banker\ndealt: - 4D`,
      ['DL-06', 'RS-02'],
    ],
    [
      'is judged on the hands after a move',
      "player: TS 6H 9D\nbanker: KC 3H\nmoved: 9D to banker, by mira because it was the banker hand's\ndeclared: banker",
      ['RS-02', 'TC-04'],
    ],
    ['is judged in a dummy coup', `kind: dummy\n${HANDS}\ndeclared: banker`, ['RS-02']],
    [
      'is judged when its coup is voided while open, and its finding is void',
      `${HANDS}\ndeclared: banker\n${VOID}`,
      ['RS-02 (void)'],
    ],
    [
      'has its finding marked void if the coup is voided after its end',
      `${HANDS}\ndeclared: banker\nover:\n${VOID}`,
      ['RS-02 (void)'],
    ],
    [
      'is judged by the cards as they lie, even if they were dealt against the rules',
      'player: 9S 4D 8C\nbanker: KH 6S 2D\ndeclared: player',
      ['RS-02', 'TC-08'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it.each([
    [
      'cannot be judged if only some values of an unread card make it right',
      'player: 9S KH\nbanker: 5C ??\ndeclared: tie',
      ['DV-01'],
      ['RS-02'],
    ],
    [
      'is wrong if no value of an unread card makes it right',
      'player: 9S KH\nbanker: 5C ??\ndeclared: banker by the device',
      ['DV-01', 'RS-03'],
      [],
    ],
    [
      'cannot be judged if one value of an unread card makes it right',
      'player: ?? KH\nbanker: 5C 3D\ndeclared: player',
      ['DV-01'],
      ['RS-02'],
    ],
    [
      'cannot be judged for dealer and device alike',
      'player: 9S KH\nbanker: 5C ??\ndeclared: player\ndeclared: tie by the device',
      ['DV-01'],
      ['RS-02', 'RS-03'],
    ],
  ])('%s', (_, lines, finds, unjudgeable) => {
    expect(judged(lines)).toEqual({ finds, unjudgeable });
  });
});

describe('a coup without a declared outcome (RS-07)', () => {
  it.each([
    ['raises RS-07', HANDS, ['RS-07']],
    [
      'raises RS-07 when the next coup opens',
      `${HANDS}\ncoup:\n${HANDS}\ndeclared: player`,
      ['RS-07'],
    ],
    ['raises RS-07 when the shoe closes', `${HANDS}\nclosed: end`, ['RS-07']],
    ['raises nothing if the dealer declared an outcome', `${HANDS}\ndeclared: player`, []],
    [
      'raises nothing if only the device declared an outcome',
      `${HANDS}\ndeclared: player by the device`,
      [],
    ],
    ['raises nothing if the table does not report outcomes', `reports: dealers\n${HANDS}`, []],
    ['raises nothing if it is a dummy coup', `kind: dummy\n${HANDS}`, []],
    ['raises nothing if it is a demonstration coup', `kind: demonstration\n${HANDS}`, []],
    ['raises nothing if it is a free coup', `kind: free\n${HANDS}`, []],
    ['raises nothing if it is void', `${HANDS}\n${VOID}`, []],
    ['has RS-07 withdrawn when it is declared void after its end', `${HANDS}\nover:\n${VOID}`, []],
    ['raises no RS-07 beside DL-04', 'dealt: P 9S', ['DL-04']],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a second, different outcome (RS-08)', () => {
  it.each([
    [
      'raises RS-08 if the same declarer changes it with nothing between',
      `${HANDS}\ndeclared: tie\ndeclared: player`,
      ['RS-02', 'RS-08'],
    ],
    [
      'raises RS-08 if the device changes it',
      `${HANDS}\ndeclared: tie by the device\ndeclared: player by the device`,
      ['RS-03', 'RS-08'],
    ],
    [
      'raises RS-08 twice if both change theirs',
      `${HANDS}\ndeclared: tie\ndeclared: player\ndeclared: tie by the device\ndeclared: player by the device`,
      ['RS-02', 'RS-03', 'RS-08', 'RS-08'],
    ],
    [
      'raises RS-08 even if the other declared between',
      `${HANDS}\ndeclared: tie\ndeclared: player by the device\ndeclared: player`,
      ['RS-02', 'RS-08'],
    ],
    [
      'raises nothing if another declarer declared it',
      `${HANDS}\ndeclared: tie\ndeclared: player by the device`,
      ['RS-02'],
    ],
    [
      'raises nothing if it is the same as the first',
      `${HANDS}\ndeclared: player\ndeclared: player`,
      [],
    ],
    [
      'raises nothing after a draw',
      'dealt: P 2S B KC P KH B 7H\ndeclared: banker\ndealt: P 7D\ndeclared: player',
      ['TC-03'],
    ],
    [
      'raises nothing after a move',
      "player: TS 6H 2D\nbanker: KC 3H\ndeclared: player\nmoved: 2D to banker, by mira because it was the banker hand's\ndeclared: tie",
      ['RS-02', 'TC-04', 'TC-07'],
    ],
    [
      'raises RS-08 after a card that no hand gets',
      `${HANDS}\ndeclared: tie\ndealt: - 4D\ndeclared: player`,
      ['DL-06', 'RS-02', 'RS-08'],
    ],
    [
      'raises RS-08 after such a card is taken away, however an unread one is read',
      'dealt: P ?? B 5C P KD B 4D\ndeclared: tie\ndealt: - 7H\nmoved: 7H to discard, by mira because no hand gets it\ndeclared: banker',
      ['DL-06', 'DV-01', 'RS-02', 'RS-08'],
    ],
    [
      'raises nothing in the next coup',
      `${HANDS}\ndeclared: player\ncoup:\nplayer: 9S KD\nbanker: 5C 4D\ndeclared: tie`,
      [],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('announced specials (RS-05)', () => {
  it.each([
    [
      'raise nothing for a natural that the cards make',
      `${HANDS}\ndeclared: player with natural`,
      [],
    ],
    [
      'may have any order',
      'player: 4S 4H\nbanker: KC KD 7S\ndeclared: player with banker-pair and natural and player-pair',
      ['TC-02'],
    ],
    ['are not judged if none were announced', 'player: 4S 4H\nbanker: 3C 3D\ndeclared: player', []],
    [
      'raise RS-05 if one was left out',
      'player: 4S 4H\nbanker: 3C 3D\ndeclared: player with natural and player-pair',
      ['RS-05'],
    ],
    ['raise RS-05 if all were left out', `${HANDS}\ndeclared: player with nothing`, ['RS-05']],
    [
      'raise RS-05 if one was invented',
      `${HANDS}\ndeclared: player with natural and banker-pair`,
      ['RS-05'],
    ],
    [
      'raise nothing if there is none and none was announced',
      'player: 2S KH 9D\nbanker: KC 7H\ndeclared: banker with nothing',
      [],
    ],
    [
      'include no natural with three cards',
      'player: 2S KH 7D\nbanker: KC 7H\ndeclared: player with natural',
      ['RS-05'],
    ],
    [
      'include a natural from which a card was drawn all the same, as TC-01 and TC-02 say',
      'player: 2S 7H KD\nbanker: KC 7H\ndeclared: player with natural',
      ['TC-01'],
    ],
    [
      'include no pair with the third card',
      'player: 2S 3H 2D\nbanker: KC 7H\ndeclared: tie with player-pair',
      ['RS-05'],
    ],
    [
      'include no pair of a jack and a queen',
      'player: JS QH 9D\nbanker: KC 7H\ndeclared: player with player-pair',
      ['RS-05'],
    ],
    [
      'raise RS-05 if the device is wrong',
      `${HANDS}\ndeclared: player with nothing by the device`,
      ['RS-05'],
    ],
    [
      'are those of the document',
      'rules: macau-2011@1\nburned: AS 2S\nplayer: TS 5D AH\nbanker: KC 6H\ndeclared: tie with nothing\ncoup:\nplayer: TS 4D AH\nbanker: KC 6H\ndeclared: banker with lucky-6',
      [],
    ],
    [
      'raise RS-05 if a bet of the document was left out',
      'rules: macau-2011@1\nburned: AS 2S\nplayer: TS 4D AH\nbanker: KC 6H\ndeclared: banker with nothing',
      ['RS-05'],
    ],
    [
      'are not judged in a declaration that a draw follows',
      'dealt: P 2S B KC P KH B 7H\ndeclared: banker with natural\ndealt: P 7D\ndeclared: player',
      ['TC-03'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it('cannot be judged if an unread card could make them', () => {
    expect(judged('player: 9S KH\nbanker: 5C ??\ndeclared: player with natural')).toEqual({
      finds: ['DV-01'],
      unjudgeable: ['RS-02', 'RS-05'],
    });
    expect(judged('player: 9S KH\nbanker: 5C ??\ndeclared: player with nothing')).toEqual({
      finds: ['DV-01', 'RS-05'],
      unjudgeable: ['RS-02'],
    });
  });
});

describe('a void (RS-09)', () => {
  it.each([
    ['raises nothing if a supervisor declares it with a reason', `${HANDS}\n${VOID}`, []],
    ['raises RS-09 without a reason', `${HANDS}\nvoid: by mira`, ['RS-09']],
    ['raises RS-09 without a name', `${HANDS}\nvoid: because two cards stuck`, ['RS-09']],
    ['raises RS-09 once without both', `${HANDS}\nvoid:`, ['RS-09']],
    [
      'raises RS-09 by the dealer who dealt',
      `${HANDS}\nvoid: by dora because two cards stuck`,
      ['RS-09'],
    ],
    [
      'raises RS-09 by a dealer who took over during the coup',
      `dealt: P 9S B 5C\ndealer: mira\ndealt: P KH B 3D\n${VOID}`,
      ['RS-09'],
    ],
    [
      'raises nothing by the dealer of another coup',
      `${HANDS}\ndeclared: player\nover:\ndealer: mira\ncoup:\n${HANDS}\nvoid: by dora because two cards stuck`,
      [],
    ],
    [
      'concerns the open coup',
      `${HANDS}\ndeclared: player\ncoup:\nplayer: 9S 4D 8C\nbanker: KH 6S 2D\n${VOID}`,
      ['TC-08 (void)'],
    ],
    [
      'concerns the last coup if none is open',
      `player: 9S 4D 8C\nbanker: KH 6S 2D\ndeclared: banker\nover:\n${VOID}`,
      ['TC-08 (void)'],
    ],
    [
      'concerns the coup that it names',
      `player: 9S 4D 8C\nbanker: KH 6S 2D\ndeclared: banker\ncoup:\nplayer: 2S 4H 3D\nbanker: KC 7H\nvoid: coup 1, by mira because two cards stuck\ndeclared: player`,
      ['TC-04', 'TC-08 (void)'],
    ],
    [
      'concerns the open coup by its number',
      `${HANDS}\ndeclared: player\ncoup:\nplayer: 9S 4D 8C\nbanker: KH 6S 2D\nvoid: coup 2, by mira because two cards stuck`,
      ['TC-08 (void)'],
    ],
    [
      'withdraws findings on settlement and commission, and marks the others',
      `bet: seat 1 banker 100\nplayer: 9S 4D 8C\nbanker: KH 6S 2D\ncalled: player 9\ndeclared: player\nsettled: seat 1 banker returned 20\nover:\n${VOID}`,
      ['RS-01 (void)', 'RS-02 (void)', 'TC-08 (void)'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a gap in the messages of the shoe', () => {
  const LOST = `${HANDS}\ndeclared: tie\ncoup:\ndealt: P 9S B 5C P KH\nlost: 1 of the shoe\ndealt: B 3D P 4D P 5D - 8C\ndeclared: tie 1 to 1 with nothing\ndeclared: banker\ncoup:\n${HANDS}\ndeclared: tie`;

  it('makes unjudgeable the coup that it touches and the cards of the shoe, but no result of another coup', () => {
    const { finds, unjudgeable } = judged(`${LOST}\nremaining: 3`);
    expect(finds).toEqual(['DV-04', 'RS-02', 'RS-02']);
    expect(unjudgeable).toEqual(
      FINDING_CODES.filter(
        (code) =>
          LOST_TO_A_GAP.includes(code) || ['CM-05', 'SH-02', 'SH-04', 'SH-13'].includes(code),
      ).sort(),
    );
  });

  it('makes unjudgeable the codes that the contract lists', () => {
    const listed = FINDING_CODES.filter(
      (code) =>
        /^(TC|RS|BT|PY)-/.test(code) ||
        (code.startsWith('DL-') && code !== 'DL-05') ||
        ['CM-01', 'CM-02', 'CM-03', 'CM-04', 'PR-07', 'PR-09', 'SH-09'].includes(code),
    );
    expect([...LOST_TO_A_GAP].sort()).toEqual(listed.sort());
  });

  it('is listed with its coup, and with the shoe as a whole', () => {
    const { unjudgeable } = audit(readStory(`${LOST}\nfinds: nothing`, 'a case').events);
    expect(unjudgeable.map(({ coup, codes }) => [coup, codes.length])).toEqual([
      [undefined, 4],
      [2, LOST_TO_A_GAP.length],
      [3, codesWhere(({ gap }) => gap.includes('after play')).length],
    ]);
  });

  it('touches every coup between the messages on its two sides', () => {
    const { unjudgeable } = audit(
      readStory(
        `${HANDS}\ndeclared: tie\nlost: 9 of the shoe\ncoup:\ndeclared: tie\ncoup:\n${HANDS}\ndeclared: tie\ncoup:\n${HANDS}\ndeclared: player\nfinds: nothing`,
        'a case',
      ).events,
    );
    // The last lies after it: its bets and its number may be affected.
    expect(unjudgeable.map(({ coup }) => coup)).toEqual([undefined, 1, 2, 3, 4]);
  });

  it('withdraws what was already found in a coup that it touches', () => {
    expect(
      found(
        'player: 9S 4D 8C\nbanker: KH 6S 2D\nlost: 1 of the shoe\ndealt: - 4D\ndeclared: banker',
      ),
    ).toEqual(['DV-04']);
  });

  it('hides whether a later card is misplaced, an excess card or a fourth card, and whether a hand is short', () => {
    expect(
      found(
        'reports: nothing\ndealt: P 9S B 5C\nlost: 1 of the shoe\ndealt: B 3D P 4D P 2D - 8C - 8D! P AS',
      ),
    ).toEqual(['DV-04']);
    expect(found('reports: nothing\ndealt: P 9S\nlost: 1 of the shoe\ndealt: B 3D')).toEqual([
      'DV-04',
    ]);
  });

  it('leaves even a void without a reason unjudgeable, whichever came first', () => {
    expect(found('dealt: P 9S B 5C\nlost: 1 of the shoe\ndealt: B 3D\nvoid: by mira')).toEqual([
      'DV-04 (void)',
    ]);
    expect(found('dealt: P 9S B 5C\nvoid: by mira\nlost: 1 of the shoe\ncut card:')).toEqual([
      'DV-04',
    ]);
  });

  it('hides that a shoe was closed, unless the next message still plays that shoe', () => {
    const afterLoss = (next: string): boolean =>
      judged(
        `${HANDS}\ndeclared: player\nover:\nlost: 1 of the shoe\n${next}`,
      ).unjudgeable.includes('SH-10');
    expect(afterLoss('shoe: S2')).toBe(true);
    expect(afterLoss(`coup:\n${HANDS}\ndeclared: player`)).toBe(false);
    expect(found(`${HANDS}\ndeclared: player\nlost: 1 of the shoe\nshoe: S2`)).toEqual(['DV-04']);
  });

  it('a gap of a device that has sent neither play nor cards makes only what it sends unjudgeable', () => {
    const lostBy = (gap: string): readonly string[] => {
      const { finds, unjudgeable } = judged(
        `event: device/x ${gap}\nplayer: 9S 4D 8C\nbanker: KH 6S 2D\nlost: 1 of device/x\nevent: device/x ${gap}\ndeclared: banker`,
      );
      expect(finds).toEqual(['DV-04', 'TC-08']);
      return unjudgeable;
    };
    expect(lostBy('device-error {"code":3}')).toEqual([]);
    expect(lostBy('dealer-signed-on {"dealer":"cora","role":"caller"}')).toEqual(['PR-01']);
    expect(lostBy('seat-left {"seat":9}')).toEqual(
      codesWhere(({ gap }) => gap.includes('money') || gap.includes('money of shoe')).toSorted(),
    );
    expect(lostBy('hand-called {"hand":"player","total":3}')).toEqual(
      codesWhere(({ gap }) => gap.includes('calls')).toSorted(),
    );
  });
});
