import { describe, expect, it } from '@jest/globals';
import Ajv2020 from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { CHART_FORM, isChart, lintChart, STANDARD_TABLEAU } from '#baccarat';
import { altered, published, schema, seedChart } from './published.js';

const problemsOf = (seed: string): string[] =>
  lintChart(seedChart(seed)).problems.map(({ problem }) => problem);
const against = (bankers: readonly number[], what: string): string[] =>
  bankers.flatMap((banker) =>
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(
      (third) => `banker ${banker} against a third card of ${third}: ${what}`,
    ),
  );

describe('the published charts', () => {
  it.each(['000', '002'])(
    'has no problem in the chart of seed %s, which is the standard table cell by cell',
    (seed) => {
      const { problems, tableau, departures } = lintChart(seedChart(seed));
      expect(problems).toEqual([]);
      expect(tableau).toEqual(STANDARD_TABLEAU);
      expect(tableau).toEqual(published('punto-banco@1').tableau);
      expect(departures).toEqual([]);
    },
  );

  it('reports every error in the chart of seed 001, and no other', () => {
    expect(problemsOf('001').sort()).toEqual(
      [
        'the ace has no value',
        ...against([0, 1, 2], 'neither draw nor stand'),
        'banker 3 against a third card of 9: neither draw nor stand',
        'banker 4 against a third card of 0: draw and stand',
        'banker 6 when the player stood on 6: neither draw nor stand',
        'banker 6 when the player stood: draw against a standing 7, 8 or 9 only, and one cell cannot depend on what the player stood on',
        'banker 7 when the player stood on 8: draw and stand',
        'banker 7 when the player stood on 9: draw and stand',
      ].sort(),
    );
    expect(lintChart(seedChart('001')).tableau).toBeUndefined();
  });

  it('rejects the grid of seed 003, whose rows 0 to 2 contradict its prose under columns of the wrong kind', () => {
    expect(problemsOf('003').sort()).toEqual(
      [
        ...against([0, 1, 2], 'draw and stand'),
        'the columns are headed "player hand rank", the total of the player hand, where the value of the player\'s third card decides',
        'the grid has no column for a player who stood, and nothing else says what banker 3, 4, 5 and 6 do then',
      ].sort(),
    );
  });

  it('rejects the chart of seed 004 for its four gaps, and reads its other cells as standard', () => {
    const { problems, departures, tableau } = lintChart(seedChart('004'));
    expect(problems.map(({ problem }) => problem)).toEqual(
      [3, 4, 5, 6].map(
        (banker) => `banker ${banker} when the player stood: neither draw nor stand`,
      ),
    );
    expect(departures).toEqual([]);
    expect(tableau).toBeUndefined();
  });

  it('accepts the chart of seed 004 once the missing sentence is added', () => {
    const mended = {
      ...seedChart('004'),
      prose: [
        { banker: [3, 4, 5], says: 'draw', against: 'stood' },
        { banker: [6], says: 'stand', against: 'stood' },
      ],
    };
    expect(lintChart(mended)).toEqual({ problems: [], departures: [], tableau: STANDARD_TABLEAU });
  });

  it('accepts the chart of seed 001 once each of its errors is corrected', () => {
    let chart = altered(seedChart('001'), '/values/A', 1);
    chart = altered(chart, '/banker/rows/1/draw', [0, 1, 2, 3, 4, 5, 6, 7, 9]);
    chart = altered(chart, '/banker/rows/2/draw', [2, 3, 4, 5, 6, 7]);
    chart = altered(chart, '/prose', [
      { banker: [0, 1, 2], says: 'draw', against: 'anything' },
      { banker: [3, 4, 5], says: 'draw', against: 'stood' },
      { banker: [6], says: 'stand', against: 'stood' },
    ]);
    expect(lintChart(chart)).toEqual({ problems: [], departures: [], tableau: STANDARD_TABLEAU });
  });

  it('accepts the grid of seed 003 once its rows, its heading and its missing column are corrected', () => {
    const grid = seedChart('003').banker as unknown as {
      rows: { banker: number; cells: string }[];
      columns: unknown[];
    };
    const rows = grid.rows.map(({ banker, cells }) => ({
      banker,
      cells: `${banker < 3 ? cells.replace(/s/g, 'H') : cells} ${banker < 6 ? 'H' : 's'}`,
    }));
    const chart = altered(seedChart('003'), '/banker', {
      ...grid,
      rows,
      columns: [...grid.columns, 'stood'],
      heading: 'third card',
      headedBy: 'third-card',
    });
    expect(lintChart(chart)).toEqual({ problems: [], departures: [], tableau: STANDARD_TABLEAU });
  });
});

