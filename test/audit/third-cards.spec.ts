import { describe, expect, it } from '@jest/globals';
import type { Card } from '#baccarat';
import { audit, codes } from '../kit/audit.js';
import { found, judged, readStory } from '../kit/story.js';
import { TableLog } from '../kit/table.js';

/**
 * The table as a rule book prints it (58 Pa. Code § 631a.11). It is repeated here because the
 * auditor must match it.
 */
const PLAYER = 'DDDDDDSS';
const BANKER = [
  // 0123456789  stood
  'DDDDDDDDDD  D', // banker has 0
  'DDDDDDDDDD  D', // banker has 1
  'DDDDDDDDDD  D', // banker has 2
  'DDDDDDDDSD  D', // banker has 3
  'SSDDDDDDSS  D', // banker has 4
  'SSSSDDDDSS  D', // banker has 5
  'SSSSSSDDSS  S', // banker has 6
  'SSSSSSSSSS  S', // banker has 7
];
const STOOD = 12;

const TOTALS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const THIRDS = [STOOD, ...TOTALS];
const CARDS_OF: readonly (readonly Card[])[] = [
  ['KS', 'TH', 'QD', 'JC'],
  ['AS', 'AH'],
  ['2S', '2H'],
  ['3S', '3D'],
  ['4S', '4C'],
  ['5S', '5H'],
  ['6S', '6D'],
  ['7S', '7H'],
  ['8S', '8D'],
  ['9S', '9C'],
];
const card = (value: number, nth = 0): Card =>
  CARDS_OF[value]?.[nth] ?? (CARDS_OF[value]?.[0] as Card);
/**
 * Returns two cards of a total. For even totals the first is a ten or picture, so that both kinds
 * of hand occur.
 */
const two = (total: number, nth: number): string[] =>
  total % 2 === 0 ? [card(0, nth), card(total, nth)] : [card((total + 4) % 10, nth), card(6, nth)];

/**
 * Plays a coup of two first hands and these draws, in order. The coup ends with or without a
 * declared outcome.
 */
function coup(player: number, banker: number, drawn: string, declares: boolean): string[] {
  const log = new TableLog();
  log.open({ reports: [] });
  log.add('terminal', 'coup-opened', { coup: 1 });
  const [[p1, p2], [b1, b2]] = [two(player, 0), two(banker, 1)] as [
    [string, string],
    [string, string],
  ];
  log.draw(`P ${p1} B ${b1} P ${p2} B ${b2} ${drawn}`);
  if (declares) log.add('terminal', 'outcome-declared', { outcome: 'tie', by: 'dealer' });
  log.add('terminal', 'coup-closed');
  return codes(audit(log.events).findings).filter((code) => code.startsWith('TC'));
}

/** Returns what the printed table says is wrong with a coup in which the player hand drew first. */
function wrongIn(
  player: number,
  banker: number,
  third: number,
  bankerDrew: boolean,
  [playerRow, bankerRows] = [PLAYER, BANKER],
): string[] {
  const playerDrew = third !== STOOD;
  if (player >= 8 || banker >= 8)
    return [...(playerDrew ? ['TC-01'] : []), ...(bankerDrew ? ['TC-02'] : [])];
  const playerWrong = playerDrew
    ? playerRow[player] === 'S'
      ? ['TC-04']
      : []
    : playerRow[player] === 'D'
      ? ['TC-03']
      : [];
  const cell = bankerRows[banker]?.[third];
  const bankerWrong = bankerDrew
    ? cell === 'S'
      ? [playerDrew ? 'TC-08' : 'TC-06']
      : []
    : cell === 'D'
      ? [playerDrew ? 'TC-07' : 'TC-05']
      : [];
  return [...playerWrong, ...bankerWrong].sort();
}

const drawing = (third: number, bankerDrew: boolean): string =>
  `${third === STOOD ? '' : `P ${card(third, 1)}`} ${bankerDrew ? 'B 5D' : ''}`.trim();

