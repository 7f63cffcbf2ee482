import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalLine, FINDING_CODES, simulate, SimulationRefusal } from '#audit';
import { anyStream } from '../kit/any-event.js';
import { anyGame } from '../kit/any-game.js';
import type { Sent } from '../kit/audit.js';
import { expectSameInBothLanes, type Course } from '../kit/both-lanes.js';
import { BOOK, CUT_BOOK } from '../kit/house.js';
import { anyMutation, mutatedLines, type Writing } from '../kit/mutated-log.js';
import { anyDay, eventsOf } from '../kit/recorded-day.js';
import { overTables, thinned } from '../kit/rounds.js';
import { readStory } from '../kit/story.js';
import { DECKS, smallTable } from '../kit/short-table.js';
import { DOCUMENTS, simulated } from '../simulate/simulated.js';

const FAULTS = FINDING_CODES.filter((code) => !code.startsWith('DV-'));

const course: fc.Arbitrary<Course> = fc.record({
  seed: fc.nat(1 << 30),
  block: fc.constantFrom(1, 4, 60, 60),
  isFinal: fc.boolean(),
  saved: fc.constantFrom(4, 20, 1_000),
  loaded: fc.constantFrom(20, 1_000, 1_000),
});

const writing: fc.Arbitrary<Writing> = fc.record({
  isStamped: fc.boolean(),
  spaced: fc.constantFrom(0, 0, 0, 7, 50),
});

/** A table of two small shoes, with or without faults. */
const anySmallTable = fc.record({
  rules: fc.constantFrom(...DOCUMENTS),
  seed: fc.nat(99_999),
  bets: fc.constantFrom(true, true, false),
  decks: DECKS,
  faults: fc.array(fc.constantFrom(...FAULTS), { maxLength: 1 }),
  coups: fc.integer({ min: 3, max: 12 }),
});

const mutations = fc.oneof(
  fc.array(anyMutation, { maxLength: 2 }),
  fc.array(anyMutation, { minLength: 1, maxLength: 12 }),
);

/** Returns the lines of two logs as those of two tables, mixed. */
function mixed(one: readonly string[], other: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const [first, second] = [one[at], other[at]];
    if (first !== undefined) lines.push(first);
    if (second !== undefined) lines.push(second.replace(/\bT1\b/g, 'T2'));
  }
  return lines;
}

const examples = ['clean-shoe', 'faulty-shoe'].map((name) => ({
  name,
  lines: readFileSync(new URL(`../../examples/${name}.ndjson`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean),
}));

/** Rule documents that allow most faults, the likeliest first. */
const OFTEN = ['punto-banco@1', 'super-6@1', 'nsw-crown@1'];

const PLAIN: Course = { seed: 7, block: 60, isFinal: false, saved: 20, loaded: 1_000 };

/** As the command line folds a log: rows are drawn when a shoe can no longer change. */
const ONCE: Course = { ...PLAIN, isFinal: true, saved: 1_000_000, loaded: 1_000_000 };

/** Expects one verdict in both ways, however rows are taken. */
function expectOneVerdict(lines: readonly string[]): void {
  expect(lines.length).toBeGreaterThan(0);
  for (const isFinal of [true, false]) expectSameInBothLanes(lines, BOOK, { ...PLAIN, isFinal });
}

describe('lines and events of one log have one verdict', () => {
  it.each(examples)('in the example $name', ({ lines }) => {
    expectOneVerdict(lines);
  });

  it.each([...thinned(DOCUMENTS)])('in lawful shoes under %s, with another table', (rules) => {
    for (const bets of [false, true]) {
      const [one, other] = ['T1', 'T3'].map(
        (table) => simulated({ rules, bets, seed: 11, shoes: 2, table }).lines,
      ) as [string[], string[]];
      const lines = mixed(one, other);
      expectSameInBothLanes(lines, BOOK, PLAIN);
      const { lane, again } = expectSameInBothLanes(lines, BOOK, ONCE);
      // one with optional cells is explained whole
      if (rules === 'chemin-de-fer@1') expect(lane).toBe(0);
      else expect(lane / lines.length).toBeGreaterThan(0.98);
      expect(again / lines.length).toBeLessThan(0.03);
    }
  });

  it('with every fault that can be injected', () => {
    for (const code of thinned(FINDING_CODES)) {
      const lines = OFTEN.map((rules) => faulty(rules, code)).find((log) => log.length > 0);
      if (lines) expectSameInBothLanes(lines, BOOK, ONCE);
    }
  });

  it('in every story', () => {
    const folder = new URL('../stories/', import.meta.url);
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.story'))) {
      const { events } = readStory(readFileSync(new URL(name, folder), 'utf8'), name);
      expectOneVerdict(events.map((event) => canonicalLine(JSON.stringify(event))));
    }
  });

  it('with reviews of its findings', () => {
    const rules = BOOK.get('punto-banco@1');
    const [policy] = BOOK.policies.values();
    if (!rules || !policy) throw new Error('no rule document or policy');
    const faults = ['TC-05', 'PY-01', 'RS-02', 'CM-02'];
    const reviews = { book: BOOK, policy };
    const { lines } = simulate({ rules, seed: 3, bets: true, shoes: 4, faults, reviews });
    expectOneVerdict([...lines]);
  });

  it('at small tables, whatever is lost, doubled, changed, added, corrected or voided', () => {
    const log = fc.record({ table: anySmallTable, mutations, writing });
    fc.assert(
      fc.property(log, fc.option(log), course, (one, other, way) => {
        const lines = linesOf(one);
        expectSameInBothLanes(other ? mixed(lines, linesOf(other)) : lines, CUT_BOOK, way);
      }),
      overTables(150),
    );
  });

  it('on days that are disturbed, over many shoes', () => {
    fc.assert(
      fc.property(anyDay, mutations, writing, course, (day, changes, how, way) => {
        const withoutBoots = eventsOf(day);
        const lines = mutatedLines(withoutBoots, [], how);
        const changed = mutatedLines(withoutBoots, changes, how);
        expectSameInBothLanes(lines, BOOK, way);
        expectSameInBothLanes(changed, BOOK, way);
      }),
      overTables(30),
    );
  });

  it('in any stream of events, even an absurd one', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyStream(80), anyGame(80)),
        writing,
        course,
        (events: Sent[], how, way) => {
          const lines = events.map((event) => JSON.stringify(event));
          expectSameInBothLanes(lines, BOOK, way);
          expectSameInBothLanes(mutatedLines(events, [], how), BOOK, way);
        },
      ),
      overTables(200),
    );
  });
});

interface SmallLog {
  readonly table: Parameters<typeof smallTable>[0];
  readonly mutations: Parameters<typeof mutatedLines>[1];
  readonly writing: Writing;
}

const linesOf = ({ table, mutations: changes, writing: how }: SmallLog): string[] =>
  mutatedLines(smallTable(table, CUT_BOOK), changes, how);

/** Returns a log with a fault, or nothing if these rules do not allow it. */
function faulty(name: string, code: string): string[] {
  const rules = BOOK.get(name);
  if (!rules) throw new Error(`no rule document ${name}`);
  try {
    return [...simulate({ rules, seed: 5, bets: true, shoes: 1, faults: [code] }).lines];
  } catch (error) {
    if (error instanceof SimulationRefusal) return [];
    throw error;
  }
}