describe('a chart', () => {
  it('lists the departures of a valid chart from the standard table', () => {
    expect(lintChart(altered(seedChart('000'), '/banker/rows/4/draw', [7])).departures).toEqual([
      'banker 6 against a third card of 6: draw → stand',
    ]);
  });

  it.each<[string, string, unknown, string, string]>([
    [
      'a face card that counts 1',
      '/values/K',
      1,
      '/values/K',
      'the king counts 1, and in baccarat 0',
    ],
    [
      'a natural 8 that does not end the drawing',
      '/naturals',
      [9],
      '/naturals',
      'a total of 8 on two cards does not end the drawing',
    ],
    [
      'a total of 7 that ends the drawing',
      '/naturals',
      [7, 8, 9],
      '/naturals',
      'a total of 7 on two cards ends the drawing',
    ],
    [
      'a player total that no sentence decides',
      '/player/draw',
      [0, 1, 2, 3, 4],
      '/player',
      'player on 5: neither draw nor stand',
    ],
    [
      'a player total decided twice',
      '/player/stand',
      [5, 6, 7],
      '/player',
      'player on 5: draw and stand',
    ],
    [
      'a natural that draws',
      '/player/draw',
      [0, 1, 2, 3, 4, 5, 9],
      '/player',
      'player on 9: draw, and a natural draws nothing',
    ],
    [
      'a banker natural that draws',
      '/banker/rows/0/banker',
      [0, 1, 2, 8],
      '/banker/rows/0/draw',
      'banker 8 against a third card of 0: draw, and a natural draws nothing',
    ],
    ['an unknown field', '/colour', 'red', '/colour', 'is not a field of this document'],
  ])('rejects a chart with %s', (_, place, value, pointer, problem) => {
    expect(lintChart(altered(seedChart('000'), place, value)).problems).toContainEqual({
      pointer,
      problem,
    });
  });

  it('rejects a grid with a cell missing or a letter unexplained', () => {
    const { problems } = lintChart(
      altered(
        altered(seedChart('003'), '/banker/rows/3/cells', 's s s s s s H H s'),
        '/banker/rows/4/cells',
        's s s s X H H H s s',
      ),
    );
    expect(problems).toContainEqual({
      pointer: '/banker/rows/3/cells',
      problem: 'banker 6: 9 cells under 10 columns',
    });
    expect(problems).toContainEqual({
      pointer: '/banker/rows/4/cells',
      problem: 'banker 5: nothing says what "X" means',
    });
  });

  it('recognizes a chart by its field "chart"', () => {
    expect(isChart(seedChart('001'))).toBe(true);
    expect(isChart(published('punto-banco@1'))).toBe(false);
    expect(isChart(null)).toBe(false);
  });

  it('checks any JSON value without throwing, by the form that the schema publishes', () => {
    const validate = new Ajv2020.default().compile(schema('chart'));
    expect(schema('chart')).toEqual(JSON.parse(JSON.stringify(CHART_FORM)));
    for (const seed of ['000', '001', '002', '003', '004'])
      expect([seed, validate(seedChart(seed))]).toEqual([seed, true]);
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(lintChart(json).problems.length).toBeGreaterThan(0);
      }),
    );
    const places = fc.constantFrom(
      '/player',
      '/banker',
      '/banker/rows',
      '/banker/rows/0',
      '/banker/rows/0/draw',
      '/banker/rows/1/otherwise',
      '/prose',
      '/prose/0/against',
      '/values',
      '/values/5',
      '/naturals',
      '/source',
    );
    fc.assert(
      fc.property(
        fc.constantFrom('000', '001', '002', '003', '004'),
        places,
        fc.jsonValue(),
        (seed, place, json) => {
          if (seed === '004' && place.startsWith('/prose/')) return;
          lintChart(altered(seedChart(seed), place, json));
        },
      ),
    );
  });
});
