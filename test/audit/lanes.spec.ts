import { describe, expect, it } from '@jest/globals';
import {
  blockOf,
  Decoder,
  fold,
  LanesDiffer,
  loadTable,
  newTable,
  rowsOf,
  saveTable,
  takeChanges,
  takeFinalChanges,
  type LaneSetting,
  type TableState,
} from '#audit';
import { BOOK, HOUSE } from '../kit/house.js';
import { simulated } from '../simulate/simulated.js';

const LAWFUL = simulated({ rules: 'punto-banco@1', bets: true, seed: 1, shoes: 2 }).lines;

/** Folds lines as the lane takes them. */
function folded(lines: readonly string[], lanes: LaneSetting = 'on'): TableState {
  const state = newTable('T1', lanes);
  take(state, lines);
  return state;
}

const decoder = new Decoder(HOUSE);

function take(state: TableState, lines: readonly string[]): void {
  for (const line of lines) {
    const bytes = Buffer.from(line);
    const block = blockOf(bytes, bytes.toString('latin1'));
    fold(state, { decoder, block, from: 0, to: bytes.length }, BOOK);
  }
}

const closing = LAWFUL.findIndex((line) => line.includes('shoeprint.shoe-closed.'));
const firstShoe = LAWFUL.slice(0, closing + 1);

/** Returns the index of the nth line of a type. */
const nth = (type: string, n: number): number =>
  LAWFUL.flatMap((line, i) => (line.includes(`"shoeprint.${type}.v1"`) ? [i] : []))[n] as number;

/** Returns a line as a source sends it that does not number its events. */
const unnumbered = (line: string): string =>
  line.replace(/"session":"[^"]*","sequence":\d+,/, '').replace(/"id":"[^"]*"/, '"id":"another"');

/** Returns the line of a card that was seen early. The rules say nothing about it. */
const exposed = (line: string): string => line.replace(/("to":"\w+")/, '$1,"exposed":true');

