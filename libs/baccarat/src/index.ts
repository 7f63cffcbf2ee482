export * from './cards/cards.js';
export * from './bets/currency.js';
export * from './bets/money.js';
export * from './bets/odds-notation.js';
export * from './rules/rule-document.js';
export * from './rules/rules.js';
export { sourcesAt, type SourceOfValue } from './rules/sources.js';
export * from './tableau/due.js';
export { decidingCell, knownTotal, type DecidingCell } from './tableau/deciding-cell.js';
export * from './tableau/readings.js';
export * from './bets/bets.js';
export * from './rules/burn.js';
export * from './roads/roads.js';
export { decimal, exactFraction, percent, type ExactFraction } from './odds/exact-fraction.js';
export {
  fullShoe,
  MAX_DECKS,
  OddsRefusal,
  remaining,
  type Composition,
} from './cards/composition.js';
export type { Choice } from './odds/drawing.js';
export * from './odds/odds.js';
export * from './odds/report.js';
export {
  isChart,
  CHART_FORM,
  type BankerChart,
  type BankerRow,
  type Chart,
  type GridChart,
  type ProseRule,
  type ThirdCard,
  type ThirdCardRow,
} from './lint/chart.js';
export { lintChart, type ChartReport } from './lint/chart-lint.js';
export { integerForm, listForm, recordForm, textForm } from './rules/form-parts.js';
export { formProblems, isSound, type Form, type LintProblem } from './rules/json-form.js';
export { isRecord, pointerTo } from './rules/json-pointer.js';
export { lint, type LintReport } from './lint/lint.js';
export { RULE_DOCUMENT_FORM } from './rules/rule-document-form.js';
export { burnInWords, commissionInWords, predicateInWords } from './rules/rule-words.js';
export { changed, diffRules } from './rules/rules-diff.js';
export { sourceNotes, type SourceNote } from './rules/source-notes.js';
export { departures, STANDARD_TABLEAU } from './tableau/standard-tableau.js';
export type { OpenTableau } from './tableau/tableau-words.js';
