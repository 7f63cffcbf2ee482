import { describe, expect, it } from '@jest/globals';
import Ajv2020 from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {
  diffPolicies,
  DISPOSITIONS,
  FINDING_CODES,
  lintPolicy,
  NEEDS,
  POLICY_FORM,
  readPolicy,
  REVIEWER_ROLES,
  SEVERITIES,
  type PolicyDocument,
} from '#audit';
import { formProblems, isRecord, pointerTo } from '#baccarat';
import { canonical } from '../../libs/baccarat/src/rules/json-form.js';
import { BOOK, HOUSE } from '../kit/house.js';
import { rounds } from '../kit/rounds.js';
import { altered, publishedPolicy, schema } from './published.js';

const policy = (): PolicyDocument => publishedPolicy('review@1');
const validate = new Ajv2020.default({ allErrors: true, strict: true }).compile(
  schema('policies/policy'),
);

const problemsOf = (place: string, value: unknown) =>
  lintPolicy(altered(policy(), place, value)).problems;

/** Returns the JSON pointers of every member of a document, those of structures too. */
const places = (json: unknown, at = ''): string[] =>
  json === null || typeof json !== 'object'
    ? []
    : Object.entries(json).flatMap(([key, member]) => [
        pointerTo(at, key),
        ...places(member, pointerTo(at, key)),
      ]);

const valueAt = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((at, key) => (at as Record<string, unknown>)[key], document);

const parentOf = (place: string): string => place.slice(0, place.lastIndexOf('/'));

/** Returns whether two documents are equal, apart from their versions. */
const isSame = (a: PolicyDocument, b: PolicyDocument): boolean =>
  canonical({ ...a, version: 1 }) === canonical({ ...b, version: 1 });

const alteration = fc.constantFrom(...places(policy()));
/** Values that are often valid somewhere in a policy. */
const LIKELY: readonly unknown[] = [
  ...[undefined, 0, 1, 2, 45, 60, 61, 600, 7200, 86_400, 604_800, -1, 1.5, true, false],
  ...['', 'other words', 'compliance', 'note', 'video', 'no-error', 'DL-01'],
  ...[{}, [], ['note'], ['compliance'], ['no-error'], ['DL-01'], [1, 2], { USD: 5 }],
];
const near = fc.oneof(fc.jsonValue(), fc.constantFrom(...LIKELY));

/** What Ajv throws at: to compare the items of a list it calls methods that such members hide. */
const BREAKS_AJV = /"(toString|valueOf)":/;

/** The parts of a policy that can be exchanged alone. */
const PARTS = [
  ['title'],
  ['lease'],
  ['undo'],
  ['due'],
  ['video'],
  ['may'],
  ['two', 'dispositions'],
] as const;

const roles = fc.shuffledSubarray([...REVIEWER_ROLES], { minLength: 1 });
const dispositions = fc
  .shuffledSubarray([...DISPOSITIONS], { minLength: 2 })
  .chain((codes) =>
    fc.tuple(
      ...codes.map((code) =>
        fc.record({
          code: fc.constant(code),
          needs: fc.shuffledSubarray([...NEEDS]),
          counts: fc.boolean(),
        }),
      ),
    ),
  )
  .filter((all) => new Set(all.map(({ counts }) => counts)).size === 2);
/** Any policy that lint accepts. */
const anyPolicy: fc.Arbitrary<PolicyDocument> = dispositions.chain((all) =>
  fc.record({
    id: fc.constant('review' as const),
    version: fc.constant(1),
    title: fc.constantFrom('Ours', 'Theirs'),
    lease: fc.integer({ min: 60, max: 3600 }),
    undo: fc.integer({ min: 0, max: 600 }),
    due: fc
      .array(fc.integer({ min: 1, max: 100_000 }), { minLength: 4, maxLength: 4 })
      .map((due) => due.sort((a, b) => a - b) as [number, number, number, number])
      .map(([a, b, c, d]) => ({ 1: a, 2: b, 3: c, 4: d })),
    video: fc.record({
      kept: fc.integer({ min: 1, max: 1_000_000 }),
      before: fc.integer({ min: 0, max: 60 }),
      after: fc.integer({ min: 0, max: 60 }),
    }),
    may: fc.record({ propose: roles, sign: roles, reopen: roles }),
    two: fc.record({
      severities: fc.shuffledSubarray([...SEVERITIES]),
      codes: fc.shuffledSubarray(FINDING_CODES.slice(0, 4)),
      dispositions: fc.shuffledSubarray(all.map(({ code }) => code)),
      from: fc.dictionary(fc.constantFrom('MOP', 'JPY', 'KWD'), fc.integer({ min: 1, max: 5000 })),
    }),
    dispositions: fc.constant(all),
  }),
);