describe('the lane of a table', () => {
  it('takes lawful play, whose rows are drawn without a shoe that steps through it', () => {
    const state = folded(firstShoe);
    expect(state.lane.counts.lane).toBeGreaterThan(0.98 * firstShoe.length);
    const [rows] = rowsOf(takeChanges(state)).shoes;
    expect(rows?.shoe.coups).toBeGreaterThan(10);
    expect(rows?.coups().length).toBe(rows?.shoe.coups);
    expect(rows?.sums((time) => time.slice(0, 10))?.bets.length).toBeGreaterThan(0);
    expect(state.open?.coups.length).toBe(0);
    expect(state.lane.counts.again).toBe(0);
  });

  it('draws the rows of a shoe as they were taken, also once it has caught up', () => {
    const state = folded(firstShoe.slice(0, nth('card-drawn', 40)));
    const { shoes } = takeChanges(state);
    const [wanted] = rowsOf(takeChanges(folded(firstShoe.slice(0, nth('card-drawn', 40))))).shoes;
    state.lane.catchUp(state);
    expect(takeChanges(state).shoes).toEqual([]);
    const [rows] = rowsOf({ shoes, outside: [], reviews: [], items: [] }).shoes;
    expect(rows?.coups()).toEqual(wanted?.coups());
    expect(rows?.sums((time) => time)).toEqual(wanted?.sums((time) => time));
  });

  it('draws the same rows if it followed them as if it reads its lines again', () => {
    const followed = newTable('T1');
    followed.lane.drawRows();
    take(followed, firstShoe);
    const [rows] = rowsOf(takeChanges(followed)).shoes;
    const [again] = rowsOf(takeChanges(folded(firstShoe))).shoes;
    expect(rows?.coups().length).toBeGreaterThan(10);
    expect(rows?.coups()).toEqual(again?.coups());
    expect(rows?.sums((time) => time)).toEqual(again?.sums((time) => time));
  });

  it('comes to the same sums if it adds up coups as they end, and draws no rows of them', () => {
    const added = newTable('T1');
    const dayOf = (time: string): string => time.slice(0, 10);
    added.lane.addUp(dayOf);
    take(added, firstShoe);
    const [rows] = rowsOf(takeChanges(added)).shoes;
    const [again] = rowsOf(takeChanges(folded(firstShoe))).shoes;
    expect(rows?.sums(dayOf)?.bets.length).toBeGreaterThan(0);
    expect(rows?.sums(dayOf)).toEqual(again?.sums(dayOf));
    expect(() => rows?.coups()).toThrow('the coups were added up, and are not kept');
    expect(() => rows?.sums((time) => time)).toThrow('were added up by other days');
  });

  it('refuses to draw rows of a shoe out of reach once changes are taken again', () => {
    const shoes = simulated({ rules: 'punto-banco@1', bets: true, seed: 1, shoes: 3 }).lines;
    const state = folded(shoes.slice(0, -1));
    const final = takeFinalChanges(state);
    if (!final) throw new Error('no shoe went out of reach');
    const late = rowsOf(final).shoes;
    takeFinalChanges(state);
    expect(() => late[0]?.coups()).toThrow('the lines of a shoe out of reach are gone');
  });

  it('keeps drawn rows as they are while the coup that they are of goes on', () => {
    const state = folded(firstShoe.slice(0, nth('bet-settled', 40) + 1));
    const drawn = rowsOf(takeChanges(state)).shoes.map((rows) => rows.coups());
    expect(drawn.at(-1)?.at(-1)?.state).toBe('open');
    const before = JSON.stringify(drawn);
    take(state, firstShoe.slice(nth('bet-settled', 40) + 1));
    rowsOf(takeChanges(state)).shoes.map((rows) => rows.coups());
    expect(JSON.stringify(drawn)).toBe(before);
  });

  it('goes on from saved state where it was, in a coup with bets and cards', () => {
    const at = nth('card-drawn', 40);
    const state = folded(LAWFUL.slice(0, at));
    expect(state.open?.lane?.isCoupOpen).toBe(true);
    const loaded = loadTable(saveTable(state), BOOK);
    expect(loaded.open?.coups.length).toBe(0);
    expect(takeChanges(loaded).shoes).toEqual([]);
    take(loaded, LAWFUL.slice(at, closing + 1));
    expect(loaded.lane.counts).toEqual({ lane: closing + 1 - at, again: 0 });
    const whole = folded(firstShoe);
    takeChanges(whole);
    expect(saveTable(loaded)).toBe(saveTable(whole));
    const off = loadTable(saveTable(loaded), BOOK, 'off');
    expect(saveTable(off)).toBe(saveTable(folded(firstShoe, 'off')));
  });

  it('takes nothing if it is off', () => {
    const state = folded(firstShoe, 'off');
    expect(state.lane.counts).toEqual({ lane: 0, again: 0 });
    const other = folded(firstShoe);
    other.lane.catchUp(other);
    expect(saveTable(state)).toBe(saveTable(other));
  });

  it('lets a shoe that was closed lawfully go out of reach without stepping through it', () => {
    const shoes = simulated({ rules: 'punto-banco@1', bets: true, seed: 1, shoes: 3 }).lines;
    const state = folded(shoes.slice(0, -1));
    const [rows] = rowsOf(takeFinalChanges(state) ?? takeChanges(newTable('T2'))).shoes;
    expect(rows?.shoe).toMatchObject({ shoe: 'T1-20261120-1', closed: true });
    expect(rows?.ledger().length).toBeGreaterThan(0);
    expect(state.lane.counts.again).toBe(0);
  });

  it('says which lines changed a row: a bet in a coup did, one for the next coup did not', () => {
    const inCoup = nth('bet-placed', 40);
    const next = nth('coup-closed', 3);
    for (const [at, shoes] of [
      [inCoup, 1],
      [next + 1, 0],
    ] as const)
      for (const lanes of ['on', 'off'] as const) {
        const state = folded(LAWFUL.slice(0, at), lanes);
        takeChanges(state);
        take(state, [unnumbered(LAWFUL[inCoup] as string)]);
        expect(takeChanges(state).shoes.length).toBe(shoes);
        expect(state.open?.lane?.isAhead ?? false).toBe(lanes === 'on');
      }
  });

  it('lets a shoe catch up before an event is explained', () => {
    const at = nth('card-drawn', 40);
    const state = folded(LAWFUL.slice(0, at));
    const before = state.lane.counts.lane;
    take(state, [exposed(LAWFUL[at] as string)]);
    expect(state.lane.counts).toEqual({ lane: before, again: before });
    take(state, LAWFUL.slice(at + 1, nth('coup-opened', 30)));
    expect(state.lane.counts.lane).toBeGreaterThan(before);
  });

  it('stays away for longer, the more often it has to give way in a shoe', () => {
    const opened = (n: number): number => nth('coup-opened', n);
    const isCard = (line: string): boolean => line.includes('"shoeprint.card-drawn.v1"');
    // the first card of every coup was seen early, so that its coup is explained
    let isFirst = false;
    const lines = LAWFUL.slice(0, opened(40)).map((line) => {
      if (line.includes('"shoeprint.coup-opened.v1"')) isFirst = true;
      if (!isFirst || !isCard(line)) return line;
      isFirst = false;
      return exposed(line);
    });
    const { again } = folded(lines).lane.counts;
    expect(again).toBeGreaterThan(0);
    // 40 coups with 5 falls: after 1, 2, 2 + 2, 4 + 4 … coups
    expect(again).toBeLessThan(lines.length / 3);
  });

  it('stops a table where the fold says something else, and keeps both states', () => {
    const state = folded(firstShoe.slice(0, nth('coup-closed', 3)));
    const lane = state.open?.lane;
    if (!lane) throw new Error('the lane is not on');
    lane.copies[0] = (lane.copies[0] as number) + 1;
    let thrown: unknown;
    try {
      state.lane.catchUp(state);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(LanesDiffer);
    expect((thrown as LanesDiffer).lane).toBe(lane);
    expect(lane.shoe.coups.length).toBe(lane.coups);
    expect(lane.tail.count).toBeGreaterThan(0);
    expect(String(thrown)).toContain('differ about shoe');
  });
});
