import { COUP, CoupRow, SHOE, ShoeRow } from './game.js';
import { FINDING, FindingRow, UNJUDGEABLE, UnjudgeableRow } from './findings.js';
import { HOUSE_EVENT, HouseEventRow } from './house.js';
import { REVIEW_EVENT, ReviewEventRow } from './review.js';
import { MemberRow, PassedRecordRow, PositionRow } from './positions.js';
import {
  DELIVERY,
  DeliveryRow,
  DEVICE,
  DeviceRow,
  PARKED,
  ParkedRow,
  ReleasedRow,
  TABLE_STATE,
  TableRow,
} from './tables.js';
import {
  BET_TOTAL,
  BetTotalRow,
  COMMISSION,
  CommissionRow,
  DEALT,
  DealtRow,
  LEDGER,
  LedgerRow,
} from './totals.js';

export type { Changed } from './changed.js';
export * from './findings.js';
export * from './game.js';
export * from './house.js';
export * from './positions.js';
export * from './review.js';
export * from './tables.js';
export * from './totals.js';

/** Every table of the schema. */
export const ENTITIES = [
  PositionRow,
  MemberRow,
  TableRow,
  ShoeRow,
  CoupRow,
  FindingRow,
  UnjudgeableRow,
  ReviewEventRow,
  LedgerRow,
  CommissionRow,
  DealtRow,
  BetTotalRow,
  DeviceRow,
  HouseEventRow,
  DeliveryRow,
  ParkedRow,
  ReleasedRow,
  PassedRecordRow,
];

/** The tables whose rows follow from the log. */
export const PROJECTED = [
  TABLE_STATE,
  SHOE,
  COUP,
  FINDING,
  UNJUDGEABLE,
  REVIEW_EVENT,
  LEDGER,
  COMMISSION,
  DEALT,
  BET_TOTAL,
  DEVICE,
  HOUSE_EVENT,
  DELIVERY,
  PARKED,
] as const;