describe('the published review policy', () => {
  it('matches its schema, passes lint and can be read', () => {
    validate(policy());
    expect(validate.errors).toBeNull();
    expect(lintPolicy(policy())).toEqual({ problems: [] });
    const read = readPolicy(policy(), 'x');
    expect(read).toMatchObject({ ref: 'review@1', hash: 'x', document: policy() });
    expect(read.dispositions.get('payout-error')).toEqual({
      code: 'payout-error',
      needs: ['amount'],
      counts: true,
    });
  });

  it('has a schema that is the form that lint uses', () => {
    expect(schema('policies/policy')).toEqual(JSON.parse(JSON.stringify(POLICY_FORM)));
  });

  it('has every disposition', () => {
    expect(policy().dispositions.map(({ code }) => code)).toEqual(DISPOSITIONS);
  });

  it('is known to the validator of events, with its dispositions and no others', () => {
    expect(HOUSE.hasPolicy('review@1')).toBe(true);
    expect(HOUSE.hasPolicy('review@2')).toBe(false);
    expect(HOUSE.hasPolicy('punto-banco@1')).toBe(false);
    for (const code of DISPOSITIONS) expect(HOUSE.hasDisposition('review@1', code)).toBe(true);
    expect(HOUSE.hasDisposition('review@1', 'settle')).toBe(false);
    expect(HOUSE.hasDisposition('review@2', 'no-error')).toBe(false);
    expect([...BOOK.policies.keys()]).toEqual(['review@1']);
  });
});

