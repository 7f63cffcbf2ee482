import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  canonicalLine,
  fold,
  isReview,
  newTable,
  REFUSALS,
  simulate,
  simulateTables,
  takeChanges,
  type ExpectedReview,
  type TableState,
} from '#audit';
import { audit, decoded } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';
import { rounds } from '../kit/rounds.js';
import { DOCUMENTS, inShort, rulesNamed, simulated } from './simulated.js';

const POLICY = BOOK.policies.get('review@1') as NonNullable<ReturnType<typeof BOOK.policies.get>>;

const reviewed = (
  options: Parameters<typeof simulated>[0],
  faults: readonly string[] = [],
): ReturnType<typeof simulated> & { readonly reviews: readonly ExpectedReview[] } => {
  const { lines, expected, reviews } = simulate({
    ...options,
    rules: rulesNamed(options.rules),
    reviews: { book: BOOK, policy: POLICY, faults },
  });
  return { lines: [...lines], expected, reviews };
};

/** Folds a log, and returns what became of each act on a finding, as the simulator expects it. */
function judged(lines: readonly string[]): { acts: ExpectedReview[]; state: TableState } {
  const state = newTable('T1');
  const acts: ExpectedReview[] = [];
  for (const line of lines) {
    fold(state, decoded(line), BOOK);
    for (const change of takeChanges(state).reviews) {
      if (change.is !== 'reviewed') continue;
      const { finding, event, outcome } = change;
      const by = event.source.slice('person/'.length);
      acts.push({ finding, event: `${event.source}#${event.id}`, type: event.type, by, outcome });
    }
  }
  return { acts, state };
}

const refusedIn = (reviews: readonly ExpectedReview[]): string[] =>
  reviews.flatMap(({ outcome }) => (outcome === 'taken' ? [] : [outcome]));

/** Faults of every part of the catalogue that a table can have without bets. */
const FAULTS = ['TC-05', 'TC-08', 'DL-16', 'RS-01', 'SH-04', 'PR-04', 'DV-15', 'RS-09'];
const seeds = fc.string({ minLength: 1, maxLength: 8 });
const anyTable = fc.record({
  seed: seeds,
  rules: fc.constantFrom(...DOCUMENTS),
  shoes: fc.integer({ min: 1, max: 4 }),
  faults: fc.subarray(FAULTS.slice(1)).map((more) => ['TC-05', ...more]),
});
const table = { rules: 'punto-banco@1', seed: 7, shoes: 4 } as const;

