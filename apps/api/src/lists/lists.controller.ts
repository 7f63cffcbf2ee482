import { applyDecorators, Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MIN_POSITION } from '../reading/positions.js';
import { answerAs, asJson, formatOf, jsonOnly, leastOf, send } from '../reading/answer.js';
import { csvOf } from '../reading/csv.js';
import { scopeOf } from '../reading/filter-fields.js';
import { checkedBody } from '../http/validation.pipe.js';
import { identityOf, Requires } from '../identity/requires.js';
import { COUP_COLUMNS, FINDING_COLUMNS, SHOE_LIST_COLUMNS, TABLE_COLUMNS } from './list-columns.js';
import * as examples from './list-examples.js';
import { CoupsFields, FindingsFields, ShoesFields, TablesFields } from './list-fields.js';
import { ListCoups, ListFindings, ListShoes, ListTables, ShowCoup, ShowShoe } from './lists.js';

const Documented = (summary: string, example: object): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary }),
    ApiHeader({
      name: MIN_POSITION,
      required: false,
      description:
        'What an append answered as Log-Position: the answer waits up to 2 s until it is in the rows',
    }),
    ApiResponse({
      status: 200,
      content: { 'application/json': { example: { positions: '0:1204,1:310', ...example } } },
    }),
    ApiResponse({ status: 304, description: 'It is what `If-None-Match` names' }),
  );
/** Of a list, which is had as CSV too. */
const Listed = (summary: string, example: object): MethodDecorator =>
  applyDecorators(
    Documented(summary, example),
    ApiProduces('application/json', 'text/csv'),
    ApiResponse({
      status: 200,
      content: {
        'application/json': { example: { positions: '0:1204,1:310', ...example } },
        'text/csv': { schema: { type: 'string' } },
      },
    }),
  );

/** What happened at the tables, as it stands (contract section 7). */
@ApiTags('tables, shoes, coups, findings')
@Controller('v1')
export class ListsController {
  constructor(private readonly queries: QueryBus) {}

  @Get('tables')
  @Requires('read-tables')
  @Listed('Tables as they stand: the open shoe and coup, cards as they come', examples.TABLES)
  async tables(
    @Query(checkedBody()) { format, cursor, limit, ...filter }: TablesFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = formatOf(request, format);
    const read = await this.queries.execute(
      new ListTables(
        { ...filter, ...scopeOf(identityOf(request)) },
        form === 'csv' ? 'all' : { cursor, limit },
        leastOf(request),
      ),
    );
    send(
      request,
      reply,
      answerAs(form, read, ({ lines }) => csvOf(TABLE_COLUMNS, lines), 'tables'),
    );
  }

  @Get('shoes')
  @Requires('read-coups')
  @Listed('Shoes, the latest first', examples.SHOES)
  async shoes(
    @Query(checkedBody()) { format, cursor, limit, ...filter }: ShoesFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = formatOf(request, format);
    const read = await this.queries.execute(
      new ListShoes(
        { ...filter, ...scopeOf(identityOf(request)) },
        form === 'csv' ? 'all' : { cursor, limit },
        leastOf(request),
      ),
    );
    send(
      request,
      reply,
      answerAs(form, read, ({ lines }) => csvOf(SHOE_LIST_COLUMNS, lines), 'shoes'),
    );
  }

  @Get('shoes/:id')
  @Requires('read-coups')
  @ApiParam({
    name: 'id',
    description: 'The reference of its opening, `source#id`, percent-encoded',
  })
  @Documented('A shoe with its coups, ledger and findings', examples.SHOE)
  async shoe(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    jsonOnly(request);
    send(
      request,
      reply,
      asJson(
        await this.queries.execute(
          new ShowShoe(plain(id), scopeOf(identityOf(request)).scope, leastOf(request)),
        ),
      ),
    );
  }

  @Get('coups')
  @Requires('read-coups')
  @Listed('Coups, the latest first', examples.COUPS)
  async coups(
    @Query(checkedBody()) { format, cursor, limit, ...filter }: CoupsFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = formatOf(request, format);
    const read = await this.queries.execute(
      new ListCoups(
        { ...filter, ...scopeOf(identityOf(request)) },
        form === 'csv' ? 'all' : { cursor, limit },
        leastOf(request),
      ),
    );
    send(
      request,
      reply,
      answerAs(form, read, ({ lines }) => csvOf(COUP_COLUMNS, lines), 'coups'),
    );
  }

  @Get('coups/:id')
  @Requires('read-coups')
  @ApiParam({
    name: 'id',
    description: 'The reference of its opening, `source#id`, percent-encoded',
  })
  @Documented(
    'A coup card by card: what was due at each step, bets, settlements, findings',
    examples.COUP,
  )
  async coup(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    jsonOnly(request);
    send(
      request,
      reply,
      asJson(
        await this.queries.execute(
          new ShowCoup(plain(id), scopeOf(identityOf(request)).scope, leastOf(request)),
        ),
      ),
    );
  }

  @Get('findings')
  @Requires('read-findings')
  @Listed('Findings, the latest or the gravest first', examples.FINDINGS)
  async findings(
    @Query(checkedBody()) { format, cursor, limit, ...filter }: FindingsFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = formatOf(request, format);
    const read = await this.queries.execute(
      new ListFindings(
        { ...filter, ...scopeOf(identityOf(request)) },
        form === 'csv' ? 'all' : { cursor, limit },
        leastOf(request),
      ),
    );
    send(
      request,
      reply,
      answerAs(form, read, ({ lines }) => csvOf(FINDING_COLUMNS, lines), 'findings'),
    );
  }
}

/** A reference that the database can be asked for; what cannot stand in a text names nothing. */
const plain = (id: string): string => (/^[^\0\p{Cs}]*$/u.test(id) ? id : '');
