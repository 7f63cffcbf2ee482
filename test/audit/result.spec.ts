import { describe, expect, it } from '@jest/globals';
import { codesWhere, FINDING_CODES } from '#audit';
import { audit } from '../kit/audit.js';
import { found, judged, readStory } from '../kit/story.js';

/** What a gap in the cards takes from the coups that it touches. */
const LOST_TO_A_GAP = codesWhere(({ gap }) => gap === 'coup');
/** Player 9, banker 8, both naturals. */
const HANDS = 'player: 9S KH\nbanker: 5C 3D';
const VOID = 'void: by mira because two cards stuck';

describe('a total called or declared (RS-01)', () => {
  it.each([
    [
      'is right by the cards',
      `${HANDS}\ncalled: player 9\ncalled: banker 8\ndeclared: player 9 to 8`,
      [],
    ],
    [
      'is found when the player hand is called wrong',
      `${HANDS}\ncalled: player 8\ndeclared: player`,
      ['RS-01'],
    ],
    [
      'is found when the banker hand is called wrong',
      `${HANDS}\ncalled: banker 9\ndeclared: player`,
      ['RS-01'],
    ],
    ['is found when a total is declared wrong', `${HANDS}\ndeclared: player 9 to 7`, ['RS-01']],
    [
      'is found once a coup',
      `${HANDS}\ncalled: player 8\ncalled: banker 9\ndeclared: player 7 to 7\ndeclared: player 1 to 1 by the device`,
      ['RS-01'],
    ],
    [
      'is found in each coup',
      `${HANDS}\ncalled: player 8\ndeclared: player\ncoup:\n${HANDS}\ncalled: player 8\ndeclared: player`,
      ['RS-01', 'RS-01'],
    ],
    [
      'is judged on the hand as it is at that moment',
      'dealt: P 2S B KC P KH B 7H\ncalled: player 2\ncalled: banker 7\ndealt: P 5D\ncalled: player 7\ndeclared: tie 7 to 7',
      [],
    ],
    [
      'is wrong at that moment though a later card makes it right',
      'dealt: P 2S B KC P KH B 7H\ncalled: player 7\ndealt: P 5D\ndeclared: tie',
      ['RS-01'],
    ],
    [
      'is judged after a move on the hand as it lies then',
      "player: TS 6H 9D\nbanker: KC 3H\nmoved: 9D to banker, by mira because it was the banker hand's\ncalled: player 6\ncalled: banker 2\ndeclared: player",
      ['TC-04'],
    ],
    [
      'counts tens and pictures nothing and an ace one',
      'player: TS KH AD\nbanker: QC 7D\ncalled: player 1\ndeclared: banker 1 to 7',
      [],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it('cannot be judged on a hand with an unread card, and can on the other', () => {
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

describe('an outcome declared', () => {
  it.each([
    [
      'by the dealer and the device is right by the cards',
      `${HANDS}\ndeclared: player by the device\ndeclared: player`,
      [],
    ],
    ['wrong by the dealer is RS-02', `${HANDS}\ndeclared: banker`, ['RS-02']],
    ['wrong by the device is RS-03', `${HANDS}\ndeclared: tie by the device`, ['RS-03']],
    [
      'wrong by both is both',
      `${HANDS}\ndeclared: tie by the device\ndeclared: tie`,
      ['RS-02', 'RS-03'],
    ],
    [
      'a tie is equal totals, naturals or not',
      'player: TS 6H\nbanker: KC 5D AH\ndeclared: tie',
      [],
    ],
    ['a natural 8 does not beat a 9', 'player: TS 8H\nbanker: KC 9D\ndeclared: player', ['RS-02']],
    [
      'before a draw is judged by its totals only',
      'dealt: P 2S B KC P KH B 7H\ndeclared: banker 2 to 7 with natural\ndealt: P 7D\ndeclared: player',
      ['TC-03'],
    ],
    [
      'before a draw is judged by its totals',
      'dealt: P 2S B KC P KH B 7H\ndeclared: banker 3 to 7\ndealt: P 7D\ndeclared: player',
      ['RS-01', 'TC-03'],
    ],
    [
      'before a move is judged by its totals only',
      "player: TS 6H 9D\nbanker: KC 3H\ndeclared: tie 5 to 3\nmoved: 9D to banker, by mira because it was the banker hand's\ndeclared: player 6 to 2",
      ['TC-04', 'TC-07'],
    ],
    [
      'before a card that no hand gets is judged whole',
      `${HANDS}\ndeclared: banker\ndealt: - 4D`,
      ['DL-06', 'RS-02'],
    ],
    [
      'is judged on the hands after a move',
      "player: TS 6H 9D\nbanker: KC 3H\nmoved: 9D to banker, by mira because it was the banker hand's\ndeclared: banker",
      ['RS-02', 'TC-04'],
    ],
    ['in a dummy coup is judged', `kind: dummy\n${HANDS}\ndeclared: banker`, ['RS-02']],
    ['in a void coup is not judged', `${HANDS}\ndeclared: banker\n${VOID}`, []],
    [
      'in a coup voided after its end is marked void',
      `${HANDS}\ndeclared: banker\nover:\n${VOID}`,
      ['RS-02 (void)'],
    ],
    [
      'on hands dealt against the rules is judged by the cards as they lie',
      'player: 9S 4D 8C\nbanker: KH 6S 2D\ndeclared: player',
      ['RS-02', 'TC-08'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it.each([
    [
      'may be right for some values of an unread card',
      'player: 9S KH\nbanker: 5C ??\ndeclared: tie',
      ['DV-01'],
      ['RS-02'],
    ],
    [
      'is wrong where no value of an unread card makes it right',
      'player: 9S KH\nbanker: 5C ??\ndeclared: banker by the device',
      ['DV-01', 'RS-03'],
      [],
    ],
    [
      'may be right for one value of an unread card',
      'player: ?? KH\nbanker: 5C 3D\ndeclared: player',
      ['DV-01'],
      ['RS-02'],
    ],
    [
      'by the dealer and the device are both left open',
      'player: 9S KH\nbanker: 5C ??\ndeclared: player\ndeclared: tie by the device',
      ['DV-01'],
      ['RS-02', 'RS-03'],
    ],
  ])('%s', (_, lines, finds, unjudgeable) => {
    expect(judged(lines)).toEqual({ finds, unjudgeable });
  });
});

describe("no outcome by the coup's end (RS-07)", () => {
  it.each([
    ['is found', HANDS, ['RS-07']],
    [
      'is found where the next coup opens',
      `${HANDS}\ncoup:\n${HANDS}\ndeclared: player`,
      ['RS-07'],
    ],
    ['is found where the shoe closes', `${HANDS}\nclosed: end`, ['RS-07']],
    ['is not found where the dealer declared', `${HANDS}\ndeclared: player`, []],
    ['is not found where only the device declared', `${HANDS}\ndeclared: player by the device`, []],
    ['is not found where the table does not report outcomes', `reports: dealers\n${HANDS}`, []],
    ['is not found in a dummy coup', `kind: dummy\n${HANDS}`, []],
    ['is not found in a demonstration', `kind: demonstration\n${HANDS}`, []],
    ['is not found in a free coup', `kind: free\n${HANDS}`, []],
    ['is not found in a void coup', `${HANDS}\n${VOID}`, []],
    ['is withdrawn when the coup is declared void after its end', `${HANDS}\nover:\n${VOID}`, []],
    ['is not found beside DL-04', 'dealt: P 9S', ['DL-04']],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a second outcome (RS-08)', () => {
  it.each([
    [
      'by the same one with nothing between is found',
      `${HANDS}\ndeclared: tie\ndeclared: player`,
      ['RS-02', 'RS-08'],
    ],
    [
      'by the device is found',
      `${HANDS}\ndeclared: tie by the device\ndeclared: player by the device`,
      ['RS-03', 'RS-08'],
    ],
    [
      'by each of the two is found twice',
      `${HANDS}\ndeclared: tie\ndeclared: player\ndeclared: tie by the device\ndeclared: player by the device`,
      ['RS-02', 'RS-03', 'RS-08', 'RS-08'],
    ],
    [
      'is found with the other one between',
      `${HANDS}\ndeclared: tie\ndeclared: player by the device\ndeclared: player`,
      ['RS-02', 'RS-08'],
    ],
    [
      'by another one is none',
      `${HANDS}\ndeclared: tie\ndeclared: player by the device`,
      ['RS-02'],
    ],
    ['that is the first again is none', `${HANDS}\ndeclared: player\ndeclared: player`, []],
    [
      'after a draw is none',
      'dealt: P 2S B KC P KH B 7H\ndeclared: banker\ndealt: P 7D\ndeclared: player',
      ['TC-03'],
    ],
    [
      'after a move is none',
      "player: TS 6H 2D\nbanker: KC 3H\ndeclared: player\nmoved: 2D to banker, by mira because it was the banker hand's\ndeclared: tie",
      ['RS-02', 'TC-04', 'TC-07'],
    ],
    [
      'after a card that no hand gets is found',
      `${HANDS}\ndeclared: tie\ndealt: - 4D\ndeclared: player`,
      ['DL-06', 'RS-02', 'RS-08'],
    ],
    [
      'in the next coup is none',
      `${HANDS}\ndeclared: player\ncoup:\nplayer: 9S KD\nbanker: 5C 4D\ndeclared: tie`,
      [],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('specials announced (RS-05)', () => {
  it.each([
    ['are right: a natural', `${HANDS}\ndeclared: player with natural`, []],
    [
      'are right in any order',
      'player: 4S 4H\nbanker: KC KD 7S\ndeclared: player with banker-pair and natural and player-pair',
      ['TC-02'],
    ],
    [
      'are not judged where none were announced',
      'player: 4S 4H\nbanker: 3C 3D\ndeclared: player',
      [],
    ],
    [
      'are found where one was left out',
      'player: 4S 4H\nbanker: 3C 3D\ndeclared: player with natural and player-pair',
      ['RS-05'],
    ],
    ['are found where all were left out', `${HANDS}\ndeclared: player with nothing`, ['RS-05']],
    [
      'are found where one was invented',
      `${HANDS}\ndeclared: player with natural and banker-pair`,
      ['RS-05'],
    ],
    [
      'are right: nothing special',
      'player: 2S KH 9D\nbanker: KC 7H\ndeclared: banker with nothing',
      [],
    ],
    [
      'are no natural with three cards',
      'player: 2S KH 7D\nbanker: KC 7H\ndeclared: player with natural',
      ['RS-05'],
    ],
    [
      'are no pair with the third card',
      'player: 2S 3H 2D\nbanker: KC 7H\ndeclared: tie with player-pair',
      ['RS-05'],
    ],
    [
      'are no pair of a jack and a queen',
      'player: JS QH 9D\nbanker: KC 7H\ndeclared: player with player-pair',
      ['RS-05'],
    ],
    [
      'are found in what the device announces',
      `${HANDS}\ndeclared: player with nothing by the device`,
      ['RS-05'],
    ],
    [
      'are those of the document',
      'rules: macau-2011@1\nburned: AS 2S\nplayer: TS 5D AH\nbanker: KC 6H\ndeclared: tie with nothing\ncoup:\nplayer: TS 4D AH\nbanker: KC 6H\ndeclared: banker with lucky-6',
      [],
    ],
    [
      'are found where a bet of the document was left out',
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

  it('cannot be judged where an unread card could make them', () => {
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
    ['with a reason, by a supervisor, is right', `${HANDS}\n${VOID}`, []],
    ['without a reason is found', `${HANDS}\nvoid: by mira`, ['RS-09']],
    ['without a name is found', `${HANDS}\nvoid: because two cards stuck`, ['RS-09']],
    ['without both is found once', `${HANDS}\nvoid:`, ['RS-09']],
    [
      'by the dealer who dealt is found',
      `${HANDS}\nvoid: by dora because two cards stuck`,
      ['RS-09'],
    ],
    [
      'by a dealer who took over inside the coup is found',
      `dealt: P 9S B 5C\ndealer: mira\ndealt: P KH B 3D\n${VOID}`,
      ['RS-09'],
    ],
    [
      'by the dealer of another coup is right',
      `${HANDS}\ndeclared: player\nover:\ndealer: mira\ncoup:\n${HANDS}\nvoid: by dora because two cards stuck`,
      [],
    ],
    [
      'concerns the open coup',
      `${HANDS}\ndeclared: player\ncoup:\nplayer: 9S 4D 8C\nbanker: KH 6S 2D\n${VOID}`,
      ['TC-08 (void)'],
    ],
    [
      'concerns the last coup where none is open',
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
      'withdraws settlement and commission, and marks the rest',
      `bet: seat 1 banker 100\nplayer: 9S 4D 8C\nbanker: KH 6S 2D\ncalled: player 9\ndeclared: player\nsettled: seat 1 banker returned 20\nover:\n${VOID}`,
      ['RS-01 (void)', 'RS-02 (void)', 'TC-08 (void)'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });
});

describe('a gap in the messages of the shoe', () => {
  const LOST = `${HANDS}\ndeclared: tie\ncoup:\ndealt: P 9S B 5C P KH\nlost: 1 of the shoe\ndealt: B 3D P 4D P 5D - 8C\ndeclared: tie 1 to 1 with nothing\ndeclared: banker\ncoup:\n${HANDS}\ndeclared: tie`;

  it('leaves the coup that it touches unjudged, and the cards of the shoe, and no other coup', () => {
    const { finds, unjudgeable } = judged(`${LOST}\nremaining: 3`);
    expect(finds).toEqual(['DV-04', 'RS-02', 'RS-02']);
    expect(unjudgeable).toEqual(
      FINDING_CODES.filter(
        (code) => LOST_TO_A_GAP.includes(code) || code === 'SH-02' || code === 'SH-04',
      ).sort(),
    );
  });

  it('makes unjudgeable what the contract lists', () => {
    const listed = FINDING_CODES.filter(
      (code) =>
        /^(TC|RS|PY)-/.test(code) ||
        ['DL-02', 'DL-04', 'DL-06', 'DL-07', 'CM-01', 'CM-02', 'CM-03', 'CM-04'].includes(code),
    );
    expect([...LOST_TO_A_GAP].sort()).toEqual(listed.sort());
  });

  it('lists the coup, and the shoe without one', () => {
    const { unjudgeable } = audit(readStory(`${LOST}\nfinds: nothing`, 'a case').events);
    expect(unjudgeable.map(({ coup, codes }) => [coup, codes.length])).toEqual([
      [undefined, 2],
      [2, LOST_TO_A_GAP.length],
    ]);
  });

  it('touches every coup between its two neighbouring messages', () => {
    const { unjudgeable } = audit(
      readStory(
        `${HANDS}\ndeclared: tie\nlost: 9 of the shoe\ncoup:\ndeclared: tie\ncoup:\n${HANDS}\ndeclared: tie\ncoup:\n${HANDS}\ndeclared: player\nfinds: nothing`,
        'a case',
      ).events,
    );
    expect(unjudgeable.map(({ coup }) => coup)).toEqual([undefined, 1, 2, 3]);
  });

  it('takes back what was already found in a coup that it touches', () => {
    expect(
      found(
        'player: 9S 4D 8C\nbanker: KH 6S 2D\nlost: 1 of the shoe\ndealt: - 4D\ndeclared: banker',
      ),
    ).toEqual(['DV-04']);
  });

  it('hides whether a card that follows is out of place, one too many or a fourth, and whether a hand is short', () => {
    expect(
      found(
        'reports: nothing\ndealt: P 9S B 5C\nlost: 1 of the shoe\ndealt: B 3D P 4D P 2D - 8C - 8D! P AS',
      ),
    ).toEqual(['DV-04']);
    expect(found('reports: nothing\ndealt: P 9S\nlost: 1 of the shoe\ndealt: B 3D')).toEqual([
      'DV-04',
    ]);
  });

  it('leaves even a void without a reason open, whichever came first', () => {
    expect(found('dealt: P 9S B 5C\nlost: 1 of the shoe\ndealt: B 3D\nvoid: by mira')).toEqual([
      'DV-04 (void)',
    ]);
    expect(found('dealt: P 9S B 5C\nvoid: by mira\nlost: 1 of the shoe\ncut card:')).toEqual([
      'DV-04',
    ]);
  });

  it('of another device takes nothing', () => {
    expect(
      judged(`player: 9S 4D 8C\nbanker: KH 6S 2D\nlost: 1 of the terminal\ndeclared: banker`),
    ).toEqual({ finds: ['DV-04', 'TC-08'], unjudgeable: [] });
  });
});
