import { Controller, Get, Header, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Open } from '../identity/requires.js';
import { Metrics } from './metrics.js';
import { AskReadiness, type Readiness } from './readiness.js';

@ApiTags('operation')
@Controller()
export class OperationController {
  constructor(
    private readonly queries: QueryBus,
    private readonly metrics: Metrics,
  ) {}

  @Get('livez')
  @Open()
  @ApiOperation({ summary: 'Whether the process lives: restart it where this does not answer' })
  @ApiResponse({ status: 200, schema: { example: { live: true } } })
  live(): { live: true } {
    return { live: true };
  }

  @Get('readyz')
  @Open()
  @ApiOperation({
    summary: 'Whether requests can be served: log, database and schemas; lag does not count',
  })
  @ApiResponse({
    status: 200,
    schema: {
      example: {
        ready: true,
        log: { ok: true, notes: [], powerSafe: true },
        database: { ok: true, notes: [] },
      },
    },
  })
  @ApiResponse({ status: 503, description: 'The same, `ready` false, and the notes say why' })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.queries.execute(new AskReadiness());
    void reply.code(readiness.ready ? 200 : 503).header('Cache-Control', 'no-store');
    return readiness;
  }

  @Get('metrics')
  @Open()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiOperation({ summary: 'Metrics, in Prometheus text format' })
  @ApiProduces('text/plain')
  @ApiResponse({
    status: 200,
    content: {
      'text/plain': { example: '# TYPE shoeprint_http_request_duration_seconds histogram' },
    },
  })
  text(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
