import { describe, expect, it } from '@jest/globals';
import { stepsOf } from '#read-model';
import {
  dueAt,
  due,
  dueOfReadings,
  factsOf,
  outcomesOfReadings,
  valueOf,
  type Card,
  type Due,
  type Hands,
  type Rules,
  type SeenCard,
  type SeenHands,
} from '#baccarat';
import fc from 'fast-check';
import { audit } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';
import { rounds } from '../kit/rounds.js';
import { TableLog } from '../kit/table.js';
import { OF_VALUE } from './coup-in-words.js';

const DOCUMENTS = [...BOOK.values()];
const VALUES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const cardOf = (value: number): Card => OF_VALUE[value] as Card;

/** Every hand that the drawing rules can tell apart: none to four cards. */
const HANDS: readonly (readonly Card[])[] = [
  [],
  [cardOf(9)],
  ...VALUES.flatMap((two) => {
    const pair = [cardOf((two + 5) % 10), cardOf(5)];
    return [
      pair,
      ...VALUES.map((third) => [...pair, cardOf(third)]),
      [...pair, cardOf(4), cardOf(3)],
    ];
  }),
];

const inWords = (what: Due): string =>
  what.step === 'card' ? `${what.optional ? 'may' : 'card'} ${what.to}` : `outcome ${what.outcome}`;
const total = (hand: readonly Card[]): number =>
  hand.reduce((sum, card) => sum + valueOf(card), 0) % 10;

/** The oracle: the procedure as a rule book tells it, from the printed tableau. */
function byTheBook({ document }: Rules, { player, banker }: Hands, stood: boolean): string {
  const order = ['player', 'banker', 'player', 'banker'] as const;
  const counts = { player: 0, banker: 0 };
  for (const hand of order) {
    counts[hand] += 1;
    const laid = hand === 'player' ? player.length : banker.length;
    if (laid < counts[hand]) return `card ${hand}`;
  }
  const [p, b] = [total(player.slice(0, 2)), total(banker.slice(0, 2))];
  const end = [total(player), total(banker)] as const;
  const outcome = `outcome ${end[0] > end[1] ? 'player' : end[0] < end[1] ? 'banker' : 'tie'}`;
  if ([8, 9].includes(p) || [8, 9].includes(b)) return outcome;
  const word = (letter: string | undefined, hand: string): string =>
    `${letter === 'O' ? 'may' : 'card'} ${hand}`;
  if (player.length === 2) {
    const letter = document.tableau.player[p];
    // A player who is free to draw has declined once the banker has drawn.
    const mayStillDraw = banker.length === 2 ? letter !== 'S' && !stood : letter === 'D';
    if (mayStillDraw) return word(letter, 'player');
  }
  if (banker.length > 2) return outcome;
  const row = (document.tableau.banker[b] as string).replace(' ', '');
  const third = player[2];
  const letter = row[third === undefined ? 10 : valueOf(third)];
  return letter === 'S' ? outcome : word(letter, 'banker');
}

const totalsOfHand = (hand: readonly Card[]) => ({
  cards: hand.length,
  two: total(hand.slice(0, 2)),
  third: hand[2] === undefined ? null : valueOf(hand[2]),
  total: total(hand),
});
const seen = ({ player, banker }: Hands): SeenHands => ({
  player: player.map((card) => ({ card })),
  banker: banker.map((card) => ({ card })),
});
/** The cards of a position as the read model keeps them, the banker's last. */
const kept = ({ player, banker }: Hands) =>
  (['player', 'banker'] as const)
    .flatMap((to) => (to === 'player' ? player : banker).map((card) => ({ card, to })))
    .map(({ card, to }, i) => ({
      ref: `device/shoe#${i}`,
      card,
      to,
      moved: false,
      exposed: false,
      carried: false,
      ms: null,
    }));

/** Documents that print the same tableau, by their references: each tableau is tried once. */
const printed = ({ document }: Rules): string => JSON.stringify(document.tableau);
const TABLEAUX = [...new Map(DOCUMENTS.map((rules) => [printed(rules), rules])).values()].map(
  (rules) => {
    const same = DOCUMENTS.filter((other) => printed(other) === printed(rules));
    return [same.map(({ ref }) => ref).join(', '), rules] as const;
  },
);