describe('lint of a review policy', () => {
  const members = places(policy()).filter((place) => isRecord(valueAt(policy(), parentOf(place))));

  it('names each member that is missing, except for thresholds, which are free', () => {
    const free = (place: string): boolean => place.startsWith('/two/from/');
    expect(members.length).toBeGreaterThan(50);
    for (const place of members.filter((each) => !free(each)))
      expect([place, problemsOf(place, undefined)]).toEqual([
        place,
        [{ pointer: place, problem: 'is missing' }],
      ]);
    for (const place of members.filter(free)) expect(problemsOf(place, undefined)).toEqual([]);
  });

  it('names each value that is of another type', () => {
    for (const place of places(policy()))
      expect([place, problemsOf(place, null).map(({ pointer }) => pointer)]).toEqual([
        place,
        [place],
      ]);
  });

  it('names each unknown member', () => {
    const objects = ['', ...places(policy())].filter((place) => isRecord(valueAt(policy(), place)));
    expect(objects.length).toBe(17);
    for (const object of objects) {
      const place = pointerTo(object, 'color');
      expect(problemsOf(place, 'red').map(({ pointer }) => pointer)).toEqual([place]);
    }
  });

  it.each<[string, string, unknown, string, string]>([
    ['a lease of 59 s', '/lease', 59, '/lease', 'is 59 and should be at least 60'],
    ['a lease of 3,601 s', '/lease', 3601, '/lease', 'is 3601 and should be at most 3600'],
    ['an undo of 601 s', '/undo', 601, '/undo', 'is 601 and should be at most 600'],
    [
      'a graver deadline that is longer',
      '/due/1',
      86_401,
      '/due/2',
      'is 86400 and should be at least 86401, the deadline of the graver severity 1',
    ],
    [
      'a lesser deadline that is shorter',
      '/due/4',
      1,
      '/due/4',
      'is 1 and should be at least 259200, the deadline of the graver severity 3',
    ],
    ['video that is not kept', '/video/kept', 0, '/video/kept', 'is 0 and should be at least 1'],
    [
      'video before a coup that ends before it begins',
      '/video/before',
      -1,
      '/video/before',
      'is -1 and should be at least 0',
    ],
    [
      'a role that does not review',
      '/may/propose/0',
      'finance',
      '/may/propose/0',
      'is "finance" and should be one of "pit-boss", "surveillance", "compliance"',
    ],
    [
      'an empty list of roles',
      '/may/sign',
      [],
      '/may/sign',
      'has 0 entries and should have at least 1',
    ],
    [
      'an unknown severity',
      '/two/severities',
      [5],
      '/two/severities/0',
      'is 5 and should be one of 1, 2, 3, 4',
    ],
    [
      'a code of no finding',
      '/two/codes/1',
      'ZZ-99',
      '/two/codes/1',
      '"ZZ-99" is not the code of a finding',
    ],
    [
      'two persons for a disposition that the policy does not have',
      '/dispositions/10',
      undefined,
      '/two/dispositions/2',
      'test-round is not a disposition of this policy',
    ],
    [
      'an unknown currency',
      '/two/from/ZZZ',
      100,
      '/two/from/ZZZ',
      'is not a currency code of ISO 4217, such as "MOP"',
    ],
    ['a threshold of 0', '/two/from/MOP', 0, '/two/from/MOP', 'is 0 and should be at least 1'],
    [
      'a threshold with a fraction',
      '/two/from/MOP',
      0.5,
      '/two/from/MOP',
      'is 0.5 and should be a whole number',
    ],
    [
      'a disposition that is there already',
      '/dispositions/1/code',
      'no-error',
      '/dispositions/1/code',
      'no-error is in the policy already',
    ],
    [
      'a repeated need',
      '/dispositions/0/needs',
      ['note', 'note'],
      '/dispositions/0/needs/1',
      'repeats an earlier entry',
    ],
    [
      'dispositions of which none counts',
      '/dispositions',
      [
        { code: 'no-error', needs: [], counts: false },
        { code: 'test-round', needs: [], counts: false },
      ],
      '/dispositions',
      'has no disposition that counts',
    ],
    [
      'dispositions that all count',
      '/dispositions',
      [
        { code: 'no-error', needs: [], counts: true },
        { code: 'test-round', needs: [], counts: true },
      ],
      '/dispositions',
      'has no disposition that does not count',
    ],
    ['another id', '/id', 'rulings', '/id', 'should be "review"'],
    ['a version of 0', '/version', 0, '/version', 'is 0 and should be at least 1'],
  ])('reports %s', (...[, place, value, pointer, problem]) => {
    expect(problemsOf(place, value)).toContainEqual({ pointer, problem });
  });

  it('accepts a deadline that is as long as the graver one, and a policy that never needs two', () => {
    expect(problemsOf('/due/2', 7200)).toEqual([]);
    const never = { severities: [], codes: [], dispositions: [], from: { USD: 2 ** 53 - 1 } };
    expect(problemsOf('/two', never)).toEqual([]);
  });

  it('never throws on any JSON value, and reports a problem', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (json) => {
        expect(lintPolicy(json).problems.length).toBeGreaterThan(0);
      }),
    );
    const deep = JSON.parse(
      `{"dispositions":${'['.repeat(50_000)}${']'.repeat(50_000)},"two":{"from":{"__proto__":[]}}}`,
    ) as unknown;
    expect(lintPolicy(deep).problems.length).toBeGreaterThan(0);
  });

  it('agrees with a JSON Schema validator about the form, whatever one value is changed to', () => {
    fc.assert(
      fc.property(alteration, near, (place, value) => {
        fc.pre(!BREAKS_AJV.test(JSON.stringify(value)));
        // Ajv compares objects of this realm only, and structuredClone makes those of another.
        const document = JSON.parse(JSON.stringify(altered(policy(), place, value))) as unknown;
        expect(formProblems(document, POLICY_FORM).length === 0).toBe(validate(document));
        if (!validate(document)) expect(lintPolicy(document).problems).not.toEqual([]);
      }),
      { numRuns: rounds(1000) },
    );
  });
});

