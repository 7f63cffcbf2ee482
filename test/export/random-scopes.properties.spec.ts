import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ExportAsked } from '#export';
import type { Sent } from '../kit/audit.js';
import { anyDay, eventsOf } from '../kit/recorded-day.js';
import { IS_LONG } from '../kit/rounds.js';
import { asking, ExportHouse, shoesOf } from './export-house.js';

const TABLES = 5;
const DAYS = 3;
const SCOPES = IS_LONG ? 500 : 50;
/** The tables are other ones in each long run, and the same ones in `npm test`. */
const SEED = IS_LONG ? Date.now() % 1_000_000 : 20_261_120;

/** Returns the events of a table on disturbed days, which devices and people sent. */
const eventsAt = (table: string, seed: number): Sent[] =>
  fc
    .sample(anyDay, { numRuns: 1, seed })
    .flatMap((day) => eventsOf({ ...day, shoes: day.shoes + 3 }))
    .map((event) => ({ ...event, table }));

describe(`packages of random scopes of disturbed tables (seed ${SEED})`, () => {
  let house: ExportHouse;
  const days: string[] = [];
  const tables = new Map<string, Sent[]>();
  let findings: string[] = [];

  beforeAll(async () => {
    house = await ExportHouse.open();
    for (let n = 0; n < TABLES; n += 1) tables.set(`T${n}`, eventsAt(`T${n}`, SEED + n));
    for (let day = 0; day <= DAYS; day += 1) {
      for (const [table, events] of tables) {
        const part = (share: number): number => Math.floor((share * events.length) / (DAYS + 1));
        await house.record(table, events.slice(part(day), part(day + 1)), 1 + (day % 3));
      }
      if (day < DAYS) days.push(await house.closeDay());
    }
    await house.settled();
    const rows = await house.site.query<{ id: string }>('select id from rows.finding order by id');
    findings = rows.map(({ id }) => id);
  }, 120_000);
  afterAll(() => house.close());

  const scopes = (): fc.Arbitrary<ExportAsked['scope']> => {
    const table = fc.constantFrom(...tables.keys());
    const day = fc.constantFrom(...days);
    return fc.oneof(
      table.chain((name) =>
        fc
          .constantFrom(...new Set(shoesOf(tables.get(name) ?? [])))
          .map((shoe) => ({ kind: 'shoe' as const, table: name, shoe })),
      ),
      fc.constantFrom(...findings).map((finding) => ({ kind: 'finding' as const, finding })),
      table.map((name) => ({ kind: 'table' as const, table: name })),
      fc.tuple(table, day, day).map(([name, a, b]) => {
        const [from = a, to = b] = [a, b].sort();
        return { kind: 'table' as const, table: name, from, to };
      }),
      fc.tuple(table, day).map(([name, of]) => ({ kind: 'day' as const, table: name, day: of })),
      day.map((of) => ({ kind: 'day' as const, day: of })),
    );
  };

  it(
    `are intact, all ${SCOPES}`,
    async () => {
      const sizes = [1, (await house.site.reader.checkpoint())?.size ?? 1];
      const since = fc.subarray(sizes);
      await fc.assert(
        fc.asyncProperty(scopes(), since, async (scope, held) => {
          const made = await house.make(asking(scope, { since: held.filter((size) => size > 2) }));
          const report = await house.verified(made.file);
          expect(report.faults).toEqual([]);
          expect(report.verdict).toBe('INTACT');
        }),
        { numRuns: SCOPES, seed: SEED, endOnFailure: true },
      );
    },
    IS_LONG ? 900_000 : 240_000,
  );
});
