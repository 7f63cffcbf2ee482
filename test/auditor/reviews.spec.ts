import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contentOf, fold, newTable, REFUSALS, simulate, takeChanges } from '#audit';
import { decoded } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { rounds } from '../kit/rounds.js';
import { rulesNamed } from '../simulate/simulated.js';
import { append, Floor, linesOf, recordsOf } from './floor.js';

const open: Floor[] = [];
const floorOf = async (): Promise<Floor> => {
  const floor = await Floor.open(1);
  open.push(floor);
  return floor;
};
afterEach(async () => {
  for (const floor of open.splice(0)) await floor.close();
});

const policy = BOOK.policies.get('review@1') as NonNullable<ReturnType<typeof BOOK.policies.get>>;
const FAULTS = ['TC-05', 'TC-08', 'DL-16', 'SH-04', 'PR-04', 'RS-09'];

/** Returns a table's log in which people review what was found, and what became of each act. */
function reviewedLog(seed: string, faults: readonly string[] = [], shoes = 2) {
  const { lines, reviews } = simulate({
    ...{ rules: rulesNamed('punto-banco@1'), seed, shoes, faults: FAULTS },
    reviews: { book: BOOK, policy, faults },
  });
  return { lines: linesOf([...lines]), reviews };
}

/** Folds a log alone and returns its desk. */
function deskOf(lines: readonly string[]) {
  const state = newTable('T1');
  for (const line of lines) {
    fold(state, decoded(line), BOOK);
    takeChanges(state);
  }
  return state.desk;
}

async function written(floor: Floor, lines: readonly string[], cuts?: number[]): Promise<void> {
  await floor.start();
  await append(floor.log, 'T1', recordsOf('T1', lines, cuts), 0);
  await floor.caughtUp();
}

interface FindingAsReviewed {
  readonly id: string;
  readonly review: string;
  readonly disposition: string | null;
  readonly evidence: string | null;
  readonly counts: boolean;
  readonly people: string[];
  readonly lines: [number, number][];
}

const findingsOf = (floor: Floor): Promise<FindingAsReviewed[]> =>
  floor.query(
    'select id, review, disposition, evidence, counts, people, lines from rows.finding order by id',
  );

