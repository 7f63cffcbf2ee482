export {
  canonicalLine,
  blockCut,
  blockOf,
  Decoder,
  type Decoded,
  type RefusedLine,
} from './decode/decode.js';
export { splitArray, type Split } from './decode/batch-split.js';
export { stamped, stampsOf, unstamped, type StampedLine } from './events/stamp.js';
export type { Block } from './decode/line-reader.js';
export type { Fault } from './decode/json-text.js';
export {
  dataFaults,
  EVENT_BYTES_MAX,
  faultsOf,
  REMARK_MAX,
  type House,
} from './events/validate.js';
export * from './events/events.js';
export { fullName, knownType } from './events/upcast.js';
export { timeOf } from './events/time.js';
export { CURRENCIES, isCurrency, moneyText } from './events/currency.js';
export * from './findings/catalogue.js';
export {
  SLIPS,
  type Disposition,
  type Finding,
  type Impact,
  type Slip,
  type Unjudgeable,
} from './findings/finding.js';
export type { LedgerLine, Receipt, TableState } from './state.js';
export { FOLD_VERSION } from './state.js';
export type { LaneCounts, LaneSetting } from './lane/lane.js';
export { LanesDiffer } from './lane/catch-up.js';
export type { Counts } from './admission/admission.js';
export { endOfLog, fold, newTable } from './fold.js';
export { eventOf, heardOf, timeIn, type Heard, type Line } from './decode/line.js';
export { houseFrom, isBetId } from './events/house.js';
export { loadTable, saveTable } from './history/save.js';
export { RuleBook } from './history/replay.js';
export {
  DISPOSITIONS,
  NEEDS,
  readPolicy,
  type DispositionCode,
  REVIEWER_ROLES,
  type Policy,
  type PolicyDocument,
} from './review/policy.js';
export { POLICY_FORM } from './review/policy-form.js';
export { isPolicy, lintPolicy } from './review/policy-lint.js';
export { diffPolicies } from './review/policy-diff.js';
export { durationInWords } from './review/policy-words.js';
export {
  simulate,
  type ReviewOptions,
  type Simulation,
  type SimulationOptions,
} from './simulate/simulate.js';
export { simulateTables, type FloorSimulation, type TablesAsked } from './simulate/tables.js';
export { SimulationRefusal } from './simulate/setting.js';
export type { ExpectedFinding, ExpectedReview } from './simulate/expected.js';
export { takeChanges, takeFinalChanges, type Changes } from './take-changes.js';
export {
  rowsOf,
  type AuditedFinding,
  type AuditedUnjudgeable,
  type Rows,
  type ShoeRows,
} from './rows/rows.js';
export {
  arbitrate,
  missingIn,
  needsTwo,
  REFUSALS,
  REVIEW_OUTCOMES,
  type ReviewRefusal,
} from './review/arbitrate.js';
export {
  DESK_MAX,
  REVIEW_STATES,
  type Basis,
  type Item,
  type ItemChange,
  type ReviewChange,
  type Reviewed,
  type ReviewOutcome,
  type Ruling,
} from './review/desk.js';
export { evidenceBehind, reviewerOf } from './review/evidence.js';
export { contentOf } from './events/canonical.js';
export type { AuditedCoup } from './rows/audited-coup.js';
export type { AuditedShoe } from './rows/audited-shoe.js';
export type { ShoeSums } from './rows/shoe-sums.js';
export { auditedTable, holeOf, shoesInReach, type Hole } from './rows/audited-table.js';
export { bootsIn, tableFrom, type Boot } from './middle/table-from.js';
export { FROM_ZERO, type NearStart, type OpenedShoe } from './middle/log-watch.js';
export type { JudgedRange, RangeAsked } from './middle/range.js';
export {
  chooseContext,
  findRange,
  judgeRange,
  setBack,
  type ReadTable,
  type RangeJudged,
  type SettledRange,
  type TableRecord,
} from './middle/settle.js';
export {
  RangeJudge,
  type RangeShoe,
  type JudgedTaker,
  type Listed,
  type RangeJudging,
} from './middle/range-judge.js';
export {
  LISTED_FILES,
  RangeListing,
  type ListedFile,
  type ListedLines,
} from './middle/range-listing.js';
export { cellText, withoutGuard } from './middle/listed-cell.js';
