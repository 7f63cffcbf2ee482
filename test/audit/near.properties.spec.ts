import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseContext, findRange, type TableRecord } from '#audit';
import { audit } from '../kit/audit.js';
import { anyDay, eventsOf } from '../kit/recorded-day.js';
import { ARE_FEW, overTables } from '../kit/rounds.js';
import { openingsIn, readerOf, recordsOf } from '../kit/table-records.js';

/**
 * Returns what records say that judging needs: not who signed on as caller, nor that a device
 * restarted, which changes nothing that is listed.
 */
const contents = (records: readonly TableRecord[], numbers: readonly number[]): string[] =>
  numbers
    .flatMap((n) => records[n]?.events ?? [])
    .filter(
      ({ type, data }) =>
        type !== 'device-online' &&
        !(/^dealer-/.test(type) && 'role' in data && data.role === 'caller'),
    )
    .map(({ source, id, digest }) => `${source}#${id} ${digest}`);

/**
 * A table whose device skips back to an old boot counts the numbers in between as missing, and all
 * of them as late. From the middle they look like play: only the rows show that they are not.
 */
const LATE_MAX = 3;

const blocks = fc.constant([1]);

describe('a range that is looked for near the end of a long log', () => {
  it('is that of the whole log, with the same records before it, or says that it is not sure', async () => {
    const tally = { ranges: 0, sure: 0, begun: 0 };
    await fc.assert(
      fc.asyncProperty(anyDay, blocks, fc.nat(9_999), async (day, sizes, at) => {
        const events = eventsOf({ ...day, shoes: day.shoes + 5 });
        if (audit(events).state.admission.counts.late > LATE_MAX) return;
        const records = recordsOf(events, sizes);
        const read = readerOf(records);
        const openings = await openingsIn(records);
        for (const { ref, record } of openings.slice(4)) {
          const asked = { of: 'shoe', ref } as const;
          const start = Math.floor((at / 10_000) * record);
          const whole = await findRange(read, asked, records.length);
          const earlier = new Map<string, number>();
          for (const { shoe, record: opened } of openings)
            if (opened < start && !earlier.has(shoe)) earlier.set(shoe, opened);
          const near = await findRange(read, asked, records.length, { start, earlier });
          tally.ranges += 1;
          if (!near?.isSure || !whole) continue;
          tally.sure += 1;
          expect(near).toEqual(whole);
          const shown = whole.shoe?.admitted ?? 0;
          const all = await chooseContext(read, whole, shown);
          const some = await chooseContext(read, whole, shown, { start, earlier });
          if (!some.isSure) continue;
          tally.begun += 1;
          expect({ first: some.first, end: some.end }).toEqual({ first: all.first, end: all.end });
          const [due, chosen] = [contents(records, all.context), contents(records, some.context)];
          expect(chosen.filter((each) => !due.includes(each))).toEqual([]);
          expect(due.filter((each) => !chosen.includes(each))).toEqual([]);
        }
      }),
      overTables(150),
    );
    process.stderr.write(`near: ${JSON.stringify(tally)}\n`);
    if (!ARE_FEW) expect(tally.begun).toBeGreaterThan(tally.ranges / 20);
  });
});
