import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  diffRules,
  formProblems,
  lint,
  pointerTo,
  RULE_DOCUMENT_FORM,
  STANDARD_TABLEAU,
  type RuleDocument,
} from '#baccarat';
import { altered, published, REFS } from './published.js';
import { IS_LONG } from '../kit/rounds.js';

const changes = (ref: string, place: string, value: unknown): string[] =>
  diffRules(published(ref), altered(published(ref), place, value));

describe('the difference of two rule documents', () => {
  it.each(REFS)('is empty between %s and itself', (ref) =>
    expect(diffRules(published(ref), published(ref))).toEqual([]),
  );

  it("names each single cell of the banker's table that changed, and no other", () => {
    const names = { D: 'draw', S: 'stand', O: 'optional' } as const;
    let cells = 0;
    for (let total = 0; total <= 7; total += 1) {
      const row = STANDARD_TABLEAU.banker[total] as string;
      for (const [at, letter] of [...row].entries()) {
        if (letter === ' ') continue;
        for (const other of (['D', 'S', 'O'] as const).filter((name) => name !== letter)) {
          const where = at > 10 ? 'when the player stood' : `against a third card of ${at}`;
          expect(
            changes(
              'punto-banco@1',
              `/tableau/banker/${total}`,
              row.slice(0, at) + other + row.slice(at + 1),
            ),
          ).toEqual([`banker ${total} ${where}: ${names[letter as 'D']} → ${names[other]}`]);
          cells += 1;
        }
      }
    }
    expect(cells).toBe(2 * 88);
  });

  it("names each single cell of the player's row that changed", () => {
    for (let total = 0; total <= 7; total += 1) {
      const row = STANDARD_TABLEAU.player;
      const [from, to, letter] =
        row[total] === 'D' ? ['draw', 'stand', 'S'] : ['stand', 'draw', 'D'];
      expect(
        changes(
          'punto-banco@1',
          '/tableau/player',
          row.slice(0, total) + letter + row.slice(total + 1),
        ),
      ).toEqual([`player on ${total}: ${from} → ${to}`]);
    }
  });

  it('is only the timing between commission marked and commission taken', () => {
    expect(diffRules(published('punto-banco@1'), published('punto-banco-taken@1'))).toEqual([
      'commission: marked → taken',
    ]);
  });

  it('is only the burn between punto banco and punto banco without a burn', () => {
    expect(diffRules(published('punto-banco@1'), published('punto-banco-no-burn@1'))).toEqual([
      'burn: by the first card (ace 1, ten 10, face 10) → none',
    ]);
  });

  it('names the optional cells of chemin de fer and the bets that it lacks', () => {
    expect(diffRules(published('punto-banco@1'), published('chemin-de-fer@1'))).toEqual([
      'game: punto-banco → chemin-de-fer',
      'player on 5: draw → optional',
      'banker 3 against a third card of 9: draw → optional',
      'banker 5 against a third card of 4: draw → optional',
      'bet player removed',
      'bet banker removed',
      'bet tie removed',
      'bet player-pair removed',
      'bet banker-pair removed',
      'specials: banker-pair, natural, player-pair → natural',
      'commission: 0.05 of the winnings, marked, to 1 (half-up) → none',
      'burn: by the first card (ace 1, ten 10, face 10) → none',
    ]);
  });

  it.each<[string, string, string, unknown, string[]]>([
    ['other odds', 'punto-banco@1', '/bets/2/pays/0/odds', '9 to 1', ['tie pays 8 to 1 → 9 to 1']],
    [
      'the same odds in the other notation',
      'punto-banco@1',
      '/bets/2/pays/0/odds',
      '9 for 1',
      ['tie pays 8 to 1 → 9 for 1 (the same profit)'],
    ],
    [
      'other odds of one tier',
      'macau-2011@1',
      '/bets/5/pays/1/odds',
      '23 to 1',
      ['lucky-6 pays 20 to 1 → 23 to 1 where winner banker, banker total 6, banker cards 3'],
    ],
    [
      'a removed tier',
      'super-6@1',
      '/bets/1/pays/0',
      undefined,
      ['banker: no longer pays 0.5 to 1 where winner banker, banker total 6 (special)'],
    ],
    [
      'a removed push',
      'punto-banco@1',
      '/bets/0/pushes',
      undefined,
      ['player: no longer pushes where winner tie'],
    ],
    [
      'an ordinary payout',
      'super-6@1',
      '/bets/1/pays/0/special',
      undefined,
      ['banker pays where winner banker, banker total 6: special → ordinary'],
    ],
    [
      'another condition',
      'super-6@1',
      '/bets/8/pays/0/when',
      { cards: [4, 5] },
      [
        'small: no longer pays 1.5 to 1 where cards 4',
        'small: now pays 1.5 to 1 where cards 4 or 5',
      ],
    ],
    [
      'a bet that bears no commission',
      'punto-banco@1',
      '/bets/1/commission',
      undefined,
      ['banker: bears commission → bears no commission'],
    ],
    [
      'another name of a bet',
      'punto-banco@1',
      '/bets/2/title',
      'Standoff',
      ['tie: title: Tie → Standoff'],
    ],
    [
      'a new bet',
      'punto-banco@1',
      '/bets/5',
      { id: 'small', pays: [{ when: { cards: 4 }, odds: '1.5 to 1' }] },
      ['bet small added: pays 1.5 to 1'],
    ],
    ['the rate', 'punto-banco@1', '/commission/rate', '0.04', ['commission rate: 0.05 → 0.04']],
    [
      'the rounding',
      'punto-banco@1',
      '/commission/rounding',
      { unit: 25, mode: 'up' },
      ['commission rounded to: 1 (half-up) → 25 (up)'],
    ],
    [
      'a minimum commission',
      'punto-banco@1',
      '/commission/minimum',
      100,
      ['least commission: none → 100'],
    ],
    [
      'the rounding of payouts',
      'super-6@1',
      '/payouts/rounding/unit',
      5,
      ['payouts rounded to: 1 (half-up) → 5 (half-up)'],
    ],
    ['the decks', 'punto-banco@1', '/decks', [6, 7, 8], ['decks: 6, 8 → 6, 7, 8']],
    [
      'the burn',
      'macau-2011@1',
      '/burn/2',
      { count: 'fixed', from: 1, to: 9 },
      [
        'burn: a fixed number from 1 to 8 or as many as decks or by the first card (ace 1, ten 10, face 10) → a fixed number from 1 to 9 or as many as decks or by the first card (ace 1, ten 10, face 10)',
      ],
    ],
    [
      'the cut card',
      'punto-banco@1',
      '/cutCard',
      { insideCoup: 0, betweenCoups: 2 },
      [
        'coups after the cut card, shown inside a coup: 1 → 0',
        'coups after the cut card, shown between coups: 1 → 2',
      ],
    ],
    ['the clocks', 'punto-banco@1', '/clockTolerance', 2, ['clock tolerance in seconds: 1 → 2']],
    [
      'demonstration hands',
      'macau-2011@1',
      '/procedure',
      {},
      ['demonstration hands: 3 → no limit'],
    ],
    [
      'a disposition',
      'macau-2011@1',
      '/irregularities/0/do',
      ['burn', 'settle'],
      ['DL-05: settle (macau-regulation, art. 4) → burn + settle (macau-regulation, art. 4)'],
    ],
    [
      'a removed disposition',
      'nsw-crown@1',
      '/irregularities/4',
      undefined,
      [
        'DL-05 where the card is the first of its coup: this-coup-dummy (nsw-training, rule 11.5) → nothing prescribed',
      ],
    ],
    [
      'the title',
      'punto-banco@1',
      '/title',
      'Punto',
      ['title: Punto banco, commission marked → Punto'],
    ],
    ['a source', 'punto-banco@1', '/sources/pa-631a/edition', '2030', ['source pa-631a changed']],
    [
      'a provenance',
      'punto-banco@1',
      '/provenance/~1burn',
      { source: 'nsw-rules' },
      ['source of /burn: burn-cards (provisional) → nsw-rules'],
    ],
  ])('names %s', (_, ref, place, value, expected) =>
    expect(changes(ref, place, value)).toEqual(expected),
  );

  it('names a changed order of tiers and of dispositions', () => {
    const reversed = (
      ref: string,
      pick: (document: RuleDocument) => readonly unknown[],
      place: string,
    ): string[] => changes(ref, place, [...pick(published(ref))].reverse());
    expect(reversed('super-6@1', ({ bets }) => bets[1]?.pays ?? [], '/bets/1/pays')).toEqual([
      'banker: tried in another order: pushes winner tie; pays winner banker; pays winner banker, banker total 6',
    ]);
    expect(
      reversed(
        'nsw-crown@1',
        ({ irregularities }) => irregularities.slice(2, 4),
        '/irregularities',
      ).filter((change) => change.startsWith('DL-02')),
    ).toEqual([
      'DL-02: tried in another order: DL-02 where the card belongs to the banker hand; DL-02 where the card belongs to the player hand',
    ]);
  });

  it('is never empty between a document and a valid one with another value in one place', () => {
    const pointers = (json: unknown, at = ''): string[] =>
      json === null || typeof json !== 'object'
        ? [at]
        : Object.entries(json).flatMap(([key, member]) => pointers(member, pointerTo(at, key)));
    const other = fc.constantFrom<unknown>(
      0,
      1,
      2,
      3,
      5,
      7,
      25,
      true,
      '2 to 1',
      '0.02',
      'tie',
      'player',
      'taken',
      'down',
      'up',
      'settle',
      'burn',
      'TC-09',
      'other words',
      'DDDDDOSS',
      'DDDDDDDDDD S',
      undefined,
    );
    const place = fc
      .constantFrom(...REFS)
      .chain((ref) => fc.tuple(fc.constant(ref), fc.constantFrom(...pointers(published(ref)))));
    let compared = 0;
    fc.assert(
      fc.property(place, other, ([ref, pointer], value) => {
        const before = published(ref);
        const after = altered(before, pointer, value);
        if (
          after.id !== before.id ||
          after.version !== before.version ||
          JSON.stringify(before) === JSON.stringify(after)
        )
          return;
        if (formProblems(after, RULE_DOCUMENT_FORM).length > 0) return;
        compared += 1;
        if (diffRules(before, after).length === 0)
          expect([pointer, value, lint(after).problems]).not.toEqual([pointer, value, []]);
      }),
      // not fewer in the quick tests: few of them compare anything
      { numRuns: IS_LONG ? 5000 : 1250 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
