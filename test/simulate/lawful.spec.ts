import { describe, expect, it } from '@jest/globals';
import { canonicalLine, type AnyEvent } from '#audit';
import { totalOf, type Card } from '#baccarat';
import fc from 'fast-check';
import { decoded } from '../kit/audit.js';
import { auditedSimulation, DOCUMENTS, inShort, rulesNamed, simulated } from './simulated.js';
import { rounds } from '../kit/rounds.js';

const seeds = fc.string({ minLength: 1, maxLength: 8 });

/** Both kinds of table, for every published document. */
const TABLES = DOCUMENTS.flatMap((rules) => [
  { rules, bets: false },
  { rules, bets: true },
]);

describe('a seed', () => {
  it('produces the same bytes each time', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(...TABLES), (seed, table) => {
        const options = { ...table, seed, shoes: 1, faults: ['TC-05', 'DL-06'] };
        const [once, again] = [simulated(options), simulated(options)];
        expect(once.lines.join('\n') === again.lines.join('\n')).toBe(true);
        expect(once.expected).toEqual(again.expected);
      }),
      { numRuns: rounds(8) },
    );
  });

  it('produces other bytes than another seed, and the same for a number and its digits', () => {
    const cards = (seed: string | number): string =>
      simulated({ rules: 'punto-banco@1', seed, shoes: 1 }).lines.join('\n');
    expect(cards(1) === cards(2)).toBe(false);
    expect(cards(1) === cards('1')).toBe(true);
  });

  it('deals other cards at another table', () => {
    const drawn = (table: string): string[] =>
      cardsOf(simulated({ rules: 'punto-banco@1', seed: 1, shoes: 1, table }).lines.map(decoded));
    expect(drawn('B07')).not.toEqual(drawn('B08'));
  });
});

describe('shoes that are closed early', () => {
  it('end after the coup that was asked for, with all commission paid, and have no findings', () => {
    fc.assert(
      fc.property(
        seeds,
        fc.constantFrom(...TABLES),
        fc.integer({ min: 1, max: 12 }),
        (seed, table, coups) => {
          const { lines, findings, unjudgeable } = auditedSimulation({
            ...table,
            ...{ seed, coups, shoes: 2 },
          });
          expect([findings, unjudgeable]).toEqual([[], []]);
          const events = lines.map(decoded);
          expect(events.filter(({ type }) => type === 'coup-opened')).toHaveLength(2 * coups);
          for (const event of events)
            if (event.type === 'shoe-closed') expect(event.data.reason).toBe('operator');
        },
      ),
      { numRuns: rounds(80) },
    );
  });

  it('have their faults in the coups that are dealt', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 4, max: 8 }), (seed, coups) => {
        const { findings, expected } = auditedSimulation({
          ...{ rules: 'punto-banco@1', bets: true, seed, coups, shoes: 1 },
          faults: ['TC-05', 'PY-01', 'CM-05'],
        });
        expect(inShort(findings)).toEqual(inShort(expected));
        expect(expected).toHaveLength(3);
      }),
      { numRuns: rounds(80) },
    );
  });

  it.each([
    [{ coups: 0 }, 'coups must be a whole number of at least 1, not 0'],
    [{ coups: 4, faults: ['TC-05@5'] }, 'coups 1 to 4'],
    [{ coups: 4, faults: ['SH-09'] }, 'each shoe is closed after coup 4'],
    [{ coups: 4, faults: ['SH-13'] }, 'each shoe is closed after coup 4'],
  ])('are refused if they cannot be: %j', (asked, why) => {
    expect(() => simulated({ rules: 'punto-banco@1', seed: 1, shoes: 1, ...asked })).toThrow(why);
  });
});

const cardsOf = (events: readonly AnyEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'card-drawn' ? [String(event.data.card)] : []));

describe.each(TABLES)('a lawful table under $rules, bets: $bets', ({ rules, bets }) => {
  it('has no findings and nothing unjudgeable, whatever the seed', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { findings, unjudgeable, expected } = auditedSimulation({
          rules,
          bets,
          seed,
          shoes: 2,
        });
        expect(findings).toEqual([]);
        expect(unjudgeable).toEqual([]);
        expect(expected).toEqual([]);
      }),
      { numRuns: rounds(4) },
    );
  });

  it('writes canonical lines, each with the time of the line before or a later one', () => {
    let last = '';
    for (const line of simulated({ rules, bets, seed: 'canon', shoes: 1 }).lines) {
      expect(canonicalLine(line)).toBe(line);
      const { time } = decoded(line);
      expect(time >= last).toBe(true);
      last = time;
    }
  });

  it('draws or leaves every card of the decks, for every allowed number of decks', () => {
    for (const decks of rulesNamed(rules).document.decks) {
      const events = simulated({ rules, bets, seed: decks, shoes: 2, decks }).lines.map(decoded);
      const closings = events.flatMap((event) =>
        event.type === 'shoe-closed' ? [event.data] : [],
      );
      const left = closings.reduce(
        (sum, { remaining, remainingCards }) =>
          sum + (remaining ?? remainingCards?.length ?? Number.NaN),
        0,
      );
      expect(closings).toHaveLength(2);
      expect(cardsOf(events).length + left).toBe(2 * 52 * decks);
    }
  });
});

