import { FindingEntity, UnjudgeableEntity } from './findings.js';
import { CoupEntity, ShoeEntity } from './game.js';
import { MemberEntity, PositionEntity } from './positions.js';
import { DeviceEntity, ParkedEntity, ReleasedEntity, TableStateEntity } from './tables.js';
import { BetTotalEntity, CommissionEntity, DealtEntity, LedgerEntity } from './totals.js';

export * from './findings.js';
export * from './game.js';
export * from './positions.js';
export * from './tables.js';
export * from './totals.js';

/** Every table of the schema. */
export const ENTITIES = [
  PositionEntity,
  MemberEntity,
  TableStateEntity,
  ShoeEntity,
  CoupEntity,
  FindingEntity,
  UnjudgeableEntity,
  LedgerEntity,
  CommissionEntity,
  DealtEntity,
  BetTotalEntity,
  DeviceEntity,
  ParkedEntity,
  ReleasedEntity,
];
