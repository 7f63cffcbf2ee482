import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { roads, type DerivedMark, type RoadResult, type Roads } from '#baccarat';
import { rounds } from '../kit/rounds.js';
import { shoeOf } from './road-pictures.js';

const streaks = fc
  .array(fc.integer({ min: 1, max: 14 }), { maxLength: 30 })
  .map((lengths) => lengths.map((length, i) => `${'BP'.charAt(i % 2)} `.repeat(length)).join(''));
const shoe: fc.Arbitrary<RoadResult[]> = fc
  .oneof(
    fc
      .array(fc.constantFrom('B', 'P', 'T', 'Bp', 'Pb', 'Tpb'), { maxLength: 120 })
      .map((tokens) => tokens.join(' ')),
    streaks,
  )
  .map(shoeOf);
const coup: fc.Arbitrary<RoadResult> = fc.record({
  outcome: fc.constantFrom('player', 'banker', 'tie', undefined),
  kind: fc.constantFrom('normal', 'normal', 'normal', 'dummy', 'demonstration', 'free'),
  void: fc.constantFrom(false, false, false, true),
  playerPair: fc.boolean(),
  bankerPair: fc.boolean(),
  natural: fc.boolean(),
});
const anyShoe = fc.oneof(shoe, fc.array(coup, { maxLength: 120 }));

const entersRoads = ({ outcome, kind, void: voided }: RoadResult) =>
  outcome !== undefined && kind === 'normal' && !voided;
const boards = ({ beadPlate, bigRoad, bigEyeBoy, smallRoad, cockroachPig }: Roads) => [
  beadPlate,
  bigRoad,
  bigEyeBoy,
  smallRoad,
  cockroachPig,
];

describe('every board', () => {
  it('has at most one mark in a cell, and no row outside 0 to 5', () => {
    fc.assert(
      fc.property(anyShoe, (results) => {
        for (const board of boards(roads(results))) {
          expect(new Set(board.map(({ column, row }) => `${column}/${row}`)).size).toBe(
            board.length,
          );
          for (const { column, row } of board)
            expect(column >= 0 && row >= 0 && row < 6).toBe(true);
        }
      }),
    );
  });

  it('keeps existing marks when a coup is added, except for ties on the last mark', () => {
    fc.assert(
      fc.property(anyShoe, coup, (results, next) => {
        const before = roads(results);
        const after = roads([...results, next]);
        expect(after.beadPlate.slice(0, before.beadPlate.length)).toEqual(before.beadPlate);
        for (const road of ['bigEyeBoy', 'smallRoad', 'cockroachPig'] as const) {
          expect(after[road].slice(0, before[road].length)).toEqual(before[road]);
        }
        const settled = before.bigRoad.length - 1;
        expect(after.bigRoad.slice(0, Math.max(0, settled))).toEqual(
          before.bigRoad.slice(0, Math.max(0, settled)),
        );
        const last = before.bigRoad[settled];
        if (last) {
          const { ties, ...mark } = after.bigRoad[settled] ?? last;
          expect({ ...last, ties: undefined }).toEqual({ ...mark, ties: undefined });
          expect(ties.slice(0, last.ties.length)).toEqual(last.ties);
        }
      }),
    );
  });

  it('ignores coups that do not enter, except for the numbering', () => {
    fc.assert(
      fc.property(anyShoe, (results) => {
        const entered = results.flatMap((result, i) => (entersRoads(result) ? [i] : []));
        const alone = roads(entered.map((i) => results[i] as RoadResult));
        const renumbered = JSON.stringify(alone, (key, value: unknown) =>
          key === 'coup' ? entered[value as number] : value,
        );
        expect(JSON.parse(JSON.stringify(roads(results)))).toEqual(JSON.parse(renumbered));
      }),
    );
  });
});

describe('the big road', () => {
  it('has a mark for each coup that was won, in order, and keeps every tie once', () => {
    fc.assert(
      fc.property(anyShoe, (results) => {
        const { bigRoad, waitingTies } = roads(results);
        const places = (wanted: (result: RoadResult) => boolean) =>
          results.flatMap((result, i) => (entersRoads(result) && wanted(result) ? [i] : []));
        expect(bigRoad.map((mark) => mark.coup)).toEqual(
          places(({ outcome }) => outcome !== 'tie'),
        );
        expect(bigRoad.map((mark) => mark.side)).toEqual(
          bigRoad.map((mark) => results[mark.coup]?.outcome),
        );
        expect(
          [...bigRoad.flatMap(({ ties }) => ties), ...waitingTies].map((tie) => tie.coup),
        ).toEqual(places(({ outcome }) => outcome === 'tie'));
      }),
    );
  });

  it('matches a board filled by checking each cell before marking it', () => {
    fc.assert(
      fc.property(anyShoe, (results) => {
        const { bigRoad } = roads(results);
        expect(bigRoad.map(({ column, row }) => `${column}/${row}`)).toEqual(
          drawnByHand(bigRoad.map(({ side }) => side)),
        );
      }),
      { numRuns: rounds(300) },
    );
  });
});

