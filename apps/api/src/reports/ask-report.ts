import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  commissionCoups,
  commissionOwed,
  dealerAccuracy,
  deviceHealth,
  misdealtCoups,
  payoutVariance,
  shoeReport,
  type CommissionBy,
  type CommissionCoup,
  type CommissionFilter,
  type CommissionReport,
  type DealersReport,
  type DevicesFilter,
  type DevicesReport,
  type Filter,
  type MisdealtFilter,
  type MisdealtReport,
  type Page,
  type Paging,
  type PayoutFilter,
  type Positions,
  type PayoutsReport,
  type ReadAt,
  type ShoeReport,
  type Snapshot,
} from '#read-model';
import { pagesOf } from '../reading/all-pages.js';
import { RowsReader } from '../reading/rows-reader.js';

/** What every report is asked by, and what it answers. */
export interface Reports {
  readonly commission: {
    readonly filter: CommissionFilter & { readonly by: CommissionBy };
    readonly report: CommissionReport;
  };
  readonly 'commission-coups': {
    readonly filter: CommissionFilter;
    readonly report: Page<CommissionCoup>;
  };
  readonly misdealt: { readonly filter: MisdealtFilter; readonly report: MisdealtReport };
  readonly dealers: { readonly filter: Filter; readonly report: DealersReport };
  readonly shoes: { readonly filter: Filter; readonly report: ShoeReport };
  readonly payouts: { readonly filter: PayoutFilter; readonly report: PayoutsReport };
  readonly devices: { readonly filter: DevicesFilter; readonly report: DevicesReport };
}
export type ReportName = keyof Reports;

/** A report on the rows as they stand at `least` or later: a page of it, or (`'all'`) every line. */
export class AskReport<Name extends ReportName> extends Query<ReadAt<Reports[Name]['report']>> {
  constructor(
    readonly report: Name,
    readonly filter: Reports[Name]['filter'],
    readonly pages: Paging | 'all',
    readonly least: Positions | undefined,
  ) {
    super();
  }
}

@QueryHandler(AskReport)
export class AskReportHandler implements IQueryHandler<AskReport<ReportName>> {
  constructor(private readonly rows: RowsReader) {}

  execute({
    report,
    filter,
    pages,
    least,
  }: AskReport<ReportName>): Promise<ReadAt<Reports[ReportName]['report']>> {
    return this.rows.read(least, (read) =>
      pagesOf(pages, (paging) => onePage(read, report, filter, paging)),
    );
  }
}

type AnyFilter = Reports[ReportName]['filter'];
type AnyReport = Reports[ReportName]['report'];

const ASKED: {
  readonly [Name in ReportName]: (
    read: Snapshot,
    filter: Reports[Name]['filter'],
    paging: Paging,
  ) => Promise<Reports[Name]['report']>;
} = {
  commission: (read, { by, ...filter }, paging) => commissionOwed(read, by, filter, paging),
  'commission-coups': commissionCoups,
  misdealt: misdealtCoups,
  dealers: dealerAccuracy,
  shoes: shoeReport,
  payouts: payoutVariance,
  devices: deviceHealth,
};

function onePage(
  read: Snapshot,
  report: ReportName,
  filter: AnyFilter,
  paging: Paging,
): Promise<AnyReport> {
  const ask = ASKED[report] as (
    read: Snapshot,
    filter: AnyFilter,
    paging: Paging,
  ) => Promise<AnyReport>;
  return ask(read, filter, paging);
}
