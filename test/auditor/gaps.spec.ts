import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { holeOf, newTable, fold } from '#audit';
import { gapLines } from '../../apps/auditor/src/own/gap-watch.js';
import { decoded } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { PLAYER_WINS } from '../kit/play.js';
import { TableLog } from '../kit/table.js';
import { append, expectedOf, Floor, inAnyOrder, linesOf, recordsOf, rowsOf } from './floor.js';

let floor: Floor;
beforeEach(async () => {
  floor = await Floor.open(1);
});
afterEach(async () => floor.close());

/**
 * Returns the lines of a coup without some of the shoe's messages, and those messages by number.
 */
function losing(...lost: number[]): { lines: string[]; missing: Map<number, string> } {
  const log = new TableLog();
  log.open();
  log.dealer();
  log.add('shoe', 'coup-opened', { coup: 1 });
  log.draw(PLAYER_WINS);
  log.add('terminal', 'coup-closed');
  const missing = new Map<number, string>();
  const events = log.events.filter((event) => {
    const isLost =
      String(event.source).endsWith('-shoe') && lost.includes(event.sequence as number);
    if (isLost) missing.set(event.sequence as number, linesOf([event])[0] as string);
    return !isLost;
  });
  return { lines: linesOf(events), missing };
}

const declared = async (): Promise<string[]> =>
  (await floor.log.read(0, 0))
    .map(({ value }) => Buffer.from(value).toString())
    .filter((line) => line.includes('gap-declared'));

describe('a hole in the numbers of a device', () => {
  it.each([
    { lost: [4], late: [], runs: 1 },
    { lost: [4, 5], late: [], runs: 1 },
    { lost: [3, 5], late: [], runs: 2 },
    { lost: [3, 4, 5], late: [4], runs: 2 },
  ])(
    'is declared a gap after a wait, once for each run of numbers ($lost lost, of which $late arrive later)',
    async ({ lost, late, runs }) => {
      const { lines: came, missing } = losing(...lost);
      const lines = [...came, ...late.map((number) => missing.get(number) as string)];
      await floor.start({ gapAfterMs: 150 });
      await append(floor.log, 'T1', recordsOf('T1', lines), 0);
      await eventually(
        'DV-04',
        async () =>
          (await rowsOf(floor, 'T1')).findings.filter(({ code }) => code === 'DV-04').length ===
          runs,
      );
      await floor.caughtUp();
      const gaps = await declared();
      expect(gaps).toHaveLength(runs);
      expect(gaps[0]).toMatch(
        /"source":"system\/auditor".*"receivedfrom":"system\/auditor","receivedtime":"[^"]+"}$/,
      );
      expect(inAnyOrder(await rowsOf(floor, 'T1'))).toEqual(
        inAnyOrder(expectedOf([...lines, ...gaps])),
      );
    },
  );

  it('is not declared a gap if the numbers arrive in time', async () => {
    const { lines, missing } = losing(4);
    await floor.start({ gapAfterMs: 60_000 });
    await append(floor.log, 'T1', recordsOf('T1', [...lines, missing.get(4) as string]), 0);
    await floor.caughtUp();
    expect(await declared()).toEqual([]);
    expect((await rowsOf(floor, 'T1')).findings.filter(({ code }) => code === 'DV-04')).toEqual([]);
  });

  it('is declared a gap by the next owner though nothing comes from its table any more', async () => {
    const { lines } = losing(4);
    const first = await floor.start({ gapAfterMs: 60_000 });
    await append(floor.log, 'T1', recordsOf('T1', lines), 0);
    await floor.caughtUp();
    await first.close(); // saves the table while it waits
    await floor.start({ gapAfterMs: 150 });
    await eventually('the declaration', async () => (await declared()).length === 1);
  });

  it('is declared a gap by the next owner of the partition, and a second declaration is a duplicate', async () => {
    const { lines } = losing(4);
    const first = await floor.start({ gapAfterMs: 60_000 });
    await append(floor.log, 'T1', recordsOf('T1', lines), 0);
    await floor.caughtUp();
    await first.abandon();
    await floor.expireLeases();
    const second = await floor.start({ gapAfterMs: 150 });
    await eventually('the declaration', async () => (await declared()).length === 1);
    await floor.caughtUp();
    await second.close();
    // A former owner declares the same hole again. Its event depends only on the hole, so it is
    // equal.
    const state = newTable('T1');
    for (const line of lines) fold(state, decoded(line), BOOK);
    const again = gapLines(
      'T1',
      holeOf(state) as NonNullable<ReturnType<typeof holeOf>>,
      '2030-01-01T00:00:00.000Z',
    );
    await append(floor.log, 'T1', recordsOf('T1', again), 0);
    await floor.start();
    await floor.caughtUp();
    const { counts, findings } = await rowsOf(floor, 'T1');
    expect(counts).toMatchObject({ duplicates: 1, equivocal: 0, read: lines.length + 2 });
    expect(findings.filter(({ code }) => code === 'DV-04')).toHaveLength(1);
  });
});
