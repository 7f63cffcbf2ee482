import { describe, expect, it } from '@jest/globals';
import Ajv2020 from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {
  ACTIONS,
  formProblems,
  lint,
  pointerTo,
  readRules,
  RULE_DOCUMENT_FORM,
  type LintProblem,
  type RuleDocument,
} from '#baccarat';
import { altered, published, REFS, schema } from './published.js';
import { rounds } from '../kit/rounds.js';

const problemsOf = (ref: string, place: string, value: unknown): readonly LintProblem[] =>
  lint(altered(published(ref), place, value)).problems;
const disposition = (codes: string[], when: object | undefined): object => ({
  codes,
  ...(when && { when }),
  do: ['settle'],
  source: 'nsw-training',
  section: '1',
});

describe('lint of the form of a document', () => {
  it.each<[string, string, string, unknown, string, string]>([
    ['a missing field', 'punto-banco@1', '/decks', undefined, '/decks', 'is missing'],
    [
      'an unknown field',
      'punto-banco@1',
      '/colour',
      'red',
      '/colour',
      'is not a field of this document',
    ],
    [
      'an unknown field of a bet',
      'punto-banco@1',
      '/bets/2/limit',
      5,
      '/bets/2/limit',
      'is not a field of this document',
    ],
    [
      'an unknown condition',
      'punto-banco@1',
      '/bets/2/pays/0/when',
      { colour: 'red' },
      '/bets/2/pays/0/when/colour',
      'is not a field of this document',
    ],
    ['13 decks', 'punto-banco@1', '/decks', [8, 13], '/decks/1', 'is 13 and should be at most 12'],
    [
      'an empty list of decks',
      'punto-banco@1',
      '/decks',
      [],
      '/decks',
      'has 0 entries and should have at least 1',
    ],
    [
      'a repeated number of decks',
      'punto-banco@1',
      '/decks',
      [8, 8],
      '/decks/1',
      'repeats an earlier entry',
    ],
    [
      'an amount with a fraction',
      'punto-banco@1',
      '/commission/rounding/unit',
      0.5,
      '/commission/rounding/unit',
      'is 0.5 and should be a whole number',
    ],
    [
      'a rounding unit of 0',
      'punto-banco@1',
      '/commission/rounding/unit',
      0,
      '/commission/rounding/unit',
      'is 0 and should be at least 1',
    ],
    [
      'a commission rate of 1',
      'punto-banco@1',
      '/commission/rate',
      '1',
      '/commission/rate',
      'is "1", which is not of the form: a share of the winnings below 1, as a decimal such as "0.05"',
    ],
    [
      'a rate that is not a text',
      'punto-banco@1',
      '/commission/rate',
      0.05,
      '/commission/rate',
      'is 0.05 and should be a text',
    ],
    [
      'odds in another notation',
      'punto-banco@1',
      '/bets/2/pays/0/odds',
      '8:1',
      '/bets/2/pays/0/odds',
      'is "8:1", which is not of the form: odds as published, such as "8 to 1", "0.95 to 1" or "9 for 1"',
    ],
    [
      'an unknown way to burn',
      'punto-banco@1',
      '/burn',
      [{ count: 'some' }],
      '/burn/0',
      'must be one of these forms: a way of counting: "none", "first-card", "decks" or "fixed"',
    ],
    [
      'a burn without its upper number',
      'punto-banco@1',
      '/burn',
      [{ count: 'fixed', from: 1 }],
      '/burn/0/to',
      'is missing',
    ],
    [
      'an unknown time for commission',
      'punto-banco@1',
      '/commission/when',
      'later',
      '/commission/when',
      'is "later" and should be one of "taken", "marked"',
    ],
    [
      'an unknown action',
      'nsw-crown@1',
      '/irregularities/0/do',
      ['pray'],
      '/irregularities/0/do/0',
      `is "pray" and should be one of ${ACTIONS.map((action) => `"${action}"`).join(', ')}`,
    ],
    [
      'a code of another form',
      'nsw-crown@1',
      '/irregularities/0/codes',
      ['DL05'],
      '/irregularities/0/codes/0',
      'is "DL05", which is not of the form: a code, two capitals, a hyphen, two digits',
    ],
    [
      'a negative clock tolerance',
      'punto-banco@1',
      '/clockTolerance',
      -1,
      '/clockTolerance',
      'is -1 and should be at least 0',
    ],
    [
      'an empty condition on a disposition',
      'nsw-crown@1',
      '/irregularities/1/when',
      {},
      '/irregularities/1/when',
      'is empty',
    ],
  ])('reports %s', (...[, ref, place, value, pointer, problem]) => {
    expect(problemsOf(ref, place, value)).toContainEqual({ pointer, problem });
  });
});

