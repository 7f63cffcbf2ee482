export { canonicalLine, blockOf, Decoder, type Decoded } from './decode/decode.js';
export { splitArray, type Split } from './decode/batch-split.js';
export { stamped, stampsOf } from './events/stamp.js';
export type { Block } from './decode/line-reader.js';
export type { Fault } from './decode/json-text.js';
export { dataFaults, EVENT_BYTES_MAX, faultsOf, type House } from './events/validate.js';
export * from './events/events.js';
export { fullName, knownType } from './events/upcast.js';
export { timeOf } from './events/time.js';
export { isCurrency, moneyText } from './events/currency.js';
export * from './findings/catalogue.js';
export type { Disposition, Finding, Impact, Slip, Unjudgeable } from './findings/finding.js';
export type { Consequence, CoupRow, LedgerRow, ShoeRow, TableState } from './state.js';
export { FOLD_VERSION } from './state.js';
export type { Counts } from './admission/admission.js';
export { endOfLog, fold, newTable } from './fold.js';
export { houseFrom, isBetId } from './events/house.js';
export { loadTable, saveTable } from './history/save.js';
export { RuleBook } from './history/replay.js';
export { simulate, type Simulation, type SimulationOptions } from './simulate/simulate.js';
export { simulateTables, type FloorSimulation, type TablesAsked } from './simulate/tables.js';
export { SimulationRefusal } from './simulate/setting.js';
export type { ExpectedFinding } from './simulate/expected.js';
export { coupReport, dealerOf, type CoupReport } from './rows/rows.js';
export { shoeSums, type ShoeSums } from './rows/shoe-report.js';
export {
  closingOf,
  coupIn,
  holeOf,
  shoesInReach,
  standingDoubt,
  standingFinding,
  whenRaised,
  type Hole,
  type StandingFinding,
} from './rows/inspect-state.js';
export type { Found } from './findings/finding.js';
export type { Coup, Shoe } from './state.js';