describe('every cell of the table of third cards', () => {
  it.each(TOTALS)('is judged when the banker hand has %i', (banker) => {
    for (const player of TOTALS) {
      for (const third of THIRDS) {
        for (const bankerDrew of [false, true]) {
          const said = `player ${player}, third ${third}, banker ${bankerDrew ? 'drew' : 'stood'}`;
          const wanted = wrongIn(player, banker, third, bankerDrew);
          expect([
            said,
            'declared',
            ...coup(player, banker, drawing(third, bankerDrew), true),
          ]).toEqual([said, 'declared', ...wanted]);
          expect([
            said,
            'ended',
            ...coup(player, banker, drawing(third, bankerDrew), false),
          ]).toEqual([said, 'ended', ...wanted]);
        }
      }
    }
  });

  it('allows a lawful coup: one exists for all hands and third cards', () => {
    for (const player of TOTALS) {
      for (const banker of TOTALS) {
        const lawful = THIRDS.flatMap((third) =>
          [false, true].map((bankerDrew) => wrongIn(player, banker, third, bankerDrew)),
        ).filter((wrong) => wrong.length === 0);
        expect(lawful.length).toBe(player >= 8 || banker >= 8 || PLAYER[player] === 'S' ? 1 : 10);
      }
    }
  });

  it('is not judged if it is optional, as under chemin de fer', () => {
    const player = 'DDDDDOSS';
    const banker = BANKER.with(3, 'DDDDDDDDSO  D').with(5, 'SSSSODDDSS  D');
    const log = (p: number, b: number, drawn: string): string[] => {
      const [[p1, p2], [b1, b2]] = [two(p, 0), two(b, 1)] as [[string, string], [string, string]];
      return [
        ...found(
          `rules: chemin-de-fer@1\nreports: nothing\ndealt: P ${p1} B ${b1} P ${p2} B ${b2} ${drawn}`,
        ),
      ];
    };
    for (const p of TOTALS.slice(0, 8)) {
      for (const b of TOTALS.slice(0, 8)) {
        for (const third of THIRDS) {
          for (const bankerDrew of [false, true]) {
            expect([p, b, third, ...log(p, b, drawing(third, bankerDrew))]).toEqual([
              p,
              b,
              third,
              ...wrongIn(p, b, third, bankerDrew, [player, banker]),
            ]);
          }
        }
      }
    }
  });
});

describe('a banker hand that draws before the player hand', () => {
  it('raises TC-09 if the player hand was due a card, and TC-08 by the card that then comes', () => {
    for (const player of [0, 1, 2, 3, 4, 5]) {
      for (const banker of [0, 1, 2, 3, 4, 5, 6, 7]) {
        for (const third of TOTALS) {
          const wanted = BANKER[banker]?.[third] === 'S' ? ['TC-08', 'TC-09'] : ['TC-09'];
          expect([
            player,
            banker,
            third,
            ...coup(player, banker, `B 5D P ${card(third, 1)}`, true),
          ]).toEqual([player, banker, third, ...wanted]);
        }
      }
    }
  });

  it.each([
    [
      "raises no TC-09 if the player hand's card never comes: the player hand counts as having stood",
      2,
      6,
      'B 5D',
      ['TC-03', 'TC-06'],
    ],
    ["raises nothing on 5 if the player hand's card never comes", 2, 5, 'B 5D', ['TC-03']],
    ['raises no TC-09 if the player hand stands', 6, 5, 'B 5D', []],
    [
      'is judged against a standing player hand if that hand then draws unlawfully',
      6,
      6,
      'B 5D P 2H',
      ['TC-04', 'TC-06'],
    ],
    [
      'raises nothing on 5 against a player hand that draws unlawfully',
      6,
      5,
      'B 5D P 8S',
      ['TC-04'],
    ],
    ['raises no TC-09 beside a natural', 2, 8, 'B 5D P 2H', ['TC-01', 'TC-02']],
  ])('%s', (_, player, banker, drawn, wanted) => {
    expect(coup(player, banker, drawn, true)).toEqual(wanted);
    expect(coup(player, banker, drawn, false)).toEqual(wanted);
  });

  it("is judged again if the player hand's card comes after the declaration", () => {
    expect(
      found('dealt: P 2S B KC P KH B 6H B 5D\ndeclared: player\ndealt: P 9S\ndeclared: tie'),
    ).toEqual(['TC-03', 'TC-08', 'TC-09']);
  });
});

