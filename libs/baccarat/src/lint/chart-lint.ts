import { CHART_FORM, type Chart } from './chart.js';
import { bankerClaims, columnOf, valueProblems, type Claim } from './chart-claims.js';
import { formProblems, type LintProblem } from '../rules/json-form.js';
import type { TableauText } from '../rules/rule-document.js';
import { STOOD, type Cell, type Tableau } from '../rules/rules.js';
import { departures } from '../tableau/standard-tableau.js';
import {
  bankerCellName,
  inWords,
  playerCellName,
  printTableau,
  type OpenTableau,
} from '../tableau/tableau-words.js';

/** The result of linting a chart. */
export interface ChartReport {
  readonly problems: readonly LintProblem[];
  /** Cells that differ from the standard tableau. This is information, not a problem. */
  readonly departures: readonly string[];
  /** The chart's tableau. Absent if there are problems. */
  readonly tableau?: TableauText;
}

/**
 * Checks a published chart: reports each cell that the chart decides twice or not at all, and
 * everything else that keeps it from being a tableau. Uses only what the chart says. Never throws
 * on a JSON value.
 */
export function lintChart(json: unknown): ChartReport {
  const form = formProblems(json, CHART_FORM);
  if (form.length > 0) return { problems: form, departures: [] };
  const chart = json as Chart;
  const player = judgePlayer(chart);
  const banker = judgeBanker(chart, player.standing);
  const problems = [
    ...valueProblems(chart.values),
    ...naturalProblems(chart),
    ...player.problems,
    ...banker.problems,
  ];
  const cells: OpenTableau = { player: player.cells, banker: banker.cells };
  return {
    problems,
    departures: departures(cells),
    ...(problems.length === 0 && { tableau: printTableau(cells as Tableau) }),
  };
}

interface Judged<Cells> {
  readonly cells: Cells;
  readonly problems: readonly LintProblem[];
}

function naturalProblems({ naturals }: Chart): LintProblem[] {
  const missing = [8, 9]
    .filter((total) => !naturals.includes(total))
    .map((total) => ({
      pointer: '/naturals',
      problem: `a total of ${total} on two cards does not end the drawing`,
    }));
  const more = naturals
    .filter((total) => total < 8)
    .map((total) => ({
      pointer: '/naturals',
      problem: `a total of ${total} on two cards ends the drawing`,
    }));
  return [...missing, ...more];
}

/**
 * Checks the player's row, and returns the totals on which the chart makes the player hand stand.
 */
function judgePlayer({
  player,
}: Chart): Judged<(Cell | undefined)[]> & { readonly standing: readonly number[] } {
  const said = (total: number): Cell[] =>
    (['draw', 'stand', 'optional'] as const).filter((move) => player[move]?.includes(total));
  const problems: LintProblem[] = [];
  const cells = [0, 1, 2, 3, 4, 5, 6, 7].map((total) => {
    const moves = said(total);
    if (moves.length !== 1)
      problems.push({ pointer: '/player', problem: `${playerCellName(total)}: ${fault(moves)}` });
    return moves.length === 1 ? moves[0] : undefined;
  });
  for (const total of [8, 9]) {
    if (said(total).some((move) => move !== 'stand'))
      problems.push({
        pointer: '/player',
        problem: `${playerCellName(total)}: ${inWords(said(total))}, and a natural draws nothing`,
      });
  }
  const standing = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter((total) =>
    said(total).some((move) => move !== 'draw'),
  );
  return { cells, problems, standing: standing.length > 0 ? standing : [6, 7] };
}

