import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { COUNT, DAY, KEY, TEXT } from './kinds.js';
import { tableOf } from './table.js';

/** Commission in minor units of `currency`. Outstanding is marked - collected - waived. */
abstract class Commission {
  @Column(TEXT) readonly currency!: string;
  @Column(COUNT) readonly due!: number;
  @Column(COUNT) readonly taken!: number;
  @Column(COUNT) readonly marked!: number;
  @Column(COUNT) readonly collected!: number;
  @Column(COUNT) readonly waived!: number;
}
/** The fields of `CommissionAmounts`. */
export const AMOUNTS = ['due', 'taken', 'marked', 'collected', 'waived'] as const;
/** The amounts of commission: due, taken, marked, collected and waived. */
export type CommissionAmounts = Pick<Commission, (typeof AMOUNTS)[number]>;

/** A seat's commission in a shoe, as the fold keeps it and `shoeprint audit` prints it. */
@Entity('ledger')
@Index('ledger_table', ['table'])
export class LedgerRow extends Commission {
  @PrimaryColumn(KEY) readonly shoeRef!: string;
  @PrimaryColumn(COUNT) readonly seat!: number;
  @PrimaryColumn(KEY) readonly table!: string;
  @Column(KEY) readonly shoe!: string;
}
/** The table of ledgers. */
export const LEDGER = tableOf(LedgerRow);

/**
 * A seat's commission in a shoe, by dealer and gaming day. The lines of a seat add up to its line
 * in the ledger.
 */
@Entity('commission')
@Index('commission_day', ['gamingDay', 'table'])
@Index('commission_table', ['table', 'gamingDay'])
@Index('commission_dealer', ['dealer', 'gamingDay'])
export class CommissionRow extends Commission {
  @PrimaryColumn(KEY) readonly shoeRef!: string;
  @PrimaryColumn(COUNT) readonly seat!: number;
  /** '' if nobody had signed on. */
  @PrimaryColumn(KEY) readonly dealer!: string;
  @PrimaryColumn(DAY) readonly gamingDay!: string;
  @PrimaryColumn(KEY) readonly table!: string;
  @Column(KEY) readonly shoe!: string;
}
/** The table of commission by dealer and gaming day. */
export const COMMISSION = tableOf(CommissionRow);

/** Coups and game cards of a shoe by dealer and gaming day. */
@Entity('dealt')
@Index('dealt_day', ['gamingDay', 'table'])
@Index('dealt_table', ['table', 'gamingDay'])
@Index('dealt_dealer', ['dealer', 'gamingDay'])
export class DealtRow {
  @PrimaryColumn(KEY) readonly shoeRef!: string;
  /** '' if nobody had signed on. */
  @PrimaryColumn(KEY) readonly dealer!: string;
  @PrimaryColumn(DAY) readonly gamingDay!: string;
  @PrimaryColumn(KEY) readonly table!: string;
  @Column(KEY) readonly shoe!: string;
  @Column(COUNT) readonly coups!: number;
  @Column(COUNT) readonly cards!: number;
}
/** The table of what each dealer dealt. */
export const DEALT = tableOf(DealtRow);

/** Settled bets of a shoe by bet, dealer and gaming day: how many, staked, gross winnings paid, stakes taken. */
@Entity('bet_total')
@Index('bet_total_day', ['gamingDay', 'table'])
@Index('bet_total_table', ['table', 'gamingDay'])
@Index('bet_total_dealer', ['dealer', 'gamingDay'])
export class BetTotalRow {
  @PrimaryColumn(KEY) readonly shoeRef!: string;
  @PrimaryColumn(KEY) readonly bet!: string;
  /** '' if nobody had signed on. */
  @PrimaryColumn(KEY) readonly dealer!: string;
  @PrimaryColumn(DAY) readonly gamingDay!: string;
  @PrimaryColumn(KEY) readonly table!: string;
  @Column(KEY) readonly shoe!: string;
  @Column(TEXT) readonly currency!: string;
  @Column(COUNT) readonly bets!: number;
  @Column(COUNT) readonly staked!: number;
  @Column(COUNT) readonly paid!: number;
  @Column(COUNT) readonly taken!: number;
}
/** The table of settled bets. */
export const BET_TOTAL = tableOf(BetTotalRow);
