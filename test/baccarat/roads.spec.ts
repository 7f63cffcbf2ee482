import { describe, expect, it } from '@jest/globals';
import { roads, type RoadResult } from '#baccarat';
import { derivedPicture, picture, PICTURES, shoeOf, written } from './road-pictures.js';

describe('the bead plate', () => {
  it.each(PICTURES.beadPlate)('$says', ({ shoe, rows }) => {
    expect(picture(roads(shoeOf(shoe)).beadPlate)).toBe(rows.join('\n'));
  });

  it('shows pairs and naturals of each coup on the bead plate', () => {
    const [first, second] = roads([
      ...shoeOf('Bpb'),
      { ...(shoeOf('T')[0] as RoadResult), natural: true },
    ]).beadPlate;
    expect(first).toEqual({
      coup: 0,
      outcome: 'banker',
      playerPair: true,
      bankerPair: true,
      natural: false,
      column: 0,
      row: 0,
    });
    expect(second).toEqual({
      coup: 1,
      outcome: 'tie',
      playerPair: false,
      bankerPair: false,
      natural: true,
      column: 0,
      row: 1,
    });
  });
});

describe('the big road', () => {
  it.each(PICTURES.bigRoad)('$says', ({ shoe, rows }) => {
    expect(picture(roads(shoeOf(shoe)).bigRoad)).toBe(rows.join('\n'));
  });

  it('counts ties on the mark that they follow, and leading ties on the first mark', () => {
    const { bigRoad, waitingTies } = roads(shoeOf('T T B T P T T T P'));
    expect(written(bigRoad)).toBe('B+3 P+3 P');
    expect(bigRoad.map(({ ties }) => ties.map(({ coup }) => coup))).toEqual([
      [0, 1, 3],
      [5, 6, 7],
      [],
    ]);
    expect(waitingTies).toEqual([]);
  });

  it('holds leading ties until there is a mark', () => {
    const { bigRoad, waitingTies } = roads(shoeOf('T Tb'));
    expect(bigRoad).toEqual([]);
    expect(waitingTies).toEqual([
      { coup: 0, playerPair: false, bankerPair: false, natural: false },
      { coup: 1, playerPair: false, bankerPair: true, natural: false },
    ]);
  });

  it('continues a streak across a tie', () => {
    expect(roads(shoeOf('B T B')).bigRoad.map(({ streak, depth }) => [streak, depth])).toEqual([
      [0, 0],
      [0, 1],
    ]);
  });

  it('shows the pairs of a coup on its mark, and those of a tie on the tie', () => {
    const [mark] = roads(shoeOf('Bp Tb')).bigRoad;
    expect(mark).toMatchObject({
      playerPair: true,
      bankerPair: false,
      ties: [{ coup: 1, playerPair: false, bankerPair: true }],
    });
  });

  it.each(['dummy', 'demonstration', 'free'] as const)(
    'leaves out %s coups and keeps the numbering of the list',
    (kind) => {
      const [b, p] = shoeOf('B P') as [RoadResult, RoadResult];
      const all = roads([b, { ...p, kind }, b]);
      expect(all.bigRoad.map(({ coup, streak }) => [coup, streak])).toEqual([
        [0, 0],
        [2, 0],
      ]);
      expect(all.beadPlate.map(({ coup }) => coup)).toEqual([0, 2]);
    },
  );

  it('leaves out voided coups and coups without an outcome', () => {
    const [b, p] = shoeOf('B P') as [RoadResult, RoadResult];
    const all = roads([
      { ...b, void: true },
      { ...p, outcome: undefined },
      { ...(shoeOf('T')[0] as RoadResult), void: true },
      p,
    ]);
    expect(all.bigRoad.map(({ coup, side, ties }) => [coup, side, ties])).toEqual([
      [3, 'player', []],
    ]);
    expect(all.waitingTies).toEqual([]);
  });
});

describe('the derived roads', () => {
  it.each([
    {
      road: 'bigEyeBoy',
      deep: 'B P P',
      column: 'second',
      wide: 'B P B',
      next: 'third',
      tooEarly: 'B B B B B B B P',
    },
    {
      road: 'smallRoad',
      deep: 'B P B B',
      column: 'third',
      wide: 'B P B P',
      next: 'fourth',
      tooEarly: 'B B B P P P P B',
    },
    {
      road: 'cockroachPig',
      deep: 'B P B P P',
      column: 'fourth',
      wide: 'B P B P B',
      next: 'fifth',
      tooEarly: 'B B P P B B P',
    },
  ] as const)(
    'begins the $road in the second row of the $column column, or else in the first row of the $next',
    ({ road, deep, wide, tooEarly }) => {
      const coups = (tokens: string) => roads(shoeOf(tokens))[road].map(({ coup }) => coup);
      const last = (tokens: string) => shoeOf(tokens).length - 1;
      expect(coups(deep)).toEqual([last(deep)]);
      expect(coups(wide)).toEqual([last(wide)]);
      expect(coups(tooEarly)).toEqual([]);
    },
  );

  it.each(PICTURES.bigEyeBoy)('$says', ({ shoe, rows }) => {
    expect(derivedPicture(roads(shoeOf(shoe)).bigEyeBoy)).toBe(rows.join('\n'));
  });

  it.each(PICTURES.smallRoad)('$says as the small road', ({ shoe, rows }) => {
    expect(derivedPicture(roads(shoeOf(shoe)).smallRoad)).toBe(rows.join('\n'));
  });

  it.each(PICTURES.cockroachPig)('$says as the cockroach pig', ({ shoe, rows }) => {
    expect(derivedPicture(roads(shoeOf(shoe)).cockroachPig)).toBe(rows.join('\n'));
  });

  it('plots all three from the shoe banker 2, player 3, banker 2, player 2, banker 1, player 1', () => {
    const { bigEyeBoy, smallRoad, cockroachPig } = roads(shoeOf('B B  P P P  B B  P P  B  P'));
    const colours = (road: typeof bigEyeBoy) => road.map(({ colour }) => colour).join(' ');
    expect(colours(bigEyeBoy)).toBe('red blue blue red blue red red blue');
    expect(colours(smallRoad)).toBe('red red red blue blue');
    expect(colours(cockroachPig)).toBe('red red blue');
  });

  it('ignores ties in derived roads', () => {
    const coloursOf = (tokens: string) =>
      roads(shoeOf(tokens)).bigEyeBoy.map(({ colour }) => colour);
    expect(coloursOf('T B T B P T T P B T')).toEqual(coloursOf('B B P P B'));
  });

  it('uses true streak lengths in derived roads, not the cells of a long streak', () => {
    const { bigEyeBoy } = roads(shoeOf('B B B B B B B B  P P P P P P P P P'));
    expect(bigEyeBoy.map(({ colour }) => colour)).toEqual([
      'red',
      'red',
      'red',
      'red',
      'red',
      'red',
      'red',
      'blue',
    ]);
  });
});