describe('lint of the tableau', () => {
  it.each<[string, string, string, string]>([
    [
      'a row that is one cell short',
      '/tableau/banker/4',
      'SSDDDDDDS D',
      'banker 4 against a third card of 9: not decided',
    ],
    [
      'a row without the column for a player who stood',
      '/tableau/banker/4',
      'SSDDDDDDSS',
      'banker 4 when the player stood: not decided',
    ],
    [
      'a row with an extra cell',
      '/tableau/banker/4',
      'SSDDDDDDSSS D',
      '1 cells too many after banker 4 against a third card of 9',
    ],
    [
      'an unknown letter in a cell',
      '/tableau/banker/6',
      'SSSSSSDXSS S',
      'banker 6 against a third card of 7: "X" is neither D (draw), S (stand) nor O (optional)',
    ],
    [
      'a player row that is one cell short',
      '/tableau/player',
      'DDDDDDS',
      'player on 7: not decided',
    ],
  ])('names the cell of %s', (_, place, value, problem) => {
    expect(problemsOf('punto-banco@1', place, value)).toEqual([{ pointer: place, problem }]);
  });

  it('lists departures from the standard table in words, which are not problems', () => {
    const { problems, departures } = lint(
      altered(published('punto-banco@1'), '/tableau/banker/6', 'SSSSSSSDSS S'),
    );
    expect(problems).toEqual([]);
    expect(departures).toEqual(['banker 6 against a third card of 6: draw → stand']);
  });
});