describe('the derived roads', () => {
  const derived = ['bigEyeBoy', 'smallRoad', 'cockroachPig'] as const;
  const letters = (marks: readonly DerivedMark[]) =>
    marks.map(({ coup: at, colour }) => `${at}${colour}`);

  it('follow the general rule, which inverts the color of a streak that continued', () => {
    fc.assert(
      fc.property(streaksAlone, (results) => {
        const all = roads(results);
        derived.forEach((road, i) =>
          expect(letters(all[road])).toEqual(byGeneralRule(results, i + 1)),
        );
      }),
    );
  });

  it('follow the equivalent rule, which compares cells side by side', () => {
    fc.assert(
      fc.property(streaksAlone, (results) => {
        const all = roads(results);
        derived.forEach((road, i) =>
          expect(letters(all[road])).toEqual(bySideOfCell(results, i + 1)),
        );
      }),
    );
  });

  it('agree with both rules for every shoe of twelve coups', () => {
    for (let bits = 0; bits < 2 ** 12; bits += 1) {
      const results = shoeOf(
        [...bits.toString(2).padStart(12, '0')].map((bit) => 'BP'.charAt(Number(bit))).join(' '),
      );
      const all = roads(results);
      derived.forEach((road, i) => {
        const seen = letters(all[road]).join();
        if (
          seen !== byGeneralRule(results, i + 1).join() ||
          seen !== bySideOfCell(results, i + 1).join()
        ) {
          throw new Error(`${road} of ${bits.toString(2)}: ${seen}`);
        }
      });
    }
  });

  it('are plotted like a big road of their colors', () => {
    fc.assert(
      fc.property(anyShoe, (results) => {
        const all = roads(results);
        for (const road of derived) {
          expect(all[road].map(({ column, row }) => `${column}/${row}`)).toEqual(
            drawnByHand(all[road].map(({ colour }) => colour)),
          );
        }
      }),
    );
  });
});

const streaksAlone = fc
  .oneof(
    fc.array(fc.constantFrom('B', 'P'), { maxLength: 80 }).map((sides) => sides.join(' ')),
    fc
      .array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 })
      .map((lengths) =>
        lengths.map((length, i) => `${'BP'.charAt(i % 2)} `.repeat(length)).join(''),
      ),
  )
  .map(shoeOf);

/** Oracle: a board of cells, each checked before it is marked. */
function drawnByHand(sides: readonly string[]): string[] {
  const taken = new Set<string>();
  const path: string[] = [];
  let [start, column, row, tail] = [0, 0, 0, false];
  sides.forEach((side, i) => {
    if (i > 0 && side === sides[i - 1]) {
      if (tail || row === 5 || taken.has(`${column}/${row + 1}`))
        [column, tail] = [column + 1, true];
      else row += 1;
    } else {
      if (i > 0) start += 1;
      while (taken.has(`${start}/0`)) start += 1;
      [column, row, tail] = [start, 0, false];
    }
    expect(taken.has(`${column}/${row}`)).toBe(false);
    taken.add(`${column}/${row}`);
    path.push(`${column}/${row}`);
  });
  return path;
}

/** Returns the lengths of the streaks in a row of sides. */
function streakLengths(sides: readonly string[]): number[] {
  const lengths: number[] = [];
  sides.forEach((side, i) => {
    if (i > 0 && side === sides[i - 1])
      lengths[lengths.length - 1] = (lengths.at(-1) as number) + 1;
    else lengths.push(1);
  });
  return lengths;
}

/**
 * Oracle, the general rule. The newest mark is mark m of column n (both from 1). For m of 2 or
 * more, look at column n - k, of length p: if there is none, no mark; m up to p, red; p + 1, blue;
 * beyond, red. For m = 1, let the streak before continue instead, take that mark's color, and
 * invert it.
 */
function byGeneralRule(results: readonly RoadResult[], k: number): string[] {
  const sides = results.map(({ outcome }) => outcome as string);
  const lower = (upTo: readonly string[]): 'red' | 'blue' | undefined => {
    const columns = streakLengths(upTo);
    const n = columns.length;
    const m = columns[n - 1] as number;
    const p = columns[n - k - 1];
    if (p === undefined) return undefined;
    if (m <= p) return 'red';
    return m === p + 1 ? 'blue' : 'red';
  };
  return sides.flatMap((side, i) => {
    const before = sides.slice(0, i);
    const previous = before.at(-1);
    if (previous === undefined) return [];
    if (side === previous)
      return lower([...before, side]) ? [`${i}${lower([...before, side])}`] : [];
    const hadItGoneOn = lower([...before, previous]);
    return hadItGoneOn ? [`${i}${hadItGoneOn === 'red' ? 'blue' : 'red'}`] : [];
  });
}

/**
 * Oracle, the equivalent rule as players learn it. At the top of a column: red if the last column
 * and the one k before it are equally long. Further down: look k columns to the left at this row
 * and the row above. Both marked or both empty is red; the upper marked and this one empty is blue.
 */
function bySideOfCell(results: readonly RoadResult[], k: number): string[] {
  const columns: boolean[][] = [];
  return results.flatMap(({ outcome }, i) => {
    const changed = i === 0 || outcome !== results[i - 1]?.outcome;
    if (changed) columns.push([]);
    columns.at(-1)?.push(true);
    const n = columns.length - 1;
    const row = (columns[n] as boolean[]).length - 1;
    if (row === 0) {
      const [left, further] = [columns[n - 1], columns[n - 1 - k]];
      return left && further ? [`${i}${left.length === further.length ? 'red' : 'blue'}`] : [];
    }
    const beside = columns[n - k];
    return beside ? [`${i}${beside[row] === beside[row - 1] ? 'red' : 'blue'}`] : [];
  });
}
