import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import {
  commissionCoups,
  commissionOwed,
  dealerAccuracy,
  deviceHealth,
  misdealtCoups,
  payoutVariance,
  shoeReport,
  type CommissionCoup,
  type CommissionReport,
  type DealersReport,
  type DevicesReport,
  type MisdealtReport,
  type Page,
  type PayoutsReport,
  type ReadAt,
  type ShoeReport,
} from '#read-model';
import { Requires } from '../identity/requires.js';
import { AskLines } from '../reading/ask-lines.js';
import { csvFile } from '../reading/csv.js';
import { ReadLines } from '../reading/documented.js';
import { Reader, Reading } from '../reading/reading.js';
import * as columns from './columns.js';
import {
  CommissionCoupsFields,
  CommissionFields,
  DealersFields,
  DevicesFields,
  MisdealtFields,
  PayoutsFields,
  ShoesReportFields,
} from './report-fields.js';
import {
  CommissionCoupsAnswer,
  CommissionReportAnswer,
  DealersAnswer,
  DevicesAnswer,
  MisdealtReportAnswer,
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
  @ReadLines(
    'Commission owed, by seat, shoe, table, dealer or gaming day',
    CommissionReportAnswer,
    csvFile('commission', columns.COMMISSION_COLUMNS),
  )
  reportCommission(
    @Query() fields: CommissionFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<CommissionReport>> {
    return this.queries.execute(
      new AskLines(
        (read, { by: lines = 'seat', ...filter }, paging) =>
          commissionOwed(read, lines, filter, paging),
        by.asks(fields),
      ),
    );
  }

  @Get('commission/coups')
  @Requires('report-commission')
  @ReadLines(
    'The coups that a line of the commission report is made of',
    CommissionCoupsAnswer,
    csvFile('commission-coups', columns.COMMISSION_COUP_COLUMNS),
  )
  reportCommissionCoups(
    @Query() fields: CommissionCoupsFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<Page<CommissionCoup>>> {
    return this.queries.execute(new AskLines(commissionCoups, by.asks(fields)));
  }

  @Get('misdealt')
  @Requires('report-misdealt')
  @ReadLines('Coups that were dealt wrong, each with its findings', MisdealtReportAnswer, {
    name: 'misdealt',
    of: columns.misdealtCsv,
  })
  reportMisdealt(
    @Query() fields: MisdealtFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<MisdealtReport>> {
    return this.queries.execute(new AskLines(misdealtCoups, by.asks(fields)));
  }

  @Get('dealers')
  @Requires('report-dealers')
  @ReadLines(
    'Coups and errors by dealer, with exact Poisson limits',
    DealersAnswer,
    csvFile('dealers', columns.DEALER_COLUMNS),
  )
  reportDealers(
    @Query() fields: DealersFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<DealersReport>> {
    return this.queries.execute(new AskLines(dealerAccuracy, by.asks(fields)));
  }

  @Get('shoes')
  @Requires('report-shoes')
  @ReadLines(
    'Composition, reconciliation and pace of each shoe',
    ShoesReportAnswer,
    csvFile('shoes', columns.SHOE_COLUMNS),
  )
  reportShoes(
    @Query() fields: ShoesReportFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<ShoeReport>> {
    return this.queries.execute(new AskLines(shoeReport, by.asks(fields)));
  }

  @Get('payouts')
  @Requires('report-payouts')
  @ReadLines('What was settled on each bet, and which settlements were wrong', PayoutsAnswer, {
    name: 'payouts',
    of: columns.payoutsCsv,
  })
  reportPayouts(
    @Query() fields: PayoutsFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<PayoutsReport>> {
    return this.queries.execute(new AskLines(payoutVariance, by.asks(fields)));
  }

  @Get('devices')
  @Requires('report-devices')
  @ReadLines(
    'Gaps, unread cards and clocks of each device',
    DevicesAnswer,
    csvFile('devices', columns.DEVICE_COLUMNS),
  )
  reportDevices(
    @Query() fields: DevicesFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<DevicesReport>> {
    return this.queries.execute(new AskLines(deviceHealth, by.asks(fields)));
  }
}
