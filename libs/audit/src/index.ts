export { canonicalLine, blockOf, Decoder, type Decoded } from './decode.js';
export { splitArray, type Split } from './batch-split.js';
export { stamped, stampsOf } from './stamp.js';
export type { Block } from './line-reader.js';
export type { Fault } from './json-text.js';
export { dataFaults, EVENT_BYTES_MAX, faultsOf, type House } from './validate.js';
export * from './events.js';
export { fullName, knownType } from './upcast.js';
export { timeOf } from './time.js';
export { isCurrency, moneyText } from './currency.js';
export * from './catalogue.js';
export type {
  Consequence,
  CoupRow,
  Disposition,
  Finding,
  Impact,
  LedgerRow,
  ShoeRow,
  Slip,
  TableState,
  Unjudgeable,
} from './state.js';
export { FOLD_VERSION } from './state.js';
export type { Counts } from './admission.js';
export { endOfLog, fold, newTable } from './fold.js';
export { houseFrom, isBetId } from './house.js';
export { loadTable, saveTable } from './save.js';
export type { RuleBook } from './replay.js';
export { simulate, type Simulation, type SimulationOptions } from './simulate/simulate.js';
export { simulateTables, type FloorSimulation, type TablesAsked } from './simulate/tables.js';
export { SimulationRefusal } from './simulate/setting.js';
export type { ExpectedFinding } from './simulate/expected.js';
export { coupReport, dealerOf, type CoupReport } from './rows.js';
export { shoeSums, type ShoeSums } from './shoe-report.js';
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
} from './inspect-state.js';
export type { Coup, Found, Shoe } from './state.js';
