import { readRules, type BetText, type RuleDocument } from '#baccarat';

const tie = [{ when: { winner: 'tie' } }] as const;
const tiersByMargin = (side: 'player' | 'banker') => [
  { when: { winner: side, [`${side}Natural`]: true }, odds: '1 to 1' },
  ...(
    [
      [9, 30],
      [8, 10],
      [7, 6],
      [6, 4],
      [5, 2],
      [4, 1],
    ] as const
  ).map(([margin, odds]) => ({ when: { winner: side, margin }, odds: `${odds} to 1` })),
];
const dragonBonus = (side: 'player' | 'banker'): BetText => ({
  id: `dragon-bonus-${side}`,
  pushes: [{ when: { winner: 'tie', [`${side}Natural`]: true } }],
  pays: tiersByMargin(side),
});

/**
 * Every bet that has an id, at the odds of one house, with the main bets in the form that bears
 * commission.
 */
const BETS: readonly BetText[] = [
  { id: 'player', pushes: tie, pays: [{ when: { winner: 'player' }, odds: '1 to 1' }] },
  {
    id: 'banker',
    pushes: tie,
    pays: [{ when: { winner: 'banker' }, odds: '1 to 1' }],
    commission: true,
  },
  { id: 'tie', pays: [{ when: { winner: 'tie' }, odds: '9 for 1' }] },
  { id: 'player-pair', pays: [{ when: { playerPair: true }, odds: '11 to 1' }] },
  { id: 'banker-pair', pays: [{ when: { bankerPair: true }, odds: '11 to 1' }] },
  { id: 'either-pair', pays: [{ when: { pairs: [1, 2] }, odds: '5 to 1' }] },
  {
    id: 'perfect-pair',
    pays: [
      { when: { perfectPairs: 2 }, odds: '200 to 1' },
      { when: { perfectPairs: 1 }, odds: '25 to 1' },
    ],
  },
  { id: 'big', pays: [{ when: { cards: [5, 6] }, odds: '0.54 to 1' }] },
  { id: 'small', pays: [{ when: { cards: 4 }, odds: '1.5 to 1' }] },
  {
    id: 'dragon-7',
    pays: [{ when: { winner: 'banker', bankerTotal: 7, bankerCards: 3 }, odds: '40 to 1' }],
  },
  {
    id: 'panda-8',
    pays: [{ when: { winner: 'player', playerTotal: 8, playerCards: 3 }, odds: '25 to 1' }],
  },
  { id: 'super-6', pays: [{ when: { winner: 'banker', bankerTotal: 6 }, odds: '12 to 1' }] },
  {
    id: 'lucky-6',
    pays: [
      { when: { winner: 'banker', bankerTotal: 6, bankerCards: 2 }, odds: '12 to 1' },
      { when: { winner: 'banker', bankerTotal: 6, bankerCards: 3 }, odds: '20 to 1' },
    ],
  },
  dragonBonus('player'),
  dragonBonus('banker'),
];

/** A house's rules for the tests of the game: the standard table, every bet. */
export const HOUSE: RuleDocument = {
  id: 'test-house',
  version: 1,
  title: 'Rules for the tests of the game',
  sources: {},
  provenance: {},
  game: 'punto-banco',
  decks: [6, 8],
  tableau: {
    player: 'DDDDDDSS',
    banker: [
      // 123456789 stood
      'DDDDDDDDDD D',
      'DDDDDDDDDD D',
      'DDDDDDDDDD D',
      'DDDDDDDDSD D',
      'SSDDDDDDSS D',
      'SSSSDDDDSS D',
      'SSSSSSDDSS S',
      'SSSSSSSSSS S',
    ],
  },
  bets: BETS,
  specials: ['natural', 'dragon-7', 'panda-8', 'player-pair'],
  commission: { rate: '0.05', when: 'marked', rounding: { unit: 1, mode: 'half-up' } },
  burn: [{ count: 'first-card' }],
  cutCard: { insideCoup: 1, betweenCoups: 1 },
  clockTolerance: 1,
  irregularities: [],
  procedure: {},
};

export const house = readRules(HOUSE);

const { commission: _, ...WITHOUT_COMMISSION } = HOUSE;

/** The same house without commission: a banker hand that wins with a three-card 7 pushes. */
export const threeCardSevenPushes = readRules({
  ...WITHOUT_COMMISSION,
  bets: [
    {
      id: 'banker',
      pushes: [
        ...tie,
        { when: { winner: 'banker', bankerTotal: 7, bankerCards: 3 }, special: true },
      ],
      pays: [{ when: { winner: 'banker' }, odds: '1 to 1' }],
    },
  ],
});

/** The same house without commission: a banker hand that wins with 6 pays half. */
export const sixPaysHalf = readRules({
  ...WITHOUT_COMMISSION,
  bets: [
    {
      id: 'banker',
      pushes: tie,
      pays: [
        { when: { winner: 'banker', bankerTotal: 6 }, odds: '0.5 to 1', special: true },
        { when: { winner: 'banker' }, odds: '1 to 1' },
      ],
    },
  ],
});

/** Chemin de fer: the player may choose on 5; the banker on 3 against 9 and on 5 against 4. */
export const withChoices = readRules({
  ...HOUSE,
  game: 'chemin-de-fer',
  tableau: {
    player: 'DDDDDOSS',
    banker: HOUSE.tableau.banker.map((row, total) =>
      total === 3 ? 'DDDDDDDDSO D' : total === 5 ? 'SSSSODDDSS D' : row,
    ),
  },
});
