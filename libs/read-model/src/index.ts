export * from './writing/batch.js';
export { gamingDayFaults, gamingDays, isDay, type GamingDayRule } from './reading/gaming-day.js';
export { poissonLimits, type PoissonLimits } from './reading/poisson.js';
export { BadCursor, PAGE_DEFAULT, PAGE_MAX, type Page, type Paging } from './reading/cursor.js';
export {
  BadPositions,
  furthest,
  hasReached,
  openSnapshot,
  positionsFrom,
  positionsNow,
  positionsText,
  readSnapshot,
  rowsNow,
  TooManyRows,
  type OpenSnapshot,
  type Positions,
  type ReadAt,
  type SchemaQuery,
  type Slices,
  type Snapshot,
} from './reading/snapshot-read.js';
export {
  migrate,
  readModelDataSource,
  ROW_TYPES,
  type DataSourceOptions,
} from './database/data-source.js';
export { migrateSchema, MigrationNeeded } from './database/migrate-schema.js';
export { isDatabaseAway } from './database/database-away.js';
export { DatabaseAway, onceReachable, type Reaching } from './database/once-reachable.js';
export { API_ROLE, AUDITOR_ROLE, writes } from './database/roles.js';
export { channelOf, quotedSchema, ROWS_SCHEMA } from './database/schema.js';
export * from './entities/index.js';
export { Table, type ColumnSchema } from './entities/table.js';
export type { Filter, ReadBy } from './reading/where.js';
export { type AtTable, SeveralTables } from './reading/one-opening.js';
export {
  COMMISSION_BY,
  commissionOwed,
  everyCommission,
  type CommissionBy,
  type CommissionFilter,
  type CommissionLine,
  type CommissionOwed,
  type CommissionReport,
} from './commission/commission.js';
export {
  DEALER_ERRORS,
  dealerAccuracy,
  type DealersFilter,
  type DealerAccuracy,
  type DealerLine,
  type DealersReport,
} from './dealers/dealers.js';
export {
  payoutVariance,
  type PayoutFilter,
  type PayoutLine,
  type PayoutsReport,
  type PayoutTotal,
  type VarianceLine,
} from './payouts/payouts.js';
export { everyPayoutCoup, payoutCoups, type PayoutCoup } from './payouts/payout-coups.js';
export {
  FINDING_FIELDS,
  FINDING_ORDERS,
  everyFinding,
  findings,
  type FindingLine,
  type FindingOrder,
} from './findings/findings.js';
export {
  FINDING_REPORTS,
  FINDING_STATUSES,
  type FindingsFilter,
  type FindingReport,
  type FindingStatus,
  type VideoEnds,
} from './findings/findings-filter.js';
export {
  findingWhole,
  type FindingDevice,
  type FindingReader,
  type FindingVideo,
  type FindingWhole,
  type ReviewWhole,
  type SeenBefore,
} from './findings/finding-whole.js';
export {
  actAt,
  findingHistory,
  HISTORY_ORDERS,
  type HistoryAct,
  type FindingHistory,
  type HistoryOrder,
  type HistoryReader,
  type Looker,
  type Looks,
} from './findings/history.js';
export { findingAt, type FindingLocation } from './findings/finding-location.js';
export {
  actingRole,
  REVIEW_COMMANDS,
  type ReviewCommand,
  type Reviewer,
  type ReviewerRole,
} from './findings/commands.js';
export {
  isForTwo,
  itemOf,
  mayOf,
  type May,
  type Reviewable,
  type ReviewSetting,
} from './findings/may.js';
export { findingFacets, type FacetCount, type FindingFacets } from './findings/facets.js';
export {
  REVIEW_FIELDS,
  reviewOf,
  withoutAccusation,
  type Review,
  type ReviewRead,
} from './findings/review.js';
export {
  actsByReference,
  claimReference,
  claimsUnder,
  findingsAtHand,
  nextInQueue,
  type ActLine,
  type FindingAtHand,
} from './findings/acts.js';
export {
  MISDEALT_CODES,
  everyMisdealt,
  misdealtCoups,
  type MisdealtCount,
  type MisdealtFilter,
  type MisdealtLine,
  type MisdealtReport,
  type MisdealtSummary,
} from './misdealt/misdealt.js';
export {
  everyShoeReport,
  shoeReport,
  type ShoeReport,
  type ShoeReportLine,
  type ShoeReportTotal,
  type ShoesFilter,
} from './shoe-report/shoe-report.js';
export {
  DEVICE_FIELDS,
  deviceHealth,
  everyDevice,
  type DeviceLine,
  type DevicesFilter,
  type DevicesReport,
  type DeviceTotal,
} from './devices/devices.js';
export {
  PackageRows,
  type StoredFinding,
  type StoredOpening,
  type UnjudgedLine,
} from './packages/package-rows.js';
export { passedRecords, passedUnderKey, type PassedRecord } from './passed/passed-records.js';
export {
  everyHouseEvent,
  houseEvents,
  type HouseEventLine,
  type HouseEventsFilter,
} from './house/house-events.js';
export {
  deliveries,
  type DeliveriesFilter,
  type DeliveryFault,
  type DeliveryLine,
} from './deliveries/deliveries.js';
export { stepsOf, type CoupStep, type SourcedCell, type Steps } from './coups/steps.js';
export type { JudgedBet, LawfulSettlement } from './coups/lawful.js';
export type { Statement } from './writing/statements.js';
export { RowStore, type Written } from './writing/writer.js';
export { RowsNotWritten, RowsOutcomeUnknown, type RowStoreOptions } from './writing/pool.js';
export {
  OtherFold,
  OtherLog,
  type Claimed,
  type Held,
  type PassedDigest,
  type PositionState,
  type RecordToPass,
  type Stop,
} from './writing/ownership.js';
export type { ParkedAsk, ParkedTable } from './writing/parked.js';
export type { ListedTable, SavedTable } from './writing/snapshots.js';
export { keyOf } from './database/schema-keys.js';
export {
  commissionCoups,
  everyCommissionCoup,
  type CommissionCoup,
} from './commission/commission-coups.js';
export {
  TABLE_COUP_FIELDS,
  TABLE_EVENT_FIELDS,
  TABLE_SHOE_FIELDS,
  everyTable,
  tableSeen,
  tables,
  type TableCoup,
  type TableEvents,
  type TableLine,
  type TableShoe,
} from './tables/tables.js';
export {
  SHOE_FIELDS,
  everyShoe,
  shoe,
  shoes,
  type ShoeLedgerLine,
  type ShoeLine,
  type ShoeWhole,
} from './shoes/shoes.js';
export { COUP_FIELDS, coups, everyCoup, type CoupLine, type CoupsFilter } from './coups/coups.js';
export { coup, RulesNotInstalled, type CoupWhole, type FindingOfCoup } from './coups/coup.js';
export type { CardFault } from './coups/fault.js';
export {
  changesSince,
  type Change,
  type ChangesPage,
  type TableChange,
} from './changes/changes.js';
export {
  NotAtTheSamePosition,
  Rebuild,
  RebuildRunning,
  type LivePosition,
  type Reach,
} from './rebuild/rebuild.js';
export type { TableComparison } from './rebuild/compare.js';