describe('lint of the content', () => {
  it.each<[string, string, string, unknown, string, string]>([
    [
      'odds that win nothing',
      'punto-banco@1',
      '/bets/2/pays/0/odds',
      '1 for 1',
      '/bets/2/pays/0/odds',
      '"1 for 1" wins nothing',
    ],
    [
      'odds that return less than the stake',
      'punto-banco@1',
      '/bets/2/pays/0/odds',
      '0.5 for 1',
      '/bets/2/pays/0/odds',
      '"0.5 for 1" returns less than the stake, or has no stake',
    ],
    [
      'a payout that an earlier one always preempts',
      'super-6@1',
      '/bets/1/pays',
      [
        { when: { winner: 'banker' }, odds: '1 to 1' },
        { when: { winner: 'banker', bankerTotal: 6 }, odds: '0.5 to 1' },
      ],
      '/bets/1/pays/1/when',
      'an earlier push or payout covers every coup in which this one holds',
    ],
    [
      'a payout that a push always preempts',
      'punto-banco@1',
      '/bets/0/pays/0/when',
      { winner: 'tie' },
      '/bets/0/pays/0/when',
      'an earlier push or payout covers every coup in which this one holds',
    ],
    [
      'a condition that no coup meets, by its facts',
      'ez-baccarat@1',
      '/bets/3/pays/0/when',
      { winner: 'tie', margin: 3 },
      '/bets/3/pays/0/when',
      'no coup can satisfy this condition',
    ],
    [
      'a condition that no coup meets, by the tableau',
      'ez-baccarat@1',
      '/bets/3/pays/0/when',
      { playerNatural: true, bankerCards: 3 },
      '/bets/3/pays/0/when',
      'no coup can satisfy this condition',
    ],
    [
      'a condition that no coup meets, by a pattern of cards',
      'ez-baccarat@1',
      '/bets/3/pays/0/when',
      { player: ['9H', '??'], playerCards: 3, playerTotal: 9, banker: ['T?', '9?'] },
      '/bets/3/pays/0/when',
      'no coup can satisfy this condition',
    ],
    [
      'a perfect pair with one deck',
      'super-6@1',
      '/decks',
      [1],
      '/bets/6/pays/0/when',
      'no coup can satisfy this condition',
    ],
    [
      'a bet that never loses',
      'super-6@1',
      '/bets/8/pays/0/when',
      { cards: [4, 5, 6] },
      '/bets/8',
      'the bet can never lose',
    ],
    [
      'a bet that bears commission in a document without commission',
      'ez-baccarat@1',
      '/bets/0/commission',
      true,
      '/bets/0/commission',
      'the bet bears commission and the document has none',
    ],
    [
      'commission that no bet bears',
      'punto-banco@1',
      '/bets/1/commission',
      undefined,
      '/commission',
      'no bet bears commission',
    ],
    [
      'a special payout beside commission',
      'punto-banco@1',
      '/bets/1/pays/0/special',
      true,
      '/bets/1/pays/0/special',
      'a special push or payout exists instead of commission, and this bet bears commission',
    ],
    [
      'a special payout without an ordinary one',
      'super-6@1',
      '/bets/9/pays/0/special',
      true,
      '/bets/9/pays/0/special',
      'a special push or payout is an exception, and this bet has no ordinary payout',
    ],
    [
      'a repeated bet',
      'punto-banco@1',
      '/bets/2/id',
      'player',
      '/bets/2/id',
      'player is in the document already',
    ],
    [
      'an announced name that is not a bet',
      'punto-banco@1',
      '/specials/1',
      'dragon-7',
      '/specials/1',
      '"dragon-7" is neither "natural" nor a bet of this document',
    ],
    [
      'burn numbers in the wrong order',
      'macau-2011@1',
      '/burn/2',
      { count: 'fixed', from: 8, to: 1 },
      '/burn/2',
      'no number lies from 8 to 1',
    ],
    [
      'a disposition without a known source',
      'nsw-crown@1',
      '/irregularities/0/source',
      'hearsay',
      '/irregularities/0/source',
      '"hearsay" is not a source of this document',
    ],
    [
      'a disposition behind a general one',
      'nsw-crown@1',
      '/irregularities/1',
      disposition(['DL-05'], undefined),
      '/irregularities/4/codes/0',
      'earlier entries decide DL-05 in every case that this one is for',
    ],
    [
      'a disposition behind both cases of one condition',
      'nsw-crown@1',
      '/irregularities/8',
      disposition(['SH-07', 'TC-01'], { exposed: true }),
      '/irregularities/8/codes/1',
      'earlier entries decide TC-01 in every case that this one is for',
    ],
    [
      'a value without a source',
      'punto-banco@1',
      '/provenance/~1tableau',
      undefined,
      '/tableau',
      'has no provenance',
    ],
    [
      'a part of a value without a source',
      'punto-banco@1',
      '/provenance/~1commission~1when',
      undefined,
      '/commission/when',
      'has no provenance',
    ],
    [
      'one bet without a source',
      'punto-banco@1',
      '/provenance/~1bets~12',
      undefined,
      '/bets/2',
      'has no provenance',
    ],
    [
      'a source that is not listed',
      'punto-banco@1',
      '/provenance/~1decks/source',
      'hearsay',
      '/provenance/~1decks/source',
      '"hearsay" is not a source of this document',
    ],
    [
      'a provenance of a missing value',
      'punto-banco@1',
      '/provenance/~1bets~17',
      { source: 'pa-631a' },
      '/provenance/~1bets~17',
      '/bets/7 leads to no value of this document',
    ],
  ])('reports %s', (...[, ref, place, value, pointer, problem]) => {
    expect(problemsOf(ref, place, value)).toContainEqual({ pointer, problem });
  });

  it('accepts three entries for one code if each has cases of its own', () => {
    const entries = [
      disposition(['DL-02'], { belongsTo: 'player' }),
      disposition(['DL-02'], { belongsTo: 'banker' }),
      disposition(['DL-02'], undefined),
    ];
    const document = {
      ...published('nsw-crown@1'),
      irregularities: entries,
      provenance: { ...published('nsw-crown@1').provenance },
    };
    expect(
      lint(document).problems.filter(({ pointer }) => pointer.startsWith('/irregularities')),
    ).toEqual([]);
  });

  it('accepts a bet on the cards themselves, such as three sevens', () => {
    const sevens = {
      id: 'three-sevens',
      pays: [
        { when: { player: ['7H', '7H', '7H'] }, odds: '500 to 1' },
        { when: { player: ['7?', '7?', '7?'] }, odds: '50 to 1' },
      ],
    };
    const document = altered(published('punto-banco@1'), '/bets/2', sevens);
    expect(lint(document).problems).toEqual([]);
    sevens.pays.reverse();
    expect(lint(altered(document, '/bets/2', sevens)).problems).toEqual([
      {
        pointer: '/bets/2/pays/1/when',
        problem: 'an earlier push or payout covers every coup in which this one holds',
      },
    ]);
  });

  it('checks the valid parts although another part is invalid', () => {
    const document = altered(
      altered(published('punto-banco@1'), '/clockTolerance', 'long'),
      '/bets/2/pays/0/odds',
      '1 for 1',
    );
    expect(lint(document).problems.map(({ pointer }) => pointer)).toEqual([
      '/clockTolerance',
      '/bets/2/pays/0/odds',
    ]);
  });
});

