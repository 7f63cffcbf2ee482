import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bootsIn,
  chooseContext,
  findRange,
  judgeRange,
  setBack,
  type Finding,
  type RangeShoe,
  type Listed,
  type RangeAsked,
  type SettledRange,
  type TableRecord,
} from '#audit';
import { anyGame } from '../kit/any-game.js';
import { BOOK } from '../kit/house.js';
import { anyDay, eventsOf } from '../kit/recorded-day.js';
import { overTables } from '../kit/rounds.js';
import { readerOf, recordsOf } from '../kit/table-records.js';

/** What is listed of a range: shoes, and findings about no shoe. */
interface Judged {
  readonly shoes: readonly RangeShoe[];
  readonly outside: readonly Finding[];
}

async function judged(
  records: readonly TableRecord[],
  range: SettledRange,
  { listed, named = [] }: { readonly listed: Listed; readonly named?: readonly Finding[] },
): Promise<Judged> {
  const shoes: RangeShoe[] = [];
  const outside: Finding[] = [];
  const taker = {
    shoe: (shoe: RangeShoe) => void shoes.push(shoe),
    outside: (finding: Finding) => void outside.push(finding),
    unlisted: () => undefined,
  };
  const boots = bootsIn(named);
  const dayOf = (time: string): string => time.slice(0, 10);
  const how = { book: BOOK, listed, dayOf, table: 'T1', boots, taker };
  await judgeRange(readerOf(records), range, how);
  return { shoes, outside };
}

const ofLog = (end: number): SettledRange => ({ first: 0, end, context: [], isSure: true });
const leftReach = ({ shoes }: Judged): RangeShoe[] => shoes.filter((shoe) => shoe.leftReach);
const inFull = (shoes: readonly RangeShoe[]): string => JSON.stringify(shoes);

/** How many ranges were judged, from the middle of the log, and set back, to its beginning. */
interface Tally {
  ranges: number;
  middle: number;
  setBack: number;
  toZero: number;
}
const newTally = (): Tally => ({ ranges: 0, middle: 0, setBack: 0, toZero: 0 });

/**
 * Judges what a range is to show in that range alone, set back until it is as in the whole log.
 * Boots are first taken as findings name them, then as the range counts them.
 */
async function alone(
  records: readonly TableRecord[],
  asked: RangeAsked,
  { whole, listed, tally }: { readonly whole: Judged; readonly listed: Listed; tally: Tally },
): Promise<Judged> {
  const read = readerOf(records);
  const found = await findRange(read, asked, records.length);
  if (!found) throw new Error(`no range shows ${JSON.stringify(asked)}`);
  const shown = found.shoe?.admitted ?? 0;
  const named = whole.shoes.flatMap(({ findings }) => findings);
  const first = await chooseContext(read, found, shown);
  tally.ranges += 1;
  if (first.first > 0) tally.middle += 1;
  for (let range = first; ; range = await chooseContext(read, setBack(range), shown)) {
    let here = await judged(records, range, { listed, named });
    if (inFull(leftReach(here)) !== inFull(leftReach(whole)))
      here = await judged(records, range, { listed });
    const isSame = inFull(leftReach(here)) === inFull(leftReach(whole));
    if (!isSame && range.first > 0) continue;
    if (range !== first) tally.setBack += 1;
    if (range !== first && range.first === 0) tally.toZero += 1;
    return here;
  }
}

const blocks = fc.oneof(
  fc.constant([1]),
  fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
);

const recorded = fc.oneof(
  { weight: 4, arbitrary: anyDay.map(eventsOf) },
  { weight: 1, arbitrary: anyGame(300) },
);

/** Parts of logs that are tried: a third of them begin in the middle, and few show no rate. */
const OF_PARTS = 750;

/** Expects that ranges had to be set back rarely, and prints how often. */
function expectRarely(tally: Tally): void {
  process.stderr.write(`${expect.getState().currentTestName}: ${JSON.stringify(tally)}\n`);
  expect(tally.setBack).toBeLessThanOrEqual(tally.middle / 50);
}

describe('judging in the middle of a log', () => {
  it('finds of any shoe that left reach what judging the whole log finds', async () => {
    const tally = newTally();
    await fc.assert(
      fc.asyncProperty(recorded, blocks, async (events, sizes) => {
        const records = recordsOf(events, sizes);
        const all = { since: null };
        for (const shoe of leftReach(
          await judged(records, ofLog(records.length), { listed: all }),
        )) {
          const whole = { shoes: [shoe], outside: [] };
          const listed = { shoe: shoe.shoe.shoe, finding: null };
          const asked: RangeAsked = { of: 'shoe', ref: shoe.shoe.ref };
          const { shoes } = await alone(records, asked, { whole, listed, tally });
          expect(shoes).toEqual([shoe]);
        }
      }),
      overTables(150),
    );
    expectRarely(tally);
  });

  it('finds of any part of a log what judging the whole log finds of its shoes', async () => {
    const tally = newTally();
    await fc.assert(
      fc.asyncProperty(recorded, blocks, fc.nat(), fc.nat(), async (events, sizes, a, b) => {
        const records = recordsOf(events, sizes);
        const sizesAt = [a, b].map((at) => at % (records.length + 1)).sort((x, y) => x - y);
        const [from, to] = sizesAt as [number, number];
        fc.pre(to > from);
        const range = await findRange(readerOf(records), { of: 'span', from, to }, records.length);
        const listed = { since: range?.shoe?.name ?? null };
        const whole = await judged(records, ofLog(to), { listed });
        const here = await alone(records, { of: 'span', from, to }, { whole, listed, tally });
        expect(leftReach(here)).toEqual(leftReach(whole));
      }),
      overTables(OF_PARTS),
    );
    expectRarely(tally);
  });
});