describe('the rows of reviews', () => {
  it('say of each act what became of it, and of each finding where its review stands', async () => {
    const { lines, reviews } = reviewedLog('rows', REFUSALS);
    const floor = await floorOf();
    await written(floor, lines, [1, 7, 120]);

    const acts = await floor.query(
      `select finding, ref as event, type, "by", outcome from rows.review_event order by "offset", line`,
    );
    const kept = reviews.filter(({ outcome }) => outcome !== 'idempotency-key-reused');
    expect(kept.length).toBe(reviews.length - 1);
    expect(acts).toEqual(kept);

    const desk = deskOf(lines);
    const rows = await findingsOf(floor);
    expect(rows.length).toBe(desk.items.size);
    for (const { id, review, disposition, evidence, counts } of rows) {
      const item = desk.items.get(id);
      const code = item?.ruling?.disposition ?? item?.proposal?.disposition ?? null;
      expect({ review, disposition, evidence }).toEqual({
        review: item?.state,
        disposition: code,
        evidence: item?.evidence,
      });
      expect(counts).toBe(!item?.ruling || policy.dispositions.get(code as string)?.counts);
    }
    expect(new Set(rows.map(({ review }) => review)).size).toBeGreaterThan(1);
  });

  it('say where the lines of the evidence are, which give the evidence', async () => {
    const { lines } = reviewedLog('lines', [], 3);
    const cuts = [3, 1, 40];
    const floor = await floorOf();
    await written(floor, lines, cuts);
    const records = recordsOf('T1', lines, cuts).map(({ value }) =>
      Buffer.from(value).toString().split('\n'),
    );
    const made = (await findingsOf(floor)).filter(({ evidence }) => evidence !== null);
    expect(made.length).toBeGreaterThan(FAULTS.length / 2);
    for (const { evidence, lines: places } of made) {
      const contents = places.map(([offset, line]) =>
        contentOf(decoded(records[offset]?.[line] as string)),
      );
      const sum = createHash('sha256');
      for (const content of contents) sum.update(`${content}\n`);
      expect(sum.digest('hex')).toBe(evidence);
    }
  });

  it('name who was on duty as soon as a finding is raised', async () => {
    const { lines } = reviewedLog('people');
    const floor = await floorOf();
    const game = lines.filter((line) => !line.includes('shoeprint.finding-'));
    await written(floor, game);
    for (const { id, people } of await findingsOf(floor)) {
      const [{ dealer }] = (await floor.query('select dealer from rows.finding where id = $1', [
        id,
      ])) as [{ dealer: string }];
      expect(people).toContain(dealer);
    }
  });

  it('are counted by severity and state while they wait for a ruling', async () => {
    const reviewed = reviewedLog('waiting', [], 3).lines;
    const lines = reviewed.filter((line) => !line.includes('finding-ruling-signed'));
    const floor = await floorOf();
    await append(floor.log, 'T1', recordsOf('T1', lines, [50]), 0);
    await floor.start({ waitingEveryMs: 20 });
    await floor.caughtUp();
    const KEYS = ['severity', 'state', 'value'];
    const expected = await floor.query<{ severity: string; state: string; value: number }>(
      `select severity::text, review as state, count(*)::int as value from rows.finding
       where review <> 'ruled' and withdrawn_because is null group by 1, 2 order by 1, 2`,
    );
    expect(expected.map(({ state }) => state)).toContain('proposed');
    const [metrics] = floor.metrics as [(typeof floor.metrics)[number]];
    const counted = async () =>
      (await metrics.waiting.get()).values
        .filter(({ value }) => value > 0)
        .map(({ labels, value }) => ({ ...labels, value }));
    await eventually('the findings that wait to be counted', async () => {
      const now = (await counted()).map((each) => JSON.stringify(each, KEYS));
      return expected.every((each) => now.includes(JSON.stringify(each, KEYS)));
    });
    const gravest = expected[0]?.severity as string;
    const oldest = (await metrics.oldest.get()).values;
    const age = oldest.find(({ labels }) => labels.severity === gravest)?.value;
    expect(age).toBeGreaterThan(3600);
    const waiting = expected.reduce((sum, { value }) => sum + value, 0);
    expect(waiting).toBeLessThan(FAULTS.length); // some are ruled: they make room for others
    await eventually('how full its desk is', async () => {
      const { values } = await metrics.fullest.get();
      return values[0]?.value === waiting / 4096;
    });
  });

  it('are the same for any cut of the log into records and any number of killed auditors', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.record({ records: fc.nat(80), closes: fc.boolean() }), { maxLength: 4 }),
        async (seed, cuts, deaths) => {
          const { lines } = reviewedLog(seed, REFUSALS.slice(0, 6));
          const [whole, killed] = [await Floor.open(1), await Floor.open(1)];
          try {
            await written(whole, lines, cuts);
            const records = recordsOf('T1', lines, cuts);
            for (const { records: some, closes } of deaths) {
              const auditor = await killed.start();
              await append(killed.log, 'T1', records.splice(0, some), 0);
              if (closes) await killed.caughtUp();
              await (closes ? auditor.close() : auditor.abandon());
              await killed.expireLeases();
            }
            await append(killed.log, 'T1', records, 0);
            await killed.start();
            await killed.caughtUp();
            const [one, other] = [await whole.dump(), await killed.dump()];
            expect({ ...other, position: undefined }).toEqual({ ...one, position: undefined });
          } finally {
            await whole.close();
            await killed.close();
          }
        },
      ),
      { numRuns: rounds(12) },
    );
  }, 180_000);
});
