import { readRules, type BetText, type RuleDocument, type Rules } from '#baccarat';

/** The standard tableau: 58 Pa. Code § 631a.11. */
export const STANDARD = {
  player: 'DDDDDDSS',
  banker: [
    // 0123456789  stood
    'DDDDDDDDDD D',
    'DDDDDDDDDD D',
    'DDDDDDDDDD D',
    'DDDDDDDDSD D',
    'SSDDDDDDSS D',
    'SSSSDDDDSS D',
    'SSSSSSDDSS S',
    'SSSSSSSSSS S',
  ],
};

/**
 * Optional cells where seed 000's French game leaves the choice: player 5, banker 3 against 9,
 * banker 5 against 4.
 */
export const CHEMIN_DE_FER = {
  player: 'DDDDDOSS',
  banker: STANDARD.banker.map((row, total) =>
    total === 3 ? 'DDDDDDDDSO D' : total === 5 ? 'SSSSODDDSS D' : row,
  ),
};

const tiePushes = [{ when: { winner: 'tie' } }] as const;
const bonus = (winner: 'player' | 'banker'): BetText => ({
  id: `dragon-bonus-${winner}`,
  pushes: [{ when: { winner: 'tie', playerNatural: true, bankerNatural: true } }],
  pays: [
    { when: { winner, [`${winner}Natural`]: true }, odds: '1 to 1' },
    ...(
      [
        [9, 30],
        [8, 10],
        [7, 6],
        [6, 4],
        [5, 2],
        [4, 1],
      ] as const
    ).map(([margin, odds]) => ({ when: { winner, margin }, odds: `${odds} to 1` })),
  ],
});

/** Every bet id of the contract, at its most common payout. */
export const BETS: readonly BetText[] = [
  { id: 'player', pushes: tiePushes, pays: [{ when: { winner: 'player' }, odds: '1 to 1' }] },
  {
    id: 'banker',
    pushes: tiePushes,
    pays: [{ when: { winner: 'banker' }, odds: '1 to 1' }],
    commission: true,
  },
  { id: 'tie', pays: [{ when: { winner: 'tie' }, odds: '8 to 1' }] },
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
  bonus('player'),
  bonus('banker'),
];

/** Returns a document with these bets and drawing rules. The rest of it does not affect odds. */
function documentOf(
  bets: readonly BetText[] = BETS,
  tableau: RuleDocument['tableau'] = STANDARD,
  rate = '0.05',
): RuleDocument {
  return {
    id: 'odds-case',
    version: 1,
    title: 'Odds',
    sources: {},
    provenance: {},
    game: 'punto-banco',
    decks: [6, 8],
    tableau,
    bets,
    specials: [],
    commission: { rate, when: 'marked', rounding: { unit: 1, mode: 'half-up' } },
    burn: [{ count: 'none' }],
    cutCard: { insideCoup: 1, betweenCoups: 1 },
    clockTolerance: 1,
    irregularities: [],
    procedure: {},
  };
}

/** Returns rules with these bets and drawing rules. */
export const rulesOf = (
  bets?: readonly BetText[],
  tableau?: RuleDocument['tableau'],
  rate?: string,
): Rules => readRules(documentOf(bets, tableau, rate));

/** The banker bet in its several forms, and other payouts of the same bets. */
export const VARIANTS: readonly BetText[] = [
  { id: 'tie-9', pays: [{ when: { winner: 'tie' }, odds: '9 to 1' }] },
  { id: 'perfect-pair-flat', pays: [{ when: { perfectPairs: [1, 2] }, odds: '25 to 1' }] },
  { id: 'big-52', pays: [{ when: { cards: [5, 6] }, odds: '0.52 to 1' }] },
  {
    id: 'banker-ez',
    pushes: [
      { when: { winner: 'banker', bankerTotal: 7, bankerCards: 3 }, special: true },
      ...tiePushes,
    ],
    pays: [{ when: { winner: 'banker' }, odds: '1 to 1' }],
  },
  {
    id: 'banker-half-on-6',
    pushes: tiePushes,
    pays: [
      { when: { winner: 'banker', bankerTotal: 6 }, odds: '0.5 to 1', special: true },
      { when: { winner: 'banker' }, odds: '1 to 1' },
    ],
  },
  { id: 'super-6-at-15', pays: [{ when: { winner: 'banker', bankerTotal: 6 }, odds: '15 to 1' }] },
  {
    id: 'lucky-6-at-23',
    pays: [
      { when: { winner: 'banker', bankerTotal: 6, bankerCards: 2 }, odds: '12 to 1' },
      { when: { winner: 'banker', bankerTotal: 6, bankerCards: 3 }, odds: '23 to 1' },
    ],
  },
  {
    id: '4-5-6',
    pays: [
      { when: { cards: 4 }, odds: '1.5 to 1' },
      { when: { cards: 5 }, odds: '2 to 1' },
      { when: { cards: 6 }, odds: '2 to 1' },
    ],
  },
];
