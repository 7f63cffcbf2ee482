export * from './cards.js';
export * from './money.js';
export * from './odds-notation.js';
export * from './rule-document.js';
export * from './rules.js';
export * from './due.js';
export * from './bets.js';
export * from './burn.js';
export * from './roads.js';
export { decimal, exactFraction, percent, type ExactFraction } from './exact-fraction.js';
export { fullShoe, MAX_DECKS, OddsRefusal, remaining, type Composition } from './composition.js';
export type { Choice } from './odds-drawing.js';
export * from './odds.js';
export * from './odds-report.js';
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
} from './chart.js';
export { lintChart, type ChartReport } from './chart-lint.js';
export type { Form, LintProblem } from './json-form.js';
export { lint, type LintReport } from './lint.js';
export { RULE_DOCUMENT_FORM } from './rule-document-form.js';
export { burnInWords, commissionInWords, predicateInWords } from './rule-words.js';
export { diffRules } from './rules-diff.js';
export { departures, STANDARD_TABLEAU } from './standard-tableau.js';
export { bankerCellName, playerCellName, type OpenTableau } from './tableau-words.js';