function judgeBanker(chart: Chart, standing: readonly number[]): Judged<(Cell | undefined)[][]> {
  const { claims, problems: unreadable } = bankerClaims(chart, standing);
  const problems = [...headingProblems(chart), ...unreadable];
  const cells: (Cell | undefined)[][] = [];
  const openWhenStood: number[] = [];
  for (let total = 0; total <= 7; total += 1) {
    const row = claims.filter(({ banker }) => banker === total);
    const judged = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((third) =>
      judgeCell(
        row.filter((claim) => columnOf(claim) === third),
        bankerCellName(total, third),
      ),
    );
    const stood = judgeStood(
      total,
      row.filter((claim) => columnOf(claim) === STOOD),
      standing,
    );
    const merged = stood.open && lacksStoodColumn(chart);
    if (merged) openWhenStood.push(total);
    problems.push(...judged.flatMap((cell) => cell.problems), ...(merged ? [] : stood.problems));
    cells.push([...judged.map((cell) => cell.cells), stood.cells]);
  }
  if (openWhenStood.length > 0) {
    problems.push({
      pointer: '/banker/columns',
      problem: `the grid has no column for a player who stood, and nothing else says what banker ${inWords(openWhenStood)} ${openWhenStood.length > 1 ? 'do' : 'does'} then`,
    });
  }
  for (const claim of claims.filter(({ banker, says }) => banker > 7 && says !== 'stand')) {
    problems.push({
      pointer: claim.pointer,
      problem: `${bankerCellName(claim.banker, columnOf(claim))}: ${claim.says}, and a natural draws nothing`,
    });
  }
  return { cells, problems };
}

const lacksStoodColumn = ({ banker }: Chart): boolean =>
  banker.printed === 'grid' && !banker.columns.includes('stood');

function headingProblems({ banker }: Chart): LintProblem[] {
  if (banker.printed !== 'grid' || banker.headedBy === 'third-card') return [];
  return [
    {
      pointer: '/banker/heading',
      problem: `the columns are headed "${banker.heading}", the total of the player hand, where the value of the player's third card decides`,
    },
  ];
}

/** Checks a cell that must be decided exactly once. Sentences that agree count as one. */
function judgeCell(claims: readonly Claim[], name: string): Judged<Cell | undefined> {
  const moves = movesOf(claims);
  if (moves.length === 1) return { cells: moves[0], problems: [] };
  return {
    cells: undefined,
    problems: [
      {
        pointer: claims[claims.length - 1]?.pointer ?? '/banker',
        problem: `${name}: ${fault(moves)}`,
      },
    ],
  };
}

/**
 * Checks the cell for a player who stood. It is one cell, whatever total the player stood on. A
 * chart that says different things for different standing totals gets a problem for each total, and
 * one for the difference.
 */
function judgeStood(
  total: number,
  claims: readonly Claim[],
  standing: readonly number[],
): Judged<Cell | undefined> & { readonly open: boolean } {
  const name = bankerCellName(total, STOOD);
  const byTotal = standing.map((stoodOn) => ({
    stoodOn,
    claims: claims.filter(({ against }) => 'stoodOn' in against && against.stoodOn === stoodOn),
  }));
  const said = byTotal.map((against) => movesOf(against.claims).join());
  if (new Set(said).size === 1) return { ...judgeCell(claims, name), open: claims.length === 0 };
  const problems = byTotal.flatMap(
    (against) => judgeCell(against.claims, `${name} on ${against.stoodOn}`).problems,
  );
  const decided = byTotal.filter((against) => movesOf(against.claims).length === 1);
  const moves = movesOf(decided.flatMap((against) => against.claims));
  const open = byTotal.some((against) => against.claims.length === 0);
  if (moves.length > 1 || open) {
    const parts = moves.map(
      (move) =>
        `${move} against a standing ${inWords(
          decided
            .filter((against) => movesOf(against.claims)[0] === move)
            .map(({ stoodOn }) => stoodOn),
          'or',
        )}`,
    );
    problems.push({
      pointer: claims[0]?.pointer ?? '/banker',
      problem: `${name}: ${parts.join(', ')} only, and one cell cannot depend on what the player stood on`,
    });
  }
  return { cells: undefined, problems, open: false };
}

const movesOf = (claims: readonly Claim[]): Cell[] =>
  [...new Set(claims.map(({ says }) => says))].sort();

const fault = (moves: readonly Cell[]): string =>
  moves.length === 0 ? 'neither draw nor stand' : inWords([...moves].sort());