describe('lint', () => {
  const pointers = (json: unknown, at = ''): string[] =>
    json === null || typeof json !== 'object'
      ? [at]
      : [
          at,
          ...Object.entries(json).flatMap(([key, member]) => pointers(member, pointerTo(at, key))),
        ];
  const places = new Map(
    REFS.map((ref) => [ref, pointers(published(ref)).filter((pointer) => pointer !== '')]),
  );
  const alteration = fc.constantFrom(...REFS).chain((ref) =>
    fc.record({
      ref: fc.constant(ref),
      place: fc.constantFrom(...(places.get(ref) as string[])),
    }),
  );
  const near = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(
      undefined,
      0,
      1,
      -1,
      1.5,
      6,
      '',
      'D',
      'tie',
      '8 to 1',
      '0 to 1',
      true,
      false,
      {},
      [],
      ['tie'],
      [1, 1],
      1e400,
    ),
  );

  it('never throws on any JSON value, and reports a problem', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (json) => {
        expect(lint(json).problems.length).toBeGreaterThan(0);
      }),
    );
    const deep = JSON.parse(
      `{"bets":${'['.repeat(50_000)}${']'.repeat(50_000)},"decks":[{"__proto__":[]}],"tableau":{"banker":[null]}}`,
    ) as unknown;
    expect(lint(deep).problems.length).toBeGreaterThan(0);
  });

  it('never throws on a published document with any one value changed, and accepts only what can be parsed', () => {
    fc.assert(
      fc.property(alteration, near, ({ ref, place }, value) => {
        const document = altered(published(ref), place, value);
        if (lint(document).problems.length === 0)
          expect(readRules(document).ref).toBe(`${document.id}@${document.version}`);
      }),
      { numRuns: rounds(150) },
    );
  });

  it('agrees with a JSON Schema validator about the form of every such document', () => {
    const validate = new Ajv2020.default().compile(schema('rule-document'));
    fc.assert(
      fc.property(alteration, near, ({ ref, place }, value) => {
        const document = altered(published(ref), place, value);
        expect(formProblems(document, RULE_DOCUMENT_FORM).length === 0).toBe(validate(document));
      }),
      { numRuns: rounds(3000) },
    );
  });

  it('points at values of the document, or at the parent of a missing one', () => {
    fc.assert(
      fc.property(alteration, near, ({ ref, place }, value) => {
        const document: RuleDocument = altered(published(ref), place, value);
        for (const { pointer, problem } of formProblems(document, RULE_DOCUMENT_FORM)) {
          const parent =
            problem === 'is missing' ? pointer.slice(0, pointer.lastIndexOf('/')) : pointer;
          expect(pointers(document)).toContain(parent);
        }
      }),
      { numRuns: rounds(300) },
    );
  });
});
