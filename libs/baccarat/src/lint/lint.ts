import { formProblems, isSound, type LintProblem } from '../rules/json-form.js';
import { betProblems } from './bets.js';
import { irregularityProblems } from './irregularities.js';
import { provenanceProblems } from './provenance.js';
import { RULE_DOCUMENT_FORM } from '../rules/rule-document-form.js';
import type { RuleDocument } from '../rules/rule-document.js';
import { departures } from '../tableau/standard-tableau.js';
import { bankerCellName, playerCellName, tableauOf } from '../tableau/tableau-words.js';

/**
 * `departures` describes cells that differ from the standard tableau. This is information, not a
 * problem.
 */
export interface LintReport {
  readonly problems: readonly LintProblem[];
  readonly departures: readonly string[];
}

/**
 * Checks a JSON value as a rule document: its form (rules/rule-document.schema.json), each cell of
 * the tableau decided once, each bet settleable, commission and odds valid, dispositions reachable
 * and known, each value with a source. A document without problems can be published, and
 * `readRules` accepts it. Never throws on a JSON value.
 */
export function lint(document: unknown): LintReport {
  const form = formProblems(document, RULE_DOCUMENT_FORM).flatMap((problem) =>
    tableauCellProblems(problem, document),
  );
  const sound = (...fields: readonly (keyof RuleDocument)[]): boolean =>
    isSound(document, form, fields);
  const problems = [...form];
  const read = document as RuleDocument;
  if (sound('bets', 'tableau', 'decks', 'commission')) problems.push(...betProblems(read));
  if (sound('bets', 'specials')) problems.push(...specialProblems(read));
  if (sound('burn')) problems.push(...burnProblems(read));
  if (sound('irregularities', 'sources')) problems.push(...irregularityProblems(read));
  if (form.length === 0) problems.push(...provenanceProblems(read));
  return { problems, departures: sound('tableau') ? departures(tableauOf(read.tableau)) : [] };
}

function specialProblems({ bets, specials }: RuleDocument): LintProblem[] {
  return specials.flatMap((name, i) =>
    name === 'natural' || bets.some(({ id }) => id === name)
      ? []
      : [
          {
            pointer: `/specials/${i}`,
            problem: `"${name}" is neither "natural" nor a bet of this document`,
          },
        ],
  );
}

function burnProblems({ burn }: RuleDocument): LintProblem[] {
  return burn.flatMap((way, i) =>
    way.count === 'fixed' && way.from > way.to
      ? [{ pointer: `/burn/${i}`, problem: `no number lies from ${way.from} to ${way.to}` }]
      : [],
  );
}

/** Replaces a form problem of a tableau row by one problem a cell. */
function tableauCellProblems(problem: LintProblem, document: unknown): LintProblem[] {
  const row = /^\/tableau\/(player|banker\/(\d))$/.exec(problem.pointer);
  if (!row) return [problem];
  const { tableau } = document as {
    readonly tableau: { readonly player?: unknown; readonly banker?: unknown };
  };
  const total = row[2] === undefined ? undefined : Number(row[2]);
  const text =
    total === undefined
      ? tableau.player
      : Array.isArray(tableau.banker)
        ? (tableau.banker[total] as unknown)
        : undefined;
  if (typeof text !== 'string') return [problem];
  const faults =
    total === undefined ? rowFaults(text, 8, playerCellName) : bankerRowFaults(text, total);
  return faults.length > 0
    ? faults.map((fault) => ({ pointer: problem.pointer, problem: fault }))
    : [problem];
}

function bankerRowFaults(text: string, total: number): string[] {
  const space = text.indexOf(' ');
  const [thirds, stood] = space < 0 ? [text, ''] : [text.slice(0, space), text.slice(space + 1)];
  return [
    ...rowFaults(thirds, 10, (column) => bankerCellName(total, column)),
    ...rowFaults(stood, 1, () => bankerCellName(total, 10)),
  ];
}

/**
 * Returns the cells of a row that are undecided, decided twice or unreadable. Reports excess
 * letters at most once a row.
 */
function rowFaults(text: string, width: number, name: (column: number) => string): string[] {
  const faults: string[] = [];
  for (let column = 0; column < width; column += 1) {
    const letter = text[column];
    if (letter === undefined) faults.push(`${name(column)}: not decided`);
    else if (!'DSO'.includes(letter))
      faults.push(`${name(column)}: "${letter}" is neither D (draw), S (stand) nor O (optional)`);
  }
  if (text.length > width)
    faults.push(`${text.length - width} cells too many after ${name(width - 1)}`);
  return faults;
}