describe('simulated reviews', () => {
  it('end as expected, whatever the seed, the rules, the faults and the refusals asked for', () => {
    fc.assert(
      fc.property(
        anyTable,
        fc.array(fc.constantFrom(...REFUSALS), { maxLength: 6 }),
        (options, faults) => {
          const { lines, expected, reviews } = reviewed(options, faults);
          expect(judged(lines).acts).toEqual(reviews);
          expect(refusedIn(reviews).sort()).toEqual([...faults].sort());
          expect(inShort(audit(lines, { once: true }).findings)).toEqual(inShort(expected));
        },
      ),
      { numRuns: rounds(60) },
    );
  });

  it.each(REFUSALS)('are refused exactly as asked for: %s', (word) => {
    fc.assert(
      fc.property(seeds, fc.boolean(), (seed, bets) => {
        const options = { ...table, seed, bets, shoes: 1, faults: ['TC-05'] };
        const { lines, reviews } = reviewed(options, [word]);
        expect(judged(lines).acts).toEqual(reviews);
        expect(refusedIn(reviews)).toEqual([word]);
      }),
      { numRuns: rounds(8) },
    );
  });

  it('cause every refusal at once, and each as often as it is asked for, with one finding', () => {
    const faults = [...REFUSALS, ...REFUSALS, 'same-person', 'same-person'];
    const { lines, reviews } = reviewed({ ...table, shoes: 1, faults: ['TC-05'] }, faults);
    expect(judged(lines).acts).toEqual(reviews);
    expect(refusedIn(reviews).sort()).toEqual([...faults].sort());
  });

  it('spread the refusals over the findings', () => {
    const { reviews } = reviewed({ ...table, faults: FAULTS }, REFUSALS);
    const wronged = reviews.filter(({ outcome }) => outcome !== 'taken');
    expect(new Set(wronged.map(({ finding }) => finding)).size).toBeGreaterThan(4);
  });

  it('leave the lines of the game as they are, in their order', () => {
    const options = { ...table, bets: true, faults: [...FAULTS, 'PY-03', 'CM-01'] };
    const game = simulated(options).lines.join('\n');
    const { lines } = reviewed(
      options,
      REFUSALS.filter((word) => word !== 'finding-withdrawn'),
    );
    expect(lines.filter((line) => !isReview(decoded(line))).join('\n') === game).toBe(true);
  });

  it('are canonical lines, each with the time of the line before or a later one', () => {
    let last = '';
    for (const line of reviewed({ ...table, faults: FAULTS }, REFUSALS).lines) {
      expect(canonicalLine(line)).toBe(line);
      const { time } = decoded(line);
      expect(time >= last).toBe(true);
      last = time;
    }
  });

  it('are the same bytes each time', () => {
    const [once, again] = [0, 1].map(() => reviewed({ ...table, faults: FAULTS }, REFUSALS));
    expect(once?.lines.join('\n') === again?.lines.join('\n')).toBe(true);
    expect(once?.reviews).toEqual(again?.reviews);
  });

  it('have every kind of act, leave findings at every stage, and rule on some out of reach', () => {
    const types = new Set<string>();
    const states = new Set<string>();
    let ruledOutOfReach = 0;
    for (let seed = 0; seed < 12; seed += 1) {
      const { lines } = reviewed({ ...table, seed, faults: [...FAULTS, ...FAULTS.slice(0, 4)] });
      const { acts, state } = judged(lines);
      for (const { type } of acts) types.add(type);
      for (const item of state.desk.items.values())
        states.add(item.state === 'open' && item.claim ? 'claimed' : item.state);
      const reach = [state.open, state.before].map((shoe) => shoe?.ref);
      const closedAt = decoded(lines.findLast((line) => line.includes('shoe-opened')) ?? '').time;
      for (const { shoeRef, ruling } of state.desk.items.values())
        if (shoeRef && !reach.includes(shoeRef) && (ruling?.at ?? 0) > Date.parse(closedAt))
          ruledOutOfReach += 1;
    }
    expect(types.size).toBe(13);
    expect(states).toEqual(new Set(['open', 'claimed', 'proposed', 'ruled']));
    expect(ruledOutOfReach).toBeGreaterThan(0);
  });

  it('add nothing to a lawful log', () => {
    const { lines, reviews } = reviewed(table);
    expect(lines.join('\n') === simulated(table).lines.join('\n')).toBe(true);
    expect(reviews).toEqual([]);
  });

  it('reviews of several tables lie in order of time, and go to the tables that have faults', () => {
    const { lines, reviews } = simulateTables({
      ...{ rules: rulesNamed('punto-banco@1'), seed: 7, shoes: 1, tables: ['B1', 'B2', 'B3'] },
      ...{ faults: ['TC-05', 'TC-08'] },
      reviews: { book: BOOK, policy: POLICY, faults: REFUSALS },
    });
    const events = [...lines].map(decoded);
    const times = events.map(({ time }) => time);
    expect(times).toEqual([...times].sort());
    expect(new Set(events.filter(isReview).map((event) => event.table))).toEqual(
      new Set(['B1', 'B2']),
    );
    expect(refusedIn(reviews()).sort()).toEqual([...REFUSALS].sort());
  });

  it.each([
    [['TC-05'], ['same-persons'], /^"same-persons" is not a refusal of a review; .*same-person,/],
    [[], ['same-person'], /^same-person cannot be caused: a review needs a finding/],
    [['SH-10'], ['coup-open'], /^coup-open cannot be caused: no finding of table T1 was raised/],
  ])('are refused if they are impossible: %j %j', (faults, words, why) => {
    expect(() => reviewed({ ...table, faults }, words)).toThrow(why);
  });
});
