import { applyDecorators, Controller, Get, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOG_POSITION, MIN_POSITION } from '../reading/positions.js';
import { answerAs, formatOf, leastOf, send } from '../reading/answer.js';
import { csvOf } from '../reading/csv.js';
import { scopeOf, type Format } from '../reading/filter-fields.js';
import { checkedBody } from '../http/validation.pipe.js';
import { identityOf, Requires } from '../identity/requires.js';
import { AskReport, type ReportName, type Reports } from './ask-report.js';
import {
  COMMISSION_COLUMNS,
  COMMISSION_COUP_COLUMNS,
  DEALER_COLUMNS,
  DEVICE_COLUMNS,
  MISDEALT_COLUMNS,
  PAYOUT_COLUMNS,
  SHOE_COLUMNS,
  type PayoutCsvLine,
} from './columns.js';
import * as examples from './report-examples.js';
import {
  CommissionCoupsFields,
  CommissionFields,
  DealersFields,
  DevicesFields,
  MisdealtFields,
  PayoutsFields,
  ShoesReportFields,
} from './report-fields.js';

/** What is the same of every report's description. */
const Documented = (summary: string, example: object): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary }),
    ApiHeader({
      name: MIN_POSITION,
      required: false,
      description:
        'What an append answered as Log-Position: the report waits up to 2 s until it is in the rows',
    }),
    ApiProduces('application/json', 'text/csv'),
    ApiResponse({
      status: 200,
      content: {
        'application/json': { example: { positions: '0:1204,1:310', ...example } },
        'text/csv': { schema: { type: 'string' } },
      },
      headers: {
        [LOG_POSITION]: {
          description: 'The positions that the report is true of',
          schema: { type: 'string' },
        },
      },
    }),
    ApiResponse({ status: 304, description: 'It is what `If-None-Match` names' }),
  );

interface Asked {
  readonly format?: Format;
  readonly cursor?: string;
  readonly limit?: number;
}

/** The reports of contract section 7, as JSON a page at a time or as CSV whole. */
@ApiTags('reports')
@Controller('v1/reports')
export class ReportsController {
  constructor(private readonly queries: QueryBus) {}

  @Get('commission')
  @Requires('report-commission')
  @Documented('Commission owed, by seat, shoe, table, dealer or gaming day', examples.COMMISSION)
  async commission(
    @Query(checkedBody()) { by = 'seat', ...asked }: CommissionFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer('commission', { by, ...asked }, request, reply, ({ lines }) =>
      csvOf(COMMISSION_COLUMNS, lines),
    );
  }

  @Get('commission/coups')
  @Requires('report-commission')
  @Documented(
    'The coups that a line of the commission report is made of',
    examples.COMMISSION_COUPS,
  )
  async commissionCoups(
    @Query(checkedBody()) asked: CommissionCoupsFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer('commission-coups', asked, request, reply, ({ lines }) =>
      csvOf(COMMISSION_COUP_COLUMNS, lines),
    );
  }

  @Get('misdealt')
  @Requires('report-misdealt')
  @Documented('Coups that were dealt wrong, each with its findings', examples.MISDEALT)
  async misdealt(
    @Query(checkedBody()) asked: MisdealtFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer('misdealt', asked, request, reply, ({ lines }) =>
      csvOf(
        MISDEALT_COLUMNS,
        lines.flatMap((line) => line.findings.map((finding) => ({ line, finding }))),
      ),
    );
  }

  @Get('dealers')
  @Requires('report-dealers')
  @Documented('Coups and errors by dealer, with exact Poisson limits', examples.DEALERS)
  async dealers(
    @Query(checkedBody()) asked: DealersFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer('dealers', asked, request, reply, ({ lines }) =>
      csvOf(DEALER_COLUMNS, lines),
    );
  }

  @Get('shoes')
  @Requires('report-shoes')
  @Documented('Composition, reconciliation and pace of each shoe', examples.SHOES)
  async shoes(
    @Query(checkedBody()) asked: ShoesReportFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer('shoes', asked, request, reply, ({ lines }) => csvOf(SHOE_COLUMNS, lines));
  }

  @Get('payouts')
  @Requires('report-payouts')
  @Documented('What was settled on each bet, and what of it was wrong, by cause', examples.PAYOUTS)
  async payouts(
    @Query(checkedBody()) asked: PayoutsFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer('payouts', asked, request, reply, ({ lines, variance }) =>
      csvOf<PayoutCsvLine>(PAYOUT_COLUMNS, [
        ...lines.map((settled) => ({ settled })),
        ...variance.map((wrong) => ({ wrong })),
      ]),
    );
  }

  @Get('devices')
  @Requires('report-devices')
  @Documented('Gaps, unread cards and clocks of each device', examples.DEVICES)
  async devices(
    @Query(checkedBody()) asked: DevicesFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer('devices', asked, request, reply, ({ lines }) =>
      csvOf(DEVICE_COLUMNS, lines),
    );
  }

  private async answer<Name extends ReportName>(
    name: Name,
    { format, cursor, limit, ...filter }: Asked & Reports[Name]['filter'],
    request: FastifyRequest,
    reply: FastifyReply,
    csv: (report: Reports[Name]['report']) => string,
  ): Promise<void> {
    const form = formatOf(request, format);
    const narrowed = { ...filter, ...scopeOf(identityOf(request)) };
    const read = await this.queries.execute(
      new AskReport(name, narrowed, form === 'csv' ? 'all' : { cursor, limit }, leastOf(request)),
    );
    send(request, reply, answerAs(form, read, csv, name));
  }
}
