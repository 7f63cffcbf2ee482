import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { COUNT, DAY, TEXT } from './columns.js';

/** A seat's commission in a shoe, as the fold keeps it. Outstanding is marked - collected - waived. */
@Entity('ledger')
@Index('ledger_table', ['table'])
export class LedgerEntity {
  @PrimaryColumn(TEXT) shoeRef!: string;
  @PrimaryColumn(COUNT) seat!: number;
  @PrimaryColumn(TEXT) table!: string;
  @Column(TEXT) shoe!: string;
  @Column(TEXT) currency!: string;
  @Column(COUNT) due!: number;
  @Column(COUNT) taken!: number;
  @Column(COUNT) marked!: number;
  @Column(COUNT) collected!: number;
  @Column(COUNT) waived!: number;
}

/** The same by dealer and gaming day: the lines of a seat add up to its line in the ledger. */
@Entity('commission')
@Index('commission_day', ['gamingDay', 'table'])
@Index('commission_table', ['table', 'gamingDay'])
@Index('commission_dealer', ['dealer', 'gamingDay'])
export class CommissionEntity {
  @PrimaryColumn(TEXT) shoeRef!: string;
  @PrimaryColumn(COUNT) seat!: number;
  @PrimaryColumn(TEXT) dealer!: string;
  @PrimaryColumn(DAY) gamingDay!: string;
  @PrimaryColumn(TEXT) table!: string;
  @Column(TEXT) shoe!: string;
  @Column(TEXT) currency!: string;
  @Column(COUNT) due!: number;
  @Column(COUNT) taken!: number;
  @Column(COUNT) marked!: number;
  @Column(COUNT) collected!: number;
  @Column(COUNT) waived!: number;
}

/** Coups and game cards of a shoe by dealer and gaming day; dealer '' where nobody had signed on. */
@Entity('dealt')
@Index('dealt_day', ['gamingDay', 'table'])
@Index('dealt_table', ['table', 'gamingDay'])
@Index('dealt_dealer', ['dealer', 'gamingDay'])
export class DealtEntity {
  @PrimaryColumn(TEXT) shoeRef!: string;
  @PrimaryColumn(TEXT) dealer!: string;
  @PrimaryColumn(DAY) gamingDay!: string;
  @PrimaryColumn(TEXT) table!: string;
  @Column(TEXT) shoe!: string;
  @Column(COUNT) coups!: number;
  @Column(COUNT) cards!: number;
}

/** Settled bets of a shoe by bet, dealer and gaming day. */
@Entity('bet_total')
@Index('bet_total_day', ['gamingDay', 'table'])
@Index('bet_total_table', ['table', 'gamingDay'])
@Index('bet_total_dealer', ['dealer', 'gamingDay'])
export class BetTotalEntity {
  @PrimaryColumn(TEXT) shoeRef!: string;
  @PrimaryColumn(TEXT) bet!: string;
  @PrimaryColumn(TEXT) dealer!: string;
  @PrimaryColumn(DAY) gamingDay!: string;
  @PrimaryColumn(TEXT) table!: string;
  @Column(TEXT) shoe!: string;
  @Column(TEXT) currency!: string;
  @Column(COUNT) bets!: number;
  @Column(COUNT) staked!: number;
  @Column(COUNT) paid!: number;
  @Column(COUNT) taken!: number;
}