describe('a fourth card (TC-11)', () => {
  it.each([
    ['raises TC-11 on the player hand', 'dealt: P 2S B KC P KH B 7H P 5D P 2D', ['TC-11']],
    ['raises TC-11 on the banker hand', 'dealt: P 2S B KC P KH B 3H P 5D B 2D B AH', ['TC-11']],
    [
      'raises TC-11 once for each hand, however many cards follow',
      'dealt: P 2S B KC P KH B 3H P 5D B 2D B AH B 2H P 6H P 7H',
      ['TC-11', 'TC-11'],
    ],
    [
      'raises TC-11 beside a natural, together with the third card',
      'dealt: P 2S B KC P KH B 9H P 5D P 2D',
      ['TC-01', 'TC-11'],
    ],
    ['raises nothing at three cards', 'dealt: P 2S B KC P KH B 3H P 5D B 2D', []],
    [
      'raises nothing for cards that no hand has',
      'dealt: P 2S B KC P KH B 3H P 5D B 2D - AH',
      ['DL-06'],
    ],
  ])('%s', (_, lines, wanted) => {
    expect(found(`reports: nothing\n${lines}`)).toEqual(wanted);
  });

  it('keeps TC-11 when it is moved away', () => {
    expect(
      found(
        'reports: nothing\ndealt: P 2S B KC P KH B 3H P 5D B 2D B AH\nmoved: AH to discard, by mira because it was one too many',
      ),
    ).toEqual(['TC-11']);
  });
});

describe('the drawing of a coup', () => {
  it.each([
    [
      'raises a missing draw at the declaration, even if the card follows',
      'player: 2S KH\nbanker: KC 7H\ndeclared: banker\ndealt: P 8D\ndeclared: player',
      ['RS-02', 'TC-03'],
    ],
    [
      'raises a missing draw once, at the declaration or at the end',
      'player: 2S KH 9D\nbanker: KC 3H\ndeclared: banker\ndeclared: banker',
      ['TC-07'],
    ],
    [
      'raises a missing draw at the end if no outcome was declared',
      'reports: nothing\nplayer: 2S KH 9D\nbanker: KC 3H',
      ['TC-07'],
    ],
    [
      'raises a missing draw at the end if the next coup opens',
      'reports: nothing\nplayer: TS 6H\nbanker: KC 3H\ncoup:\nplayer: 9S KH\nbanker: 5C 3D',
      ['TC-05'],
    ],
    [
      'raises no missing draw at a call',
      'reports: nothing\ndealt: P 2S B KC P KH B 3H\ncalled: player 2\ndealt: P 9D\ncalled: banker 3\ndealt: B 4S',
      [],
    ],
    [
      'raises no missing draw in a void coup',
      'player: 2S KH 9D\nbanker: KC 3H\nvoid: by mira because two cards stuck',
      [],
    ],
    ['is judged in a dummy coup', 'kind: dummy\nplayer: 2S KH 9D\nbanker: KC 3H', ['TC-07']],
    [
      'is judged in a demonstration coup',
      'kind: demonstration\nplayer: 2S 3H\nbanker: KC 7H',
      ['TC-03'],
    ],
    ['is judged in a free coup', 'kind: free\nplayer: TS 6H\nbanker: KC 3H', ['TC-05']],
  ])('%s', (_, lines, wanted) => {
    expect(found(lines)).toEqual(wanted);
  });

  it('raises an unlawful draw as soon as the card lies there, even if the coup is then declared void', () => {
    expect(found('player: 9S 4D 8C\nbanker: KH 6S 2D\nvoid: by mira because of that draw')).toEqual(
      ['TC-08 (void)'],
    );
  });

  it('raises an unlawful draw by the hands at that moment: a move withdraws nothing', () => {
    expect(
      found(
        'player: 9S 4D 8C\nbanker: KH 6S 2D\nmoved: 2D to discard, by mira because it was not due\ndeclared: banker 1 to 6',
      ),
    ).toEqual(['TC-08']);
  });

  it('does not count a card moved to a hand as the missed draw', () => {
    expect(
      found(
        "player: TS 6H 9D\nbanker: KC 3H\nmoved: 9D to banker, by mira because it was the banker hand's\ndeclared: player 6 to 2",
      ),
    ).toEqual(['TC-04']);
  });

  it.each([
    'P 9S P 4D P 8C B KH B 6S',
    'P TS P 6H P 8C B KH B 6S',
    'P 2S B KC B 6H B 5D P KH P 9S',
  ])('does not count a misplaced card of the first four as a draw: %s', (cards) => {
    expect(found(`reports: nothing\ndealt: ${cards}`)).toEqual(['DL-02']);
  });
});