describe('what is due', () => {
  it.each(TABLEAUX)(
    'is the same for totals, cards, readings and rows in every position under %s',
    (_, rules) => {
      const wrong: string[] = [];
      for (const player of HANDS)
        for (const banker of HANDS) {
          const hands = { player, banker };
          const expected = byTheBook(rules, hands, false);
          const stood = byTheBook(rules, hands, true);
          const isFree = expected === 'may player';
          const said = {
            totals: inWords(dueAt(totalsOfHand(player), totalsOfHand(banker), rules.tableau)),
            cards: inWords(due(hands, rules)),
            readings: dueOfReadings(seen(hands), rules.tableau).map(inWords).join(),
            stood: inWords(due(hands, rules, true)),
            stoodReadings: dueOfReadings(seen(hands), rules.tableau, 'stood').map(inWords).join(),
            rows: stepsOf(kept(hands), rules).then.map(inWords).join(),
          };
          const wanted = {
            totals: expected,
            cards: expected,
            readings: expected,
            stood,
            stoodReadings: isFree ? stood : expected,
            rows: isFree ? `${expected},${stood}` : expected,
          };
          if (JSON.stringify(said) !== JSON.stringify(wanted))
            wrong.push(`${player.join(' ')} / ${banker.join(' ')}: ${JSON.stringify(said)}`);
        }
      expect(wrong).toEqual([]);
    },
    60_000,
  );

  it('is where the fold lays a card that names no hand', () => {
    const anyPosition = fc.record({
      rules: fc.constantFrom(...DOCUMENTS),
      player: fc.constantFrom(...HANDS),
      banker: fc.constantFrom(...HANDS),
    });
    fc.assert(
      fc.property(anyPosition, ({ rules, player, banker }) => {
        const log = new TableLog();
        log.open({ rules: rules.ref, decks: rules.document.decks[0] as number, reports: [] });
        log.add('terminal', 'coup-opened', { coup: 1 });
        log.draw(`P ${player.join(' ')} B ${banker.join(' ')} - 2D`);
        const { unjudgeable, findings } = audit(log.events);
        const next = due({ player, banker }, rules);
        const excess = findings.some(({ code }) => code === 'DL-06');
        expect([excess, unjudgeable]).toEqual([next.step === 'outcome', []]);
      }),
      { numRuns: rounds(200) },
    );
  });

  /** A position with at most five cards a hand and three unread cards, and every way to read it. */
  const anyUnread = fc
    .record({
      player: fc.array(fc.option(fc.constantFrom(...OF_VALUE), { freq: 2 }), { maxLength: 5 }),
      banker: fc.array(fc.option(fc.constantFrom(...OF_VALUE), { freq: 2 }), { maxLength: 5 }),
    })
    .filter(({ player, banker }) => [...player, ...banker].filter((card) => !card).length < 4);
  type Unread = {
    readonly player: readonly (Card | null)[];
    readonly banker: readonly (Card | null)[];
  };
  const unread = ({ player, banker }: Unread): SeenHands => ({
    player: player.map((card): SeenCard => ({ card })),
    banker: banker.map((card): SeenCard => ({ card })),
  });
  const asRead = ({ player, banker }: Unread): Hands[] => {
    const ways = (hand: readonly (Card | null)[]): Card[][] =>
      hand.reduce<Card[][]>(
        (all, card) =>
          all.flatMap((sofar) => (card ? [card] : OF_VALUE).map((each) => [...sofar, each])),
        [[]],
      );
    const bankers = ways(banker);
    return ways(player).flatMap((of) =>
      bankers.map((against) => ({ player: of, banker: against })),
    );
  };
  const distinct = (words: readonly string[]): string[] => [...new Set(words)].sort();

  it('what is due with unread cards is everything that is due for some way to read them, and nothing else', () => {
    fc.assert(
      fc.property(fc.constantFrom(...DOCUMENTS), anyUnread, (rules, hands) => {
        expect(dueOfReadings(unread(hands), rules.tableau).map(inWords).sort()).toEqual(
          distinct(asRead(hands).map((read) => inWords(due(read, rules)))),
        );
      }),
      { numRuns: rounds(4000) },
    );
  });

  it('leaves the outcomes that some way to read the cards makes', () => {
    fc.assert(
      fc.property(anyUnread, (hands) => {
        const facts = asRead(hands).map(factsOf);
        expect([...outcomesOfReadings(unread(hands))].sort()).toEqual(
          distinct(facts.map(({ winner }) => winner)),
        );
      }),
      { numRuns: 40 },
    );
  });
});
