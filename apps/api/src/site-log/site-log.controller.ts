import {
  applyDecorators,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Param,
  UseInterceptors,
} from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Identity } from '../identity/identity.js';
import { Requires, RequiresUnlessOpen, Sender } from '../identity/requires.js';
import { Problem } from '../problems/problems.js';
import { Refuses } from '../problems/refuses.js';
import { SealedAnswer } from './sealed-answer.interceptor.js';
import {
  type SealedFile,
  ShowCheckpoint,
  ShowHeads,
  ShowTile,
  SITE_LOG_TYPES,
} from './site-log.js';

const TAG = { description: 'A digest of the file', schema: { type: 'string' } } as const;

/** Documents a route that sends a sealed file, and has `SealedAnswer` send it. */
const Sealed = (
  kind: keyof typeof SITE_LOG_TYPES,
  summary: string,
  description: string,
): MethodDecorator =>
  applyDecorators(
    UseInterceptors(SealedAnswer),
    Refuses('not-found', 'not-ready'),
    ApiOperation({ summary, description }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of an earlier answer: returns 304 if the file is the same',
      schema: { type: 'string' },
    }),
    ApiResponse({
      status: 200,
      description: 'The file',
      headers: { ETag: TAG },
      content: { [SITE_LOG_TYPES[kind].replace(/;.*/, '')]: { schema: { type: 'string' } } },
    }),
    ApiResponse({ status: 304, description: 'Not modified', headers: { ETag: TAG } }),
  );

/** Injects the rest of the path, which `TilePath` documents. */
const PathRest = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { params } = context
    .switchToHttp()
    .getRequest<FastifyRequest<{ Params: { '*': string } }>>();
  return params['*'];
});

const TilePath = (): MethodDecorator =>
  ApiParam({
    name: 'path',
    description:
      'Level and number of the tile, or `entries` and a number, as C2SP tlog-tiles writes them: ' +
      '`0/000`, `0/x001/067.p/5`, `entries/000.p/3`',
    schema: { type: 'string', maxLength: 100 },
    example: '0/000.p/3',
  });

const NumberParam = (name: string, description: string): MethodDecorator =>
  ApiParam({ name, description, schema: { type: 'integer', minimum: 0 }, example: 1 });

/** The routes of the site log, as C2SP tlog-tiles wants them, and of the trees of tables. */
@ApiTags('evidence')
@Controller('v1/evidence')
export class SiteLogController {
  constructor(private readonly queries: QueryBus) {}

  @Get('checkpoint')
  @RequiresUnlessOpen('read-site-log', 'publicSiteLog')
  @Sealed(
    'text',
    'The last signed checkpoint of the site log',
    'A C2SP checkpoint: origin, size, root, and the signatures of the site and of its witnesses.',
  )
  showCheckpoint(): Promise<SealedFile> {
    return this.queries.execute(new ShowCheckpoint());
  }

  @Get('tile/*')
  @RequiresUnlessOpen('read-site-log', 'publicSiteLog')
  @TilePath()
  @Sealed(
    'hashes',
    'A tile of the site log, or a bundle of its entries',
    'Hashes of 32 bytes each, or entries, each preceded by its length in two bytes. ' +
      'Nothing beyond the last signed checkpoint.',
  )
  showSiteTile(@PathRest() path: string): Promise<SealedFile> {
    return this.queries.execute(new ShowTile('site', path));
  }

  @Get('tables/:number/tile/*')
  @Requires('read-record')
  @NumberParam('number', 'The number of the table in the seals')
  @TilePath()
  @Sealed(
    'hashes',
    'A tile of the tree of a table',
    'Hashes only. Never public: a record with few unknowns can be guessed from its hash.',
  )
  showTableTile(
    @Param('number') number: string,
    @PathRest() path: string,
    @Sender() { tables }: Identity,
  ): Promise<SealedFile> {
    const scope = tables === 'all' ? undefined : tables;
    return this.queries.execute(new ShowTile(wholeNumber(number), path, scope));
  }

  @Get('seals/:number/heads')
  @Requires('read-record')
  @NumberParam('number', 'The index of the seal in the site log')
  @Sealed(
    'text',
    'The heads of a seal: the state of the tree of every table',
    'Three lines per table, in the order of table numbers. Only for identities that may see every table.',
  )
  @Refuses('not-permitted')
  showHeads(@Param('number') number: string, @Sender() { tables }: Identity): Promise<SealedFile> {
    if (tables !== 'all')
      throw new Problem(
        'not-permitted',
        'a seal has the heads of all tables, and this identity may see only some',
      );
    return this.queries.execute(new ShowHeads(wholeNumber(number)));
  }
}

function wholeNumber(text: string): number {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  throw new Problem('not-found', 'the number in the path is not a whole number');
}