describe('the difference of two review policies', () => {
  it.each<[string, string, unknown, string[]]>([
    ['the title', '/title', 'Ours', ['title: Review of findings: a policy to begin with → Ours']],
    ['the lease', '/lease', 5400 / 2, ['a claim lasts: 10 minutes → 45 minutes']],
    ['the undo', '/undo', 0, ['undo within: 1 minute → 0 seconds']],
    [
      'a deadline',
      '/due/2',
      90_061,
      ['severity 2 is due within: 1 day → 1 day 1 hour 1 minute 1 second'],
    ],
    ['kept video', '/video/kept', 1_209_600, ['video is kept: 7 days → 14 days']],
    [
      'the video before a coup',
      '/video/before',
      90,
      ['video before a coup: 30 seconds → 1 minute 30 seconds'],
    ],
    ['the video after a coup', '/video/after', 1, ['video after a coup: 1 minute → 1 second']],
    [
      'a role',
      '/may/sign',
      ['compliance'],
      ['may sign: pit-boss, surveillance, compliance → compliance'],
    ],
    ['severities', '/two/severities', [], ['two persons for severity: 1 → none']],
    [
      'codes',
      '/two/codes/2',
      'TC-01',
      ['two persons for findings: DV-15, PR-04 → DV-15, PR-04, TC-01'],
    ],
    [
      'a threshold',
      '/two/from/MOP',
      500_000,
      ['two persons in MOP from: 10,000.00 MOP → 5,000.00 MOP'],
    ],
    [
      'a threshold less',
      '/two/from/MOP',
      undefined,
      ['two persons in MOP from: 10,000.00 MOP → any amount'],
    ],
    [
      'what a disposition needs',
      '/dispositions/1/needs',
      ['note', 'video'],
      ['dealer-error-corrected needs: none → note, video'],
    ],
    ['whether one counts', '/dispositions/9/counts', true, ['duplicate: does not count → counts']],
    ['one less', '/dispositions/1', undefined, ['disposition dealer-error-corrected removed']],
  ])('names %s', (_, place, value, expected) => {
    const other = altered(policy(), place, value);
    expect(lintPolicy(other).problems).toEqual([]);
    expect(diffPolicies(policy(), other)).toEqual(expected);
  });

  it('names an added disposition, and another order', () => {
    const without = altered(policy(), '/dispositions/1');
    expect(diffPolicies(without, policy())).toEqual([
      'disposition dealer-error-corrected added: needs none, counts',
    ]);
    const turned = altered(policy(), '/dispositions', policy().dispositions.toReversed());
    expect(diffPolicies(policy(), turned)).toEqual([
      `dispositions in another order: ${DISPOSITIONS.toReversed().join(', ')}`,
    ]);
  });

  it('is never empty between the policy and a valid one with another value in one place', () => {
    let compared = 0;
    for (const place of places(policy()))
      for (const value of LIKELY) {
        const other = altered(policy(), place, value);
        if (isSame(other, policy()) || lintPolicy(other).problems.length > 0) continue;
        compared += 1;
        expect([place, value, diffPolicies(policy(), other)]).not.toEqual([place, value, []]);
      }
    expect(compared).toBeGreaterThan(150);
  });

  it('is empty exactly between two policies that are equal except for their version', () => {
    const parts = fc.subarray([...PARTS]);
    fc.assert(
      fc.property(anyPolicy, anyPolicy, parts, (one, another, same) => {
        expect(lintPolicy(one).problems).toEqual([]);
        const kept = Object.fromEntries(same.flat().map((name) => [name, one[name]]));
        const other = { ...another, ...kept, version: 2 };
        expect(lintPolicy(other).problems).toEqual([]);
        expect(diffPolicies(one, other).length === 0).toBe(isSame(one, other));
      }),
      { numRuns: rounds(1000) },
    );
    fc.assert(fc.property(anyPolicy, (one) => expect(diffPolicies(one, one)).toEqual([])));
  });
});
