import { Readable } from 'node:stream';
import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  UseInterceptors,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { TextParam } from '../http/parameters.js';
import type { Identity } from '../identity/identity.js';
import { Requires, Sender } from '../identity/requires.js';
import { Problem } from '../problems/problems.js';
import { Refuses } from '../problems/refuses.js';
import { IDEMPOTENCY_KEY, Key, KEY_PATTERN } from '../review/acts/act-request.js';
import { ExportAnswer, exportShown, ExportsAnswer } from './exports.answers.js';
import type { ExportJob } from './making/export-jobs.js';
import { exportAsked, NewExport } from './exports.fields.js';
import { FetchPackage, PACKAGE_TYPE, PackageAsked, PackageRequest } from './package-answer.js';
import { ListExports, RemoveExport, ShowExport } from './read-exports.js';
import { RequestExport } from './request-export.js';
import { RequestedAnswer } from './requested-answer.interceptor.js';

const TEXT = { schema: { type: 'string' } } as const;
const FILE = {
  [PACKAGE_TYPE]: { schema: { type: 'string' as const, format: 'binary' } },
};

/** Documents the route of the package itself. */
const PackageDocumented = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'The package itself, a zip file',
      description:
        'The whole file, or one part of it. The record of the house keeps who fetched it.',
    }),
    ApiHeader({
      name: 'Range',
      required: false,
      description: 'One part, `bytes=1000-1999`. Several get the whole file',
      ...TEXT,
    }),
    ApiHeader({
      name: 'If-Range',
      required: false,
      description: 'The `ETag` of the earlier part. If it differs, the whole file is sent',
      ...TEXT,
    }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of an earlier answer: returns 304, because it never changes',
      ...TEXT,
    }),
    ApiResponse({
      status: 200,
      description: 'The file',
      headers: { ETag: { description: 'Its SHA-256', ...TEXT } },
      content: FILE,
    }),
    ApiResponse({
      status: 206,
      description: 'A part of it',
      headers: { 'Content-Range': { description: 'Which part, of how many bytes', ...TEXT } },
      content: FILE,
    }),
    ApiResponse({ status: 304, description: 'Not modified' }),
    Refuses('not-found', 'conflict', 'range-not-satisfiable', 'too-many-at-once'),
  );

/** The routes of evidence packages. */
@ApiTags('evidence')
@Controller('v1/exports')
export class ExportsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Requires('export-evidence')
  @HttpCode(202)
  @UseInterceptors(RequestedAnswer)
  @ApiOperation({
    summary: 'Ask for an evidence package of a shoe, a finding, a table or a gaming day',
    description:
      'A job makes the package. The record of the house keeps who asked, for whom and why, and what was made, before the package can be fetched.',
  })
  @ApiHeader({
    name: IDEMPOTENCY_KEY,
    required: true,
    description: 'A name for this request. Repeating it has no further effect',
    schema: { type: 'string', pattern: KEY_PATTERN },
  })
  @ApiAcceptedResponse({
    type: ExportAnswer,
    description: 'What was asked for',
    headers: { Location: { description: 'Where it is', schema: { type: 'string' } } },
  })
  @Refuses(
    ...(['not-found', 'conflict', 'day-not-sealed'] as const),
    ...(['idempotency-key-reused', 'too-many-at-once'] as const),
  )
  async requestExport(
    @Body() asked: NewExport,
    @Key() key: string,
    @Sender() by: Identity,
  ): Promise<ExportJob> {
    const { purpose, recipient } = asked;
    const order = { key, purpose, recipient, asked: exportAsked(asked) };
    return this.commands.execute(new RequestExport(by, order));
  }

  @Get()
  @Requires('export-evidence')
  @ApiOperation({ summary: 'The latest exports of the tables in scope' })
  @ApiOkResponse({ type: ExportsAnswer, description: 'The latest first, at most 200' })
  async listExports(@Sender() by: Identity): Promise<ExportsAnswer> {
    return { items: (await this.queries.execute(new ListExports(by))).map(exportShown) };
  }

  @Get(':id')
  @Requires('export-evidence')
  @TextParam('id')
  @ApiOperation({ summary: 'An export: its progress, and what was made' })
  @ApiOkResponse({ type: ExportAnswer, description: 'The export' })
  @Refuses('not-found')
  async showExport(@Param('id') id: string, @Sender() by: Identity): Promise<ExportAnswer> {
    return exportShown(await this.queries.execute(new ShowExport(by, id)));
  }

  @Get(':id/package')
  @Requires('export-evidence')
  @TextParam('id')
  @PackageDocumented()
  async fetchPackage(
    @Param('id') id: string,
    @Sender() by: Identity,
    @PackageAsked() asked: PackageRequest,
  ): Promise<Readable | undefined> {
    const { made, state } = await this.queries.execute(new ShowExport(by, id));
    if (state === 'made' && made) {
      const part = asked.partOf(made);
      if (!part) return undefined;
      return asked.isHead
        ? Readable.from([])
        : this.commands.execute(new FetchPackage(by, { id, made }, part));
    }
    if (state === 'gone')
      throw new Problem('not-found', 'the package was removed: ask for it again');
    throw new Problem('conflict', `the package cannot be fetched: the export is ${state}`);
  }

  @Delete(':id')
  @Requires('export-evidence')
  @HttpCode(204)
  @TextParam('id')
  @ApiOperation({ summary: 'End an export, or remove its package' })
  @ApiNoContentResponse({ description: 'Removed' })
  @Refuses('not-found')
  async removeExport(@Param('id') id: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new RemoveExport(by, id));
  }
}