describe('the text of a finding', () => {
  const only = (lines: string) => {
    const { events } = readStory(`reports: nothing\n${lines}\nfinds: nothing`, 'a case');
    const { findings } = audit(events);
    expect(findings.length).toBe(1);
    const cards = events
      .filter(({ type }) => type === 'shoeprint.card-drawn.v1')
      .map(
        ({ source, id, data }) =>
          [`${source as string}#${id as string}`, (data as { card: string }).card] as const,
      );
    const [finding] = findings;
    return {
      ...finding,
      events: finding?.events.map(
        (reference) => cards.find(([of]) => of === reference)?.[1] ?? 'no card',
      ),
    };
  };

  it.each([
    [
      'TC-08',
      'player: 9S 4D 8C\nbanker: KH 6S 2D',
      ['2D'],
      'stand',
      'drew 2D',
      'The banker hand (KH 6S) drew on 6 against a third card of 8; it must stand.',
    ],
    [
      'TC-07',
      'player: 2S KH 9D\nbanker: KC 3H',
      ['2S', 'KH', '9D', 'KC', '3H', 'no card'],
      'draw',
      'stood',
      'The banker hand (KC 3H) did not draw on 3 against a third card of 9; it must.',
    ],
    [
      'TC-03',
      'player: 2S 3H\nbanker: KC 7H',
      ['2S', '3H', 'KC', '7H', 'no card'],
      'draw',
      'stood',
      'The player hand (2S 3H) did not draw on 5; it must.',
    ],
    [
      'TC-04',
      'player: 2S 4H 3D\nbanker: KC 7H',
      ['3D'],
      'stand',
      'drew 3D',
      'The player hand (2S 4H) drew on 6; it must stand.',
    ],
    [
      'TC-01',
      'player: KS 4H 5D\nbanker: KC 8H',
      ['5D'],
      'stand',
      'drew 5D',
      'The player hand (KS 4H) drew on 4 while a natural ended the drawing.',
    ],
    [
      'TC-06',
      'player: 2S 5H\nbanker: KC 6H 3D',
      ['3D'],
      'stand',
      'drew 3D',
      'The banker hand (KC 6H) drew on 6 against a player hand of two cards; it must stand.',
    ],
    [
      'TC-09',
      'dealt: P 2S B KC P KH B 3H B 9D P 5D',
      ['9D', '5D'],
      'player first',
      'banker first',
      "The banker's third card was drawn before the player's, which was due.",
    ],
    [
      'TC-11',
      'dealt: P 2S B KC P KH B 3H P 5D B 2D B AH',
      ['KC', '3H', '2D', 'AH'],
      'at most three cards',
      'a fourth card',
      'The banker hand was given a fourth card.',
    ],
  ])(
    'shows the cards, what was due and what was done: %s',
    (code, lines, events, ...[expected, observed, message]) => {
      expect(only(lines)).toMatchObject({
        code,
        severity: 1,
        coup: 1,
        events,
        expected,
        observed,
        message,
      });
    },
  );
});

