import { RANKS, valueOf, type Card } from '../cards/cards.js';
import type { BankerRow, Chart, GridChart, ProseRule, ThirdCard } from './chart.js';
import { pointerTo } from '../rules/json-pointer.js';
import type { LintProblem } from '../rules/json-form.js';
import { STOOD, type Cell } from '../rules/rules.js';

/**
 * What a chart says about one cell: a banker total, with either a third card's value or the total
 * on which the player hand stood.
 */
export interface Claim {
  readonly banker: number;
  readonly against: { readonly third: number } | { readonly stoodOn: number };
  readonly says: Cell;
  /** The JSON pointer of the claim. */
  readonly pointer: string;
}

/** What a chart says about the cells of a tableau. */
export interface Claims {
  readonly claims: readonly Claim[];
  /** Rows that cannot be parsed as claims. */
  readonly problems: readonly LintProblem[];
}

const MOVES = ['draw', 'stand', 'optional'] as const;
const VALUES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
type Against = Claim['against'];
const thirds: readonly Against[] = VALUES.map((third) => ({ third }));

/**
 * Returns everything that a chart of valid form says about the banker hand, one claim a cell and
 * sentence. `standing` has the totals on which the player hand stands, to expand sentences about a
 * player who stood.
 */
export function bankerClaims(chart: Chart, standing: readonly number[]): Claims {
  const stood: readonly Against[] = standing.map((stoodOn) => ({ stoodOn }));
  const printed = printedClaims(chart, stood);
  const prose = (chart.prose ?? []).flatMap((rule, i) =>
    proseClaims(rule, pointerTo('/prose', i), stood),
  );
  return { claims: [...printed.claims, ...prose], problems: printed.problems };
}

function printedClaims({ banker, values }: Chart, stood: readonly Against[]): Claims {
  switch (banker.printed) {
    case 'by-banker-row':
      return {
        claims: banker.rows.flatMap((row, i) =>
          bankerRowClaims(row, pointerTo('/banker/rows', i), values, stood),
        ),
        problems: [],
      };
    case 'by-third-card':
      return {
        claims: banker.rows.flatMap((row, i) =>
          MOVES.flatMap((says) =>
            (row[says] ?? []).flatMap((total) =>
              counted(row.thirdCards, values).map((third): Claim => ({
                banker: total,
                against: { third },
                says,
                pointer: `/banker/rows/${i}/${says}`,
              })),
            ),
          ),
        ),
        problems: [],
      };
    case 'grid':
      return gridClaims(banker, stood);
  }
}

function bankerRowClaims(
  row: BankerRow,
  pointer: string,
  values: Chart['values'],
  stood: readonly Against[],
): Claim[] {
  const claims: Claim[] = [];
  const say = (says: Cell | undefined, cells: readonly Against[], field: string): void => {
    if (says === undefined) return;
    for (const banker of row.banker)
      for (const against of cells)
        claims.push({ banker, against, says, pointer: `${pointer}/${field}` });
  };
  const listed = new Set<number>();
  for (const move of MOVES) {
    const cards = counted(row[move] ?? [], values);
    for (const third of cards) listed.add(third);
    say(
      move,
      cards.map((third) => ({ third })),
      move,
    );
  }
  say(
    row.otherwise,
    VALUES.filter((third) => !listed.has(third)).map((third) => ({ third })),
    'otherwise',
  );
  say(row.stood, stood, 'stood');
  say(row.always, [...thirds, ...stood], 'always');
  return claims;
}

/**
 * Returns the values of third cards named by value or by rank. A rank without a value in the text
 * is left out.
 */
const counted = (cards: readonly ThirdCard[], values: Chart['values']): number[] => [
  ...new Set(cards.flatMap((card) => (typeof card === 'number' ? [card] : (values[card] ?? [])))),
];

function gridClaims(grid: GridChart, stood: readonly Against[]): Claims {
  const claims: Claim[] = [];
  const problems: LintProblem[] = [];
  for (const [i, { banker, cells }] of grid.rows.entries()) {
    const pointer = `/banker/rows/${i}/cells`;
    const letters = cells.trim().split(/\s+/);
    if (letters.length !== grid.columns.length)
      problems.push({
        pointer,
        problem: `banker ${banker}: ${letters.length} cells under ${grid.columns.length} columns`,
      });
    for (const [k, column] of grid.columns.entries()) {
      const letter = letters[k];
      if (letter === undefined) continue;
      const says = Object.hasOwn(grid.letters, letter) ? grid.letters[letter] : undefined;
      if (!says)
        problems.push({
          pointer,
          problem: `banker ${banker}: nothing says what "${letter}" means`,
        });
      else
        for (const against of column === 'stood' ? stood : [{ third: column }])
          claims.push({ banker, against, says, pointer });
    }
  }
  return { claims, problems };
}

/**
 * A sentence without banker totals applies to 0 to 7: with more the banker hand has a natural, and
 * no card is drawn.
 */
function proseClaims(
  { banker = VALUES.slice(0, 8), says, against }: ProseRule,
  pointer: string,
  stood: readonly Against[],
): Claim[] {
  return banker.flatMap((total) => {
    const cells = {
      anything: [...thirds, ...stood],
      'any-third-card': thirds,
      stood,
      'stood-higher': stood.filter((cell) => 'stoodOn' in cell && cell.stoodOn > total),
    }[against];
    return cells.map((cell): Claim => ({ banker: total, against: cell, says, pointer }));
  });
}

/** Returns the values of cards that a text leaves out or has wrong. */
export function valueProblems(values: Chart['values']): LintProblem[] {
  return RANKS.flatMap((rank) => {
    const right = valueOf(`${rank}S` satisfies Card);
    const given = values[rank];
    if (given === undefined)
      return [
        { pointer: `/values/${rank}`, problem: `the ${RANK_NAMES[rank] ?? rank} has no value` },
      ];
    return given === right
      ? []
      : [
          {
            pointer: `/values/${rank}`,
            problem: `the ${RANK_NAMES[rank] ?? rank} counts ${given}, and in baccarat ${right}`,
          },
        ];
  });
}

const RANK_NAMES: Readonly<Record<string, string>> = {
  A: 'ace',
  T: 'ten',
  J: 'jack',
  Q: 'queen',
  K: 'king',
};

/** Returns the column of the banker's table that a claim is about. */
export const columnOf = ({ against }: Claim): number =>
  'third' in against ? against.third : STOOD;
