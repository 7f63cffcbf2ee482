// Measures one exact solve of eight decks: for the three bets that totals decide, as an audit needs
// it after a coup, and for all fifteen bets with pairs, perfect pairs and bonus payouts.
// Run: npm run build && node bench/odds.mjs
import { oddsOf, readRules } from '#baccarat';
import { spread } from './measure.mjs';

/** @typedef {import('#baccarat').BetText} BetText */

const WARM_UP = 300;
const ROUNDS = 400;

/** @type {BetText['pushes']} */
const tie = [{ when: { winner: 'tie' } }];
/** @type {(winner: 'player' | 'banker') => BetText} */
const bonus = (winner) => ({
  id: `dragon-bonus-${winner}`,
  pushes: [{ when: { winner: 'tie', playerNatural: true } }],
  pays: [
    { when: { winner, [`${winner}Natural`]: true }, odds: '1 to 1' },
    ...Object.entries({ 9: 30, 8: 10, 7: 6, 6: 4, 5: 2, 4: 1 }).map(([margin, odds]) => ({
      when: { winner, margin: Number(margin) },
      odds: `${odds} to 1`,
    })),
  ],
});
/** @type {import('#baccarat').Predicate} */
const BANKER_SIX = { winner: 'banker', bankerTotal: 6 };
/** @type {readonly BetText[]} */
const MAIN = [
  { id: 'player', pushes: tie, pays: [{ when: { winner: 'player' }, odds: '1 to 1' }] },
  {
    id: 'banker',
    pushes: tie,
    pays: [{ when: { winner: 'banker' }, odds: '1 to 1' }],
    commission: true,
  },
  { id: 'tie', pays: [{ when: { winner: 'tie' }, odds: '8 to 1' }] },
];
/** @type {readonly BetText[]} */
const PAIRS = [
  { id: 'player-pair', pays: [{ when: { playerPair: true }, odds: '11 to 1' }] },
  { id: 'banker-pair', pays: [{ when: { bankerPair: true }, odds: '11 to 1' }] },
  { id: 'either-pair', pays: [{ when: { pairs: [1, 2] }, odds: '5 to 1' }] },
];
/** @type {readonly BetText[]} */
const PERFECT = [
  {
    id: 'perfect-pair',
    pays: [
      { when: { perfectPairs: 2 }, odds: '200 to 1' },
      { when: { perfectPairs: 1 }, odds: '25 to 1' },
    ],
  },
];
/** @type {readonly BetText[]} */
const SIDE = [
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
  { id: 'super-6', pays: [{ when: BANKER_SIX, odds: '12 to 1' }] },
  {
    id: 'lucky-6',
    pays: [
      { when: { ...BANKER_SIX, bankerCards: 2 }, odds: '12 to 1' },
      { when: { ...BANKER_SIX, bankerCards: 3 }, odds: '20 to 1' },
    ],
  },
  bonus('player'),
  bonus('banker'),
];

/** @type {(bets: readonly BetText[]) => import('#baccarat').Rules} */
const rulesWith = (bets) =>
  readRules({
    id: 'bench',
    version: 1,
    title: 'bench',
    sources: {},
    provenance: {},
    game: 'punto-banco',
    decks: [8],
    bets,
    tableau: {
      player: 'DDDDDDSS',
      banker: [
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
    specials: [],
    commission: { rate: '0.05', when: 'marked', rounding: { unit: 1, mode: 'half-up' } },
    burn: [],
    cutCard: { insideCoup: 1, betweenCoups: 1 },
    clockTolerance: 1,
    irregularities: [],
    procedure: {},
  });

/**
 * Times exact solves and prints their spread.
 * @param {string} title
 * @param {readonly BetText[]} bets
 * @param {number} decks
 * @param {number} rounds
 */
function time(title, bets, decks, rounds) {
  const rules = rulesWith(bets);
  for (let i = 0; i < rounds * (WARM_UP / ROUNDS); i += 1) oddsOf(rules, decks);
  const ms = [];
  for (let i = 0; i < rounds; i += 1) {
    const from = performance.now();
    const { outcomes } = oddsOf(rules, decks);
    ms.push(performance.now() - from);
    if (decks === 8 && outcomes.banker !== 2_292_252_566_437_888n)
      throw new Error(`wrong count of banker wins: ${outcomes.banker}`);
  }
  const { min, median, max } = spread(ms);
  const [middle, least, most] = [median, min, max].map((each) => each.toFixed(3).padStart(8));
  console.log(
    `${title.padEnd(44)} median ${middle} ms   min ${least}   max ${most}   (${rounds} rounds)`,
  );
}

time('8 decks, player, banker and tie', MAIN, 8, ROUNDS);
time('8 decks, all bets that totals decide', [...MAIN, ...SIDE], 8, ROUNDS);
time('8 decks, player, banker, tie and the pairs', [...MAIN, ...PAIRS], 8, ROUNDS);
time('8 decks, all fifteen bets', [...MAIN, ...SIDE, ...PAIRS, ...PERFECT], 8, ROUNDS / 10);
time('12 decks (BigInt), player, banker and tie', MAIN, 12, ROUNDS);
time(
  '12 decks (BigInt), all fifteen bets',
  [...MAIN, ...SIDE, ...PAIRS, ...PERFECT],
  12,
  ROUNDS / 10,
);