describe('a card that could not be read', () => {
  it.each([
    [
      "leaves a draw on 6 open as the player hand's third card",
      'player: 2S KH ??\nbanker: KC 6H 2D',
      ['DV-01'],
      ['TC-08'],
    ],
    [
      "leaves standing on 6 open as the player hand's third card",
      'player: 2S KH ??\nbanker: KC 6H',
      ['DV-01'],
      ['TC-07'],
    ],
    [
      "leaves nothing open on 7 as the player hand's third card: every value stands",
      'player: 2S KH ??\nbanker: KC 7H 2D',
      ['DV-01', 'TC-08'],
      [],
    ],
    [
      "leaves nothing open on 2 as the player hand's third card: every value draws",
      'player: 2S KH ??\nbanker: KC 2H',
      ['DV-01', 'TC-07'],
      [],
    ],
    [
      "leaves a lawful draw on 2 lawful as the player hand's third card",
      'player: 2S KH ??\nbanker: KC 2H 2D',
      ['DV-01'],
      [],
    ],
    [
      "changes nothing as the banker hand's third card",
      'player: 2S KH 8D\nbanker: KC 6H ??',
      ['DV-01', 'TC-08'],
      [],
    ],
    ['may make a natural in the player hand', 'player: ?? KH\nbanker: KC 7H', ['DV-01'], ['TC-03']],
    [
      'leaves nothing open in a player hand against a natural',
      'player: ?? KH 4D\nbanker: KC 8H',
      ['DV-01', 'TC-01'],
      [],
    ],
    [
      "leaves the banker hand's draw open in the banker hand",
      'player: TS 6H\nbanker: KC ??',
      ['DV-01'],
      ['TC-05'],
    ],
    [
      'leaves no doubt about a fourth card in the banker hand',
      'dealt: P TS B KC P 6H B ?? B 2D B 3D',
      ['DV-01', 'TC-11'],
      ['TC-02', 'TC-06'],
    ],
    [
      'leaves no doubt about a fourth card in the banker hand after one in the player hand, whichever card it is',
      'dealt: P 6D P 4H P 5S B 7C P AS B ?? - ?? B AS B AS',
      ['DL-02', 'DV-01', 'DV-01', 'TC-11', 'TC-11'],
      ['DL-06', 'TC-02', 'TC-08'],
    ],
    [
      'leaves no doubt about the order of the first four cards',
      'dealt: P TS P ?? B KH B 6H',
      ['DL-02', 'DV-01'],
      ['TC-03'],
    ],
  ])('%s', (_, lines, finds, unjudgeable) => {
    expect(judged(`reports: nothing\n${lines}`)).toEqual({ finds, unjudgeable });
  });

  it('is judged again once a correction names it', () => {
    const lines =
      'reports: nothing\nplayer: 2S KH ??\nbanker: KC 6H 2D\ncorrected: ?? is 8D, by mira because the camera shows it';
    expect(judged(lines)).toEqual({ finds: ['DV-01', 'TC-08'], unjudgeable: [] });
    expect(judged(lines.replace('8D', '6D'))).toEqual({ finds: ['DV-01'], unjudgeable: [] });
  });
});

describe('a card without a named hand, after an unread card', () => {
  // The first card was not read. On 0 to 5 the 4 was due to the player hand, on 6 and 7 to the
  // banker hand, and on 8 and 9 a natural ended the drawing.
  const open = 'dealt: - ?? 2H TS 3H 4D\ndeclared: tie';

  it('leaves open the draws that only some readings miss', () => {
    expect(judged(open).unjudgeable).toContain('TC-07'); // banker 5 against a third card of 4 draws
    expect(judged(open).unjudgeable).not.toContain('TC-03');
    expect(judged(open).finds).toEqual(['DV-01']);
  });

  it('raises nothing about a draw that no reading misses', () => {
    // Banker 5 against 9 stands.
    expect(judged(open.replace('4D', '9D')).unjudgeable).not.toContain('TC-07');
  });

  it('raises a draw that every reading makes unlawful', () => {
    expect(judged('dealt: - ?? 9H TS TH 4D B 2D\ndeclared: tie').finds).toEqual(
      expect.arrayContaining(['TC-02']),
    ); // the banker hand has a natural
  });

  it('leaves open only what some reading breaks, also with four unread cards', () => {
    expect(judged('dealt: - ?? ?? ?? ?? 4D 5D\ndeclared: tie').unjudgeable).toEqual([
      'DL-06',
      'RS-02',
    ]);
    expect(judged('dealt: - ?? ?? ?? ?? 4D\ndeclared: tie').unjudgeable).toEqual([
      'DL-06',
      'RS-02',
      'TC-07',
    ]);
  });
});
