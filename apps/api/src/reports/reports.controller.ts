import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import {
  type CommissionCoup,
  type CommissionReport,
  type DealersReport,
  type DevicesReport,
  type MisdealtReport,
  type Page,
  type PayoutCoup,
  type PayoutsReport,
  type ReadAt,
  type ShoeReport,
} from '#read-model';
import { Requires } from '../identity/requires.js';
import { AskLines } from '../reading/ask-lines.js';
import { ReadLines } from '../reading/documented.js';
import type { Export } from '../reading/files/export.js';
import { Reader, Reading } from '../reading/reading.js';
import * as reports from './reports.js';
import {
  CommissionCoupsFields,
  CommissionFields,
  DealersFields,
  DevicesFields,
  MisdealtFields,
  PayoutCoupsFields,
  PayoutsFields,
  ShoesReportFields,
} from './report-fields.js';
import {
  CommissionCoupsAnswer,
  CommissionReportAnswer,
  DealersAnswer,
  DevicesAnswer,
  MisdealtReportAnswer,
  PayoutCoupsAnswer,
  PayoutsAnswer,
  ShoesReportAnswer,
} from './report.answers.js';

/** The reports of contract section 7. */
@ApiTags('reports')
@Controller('v1/reports')
export class ReportsController {
  constructor(private readonly queries: QueryBus) {}

  @Get('commission')
  @Requires('report-commission')
  @ReadLines('Commission owed, by seat, shoe, table, dealer or gaming day', CommissionReportAnswer)
  reportCommission(
    @Query() fields: CommissionFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<CommissionReport> | Export> {
    return this.queries.execute(new AskLines(reports.COMMISSION_OWED, by.asks(fields)));
  }

  @Get('commission/coups')
  @Requires('report-commission')
  @ReadLines('The coups that a line of the commission report is made of', CommissionCoupsAnswer)
  reportCommissionCoups(
    @Query() fields: CommissionCoupsFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<Page<CommissionCoup>> | Export> {
    return this.queries.execute(new AskLines(reports.COMMISSION_COUPS, by.asks(fields)));
  }

  @Get('misdealt')
  @Requires('report-misdealt')
  @ReadLines('Coups that were dealt wrong, each with its findings', MisdealtReportAnswer)
  reportMisdealt(
    @Query() fields: MisdealtFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<MisdealtReport> | Export> {
    return this.queries.execute(new AskLines(reports.MISDEALT, by.asks(fields)));
  }

  @Get('dealers')
  @Requires('report-dealers')
  @ReadLines('Coups and errors by dealer, with exact Poisson limits', DealersAnswer)
  reportDealers(
    @Query() fields: DealersFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<DealersReport> | Export> {
    return this.queries.execute(new AskLines(reports.DEALERS, by.asks(fields)));
  }

  @Get('shoes')
  @Requires('report-shoes')
  @ReadLines('Composition, reconciliation and pace of each shoe', ShoesReportAnswer)
  reportShoes(
    @Query() fields: ShoesReportFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<ShoeReport> | Export> {
    return this.queries.execute(new AskLines(reports.SHOES, by.asks(fields)));
  }

  @Get('payouts')
  @Requires('report-payouts')
  @ReadLines('What was settled on each bet, and which settlements were wrong', PayoutsAnswer)
  reportPayouts(
    @Query() fields: PayoutsFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<PayoutsReport> | Export> {
    return this.queries.execute(new AskLines(reports.PAYOUTS, by.asks(fields)));
  }

  @Get('payouts/coups')
  @Requires('report-payouts')
  @ReadLines('The coups that a line of the report on payouts is made of', PayoutCoupsAnswer)
  reportPayoutCoups(
    @Query() fields: PayoutCoupsFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<Page<PayoutCoup>> | Export> {
    return this.queries.execute(new AskLines(reports.PAYOUT_COUPS, by.asks(fields)));
  }

  @Get('devices')
  @Requires('report-devices')
  @ReadLines('Gaps, unread cards and clocks of each device', DevicesAnswer)
  reportDevices(
    @Query() fields: DevicesFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<DevicesReport> | Export> {
    return this.queries.execute(new AskLines(reports.DEVICES, by.asks(fields)));
  }
}