describe.each(DOCUMENTS.filter((name) => rulesNamed(name).commission))(
  'commission under %s',
  (rules) => {
    it('is taken or marked when it is due, and all collected when the shoe closes', () => {
      fc.assert(
        fc.property(seeds, (seed) => {
          const { ledger } = auditedSimulation({ rules, bets: true, seed, shoes: 1 });
          expect(ledger.some(({ due }) => due > 0)).toBe(true);
          for (const { due, taken, marked, outstanding } of ledger) {
            expect(outstanding).toBe(0);
            expect(taken + marked).toBe(due);
          }
          const kept = ledger.map(({ taken, marked }) =>
            rulesNamed(rules).commission?.when === 'taken' ? marked : taken,
          );
          expect(Math.max(...kept)).toBe(0);
        }),
        { numRuns: rounds(4) },
      );
    });
  },
);

describe('a simulated table', () => {
  it("makes every bet of its document, within the limits of the shoe's opening", () => {
    const events = simulated({ rules: 'super-6@1', bets: true, seed: 1, shoes: 2 }).lines.map(
      decoded,
    );
    const limits = events.find((event) => event.type === 'shoe-opened')?.data.limits ?? {};
    const placed = events.flatMap((event) => (event.type === 'bet-placed' ? [event.data] : []));
    expect(new Set(placed.map(({ bet }) => bet))).toEqual(
      new Set(rulesNamed('super-6@1').bets.keys()),
    );
    expect(new Set(placed.map(({ seat }) => seat)).size).toBeGreaterThan(2);
    expect(Object.keys(limits)).toEqual([...rulesNamed('super-6@1').bets.keys()]);
  });

  it('numbers what its two devices send from 1, without a hole', () => {
    const next = new Map<string, number>();
    for (const { source, sequence } of simulated({
      rules: 'punto-banco@1',
      bets: true,
      seed: 3,
      shoes: 2,
      table: 'B07',
    }).lines.map(decoded)) {
      expect(sequence).toBe(next.get(source) ?? 1);
      next.set(source, (next.get(source) ?? 1) + 1);
    }
    expect([...next.keys()].sort()).toEqual(['device/B07-shoe', 'device/B07-terminal']);
  });

  it('relieves its dealer, shows the cut card, and closes the shoe for it', () => {
    const events = simulated({ rules: 'punto-banco@1', seed: 1, shoes: 3 }).lines.map(decoded);
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect(count('cut-card-drawn')).toBe(3);
    expect(count('dealer-relieved')).toBeGreaterThan(3);
    expect(
      events.flatMap((event) => (event.type === 'shoe-closed' ? [event.data.reason] : [])),
    ).toEqual(['cut-card', 'cut-card', 'cut-card']);
  });

  it('takes about 50 seconds for a coup with bets', () => {
    const events = simulated({ rules: 'punto-banco@1', bets: true, seed: 1, shoes: 1 }).lines.map(
      decoded,
    );
    const opened = events
      .filter(({ type }) => type === 'coup-opened')
      .map(({ time }) => Date.parse(time));
    const perCoup =
      ((opened.at(-1) as number) - (opened[0] as number)) / (opened.length - 1) / 1000;
    expect(perCoup).toBeGreaterThan(35);
    expect(perCoup).toBeLessThan(70);
  });

  it('uses both choices of a hand that is free to draw', () => {
    const { lines } = simulated({ rules: 'chemin-de-fer@1', seed: 5, shoes: 3 });
    const free = { drew: 0, stood: 0 };
    let hands: { player: Card[]; banker: Card[] } = { player: [], banker: [] };
    for (const event of lines.map(decoded)) {
      if (event.type === 'coup-opened') hands = { player: [], banker: [] };
      if (
        event.type === 'card-drawn' &&
        event.data.card &&
        (event.data.to === 'player' || event.data.to === 'banker')
      )
        hands[event.data.to].push(event.data.card);
      if (event.type !== 'hand-called' || event.data.hand !== 'player') continue;
      if (totalOf(hands.player.slice(0, 2)) === 5 && totalOf(hands.banker.slice(0, 2)) < 8)
        free[hands.player.length === 3 ? 'drew' : 'stood'] += 1;
    }
    expect(free.drew).toBeGreaterThan(3);
    expect(free.stood).toBeGreaterThan(3);
  });
});
